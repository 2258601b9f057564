/** Nobody holds the event loop, or memory, by asking for what costs little to ask for. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emojiDataPath } from "../../../actors/register/realm-part.ts";
import { RawConnection } from "../../../bench/builds/raw-http.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const submit = (path: string, fields: Record<string, string>) =>
  fetch(server.url + path, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });

describe("forms", () => {
  it.each([
    ["/login/", { username: "<".repeat(4_000_000) }],
    ["/join/key/", { full_name: "<".repeat(4_000_000) }],
  ])("%s takes no megabytes to show them again, and says how much it takes", async (path, fields) => {
    const response = await submit(path, fields);
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { result: "error", msg: "The request is too large (limit: 16384 bytes)" },
    ]);
  });

  it("a field says how long it may be", async () => {
    const response = await submit("/login/", { username: "<".repeat(255), password: "x" });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { result: "error", msg: "username is too long (limit: 254 characters)" },
    ]);
  });
});

describe("answers that are the same for everybody", () => {
  it.each([emojiDataPath, "/static/icon.svg", "/api/v1/openapi.json", "/api/", "/api"])(
    "%s is made once, and not sent again to who has it",
    async (path) => {
      const first = await fetch(server.url + path);
      const etag = first.headers.get("etag")!;
      expect([first.status, etag]).toEqual([200, expect.stringMatching(/^".+"$/)]);
      expect((await first.text()).length).toBeGreaterThan(100);
      const { keptAnswers } = server.server.app;
      const { made } = keptAnswers;
      expect(made).toBeGreaterThan(0);
      const second = await fetch(server.url + path, { headers: { "If-None-Match": `"other", W/${etag}` } });
      expect([second.status, await second.text(), second.headers.get("etag")]).toEqual([304, "", etag]);
      const third = await fetch(server.url + path, { headers: { "If-None-Match": '"other"' } });
      expect([third.status, third.headers.get("etag")]).toEqual([200, etag]);
      await third.text();
      expect(keptAnswers.made).toBe(made);
    },
  );

  it("the page of the API is made anew when the organization has another name", async () => {
    const etagOf = async () => (await fetch(`${server.url}/api/`)).headers.get("etag");
    const before = await etagOf();
    expect((await server.owner.client.patch("/realm", { name: "Another name" })).status).toBe(200);
    expect(await etagOf()).not.toBe(before);
    expect((await server.owner.client.patch("/realm", { name: "Parley" })).status).toBe(200);
    expect(await etagOf()).toBe(before);
  });

  it("those who ask for /metrics at the same time share one text", () => {
    const { metrics } = server.server.app;
    expect(metrics.text()).toBe(metrics.text());
  });
});

it("a client that asks on and never reads has a few answers kept for it, not all", async () => {
  const client = RawConnection.open(server.server.port);
  client.socket.pause();
  const packet = `GET ${emojiDataPath} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(25);
  const asked = 1500;
  for (let sent = 0; sent < asked && !client.socket.destroyed; sent += 25) {
    client.send(packet);
    await (await fetch(`${server.url}/health`)).text();
  }
  if (server.server.app.uws.flavour === "native") {
    // What the kernel does not take is not kept: the connection ends when more is asked for meanwhile.
    client.socket.resume();
    expect((await client.answersUntilClosed()).length).toBeLessThan(asked);
  }
  client.close();
});
