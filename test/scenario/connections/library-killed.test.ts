/**
 * The client library while the server is killed under it (`kill -9`), again and again. What it sends is stored once.
 * What it hears comes once, in order. Its state is what the server tells. `PARLEY_TEST_KILLS` is how often: 5 here,
 * 1000 in the long form. There a person presses "retry" as soon as a server is back, so that nobody waits for a pause.
 * `PARLEY_TEST_LOGS` names a folder that gets what the processes print, and how the clients were when they stood still.
 */
import { appendFile, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { registerParams } from "../../support/convergence/client-profile.ts";
import { diffStates, normalizeState, type RegisterState } from "../../support/convergence/client-state.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { createTestDatabase } from "../../support/server/postgres.ts";
import { type ServerProcess, startServerProcess } from "../../support/server/server-process.ts";
import { until } from "../../support/time/until.ts";

const kills = Number(process.env["PARLEY_TEST_KILLS"] ?? 5);
/** Runs of so many kills wait for no pause. */
const longForm = 50;
const logs = process.env["PARLEY_TEST_LOGS"];
/** Messages that are stored between two kills. Some are always on their way. */
const sentBetween = 10;
const senders = 4;
/** A start on a busy machine, and the client's longest pause. */
const roundMs = 180_000;

const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

it(
  `the client library loses nothing and repeats nothing while the server is killed ${kills} times`,
  async () => {
    // Node has nothing of it; it has to be there when the library is loaded.
    const browser = new EventTarget();
    if (kills >= longForm) Object.assign(globalThis, eventsOf(browser));
    const { MODERN, ParleyClient } = await import("../../../http/client/index.ts");
    const { RETRY } = await import("../../../http/client/pause.ts");
    const dataDir = await dataFolder("library");
    cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
    const database = await createTestDatabase();
    cleanUps.push(() => database.drop());
    const environment = {
      PORT: String(await freePort()),
      PARLEY_DATA_DIR: dataDir,
      DATABASE_URL: database.url,
    };
    let server: ServerProcess = await startServerProcess(environment);
    cleanUps.push(() => server.kill());
    const apiKey = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
    const email = "owner@example.com";
    const reader = new ApiClient({ url: server.url, email, apiKey });
    const to = expectSuccess(await reader.get("/get_stream_id", { stream: "general" }))["stream_id"] as number;

    const heard: { id: number; content: string }[] = [];
    let states = 0;
    /** For the report, should they stand still. */
    const seen = { connection: "", sending: new Map<number, string>() };
    const followed = new ParleyClient({ url: server.url, email, apiKey }).follow({
      profile: MODERN,
      onState: () => states++,
      onConnection(isConnected, retryAtMs) {
        seen.connection = isConnected ? "connected" : `lost, tries again at ${new Date(retryAtMs ?? 0).toISOString()}`;
      },
      onEvents(events) {
        for (const event of events)
          if (event.type === "message") heard.push({ id: event.message.id, content: event.message.content });
      },
    });
    cleanUps.push(() => followed.stop());
    await followed.begun;

    const stored = new Map<string, number>();
    let isOver = false;
    const sending = Array.from({ length: senders }, async (_, sender) => {
      for (let number = 0; !isOver; number++) {
        const content = `${sender} says ${number}`;
        seen.sending.set(sender, `${content}, since ${new Date().toISOString()}`);
        stored.set(content, await followed.send({ type: "channel", to, topic: "killed", content }));
      }
    });
    for (let kill = 1; kill <= kills; kill++) {
      const goal = stored.size + sentBetween;
      await until(`messages before kill ${kill}`, () => stored.size >= goal, roundMs).catch(async (error: unknown) => {
        const health = await fetch(`${server.url}/health`).then((answer) => answer.text(), String);
        await note(`${kill}: stands still`, { health, ...seen, sending: [...seen.sending.values()] }, server);
        throw error;
      });
      await server.kill();
      await note(`${kill}: ${stored.size} stored, ${heard.length} heard`, {}, server);
      server = await startServerProcess(environment);
      browser.dispatchEvent(new Event(RETRY));
    }
    isOver = true;
    await Promise.all(sending);
    await until("all are heard", () => heard.length >= stored.size, roundMs);

    // Once each, in the order of the history, and nothing else.
    expect(heard.map(({ id }) => id)).toEqual([...stored.values()].sort((a, b) => a - b));
    const narrow = [{ operator: "topic", operand: "killed" }];
    const page = { anchor: "newest", num_before: 5000, num_after: 0, apply_markdown: false, narrow };
    const { messages } = expectSuccess(await reader.get("/messages", page)) as {
      messages: { id: number; content: string }[];
    };
    const newest = new Map([...stored].slice(-messages.length * 2));
    expect(messages.filter(({ id, content }) => newest.get(content) !== id && stored.get(content) !== id)).toEqual([]);
    expect(new Set(heard.map(({ content }) => content)).size).toBe(stored.size);
    // One queue outlived every kill, and the state that followed is the state of the server.
    expect(states).toBe(1);
    const now = (await reader.register(registerParams(MODERN))) as RegisterState;
    const differences = () => diffStates(normalizeState(followed.state, MODERN), normalizeState(now, MODERN));
    // The event that tells of the last start may still be on its way.
    await until("the state of the server", () => differences().length === 0, roundMs).catch(() => {});
    expect(differences()).toEqual([]);
  },
  kills * roundMs,
);

const eventsOf = (target: EventTarget) => ({
  addEventListener: target.addEventListener.bind(target),
  removeEventListener: target.removeEventListener.bind(target),
  dispatchEvent: target.dispatchEvent.bind(target),
});

/** Notes what the server printed, where somebody wants to know. */
async function note(what: string, about: object, server: ServerProcess): Promise<void> {
  if (logs === undefined) return;
  await mkdir(logs, { recursive: true });
  const lines = [`${new Date().toISOString()} kill ${what}`, JSON.stringify(about), server.output().trim()];
  await appendFile(join(logs, "library-killed.log"), `${lines.join("\n")}\n`);
}
