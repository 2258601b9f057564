/** Events on a stream: `GET /events` with `Accept: text/event-stream`. It says what polls say, as it happens. */

import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { cursorOf, expectError, expectSuccess, type JsonObject, type QueueCursor } from "../../support/client/api.ts";
import { type StreamPart, streamParts } from "../../support/client/event-stream.ts";
import type { WireEvent } from "../../support/convergence/client-state.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({
  alsoOn: ["two nodes", "native build"],
  environment: { PARLEY_QUEUE_MAX_EVENTS: "400" },
});
const [ann] = server.people("Ann");
const talk = server.channel("talk", [server.owner, ann]);

describe("a stream of events", () => {
  it("brings what polls bring, each event under its id", async () => {
    const [streamed, polled] = [await register(ann), await register(ann)];
    const stream = await open(ann, streamed);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "access-control-allow-origin": "*",
      "x-accel-buffering": "no",
    });
    await say("one");
    const [one] = await stream.events(1);
    await say("two");
    const [two] = await stream.events(1);
    await say("three");
    const [three] = await stream.events(1);
    const byPoll: WireEvent[] = [];
    while (byPoll.length < 3) byPoll.push(...(await ann.client.drain(polled)));
    expect([one, two, three]).toEqual(byPoll);
    await stream.leave();
  });

  it("brings first what waits, and goes on behind it", async () => {
    const queue = await register(ann);
    await say("waits");
    const stream = await open(ann, queue);
    await say("comes");
    expect(contents(await stream.events(2))).toEqual(["waits", "comes"]);
    await stream.leave();
  });

  it("goes on behind the event that a browser names, whatever its address says, also behind one it was sent before", async () => {
    const queue = await register(ann);
    const first = await open(ann, queue);
    for (const content of ["a", "b", "c"]) await say(content);
    const [a] = await first.events(3);
    await first.leave();
    const again = await open(ann, queue, { "last-event-id": String(a!.id) });
    await say("d");
    expect(contents(await again.events(3))).toEqual(["b", "c", "d"]);
    await again.leave();
    const polled = await ann.client.drain({ ...queue, lastEventId: a!.id });
    expect(contents(polled)).toEqual(["b", "c", "d"]);
  });

  it("ends behind what there is with dont_block", async () => {
    const queue = await register(ann);
    await say("there");
    const response = await fetch(`${server.url}${path(queue)}&dont_block=true`, {
      headers: { ...credentials(ann), accept: "text/event-stream" },
    });
    expect(contents(await new Reading(response).rest())).toEqual(["there"]);
  });

  it("is refused as a poll is, in JSON", async () => {
    const queue = await register(ann);
    const ask = async (url: string, headers: Record<string, string>) => {
      const response = await fetch(server.url + url, { headers: { accept: "text/event-stream", ...headers } });
      const body = (await response.json()) as JsonObject;
      return [response.status, response.headers.get("content-type"), body["code"]];
    };
    const json = "application/json";
    const unknown = path({ ...queue, queueId: "9f461969-0000-4000-8000-000000000000" });
    expect(await ask(unknown, credentials(ann))).toEqual([400, json, "BAD_EVENT_QUEUE_ID"]);
    expect(await ask(path(queue), credentials(server.owner))).toEqual([400, json, "BAD_EVENT_QUEUE_ID"]);
    expect(await ask(path(queue), {})).toEqual([401, json, "UNAUTHENTICATED_USER"]);
    expect(await ask(path({ ...queue, lastEventId: 1e9 }), credentials(ann))).toEqual([
      400,
      json,
      "BAD_EVENT_QUEUE_ID",
    ]);
    const odd = { ...credentials(ann), "last-event-id": "seven" };
    expect(await ask(path(queue), odd)).toEqual([400, json, "BAD_REQUEST"]);
    expect(await ask(`/api/v1/events?queue_id=${queue.queueId}`, credentials(ann))).toEqual([400, json, "BAD_REQUEST"]);
  });

  it("gives way to whatever asks for the queue next, which is told what the other had", async () => {
    const queue = await register(ann);
    const first = await open(ann, queue);
    await say("to both");
    const [event] = await first.events(1);
    const second = await open(ann, queue);
    expect(await first.rest()).toEqual([]);
    expect(await second.events(1)).toEqual([event]);
    queue.lastEventId = event!.id;
    const polled = ann.client.get("/events", { queue_id: queue.queueId, last_event_id: queue.lastEventId });
    expect(await second.rest()).toEqual([]);
    await say("for the poll");
    expect(expectSuccess(await polled)["events"]).toHaveLength(1);
  });

  it("serves a browser's log-in", async () => {
    const queue = await register(ann);
    const form = new URLSearchParams({ username: ann.email, password: "a fine password" });
    const login = await fetch(`${server.url}/login/`, { method: "POST", body: form, redirect: "manual" });
    const cookie = login.headers
      .getSetCookie()
      .map((each) => each.split(";")[0])
      .join("; ");
    const url = `${server.url}${path(queue).replace("/api/v1", "/json")}`;
    const stream = new Reading(await fetch(url, { headers: { cookie, accept: "text/event-stream" } }));
    await say("to a browser");
    expect(contents(await stream.events(1))).toEqual(["to a browser"]);
    await stream.leave();
  });
});

describe("the end of a stream", () => {
  it("comes with a new key, with the account's end, and with the queue's; the next request says why", async () => {
    const bea = await server.addUser("Bea");
    const next = async (queue: QueueCursor) => {
      const headers = { ...credentials(bea), accept: "text/event-stream" };
      const response = await fetch(server.url + path(queue), { headers });
      return [response.status, ((await response.json()) as JsonObject)["code"]];
    };
    const queue = await register(bea);
    const deleted = await open(bea, queue);
    expectSuccess(await bea.client.delete("/events", { queue_id: queue.queueId }));
    expect(await deleted.rest()).toEqual([]);
    expect(await next(queue)).toEqual([400, "BAD_EVENT_QUEUE_ID"]);

    const other = await register(bea);
    const keyed = await open(bea, other);
    expectSuccess(await bea.client.post("/users/me/api_key/regenerate"));
    expect(await keyed.rest()).toEqual([]);
    expect(await next(other)).toEqual([401, "INVALID_API_KEY"]);

    const cid = await server.addUser("Cid");
    const ended = await open(cid, await register(cid));
    expectSuccess(await server.owner.client.delete(`/users/${cid.id}`));
    expect(await ended.rest()).toEqual([]);
  });

  it("comes when the node stops, and the next stream goes on", async () => {
    const queue = await register(ann);
    const stream = await open(ann, queue);
    for (const realm of await server.realms()) memoryOf(realm, eventQueues).evict();
    expect(await stream.rest()).toEqual([]);
    await say("meanwhile");
    const again = await open(ann, queue);
    expect(contents(await again.events(1))).toEqual(["meanwhile"]);
    await again.leave();
  });

  it("comes after an hour or so; until then comments show that it lives, and its queue is kept", async () => {
    const environments = server.nodes.map(({ app }) => app.system.environment);
    const clock = environments[0]!.steady;
    const forward = (secs: number) => {
      for (const environment of environments) environment.steady = () => clock() + secs;
    };
    const queue = await register(ann, { idle_queue_timeout: 10 });
    const stream = await open(ann, queue);
    try {
      forward(60);
      expect(await stream.next()).toMatchObject({ event: undefined, comments: [": heartbeat"] });
      await say("after a minute");
      expect(contents(await stream.events(1))).toEqual(["after a minute"]);
      forward(2 * 3600);
      expect(await stream.rest()).toEqual([]);
      const again = await open(ann, queue);
      await again.leave();
      // Nobody reads it any more: its time-out runs.
      await expect.poll(async () => await census()).toBe(0);
      forward(2 * 3600 + 60);
      const isHeld = async () =>
        (await server.realms()).some((realm) => memoryOf(realm, eventQueues).find(queue.queueId));
      await expect.poll(isHeld, { timeout: 60_000 }).toBe(false);
      expectError(await ann.client.get("/events", { queue_id: queue.queueId, last_event_id: -1 }), 400);
    } finally {
      for (const environment of environments) environment.steady = clock;
    }
  });

  it("comes for a client that does not read; little is kept for it, and it goes on from the log", async () => {
    const queue = await register(ann);
    const port = Number(new URL(server.url).port);
    const socket = connect({ port, host: "127.0.0.1", onread: undefined });
    const isClosed = new Promise((done) => socket.once("close", done));
    socket.on("error", () => {});
    socket.write(
      `GET ${path(queue)} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n` +
        `Authorization: ${credentials(ann).authorization}\r\n\r\n`,
    );
    await new Promise((readable) => socket.once("readable", readable));
    const realm = (await server.realms())[0]!;
    await expect.poll(() => memoryOf(realm, eventQueues).find(queue.queueId)?.parked?.isStream).toBe(true);
    const sent: string[] = [];
    // What the kernel takes fills up first, then the stream is behind, then it is cut.
    while (memoryOf(realm, eventQueues).find(queue.queueId)?.parked) {
      const wave = Array.from({ length: 20 }, (_, index) => `${sent.length + index} ${"x".repeat(9900)}`);
      sent.push(...wave);
      await Promise.all(wave.map(say));
      if (sent.length > 3000) throw new Error("the stream was never cut");
    }
    expect(memoryOf(realm, eventQueues).find(queue.queueId)).toMatchObject({ state: "idle", backlog: [] });
    let received = "";
    socket.on("data", (bytes: Buffer) => {
      received += bytes.toString("latin1");
    });
    await isClosed;
    const whole = [...received.matchAll(/^id: \d+\ndata: (.*)\n\n/gm)].map(
      ([, json]) => JSON.parse(json!) as WireEvent,
    );
    expect(whole.length).toBeLessThan(sent.length);
    const numbers = new Set(contents(whole).map((content) => Number.parseInt(content, 10)));
    expect(numbers.size).toBe(whole.length);
    const known = { ...queue, lastEventId: whole.at(-1)!.id };
    while (numbers.size < sent.length) {
      const events = await ann.client.events(known.queueId, known.lastEventId);
      for (const content of contents(events)) numbers.add(Number.parseInt(content, 10));
      known.lastEventId = events.at(-1)!.id;
    }
    expect(numbers.size).toBe(sent.length);
  });

  it("comes when the organization is closed, behind the word of it", async () => {
    const stream = await open(ann, await register(ann, { event_types: ["realm"], fetch_event_types: ["realm"] }));
    expectSuccess(await server.owner.client.post("/realm/deactivate"));
    expect(await stream.rest()).toMatchObject([{ type: "realm", op: "deactivated" }]);
  });
});

const credentials = ({ email, apiKey }: Person) => ({
  authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`,
});

const register = async (person: Person, params: JsonObject = {}): Promise<QueueCursor> =>
  cursorOf(await person.client.register({ event_types: ["message"], fetch_event_types: ["message"], ...params }));

const say = async (content: string) =>
  expectSuccess(await server.owner.client.post("/messages", { type: "channel", to: talk.id, topic: "t", content }))[
    "id"
  ] as number;

const census = async () =>
  (await server.realms()).reduce((sum, realm) => sum + memoryOf(realm, eventQueues).census().streams, 0);

const path = ({ queueId, lastEventId }: QueueCursor) =>
  `/api/v1/events?queue_id=${queueId}&last_event_id=${lastEventId}`;

/** An open stream, read part by part. */
class Reading {
  readonly #pieces: AsyncGenerator<StreamPart[]>;
  #parts: StreamPart[] = [];

  constructor(readonly response: Response) {
    this.#pieces = streamParts(response.body!);
  }

  /** The next part, undefined when the stream has ended. */
  async next(): Promise<StreamPart | undefined> {
    while (this.#parts.length === 0) {
      const { done, value } = await this.#pieces.next();
      if (done) return undefined;
      this.#parts = value;
    }
    return this.#parts.shift();
  }

  /** So many events. */
  async events(count: number): Promise<WireEvent[]> {
    const events: WireEvent[] = [];
    while (events.length < count) {
      const part = await this.next();
      if (part === undefined) throw new Error(`the stream ended after ${events.length} events`);
      if (part.event) events.push(part.event);
    }
    return events;
  }

  /** The events until the stream ends. */
  async rest(): Promise<WireEvent[]> {
    const events: WireEvent[] = [];
    for (let part = await this.next(); part; part = await this.next()) if (part.event) events.push(part.event);
    return events;
  }

  async leave(): Promise<void> {
    await this.#pieces.return(undefined);
  }
}

async function open(person: Person, queue: QueueCursor, headers: Record<string, string> = {}): Promise<Reading> {
  const response = await fetch(server.url + path(queue), {
    headers: { ...credentials(person), accept: "text/event-stream", ...headers },
  });
  expect(response.status, response.ok ? "" : await response.text()).toBe(200);
  const reading = new Reading(response);
  // What opens it has come: from here on it is there.
  expect(await reading.next()).toMatchObject({ event: undefined, retryMs: expect.any(Number) });
  return reading;
}

const contents = (events: readonly WireEvent[]) =>
  events.map((event) => (event["message"] as { content: string }).content);
