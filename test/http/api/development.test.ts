/**
 * `PARLEY_DEV` gives anybody's key: to programs and pages of the developer's own machine, never to a page of another
 * site.
 */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError, readConfig, warningsOf } from "../../../http/process/config.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ PARLEY_DEV: "on" }, 1);
});
afterAll(() => server.stop());

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

function ask(method: string, path: string, headers: Record<string, string>, body = "", at = server): Promise<Answer> {
  const { port } = new URL(at.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const form = { "Content-Type": "application/x-www-form-urlencoded" };
/** Everything that `PARLEY_DEV` opens. */
const opened = (headers: Record<string, string>, at = server) => [
  () => ask("POST", "/api/v1/dev_fetch_api_key", { ...form, ...headers }, "username=owner%40example.com", at),
  () => ask("GET", "/api/v1/dev_list_users", headers, "", at),
];

describe("PARLEY_DEV", () => {
  it("answers programs and pages of this machine, and lets no other site read the answer", async () => {
    const { port } = new URL(server.url);
    for (const headers of [
      {},
      { Host: `localhost:${port}`, Origin: `http://localhost:${port}` },
      { Host: `parley.localhost:${port}` },
      { Host: `[::1]:${port}` },
    ] as Record<string, string>[]) {
      for (const get of opened(headers)) {
        const answer = await get();
        expect(answer).toMatchObject({ status: 200 });
        expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      }
    }
  });

  it.each([
    ["a page of another site", { Origin: "https://evil.example" }],
    ["a page of another site, which sends a key", { Origin: "https://evil.example", Authorization: "Basic eDp5" }],
    ["a page without an origin of its own", { Origin: "null" }],
    ["a page of another port of this machine", { Origin: "http://localhost:1" }],
    ["a page whose name was pointed here (DNS rebinding)", { Host: "evil.example" }],
    ["the same, with its own origin", { Host: "evil.example:80", Origin: "http://evil.example:80" }],
    ["a name that begins like a loopback address", { Host: "127.0.0.1.evil.example" }],
    ["another machine's address", { Host: "192.168.0.7:9991" }],
  ])("refuses %s", async (_, headers) => {
    for (const get of opened(headers as Record<string, string>)) {
      const answer = await get();
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain("owner@example.com");
      expect(answer.text).not.toContain("digest");
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  });

  it("listens on loopback addresses only, unless a second setting opens it", () => {
    expect(readConfig({ PARLEY_DEV: "on" }).host).toBe("127.0.0.1");
    for (const HOST of ["127.0.0.5", "::1", "localhost"])
      expect(readConfig({ PARLEY_DEV: "on", HOST }).host).toBe(HOST);
    for (const HOST of ["0.0.0.0", "::", "10.0.0.1", "chat.example.com"]) {
      expect(() => readConfig({ PARLEY_DEV: "on", HOST })).toThrow(ConfigError);
      expect(() => readConfig({ PARLEY_DEV: "on", HOST })).toThrow(/HOST .* PARLEY_DEV /);
      expect(readConfig({ PARLEY_DEV: "on", PARLEY_DEV_OPEN: "on", HOST }).host).toBe(HOST);
    }
    expect(readConfig({}).host).toBe("0.0.0.0");
  });

  it("is told at each start", () => {
    expect(warningsOf(readConfig({ PARLEY_DEV: "on" })).join()).toMatch(
      /PARLEY_DEV is on: every program on this machine/,
    );
    expect(warningsOf(readConfig({ PARLEY_DEV: "on", PARLEY_DEV_OPEN: "on" })).join()).toMatch(/anybody who reaches/);
    expect(warningsOf(readConfig({})).join()).not.toContain("PARLEY_DEV");
  });

  it("opened to other machines, it answers to addresses and to the name it is told, to no other name", async () => {
    const open = await startTestServer(
      { PARLEY_DEV: "on", PARLEY_DEV_OPEN: "on", PARLEY_URL: "http://dev.example" },
      1,
    );
    try {
      for (const [host, status] of [
        ["192.168.0.7:9991", 200],
        ["dev.example", 200],
        ["evil.example", 400],
      ] as const)
        for (const get of opened({ Host: host }, open)) expect((await get()).status).toBe(status);
      for (const get of opened({ Host: "dev.example", Origin: "http://evil.example" }, open))
        expect((await get()).status).toBe(400);
    } finally {
      await open.stop();
    }
  });
});
