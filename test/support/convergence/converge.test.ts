import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiClient } from "../client/api.ts";
import { LEGACY, MODERN } from "./client-profile.ts";
import type { RegisterState, WireEvent } from "./client-state.ts";
import { assertConverges, DivergenceError } from "./converge.ts";
import { sampleEvent } from "./sample-events.ts";
import { sampleState } from "./sample-state.ts";

/** Serves two states, one for each profile, and whatever events it is given; events wait in every queue. */
class FakeServer {
  readonly queues = new Map<string, WireEvent[]>();
  readonly states = { modern: sampleState(MODERN), legacy: sampleState(LEGACY) };
  /** What GET /messages answers, whatever is asked. */
  messages: object[] = [];
  position = 5;
  /** Fetches that still answer the old state, as a lagging replica does. */
  lag: { fetches: number; states: FakeServer["states"]; position: number } | undefined;
  #server: Server | undefined;
  #made = 0;

  async listen(): Promise<string> {
    this.#server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const url = new URL(request.url ?? "", "http://127.0.0.1");
      const params = new URLSearchParams(request.method === "GET" ? url.search : body);
      const answer = this.#handle(request.method ?? "", url.pathname, params);
      if (answer) response.end(JSON.stringify({ result: "success", msg: "", ...answer }));
    });
    await new Promise<void>((resolve) => this.#server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** Changes both states and sends an event to every queue. */
  write(change: (state: RegisterState) => void, event?: WireEvent): void {
    this.position++;
    for (const state of Object.values(this.states)) change(state);
    if (event?.type === "message") this.messages.push({ ...(event["message"] as object), flags: event["flags"] });
    if (event) for (const queue of this.queues.values()) queue.push({ ...event, id: this.position });
  }

  #handle(method: string, path: string, params: URLSearchParams): object | undefined {
    const queueId = params.get("queue_id") ?? "";
    if (path.endsWith("/register")) return this.#register(params);
    if (path.endsWith("/messages")) return { messages: this.messages };
    if (method === "DELETE") {
      this.queues.delete(queueId);
      return {};
    }
    const last = Number(params.get("last_event_id"));
    const events = (this.queues.get(queueId) ?? []).filter((event) => event.id > last);
    // A poll that finds nothing is held for ever.
    return events.length > 0 || params.get("dont_block") === "true" ? { events } : undefined;
  }

  #register(params: URLSearchParams): RegisterState {
    const queue_id = `q${++this.#made}`;
    this.queues.set(queue_id, []);
    const old = this.lag && this.lag.fetches-- > 0 ? this.lag : this;
    const state = params.has("client_capabilities") ? old.states.modern : old.states.legacy;
    return { ...state, queue_id, last_event_id: old.position };
  }
}

const profiles = [LEGACY, MODERN];
const rename = (state: RegisterState) => {
  state["realm_name"] = "Talk";
};

let server: FakeServer;
let client: ApiClient;

beforeEach(async () => {
  server = new FakeServer();
  client = new ApiClient({ url: await server.listen(), email: "user3@chat.example", apiKey: "k" });
});

afterEach(() => server.close());

async function failure(act: () => unknown, settleMs = 100): Promise<string> {
  const error: unknown = await assertConverges({
    observers: [client],
    profiles,
    act: async () => act(),
    settleMs,
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DivergenceError);
  return String(error);
}

describe("assertConverges", () => {
  test("hands back the result and each observer's events, and leaves no queue behind", async () => {
    const { result, observations, eventsOf } = await assertConverges({
      observers: [{ client, profiles }],
      act: async () => {
        server.write(rename, sampleEvent("realm/update"));
        return 7;
      },
    });
    expect(result).toBe(7);
    expect(observations.map(({ profile }) => profile.name)).toEqual(["legacy", "modern"]);
    expect(eventsOf(client, MODERN)).toMatchObject([{ type: "realm", op: "update", id: 6 }]);
    expect(observations[0]).toMatchObject({ before: { realm_name: "Chat" }, after: { realm_name: "Talk" } });
    expect(server.queues.size).toBe(0);
  });

  test("names a change without an event", async () => {
    expect(await failure(() => server.write(rename))).toContain(
      'user3@chat.example as legacy, after no events:\n  realm_name: "Chat" ≠ "Talk" (by events ≠ fetched again)',
    );
    expect(server.queues.size).toBe(0);
  });

  test("names an event without a change", async () => {
    const message = await failure(() => server.write(() => {}, sampleEvent("realm/update")));
    expect(message).toContain('as modern, after realm/update:\n  realm_name: "Talk" ≠ "Chat"');
  });

  test("names an event of the wrong shape even when the states agree", async () => {
    const message = await failure(() => server.write(rename, sampleEvent("realm/update", { extra: 1 })));
    expect(message).toContain("realm/update.extra: undocumented field with value 1");
  });

  test("names an event that clients cannot apply", async () => {
    const message = await failure(() => server.write(() => {}, sampleEvent("stream/delete", { stream_ids: [999] })));
    expect(message).toContain("event 6 (stream) cannot be applied: InapplicableEventError: channel 999 is not known");
  });

  test("names a message that changed without an event", async () => {
    const message = await failure(() => {
      server.write(() => {}, sampleEvent("message"));
      Object.assign(server.messages[0]!, { content: "<p>else</p>" });
    });
    expect(message).toMatch(/message \d+: content: ".*" ≠ "<p>else<\/p>"/);
  });

  test("names a register answer that lacks a required field", async () => {
    const message = await failure(() => server.write((state) => delete state["realm_icon_url"]));
    expect(message).toContain("register.realm_icon_url: missing");
  });

  test("waits for a state that lags behind the events", async () => {
    await assertConverges({
      observers: [client],
      profiles: [MODERN],
      act: async () => {
        server.lag = { fetches: 2, states: structuredClone(server.states), position: server.position };
        server.write(rename, sampleEvent("realm/update"));
      },
    });
    expect(server.lag?.fetches).toBeLessThanOrEqual(0);
  });

  test("passes on what the action throws", async () => {
    const act = async () => {
      throw new Error("refused");
    };
    await expect(assertConverges({ observers: [client], profiles, act })).rejects.toThrow("refused");
    expect(server.queues.size).toBe(0);
  });
});
