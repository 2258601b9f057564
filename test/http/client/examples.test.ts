/** The examples of the client library do what they say: a bot, a dashboard, and a bridge to Matrix. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { startBot } from "../../../http/client/examples/bot.ts";
import { startBridge } from "../../../http/client/examples/bridge.ts";
import { type ChannelLine, showDashboard } from "../../../http/client/examples/dashboard.ts";
import { expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer();
const ada = server.person("Ada");
const robot = server.person("Robot");
const channel = server.channel("robots", [ada, robot]);
const accountOf = ({ email, apiKey }: Person) => ({ url: server.url, email, apiKey });

/** What Ada reads in the channel, oldest first. */
async function textsIn(channelId: number): Promise<string[]> {
  const narrow = [{ operator: "channel", operand: channelId }];
  const params = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false, narrow };
  const { messages } = expectSuccess(await ada.client.get("/messages", params));
  return (messages as { content: string }[]).map(({ content }) => content);
}

/** What Matrix documents of its client-server API, as far as a bridge needs it. */
class Homeserver {
  readonly #server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://localhost");
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (request.headers.authorization !== "Bearer secret") return answer(401, { errcode: "M_UNKNOWN_TOKEN" });
    const [, room, transaction] = /\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/.exec(pathname) ?? [];
    if (request.method !== "PUT") return this.#sync(Number(searchParams.get("since") ?? 0), answer);
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      if (this.#transactions.has(transaction!)) this.repeated++;
      else this.post("@bridge:here", JSON.parse(text).body);
      this.#transactions.add(transaction!);
      // The first answer is lost on its way: the same transaction comes again.
      if (this.#transactions.size === 1 && this.repeated === 0) return request.socket.destroy();
      this.room = decodeURIComponent(room!);
      return answer(200, { event_id: transaction });
    });
  });
  readonly #transactions = new Set<string>();
  readonly events: { event_id: string; type: string; sender: string; content: { msgtype: string; body: string } }[] =
    [];
  repeated = 0;
  room = "";
  #waiting: (() => void)[] = [];

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  post(sender: string, body: string): void {
    this.events.push({
      event_id: `$${this.events.length}`,
      type: "m.room.message",
      sender,
      content: { msgtype: "m.text", body },
    });
    for (const answer of this.#waiting.splice(0)) answer();
  }

  #sync(since: number, answer: (status: number, body: unknown) => void): void {
    const told = () => {
      const timeline = { events: this.events.slice(since) };
      answer(200, { next_batch: String(this.events.length), rooms: { join: { "!room:here": { timeline } } } });
    };
    if (since < this.events.length || since === 0) told();
    else this.#waiting.push(told);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

describe("an example of the client library", () => {
  it("is a bot, which answers once", async () => {
    const bot = startBot(accountOf(robot));
    stops.push(() => bot.stop());
    await bot.begun;
    const first = await ada.say(channel, "ping");
    const second = await ada.say(channel, "ping");
    await until("both are answered", async () => (await textsIn(channel.id)).includes(`pong ${second}`));
    const pongs = (await textsIn(channel.id)).filter((text) => text.startsWith("pong"));
    expect(pongs.sort()).toEqual([`pong ${first}`, `pong ${second}`].sort());
  });

  it("is a dashboard, which follows what is unread", async () => {
    let shown: readonly ChannelLine[] = [];
    const dashboard = showDashboard(accountOf(robot), (lines) => (shown = lines));
    stops.push(() => dashboard.stop());
    await dashboard.begun;
    const unread = () => shown.find(({ name }) => name === "robots")?.unread ?? 0;
    const before = unread();
    const id = await ada.say(channel, "news");
    await until("it is counted", () => unread() === before + 1);
    expectSuccess(await robot.client.post("/messages/flags", { op: "add", flag: "read", messages: [id] }));
    await until("it is no longer counted", () => unread() === before);
  });

  it("is a bridge to Matrix, which brings each message over once, also where an answer is lost", async () => {
    const homeserver = new Homeserver();
    const url = await homeserver.start();
    stops.push(() => homeserver.stop());
    const bridge = startBridge({
      parley: accountOf(robot),
      channelId: channel.id,
      topic: "bridge",
      matrix: { url, accessToken: "secret", roomId: "!room:here", userId: "@bridge:here" },
    });
    stops.push(() => bridge.stop());
    homeserver.post("@early:here", "before the bridge");
    await bridge.begun;
    await ada.say(channel, "over there", "bridge");
    await ada.say(channel, "elsewhere", "another topic");
    await until("it is in the room", () => homeserver.repeated > 0);
    homeserver.post("@eve:here", "over here");
    await until("it is in the channel", async () => (await textsIn(channel.id)).includes("@eve:here: over here"));
    await ada.say(channel, "and back", "bridge");
    await until("the rest is in the room", () => homeserver.events.at(-1)?.content.body === "Ada: and back");
    expect(homeserver.room).toBe("!room:here");
    expect(homeserver.events.map(({ content }) => content.body)).toEqual([
      "before the bridge",
      "Ada: over there",
      "over here",
      "Ada: and back",
    ]);
    expect((await textsIn(channel.id)).filter((text) => text.startsWith("@"))).toEqual(["@eve:here: over here"]);
  });
});
