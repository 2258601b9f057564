/**
 * A body that is said to be empty, however its head is cut into packets: answered, and the connection stays in step.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { exchangeRaw } from "../../support/client/raw-exchange.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.stop());

const follow = Buffer.from("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
const timeoutMs = 25_000;

it.each(["POST", "PATCH", "DELETE", "GET"])("%s with Content-Length: 0", async (method) => {
  const { email, apiKey } = server.owner;
  const authorization = Buffer.from(`${email}:${apiKey}`).toString("base64");
  const path =
    method === "POST" ? "/api/v1/mark_all_as_read" : method === "GET" ? "/api/v1/users/me" : "/api/v1/drafts/1";
  const head = Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${authorization}\r\nContent-Length: 0\r\n\r\n`,
  );
  const expected = method === "POST" || method === "GET" ? 200 : method === "PATCH" ? 400 : 404;
  for (const cut of [head.length, head.length - 1, head.length - 3, 20]) {
    const pieces = [head.subarray(0, cut), head.subarray(cut)].filter((piece) => piece.length > 0);
    const { answers } = await exchangeRaw(server.server.port, { pieces, turns: 20, ending: "wait", follow, timeoutMs });
    expect(
      answers.map(({ status }) => status),
      `cut at ${cut} of ${head.length}`,
    ).toEqual([expected, 200]);
  }
});
