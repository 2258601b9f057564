/** Pages of other sites use the API with a key: what browsers ask first, and what lets them read the answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, { ...init, headers: { Origin: "https://app.example", ...init.headers } });

describe("requests from other sites", () => {
  it("a preflight is told the methods of the path and the headers that may be sent", async () => {
    const answer = await ask("/api/v1/messages", {
      method: "OPTIONS",
      headers: { "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization" },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-methods")).toMatch(/\bPOST\b/);
    expect(answer.headers.get("access-control-allow-headers")).toMatch(/\bAuthorization\b/);
  });

  it("successes, errors and polls may be read, and no cookie is asked for", async () => {
    const { client, email, apiKey } = server.owner;
    const queue = expectSuccess(await client.post("/register", { event_types: ["message"] }));
    const poll = `queue_id=${queue["queue_id"] as string}&last_event_id=${queue["last_event_id"] as number}`;
    const headers = { Authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}` };
    const answers = [
      await ask("/api/v1/users/me", { headers }),
      await ask("/api/v1/users/me"),
      await ask("/api/v1/nowhere"),
      await ask(`/api/v1/events?${poll}&dont_block=true`, { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 200]);
    const parked = ask(`/api/v1/events?${poll}`, { headers });
    const general = expectSuccess(await client.get("/get_stream_id", { stream: "general" }))["stream_id"];
    expectSuccess(await client.post("/messages", { type: "channel", to: general, topic: "t", content: "hello" }));
    for (const answer of [...answers, await parked]) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    }
  });
});
