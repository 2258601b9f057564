/** Providers of the owners' that lie, say too much, or lead into the server's own network: one sentence. */
import { beforeEach, describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { PlainBrowser } from "../../support/client/plain-browser.ts";
import { testServer } from "../../support/server/server.ts";
import { type ServiceAnswer, webService } from "../../support/server/web-service.ts";

const service = webService();
const server = testServer({ environment: { PARLEY_ALLOWED_ADDRESSES: "127.0.0.1" } });
/** What the provider answers at a path, in the place of what a good one would. */
let answers: Record<string, ServiceAnswer> = {};
beforeEach(() => {
  answers = {};
  service.answer = ({ path }) => answers[path] ?? json(path === described ? description() : {});
});

describe("a trial", () => {
  it.each<[string, () => ServiceAnswer, RegExp]>([
    ["a megabyte", () => json({ a: "x".repeat(2 ** 20) }), /cannot be asked: its answer has more than 256 KiB\.$/],
    ["no JSON", () => json("<html>"), /is no description of a provider\.$/],
    ["JSON that is no object", () => json("[1, null]"), /is no description of a provider\.$/],
    [
      "another issuer of some length",
      () => json({ issuer: "x".repeat(9000) }),
      /^The provider calls itself x{200}, so/,
    ],
    ["a way elsewhere", () => ({ status: 302, headers: { location: "http://127.0.0.1:1/" } }), /it answered 302\.$/],
    ["that it is ill", () => ({ status: 503 }), /cannot be asked: it answered 503\.$/],
    ["nothing", () => ({ status: 204 }), /^The issuer is no address of a provider\.$/],
    ["no keys' place", () => json({ ...description(), jwks_uri: undefined }), /names no jwks_uri\.$/],
    ["a place of the wrong type", () => json({ ...description(), token_endpoint: 7 }), /names no token_endpoint\.$/],
    ["another flow", () => json({ ...description(), response_types_supported: ["token"] }), /the code flow\.$/],
    ["old PKCE", () => json({ ...description(), code_challenge_methods_supported: ["plain"] }), /PKCE by S256\.$/],
    ["keys that are none", () => json(description()), /^There are no keys of the provider at /],
  ])("of one that answers %s says so", async (_, answer, sentence) => {
    answers[described] = answer();
    expect(await problem()).toMatch(sentence);
  });

  it("of places inside the server's network asks none of them", async () => {
    answers["/keys"] = json({ keys: [{}] });
    for (const [name, url] of [
      ["jwks_uri", "http://10.0.0.1/keys"],
      ["token_endpoint", "http://169.254.169.254/latest"],
    ] as const) {
      answers[described] = json({ ...description(), [name]: url });
      expect(await problem()).toBe("The provider cannot be asked: its address is inside this server's own network.");
    }
  });
});

describe("a log-in", () => {
  it("by one that says too much is one sentence, beside the other ways", async () => {
    await add(service.url);
    answers[described] = json({ a: "x".repeat(2 ** 20) });
    const page = await new PlainBrowser().get(`${server.url}/accounts/login/social/own/`);
    expect(page.status).toBe(503);
    expect(page.text).toContain("its answer has more than 256 KiB");
    expect(page.text).toContain('name="password"');
  });

  it("by one whose address the operator does not allow any more asks nobody", async () => {
    await add(service.url);
    const { environment } = server.server.app.system;
    const { mayAsk } = environment;
    environment.mayAsk = () => false;
    try {
      const before = service.requests.length;
      const page = await new PlainBrowser().get(`${server.url}/accounts/login/social/own/`);
      expect(page.text).toContain("its address is inside this server&#39;s own network");
      expect(await problem(service.url.replace("127.0.0.1", "localhost"))).toContain(
        "inside this server's own network",
      );
      expectError(await server.owner.client.post("/realm/identity_providers/try", tried(service.url)), 400);
      expect(service.requests.length).toBe(before);
    } finally {
      environment.mayAsk = mayAsk;
    }
  });
});

const described = "/.well-known/openid-configuration";

const json = (value: unknown): ServiceAnswer => ({
  headers: { "content-type": "application/json" },
  body: typeof value === "string" ? value : JSON.stringify(value),
});

const description = () => ({
  issuer: service.url,
  authorization_endpoint: `${service.url}/authorize`,
  token_endpoint: `${service.url}/token`,
  jwks_uri: `${service.url}/keys`,
});

const tried = (issuer: string): JsonObject => ({ name: "own", issuer, client_id: "parley", client_secret: "secret" });

async function problem(issuer = service.url): Promise<string> {
  const answer = await server.owner.client.post("/realm/identity_providers/try", tried(issuer));
  return String(expectSuccess(answer)["problem"]);
}

/** Sets it anew, so that nothing is known of it. */
async function add(issuer: string): Promise<void> {
  await server.owner.client.delete("/realm/identity_providers/own");
  const fields = { ...tried(issuer), display_name: "Own" };
  expectSuccess(await server.owner.client.post("/realm/identity_providers", fields));
}
