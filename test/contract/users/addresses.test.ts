/** Changing one's address: it tells nothing of others' addresses, and nobody logs in by one that is not confirmed. */
import { SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { readConfig, warningsOf } from "../../../http/process/config.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";

const secret = "a secret of thirty-two bytes or more";
const jwtKeys = JSON.stringify({ "*": { algorithm: "HS256", key: secret } });
const server = testServer({ environment: { PARLEY_JWT_KEYS: jwtKeys, PARLEY_JWT_MAX_AGE_SECS: "600" } });
const { owner } = server;
beforeAll(setUp);

describe("an address that its holder chose", () => {
  it("lets no token in until an owner confirms it", async () => {
    const mallory = await server.addUser("Mallory");
    expectSuccess(await logIn(mallory.email));
    const email = "victim@example.com";
    expectSuccess(await mallory.client.patch("/settings", { email }));
    expectError(await logIn(email), 401, "AUTHENTICATION_FAILED");
    expectSuccess(await owner.client.patch(`/users/${mallory.id}`, { full_name: "Mallory M" }));
    expectError(await logIn(email), 401, "AUTHENTICATION_FAILED");
    expectSuccess(await owner.client.patch(`/users/${mallory.id}`, { new_email: email }));
    expectSuccess(await logIn(email));
  });

  it("is so when they join by a link, too", async () => {
    const { invite_link } = expectSuccess(await owner.client.post("/invites/multiuse", { invite_as: 400 }));
    const { pathname } = new URL(invite_link as string);
    const form = new URLSearchParams({
      email: "joiner@example.com",
      full_name: "Joiner",
      password: "a fine password of mine",
    });
    const joined = await fetch(`${server.url}${pathname}`, { method: "POST", body: form, redirect: "manual" });
    expect(joined.status).toBeLessThan(400);
    expectError(await logIn("joiner@example.com"), 401, "AUTHENTICATION_FAILED");
  });

  it("that is taken by somebody who hides it is refused like one that cannot be used", async () => {
    const shy = await server.addUser("Shy");
    const open = await server.addUser("Open");
    const bob = await server.addUser("Bob");
    expectSuccess(await shy.client.patch("/settings", { email_address_visibility: 4 }));
    const refusal = expectError(await bob.client.patch("/settings", { email: shy.email }), 400, "BAD_REQUEST");
    expect(refusal["msg"]).toBe("This email address cannot be used here.");
    const plain = expectError(await bob.client.patch("/settings", { email: open.email }), 400, "BAD_REQUEST");
    expect(plain["msg"]).toContain("already in use");
  });

  it("may be tried twice in an hour, whatever comes of it; one's own does not count", async () => {
    const limited = await startTestServer({ PARLEY_RATE_LIMITS: "on" });
    try {
      const { client, email } = await limited.addUser("Nosy");
      const attempt = (address: string) => client.patch("/settings", { email: address });
      for (let index = 0; index < 3; index++) expectSuccess(await attempt(email));
      expectError(await attempt(limited.owner.email), 400, "BAD_REQUEST");
      expectError(await attempt("no address"), 400, "BAD_REQUEST");
      expectError(await attempt("free@example.com"), 429, "RATE_LIMIT_HIT");
      expectSuccess(await client.patch("/settings", { enter_sends: true }));
    } finally {
      await limited.stop();
    }
  });
});

describe("PARLEY_JWT_MAX_AGE_SECS", () => {
  it("refuses a token that is older, that is from the future, or that does not say when it was made", async () => {
    const { email } = owner;
    expectSuccess(await logIn(email, { iat: now() - 300 }));
    const messages = [];
    for (const claims of [{ iat: now() - 900 }, { iat: now() - 900, exp: now() + 900 }, {}, { iat: now() + 900 }])
      messages.push(expectError(await logIn(email, claims), 400, "BAD_REQUEST")["msg"]);
    expect(messages[0]).toMatch(/too old/);
    expect(messages[1]).toBe(messages[0]);
    expect(messages[2]).toMatch(/no iat/);
    expect(messages[3]).toMatch(/not valid yet/);
  });

  it("where there is none, each start says what that means", () => {
    const told = (environment: Record<string, string>) => warningsOf(readConfig(environment)).join();
    expect(told({ PARLEY_JWT_KEYS: jwtKeys })).toMatch(/PARLEY_JWT_MAX_AGE_SECS is not set/);
    expect(told({ PARLEY_JWT_KEYS: jwtKeys, PARLEY_JWT_MAX_AGE_SECS: "60" })).toBe("");
    expect(told({})).toBe("");
  });

  it.each([
    ["HS256", 32],
    ["HS384", 48],
    ["HS512", 64],
  ])("a key for %s of less than %i bytes stops the start with one sentence", (algorithm, bytes) => {
    const keys = (key: string) => ({ PARLEY_JWT_KEYS: JSON.stringify({ "chat.example": { algorithm, key } }) });
    expect(readConfig(keys("k".repeat(bytes))).jwtKeys.size).toBe(1);
    expect(() => readConfig(keys("k".repeat(bytes - 1)))).toThrow(
      `PARLEY_JWT_KEYS, chat.example: ${algorithm} needs a key of ${bytes} bytes or more, not ${bytes - 1}.`,
    );
  });
});

async function setUp(): Promise<void> {
  anybody = new ApiClient({ url: server.urls });
}

const now = () => Math.floor(Date.now() / 1000);
let anybody: ApiClient;

const sign = (claims: JsonObject) =>
  new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
const logIn = async (email: string, claims: JsonObject = { iat: now() }) =>
  anybody.post("/jwt/fetch_api_key", { token: await sign({ email, ...claims }) });
