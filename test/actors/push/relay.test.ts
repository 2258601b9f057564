import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { sendToRelay } from "../../../actors/push/relay.ts";

let server: Server | undefined;
afterEach(async () => {
  const running = server;
  server = undefined;
  running?.closeAllConnections();
  if (running) await new Promise((done) => running.close(done));
});

/** Starts a relay that answers as told, and returns its URL. */
async function relay(listener: RequestListener): Promise<string> {
  const running = createServer(listener);
  server = running;
  await new Promise<void>((done) => running.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(running.address() as AddressInfo).port}/notify`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

describe("sending to the relay", () => {
  test("the relay gets the body and the credentials, and its answer comes back", async () => {
    let seen: unknown;
    const url = await relay(async (request, response) => {
      const { method, url: path, headers } = request;
      const { authorization } = headers;
      seen = { method, path, type: headers["content-type"], authorization, body: JSON.parse(await bodyOf(request)) };
      response.end('{"result":"success"}');
    });
    const result = await sendToRelay(url, { devices: [1, 2] }, { credentials: { id: "org", key: "k:é" } });
    expect(result).toEqual({ ok: true, answer: { result: "success" } });
    expect(seen).toEqual({
      method: "POST",
      path: "/notify",
      type: "application/json",
      authorization: `Basic ${Buffer.from("org:k:é").toString("base64")}`,
      body: { devices: [1, 2] },
    });
  });

  test.each(["", "not JSON"])("a good answer with the body %j is good", async (text) => {
    const url = await relay((_request, response) => response.end(text));
    expect(await sendToRelay(url, {})).toEqual({ ok: true, answer: undefined });
  });

  test.each([
    [500, "INTERNAL_SERVER_ERROR_ON_BOUNCER"],
    [502, "INTERNAL_SERVER_ERROR_ON_BOUNCER"],
    [599, "INTERNAL_SERVER_ERROR_ON_BOUNCER"],
    [400, "ADMIN_ACTION_REQUIRED"],
    [401, "ADMIN_ACTION_REQUIRED"],
    [403, "ADMIN_ACTION_REQUIRED"],
    [404, "ADMIN_ACTION_REQUIRED"],
    [429, "ADMIN_ACTION_REQUIRED"],
    [302, "ADMIN_ACTION_REQUIRED"],
  ])("status %i is %s", async (status, code) => {
    const url = await relay((_request, response) => response.writeHead(status).end("the relay's own words"));
    const result = await sendToRelay(url, {});
    expect(result).toEqual({ ok: false, code, reason: `${status}: the relay's own words` });
  });

  test("a redirect is not followed, so credentials go nowhere else", async () => {
    let requests = 0;
    const url = await relay((request, response) => {
      requests++;
      if (request.url === "/elsewhere") response.end("{}");
      else response.writeHead(307, { location: "/elsewhere" }).end();
    });
    expect(await sendToRelay(url, {})).toMatchObject({ ok: false, code: "ADMIN_ACTION_REQUIRED" });
    expect(requests).toBe(1);
  });

  test("a relay that is not there", async () => {
    const url = await relay(() => {});
    await new Promise((done) => server!.close(done));
    server = undefined;
    expect(await sendToRelay(url, {})).toMatchObject({ ok: false, code: "FAILED_TO_CONNECT_BOUNCER" });
  });

  test("a relay that hangs up", async () => {
    const url = await relay((request) => request.socket.destroy());
    expect(await sendToRelay(url, {})).toMatchObject({ ok: false, code: "FAILED_TO_CONNECT_BOUNCER" });
  });

  test("a relay that never answers, or never ends its answer", async () => {
    const silent = await relay(() => {});
    expect(await sendToRelay(silent, {}, { timeoutMs: 100 })).toMatchObject({ code: "FAILED_TO_CONNECT_BOUNCER" });
    server!.removeAllListeners("request").on("request", (_request, response) => response.writeHead(200).write("{"));
    expect(await sendToRelay(silent, {}, { timeoutMs: 100 })).toMatchObject({ code: "FAILED_TO_CONNECT_BOUNCER" });
  });

  test("an endless answer is not read to its end", async () => {
    let written = 0;
    const url = await relay((_request, response) => {
      response.writeHead(500);
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(16_384))) written += 16_384;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const result = await sendToRelay(url, {});
    expect(result).toMatchObject({ ok: false, code: "INTERNAL_SERVER_ERROR_ON_BOUNCER" });
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  test.each(["", "not a url", "ftp://127.0.0.1/", "http://127.0.0.1:1/"])(
    "the address %j reaches nothing",
    async (url) => {
      expect(await sendToRelay(url, {})).toMatchObject({ ok: false, code: "FAILED_TO_CONNECT_BOUNCER" });
    },
  );
});
