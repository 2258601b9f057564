/** Compressed answers: who gets them, that they are what the others get, and what is never compressed. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeParts, JsonFields, JsonText } from "../../../actors/text/json-text.ts";
import { Router } from "../../../http/api/router.ts";
import { routes } from "../../../http/api/routes.ts";
import { accepts } from "../../../http/server/content-encoding.ts";
import { Gzip } from "../../../http/server/gzip.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

describe("Accept-Encoding", () => {
  it.each([
    ["", false],
    ["gzip", true],
    ["deflate, GZIP;q=0.5", true],
    ["gzip;q=0", false],
    ["gzip; q=0.0, *", false],
    ["*", true],
    ["*;q=0", false],
    ["br", false],
    ["x-gzip", true],
    ["identity;q=1, *;q=0", false],
    [";;;,,q=1", false],
  ])("%j", (header, isAccepted) => expect(accepts(header, "gzip")).toBe(isAccepted));
});

describe("a gzip file made of pieces", () => {
  const block = (seed: number, length: number) =>
    Buffer.from(Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * seed) % 23))).join(""));

  it("is what its pieces are, whoever shares them", async () => {
    const gzip = new Gzip();
    const [large, larger] = [block(7, 60_000), block(11, 200_000)];
    for (const own of ["", "mine", "x".repeat(50_000), "é".repeat(5), "y".repeat(70_000)]) {
      const fields = { a: own, shared: new JsonText(["[", large, ",", larger.subarray(1), "]"]), key: own, z: 1 };
      const also = new JsonFields(Buffer.from(`"b":[${own.length}]`));
      const parts = encodeParts([fields, also, new JsonFields(Buffer.alloc(0)), { end: true }], new Set(["key"]));
      const object = JSON.parse(
        Buffer.concat(parts.map(({ bytes }) => bytes))
          .toString()
          .replace(/"shared":.*?\],/, ""),
      );
      expect(object).toEqual({ a: own, key: own, z: 1, b: [own.length], end: true });
      const whole = Buffer.concat(parts.map(({ bytes }) => bytes));
      expect(gunzipSync(Buffer.concat(await gzip.compress(parts))).equals(whole)).toBe(true);
    }
    expect(gunzipSync(Buffer.concat(await gzip.compress([])))).toHaveLength(0);
  });

  it("keeps the length of a secret apart from what stands beside it", async () => {
    const size = async (beside: string) => {
      const parts = encodeParts([{ beside, key: "the secret key abcdefghij" }], new Set(["key"]));
      return Buffer.concat(await new Gzip().compress(parts)).length;
    };
    const guesses = ["the secret key abcdefghij", "jihgfedcba yek terces eht"];
    expect(await size(guesses[0]!)).toBe(await size(guesses[1]!));
    const together = (beside: string) => gzipSync(JSON.stringify({ beside, key: "the secret key abcdefghij" })).length;
    expect(together(guesses[0]!), "the guess would tell").toBeLessThan(together(guesses[1]!));
  });
});

describe("answers", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.stop());

  /** An answer as it is on the wire. */
  async function ask(method: string, path: string, encoding: string) {
    const { email, apiKey } = server.owner;
    const request = httpRequest(server.url + path, {
      method,
      agent: false,
      auth: `${email}:${apiKey}`,
      headers: { "accept-encoding": encoding },
    });
    request.end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const bytes = Buffer.concat(await response.toArray());
    expect(response.statusCode).toBe(200);
    return { encoding: response.headers["content-encoding"], vary: response.headers.vary, bytes };
  }

  it("go out compressed where the client accepts it, and say so", async () => {
    const channelId = await server.addChannel("long", [server.owner]);
    const content = "a long message ".repeat(400);
    const to = { type: "channel", to: String(channelId), topic: "t", content };
    expectSuccess(await server.owner.client.post("/messages", to));
    const path = "/api/v1/messages?anchor=newest&num_before=5&num_after=0";
    const [plain, gzipped] = [await ask("GET", path, "identity"), await ask("GET", path, "deflate, gzip;q=0.8")];
    expect(plain).toMatchObject({ encoding: undefined });
    expect(gzipped).toMatchObject({ encoding: "gzip", vary: "Accept-Encoding" });
    expect(gzipped.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(JSON.parse(gunzipSync(gzipped.bytes).toString())).toEqual(JSON.parse(plain.bytes.toString()));
  });

  it("of register are compressed but for the id of the queue", async () => {
    const { encoding, bytes } = await ask("POST", "/api/v1/register", "gzip");
    expect(encoding).toBe("gzip");
    const state = JSON.parse(gunzipSync(bytes).toString()) as { queue_id: string };
    expect(bytes.includes(state.queue_id)).toBe(true);
  });

  it("with keys in them, and short ones, are not compressed", async () => {
    const router = new Router(routes, ["/api/v1"]);
    const mayCompress = (method: string, path: string) => {
      const match = router.find(method, path);
      return match && "route" in match && match.mayCompress;
    };
    for (const path of ["fetch_api_key", "bots", "bots/1/api_key/regenerate", "users/me/api_key/regenerate"])
      expect(mayCompress("POST", `/api/v1/${path}`), path).toBe(false);
    for (const path of ["events", "invites"]) expect(mayCompress("GET", `/api/v1/${path}`), path).toBe(false);
    for (const path of ["messages", "users"]) expect(mayCompress("GET", `/api/v1/${path}`), path).toBe(true);
    expect((await ask("GET", "/api/v1/users/me", "gzip")).encoding).toBeUndefined();
  });

  it("that are the same for everybody are kept compressed, brotli first", async () => {
    await expect
      .poll(async () => (await ask("GET", "/api/v1/openapi.json", "gzip, deflate, br")).encoding, { timeout: 60_000 })
      .toBe("br");
    const [br, plain] = [
      await ask("GET", "/api/v1/openapi.json", "br"),
      await ask("GET", "/api/v1/openapi.json", "identity"),
    ];
    expect(br.vary).toBe("Accept-Encoding");
    expect(plain.vary).toBe("Accept-Encoding");
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
  });
});
