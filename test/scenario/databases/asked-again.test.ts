/** Requests in the moment in which their organization moves: answered, or told when to ask again; never refused. */
import sharp from "sharp";
import { expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { type HostedRealm, twoDatabases } from "../../support/databases/two-databases.ts";

const databases = twoDatabases();
const { server } = databases;

const kinds = ["send", "register", "poll", "history", "account", "upload", "download", "tus", "thumbnail"] as const;
type Kind = (typeof kinds)[number];

it("is asked again where the organization is, whatever it asks", async () => {
  // Otherwise the organization without a host answers to every loopback address, and refuses strangers.
  await server.database.sql`update realms set host = 'main.example.com' where host is null`;
  const realm = await databases.addRealm("Asked", "main");
  const asker = await Asker.of(realm);
  const wrong: string[] = [];
  for (const [source, target] of [
    ["main", "east"],
    ["east", "main"],
  ] as const) {
    const answers: Promise<string>[] = [];
    await databases.move({ realm_id: realm.id, host: realm.host, source, target }, (step) => {
      // Before rows are deleted, and as soon as they are.
      if (step === "delete" || step === "arrive") for (const kind of kinds) answers.push(asker.outcome(kind, step));
    });
    wrong.push(...(await Promise.all(answers)).filter((outcome) => outcome !== "well"));
  }
  expect(wrong).toEqual([]);
}, 300_000);

class Asker {
  #spellings = 0;

  private constructor(
    private readonly realm: HostedRealm,
    private readonly url: string,
    private readonly file: string,
    private readonly queue: { queue_id: string; last_event_id: number },
  ) {}

  static async of(realm: HostedRealm): Promise<Asker> {
    const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: "#369" } })
      .png()
      .toBuffer();
    const files = { file: { filename: "a.png", content: new Uint8Array(picture), type: "image/png" } };
    const { url } = expectSuccess(await realm.owner.post("/user_uploads", {}, { files }));
    const said = { type: "channel", to: "general", topic: "t", content: "said before" };
    expectSuccess(await realm.owner.post("/messages", said));
    const { queue_id, last_event_id } = expectSuccess(
      await realm.owner.post("/register", { event_types: ["message"] }),
    );
    const queue = { queue_id: queue_id as string, last_event_id: last_event_id as number };
    return new Asker(realm, `http://${realm.host}:${server.server.port}`, url as string, queue);
  }

  /** "well" for an answer that is right, and for 503 with the time after which to ask again. */
  async outcome(kind: Kind, step: string): Promise<string> {
    const [reply, isRight] = await this.#ask(kind);
    const text = await reply.text();
    const isWell = reply.status === 503 ? reply.headers.has("retry-after") : reply.status === 200 && isRight(text);
    return isWell ? "well" : `${kind} at ${step}: ${reply.status} ${text.slice(0, 200)}`;
  }

  async #ask(kind: Kind): Promise<[Response, (text: string) => boolean]> {
    const has = (part: string) => (text: string) => text.includes(part);
    const narrow = JSON.stringify([{ operator: "search", operand: "before" }]);
    switch (kind) {
      case "send":
        return [
          await this.#post("messages", { type: "channel", to: "general", topic: "t", content: "hi" }),
          has('"id"'),
        ];
      case "register":
        return [await this.#post("register", { event_types: '["message"]' }), has('"queue_id"')];
      case "poll": {
        const { queue_id, last_event_id } = this.queue;
        const query = new URLSearchParams({ queue_id, last_event_id: `${last_event_id}`, dont_block: "true" });
        return [await this.#fetch(`/api/v1/events?${query}`), has('"events"')];
      }
      case "history": {
        const query = new URLSearchParams({ anchor: "newest", num_before: "10", num_after: "0", narrow });
        return [await this.#fetch(`/api/v1/messages?${query}`), has("said ")];
      }
      case "account":
        return [await this.#fetch("/api/v1/users/me"), has('"owner@example.com"')];
      case "upload": {
        const body = new FormData();
        body.append("file", new Blob(["text"]), "a.txt");
        return [await this.#fetch("/api/v1/user_uploads", { method: "POST", body }), has('"url"')];
      }
      case "download":
        return [await this.#fetch(this.file), has("PNG")];
      case "tus": {
        const headers = {
          "tus-resumable": "1.0.0",
          "upload-length": "4",
          "upload-metadata": `filename ${btoa("b.txt")}`,
          "content-type": "application/offset+octet-stream",
        };
        return [await this.#fetch("/api/v1/tus", { method: "POST", headers, body: "text" }), has('"filename"')];
      }
      case "thumbnail": {
        const path = this.file.replace("/user_uploads/", "/user_uploads/thumbnail/");
        return [await this.#fetch(`${path}/840x560.webp`), has("WEBP")];
      }
    }
  }

  #post(path: string, fields: Record<string, string>): Promise<Response> {
    return this.#fetch(`/api/v1/${path}`, { method: "POST", body: new URLSearchParams(fields) });
  }

  /** By a spelling that the node has not seen: it has to look the key up. */
  #fetch(path: string, options: { method?: string; headers?: Record<string, string>; body?: BodyInit } = {}) {
    const { apiKey, owner } = this.realm;
    const authorization = `Basic ${btoa(`${" ".repeat(++this.#spellings)}${owner.email}:${apiKey}`)}`;
    return fetch(this.url + path, { ...options, headers: { ...options.headers, authorization } });
  }
}
