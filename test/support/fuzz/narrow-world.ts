/** An organization in which people do random things with messages, channels and what they see of them. */
import fc from "fast-check";
import { expectSuccess, type JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import type { TestServer } from "../server/server.ts";

const topics = ["tea", "Tea", "✔ tea", "ΟΔΌΣ", "οδός", "", "coffee"];
const texts = [
  "zebra",
  "quartz zebra",
  "see https://example.com/a",
  "@**Ada** quartz",
  "@**Bob** zebra",
  "@**all** zebra",
  "@**topic** quartz",
  "plain",
];

/** What happens, and numbers that choose to whom and what. */
const step = fc.record({
  what: fc.constantFrom(
    ...Array<"send">(14).fill("send"),
    ...Array<"direct">(4).fill("direct"),
    ...Array<"read">(4).fill("read"),
    ...Array<"star">(3).fill("star"),
    ...Array<"move">(4).fill("move"),
    ...(["edit", "edit", "delete", "react", "react", "leave", "join", "join"] as const),
    ...(["policy", "policy", "mute", "role", "close", "open", "protect", "archive", "read channel"] as const),
  ),
  who: fc.nat({ max: 2 }),
  to: fc.nat({ max: 6 }),
  channel: fc.nat({ max: 4 }),
  topic: fc.constantFrom(...topics),
  text: fc.constantFrom(...texts),
  pick: fc.nat(),
  value: fc.boolean(),
});

export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

export const randomSteps = (seed: number, count: number): Step[] => fc.sample(step, { seed, numRuns: count });

export class NarrowWorld {
  readonly sent: number[] = [];
  #channels: number[] = [];

  /** @param people the readers, who are members or guests */
  constructor(
    readonly server: TestServer,
    readonly people: readonly Person[],
  ) {}

  get channels(): readonly number[] {
    return this.#channels;
  }

  async begin(): Promise<void> {
    const { server } = this;
    const [ada, bob, cid] = this.people as readonly [Person, Person, Person];
    server.allowWebPublicChannels(true);
    await server.owner.setRealm({ enable_spectator_access: true });
    const everybody = [server.owner, ...this.people];
    const isPrivate = { invite_only: true, history_public_to_subscribers: true };
    const isProtected = { invite_only: true, history_public_to_subscribers: false };
    this.#channels = [
      await server.addChannel("open", everybody),
      await server.addChannel("wide", [server.owner, ada]),
      await server.addChannel("closed", [server.owner, ada, bob], isPrivate),
      await server.addChannel("vault", [server.owner, cid], isProtected),
      await server.addChannel("window", [server.owner, bob], { is_web_public: true }),
    ];
    expectSuccess(await ada.client.post("/users/me/alert_words", { alert_words: ["quartz"] }));
  }

  /** Does it. A refusal is part of life, a failure is not. */
  async take(action: Step): Promise<void> {
    const { status, text, request } = await this.#do(action);
    if (status >= 500) throw new Error(`${request}: ${text}`);
  }

  async #do({ what, who, to, channel, topic, text, pick, value }: Step) {
    const { owner } = this.server;
    const person = this.people[who]!;
    const { client } = person;
    const stream_id = this.#channels[channel]!;
    const id = this.sent[pick % this.sent.length] ?? 0;
    const several = [0, 3, 7].map((far) => this.sent[(pick + far) % this.sent.length] ?? 0);
    const principals = [person.id];
    switch (what) {
      case "send":
        return this.#send(client, { type: "stream", to: stream_id, topic, content: text, read_by_sender: value });
      case "direct": {
        const others = this.people.filter((_, place) => ((to + 1) >> place) & 1).map(({ id: other }) => other);
        return this.#send(client, { type: "direct", to: others, content: text, read_by_sender: value });
      }
      case "read":
      case "star": {
        const flag = what === "read" ? "read" : "starred";
        return client.post("/messages/flags", { messages: several, op: value ? "add" : "remove", flag });
      }
      case "move": {
        const propagate_mode = value ? "change_all" : "change_one";
        const notices = { send_notification_to_old_thread: false, send_notification_to_new_thread: false };
        return owner.client.patch(`/messages/${id}`, { topic, stream_id, propagate_mode, ...notices });
      }
      case "edit":
        return owner.client.patch(`/messages/${id}`, { content: text });
      case "delete":
        return owner.client.delete(`/messages/${id}`);
      case "react":
        return client.post(`/messages/${id}/reactions`, { emoji_name: "tada" });
      case "leave":
        return owner.client.delete("/users/me/subscriptions", {
          subscriptions: [await this.#nameOf(stream_id)],
          principals,
        });
      case "join": {
        const subscriptions = [{ name: await this.#nameOf(stream_id) }];
        return owner.client.post("/users/me/subscriptions", { subscriptions, principals });
      }
      case "policy":
        return client.post("/user_topics", { stream_id, topic, visibility_policy: pick % 4 });
      case "mute": {
        const subscription_data = [{ stream_id, property: "is_muted", value }];
        return client.post("/users/me/subscriptions/properties", { subscription_data });
      }
      case "role":
        return owner.client.patch(`/users/${this.people[1]!.id}`, { role: value ? 600 : 400 });
      case "close":
        return owner.client.patch(`/streams/${stream_id}`, { is_private: true, history_public_to_subscribers: true });
      case "open":
        return owner.client.patch(`/streams/${stream_id}`, { is_private: false, is_web_public: value && channel > 3 });
      case "protect":
        return owner.client.patch(`/streams/${stream_id}`, { is_private: true, history_public_to_subscribers: false });
      case "archive":
        return channel === 1 && value
          ? owner.client.delete(`/streams/${stream_id}`)
          : owner.client.patch(`/streams/${stream_id}`, { is_archived: false });
      case "read channel":
        return client.post("/mark_stream_as_read", { stream_id });
    }
  }

  async #nameOf(channel: number): Promise<string> {
    return (await this.server.state()).channels.get(channel)!.name;
  }

  async #send(client: Person["client"], params: JsonObject) {
    const reply = await client.post("/messages", params);
    if (typeof reply.body["id"] === "number") this.sent.push(reply.body["id"]);
    return reply;
  }
}
