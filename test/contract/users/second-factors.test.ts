/** Log-ins that ask for a code beside the password, and every way around them that there could be. */

import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { totpCode } from "../../../actors/users/second-factors/totp.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const jwtKey = "a key that another service signs with, 32+";
const server = testServer({
  environment: { PARLEY_JWT_KEYS: JSON.stringify({ "*": { key: jwtKey, algorithm: "HS256" } }), PARLEY_DEV: "1" },
  alsoOn: ["two nodes", "native build"],
});
const password = "a fine password";

describe("turning it on", () => {
  it("takes a code of the secret; until then log-ins ask for nothing", async () => {
    const person = await server.addUser("Tia Turning");
    const browser = await loggedIn(person);
    expect(await factor(browser)).toMatchObject({
      state: "off",
      since: null,
      required_from: null,
      recovery_codes_left: 0,
      has_password: true,
    });
    const begun = await browser.ask("POST", "/users/me/second_factor/totp");
    expect(begun).toMatchObject({ status: 200, secret: expect.stringMatching(/^[A-Z2-7]{32}$/) });
    expect(begun["otpauth_url"]).toContain(`secret=${begun["secret"]}`);
    expect(begun["qr_code"]).toMatchObject({
      size: expect.any(Number),
      path: expect.stringMatching(/^M\d+ \d+h1v1h-1z/),
    });
    expect(await factor(browser)).toMatchObject({ state: "enrolling" });
    await loggedIn(person);
    const wrong = await browser.ask("POST", "/users/me/second_factor/totp/confirm", { code: "000000" });
    expect(wrong).toMatchObject({ status: 400, code: "BAD_REQUEST" });
    const code = codeOf(String(begun["secret"]));
    const done = await browser.ask("POST", "/users/me/second_factor/totp/confirm", { code });
    expect(new Set(done["recovery_codes"] as string[]).size).toBe(10);
    for (const one of done["recovery_codes"] as string[]) expect(one).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    expect(await factor(browser)).toMatchObject({ state: "on", since: expect.any(Number), recovery_codes_left: 10 });
    expect(await browser.ask("POST", "/users/me/second_factor/totp")).toMatchObject({ status: 400 });
  });

  it("stores no secret and no code in the open", async () => {
    const { person, secret, codes } = await enrolled("Sal Sealed");
    const stored = await server.database.sql`
      select encode(secret_sealed, 'escape') as secret from totp_factors where user_id = ${person.id}`;
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(secret);
    const hashes = await server.database.sql<{ code_hash: Buffer }[]>`
      select code_hash from recovery_codes where user_id = ${person.id}`;
    expect(hashes).toHaveLength(10);
    for (const code of codes)
      expect(hashes.some(({ code_hash }) => code_hash.toString("latin1").includes(code))).toBe(false);
  });

  it("is for people in browsers: programs and bots are refused", async () => {
    const person = await server.addUser("Pam Program");
    for (const [method, path] of changes)
      expectError(await person.client.request(method, path, { code: "000000", name: "x" }), 401);
  });
});

describe("a log-in with it", () => {
  it("asks for a code after the password, and lets nobody in before", async () => {
    const { person, secret } = await enrolled("Lou Login");
    const browser = new CookieClient(server.url);
    const asked = await browser.form("/login/", { username: person.email, password, next: "#narrow/is/starred" });
    expect(asked).toMatchObject({ status: 200, location: "" });
    expect(asked.page).toContain('autocomplete="one-time-code"');
    expect(browser.isLoggedIn).toBe(false);
    const done = await browser.form(secondStep, { pending: pendingIn(asked.page), code: await fresh(person, secret) });
    expect(done).toMatchObject({ status: 302, location: "/#narrow/is/starred" });
    expect((await browser.ask("GET", "/users/me"))["user_id"]).toBe(person.id);
  });

  it("takes each code once, and none from before the last", async () => {
    const { person, secret } = await enrolled("Una Used");
    const code = await fresh(person, secret);
    const pending = await pendingOf(person);
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map(() => new CookieClient(server.url).form(secondStep, { pending, code })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual([302, 400, 400, 400]);
  });

  it("takes each recovery code once, however it is written", async () => {
    const { person, codes } = await enrolled("Rex Recovery");
    const tries: [code: string, status: number][] = [
      [codes[0]!, 302],
      [codes[0]!, 400],
      [codes[1]!.toUpperCase().replaceAll("-", " "), 302],
      ["aaaa-aaaa-aaaa-aaaa", 400],
    ];
    for (const [code, status] of tries) {
      const browser = new CookieClient(server.url);
      expect((await browser.form(secondStep, { pending: await pendingOf(person), code })).status, code).toBe(status);
      if (status === 302) expect((await factor(browser))["recovery_codes_left"]).toBeLessThan(10);
    }
  });

  it("is not gone on with by what was sealed for something else, has been changed, or is over", async () => {
    const { person, secret } = await enrolled("Gus Garbled");
    const pending = await pendingOf(person);
    const changed = pending.slice(0, -4) + (pending.endsWith("AAAA") ? "BBBB" : "AAAA");
    for (const one of ["", "x", changed, "A".repeat(9000)]) {
      const answer = await new CookieClient(server.url).form(secondStep, {
        pending: one,
        code: await fresh(person, secret),
      });
      expect(answer, one.slice(0, 10)).toMatchObject({ status: 400, page: expect.stringContaining("log in again") });
    }
    const browser = await loggedIn(person, secret);
    await browser.ask("PATCH", "/settings", { old_password: password, new_password: "another fine password" });
    const over = await new CookieClient(server.url).form(secondStep, { pending, code: await fresh(person, secret) });
    expect(over).toMatchObject({ status: 400, page: expect.stringContaining("log in again") });
  });

  it("is told to wait after five wrong codes, also with the right one", async () => {
    const { person, secret } = await enrolled("Wim Wrong");
    const pending = await pendingOf(person);
    const attempt = async (code: string) =>
      (await new CookieClient(server.url).form(secondStep, { pending, code })).status;
    for (let tries = 0; tries < 5; tries++) expect(await attempt("wrong-code")).toBe(400);
    expect(await attempt(await fresh(person, secret))).toBe(429);
  });

  it("gives an application on a phone its key at the end", async () => {
    const { person, secret } = await enrolled("Mo Mobile");
    const pad = "ab".repeat(32);
    const browser = new CookieClient(server.url);
    const asked = await browser.form("/login/", { username: person.email, password, mobile_flow_otp: pad });
    expect(asked.status).toBe(200);
    const done = await browser.form(secondStep, { pending: pendingIn(asked.page), code: await fresh(person, secret) });
    const sealed = Buffer.from(new URL(done.location).searchParams.get("otp_encrypted_api_key")!, "hex");
    expect(Buffer.from(sealed.map((byte) => byte ^ 0xab)).toString("latin1")).toBe(person.apiKey);
    expect(browser.isLoggedIn).toBe(false);
  });
});

describe("with one on, no short cut", () => {
  const refusal = /second factor.*\/login\//;

  it("gives a key by the password, by a token of another service, or on a development server", async () => {
    const { person } = await enrolled("Sho Shortcut");
    const asked: [path: string, params: Record<string, string>][] = [
      ["/fetch_api_key", { username: person.email, password }],
      ["/jwt/fetch_api_key", { token: jwtFor(person.email) }],
      ["/dev_fetch_api_key", { username: person.email }],
    ];
    for (const [path, params] of asked) {
      const refused = await anybody().post(path, params);
      expectError(refused, 401, "SECOND_FACTOR_REQUIRED");
      expect(refused.body["msg"]).toMatch(refusal);
      expect(refused.text).not.toContain(person.apiKey);
    }
    // The same to somebody without one.
    const plain = await server.addUser("Pia Plain");
    for (const [path, params] of asked.map(
      ([path, params]) =>
        [path, "token" in params ? { token: jwtFor(plain.email) } : { ...params, username: plain.email }] as const,
    ))
      expect(expectSuccess(await anybody().post(path, params))["api_key"]).toBe(plain.apiKey);
  });

  it("is a wrong password told from a right one without it", async () => {
    const { person } = await enrolled("Will Wrongpass");
    const wrong = await anybody().post("/fetch_api_key", { username: person.email, password: "wrong" });
    expectError(wrong, 401, "AUTHENTICATION_FAILED");
  });

  it("lies in a key that was there before: it goes on", async () => {
    const { person } = await enrolled("Kim Kept");
    expectSuccess(await person.client.get("/users/me"));
  });
});

describe("where the secret key that sealed secrets was lost", () => {
  it("recovery codes go on, no code of the application is taken, and it is set up anew after it was ended", async () => {
    const { person, secret, codes } = await enrolled("Ros Restored");
    await server.database.sql`update totp_factors set secret_sealed = null where user_id = ${person.id}`;
    const attempt = async (browser: CookieClient, code: string) =>
      (await browser.form(secondStep, { pending: await pendingOf(person), code })).status;
    const browser = new CookieClient(server.url);
    expect(await attempt(browser, await fresh(person, secret))).toBe(400);
    expect(await attempt(browser, codes[0]!)).toBe(302);
    expect(await browser.ask("DELETE", "/users/me/second_factor")).toMatchObject({ status: 200 });
    expect(await browser.ask("POST", "/users/me/second_factor/totp")).toMatchObject({ status: 200 });
  });
});

describe("ending it", () => {
  it("is the person's own, after which the password is enough", async () => {
    const { person, secret } = await enrolled("Ed Ender");
    const browser = await loggedIn(person, secret);
    expect(await browser.ask("DELETE", "/users/me/second_factor")).toMatchObject({ status: 200 });
    expect(await browser.ask("DELETE", "/users/me/second_factor")).toMatchObject({ status: 400 });
    await loggedIn(person);
    const rows = await server.database.sql`select from recovery_codes where user_id = ${person.id}`;
    expect(rows).toHaveLength(0);
  });

  it("is the administrators', for whoever lost theirs; an owner's is the owners'", async () => {
    const { person } = await enrolled("Lea Lost");
    const other = await server.addUser("Olaf Other");
    const admin = await server.addUser("Adi Admin", { role: 200 });
    const path = `/users/${person.id}/second_factor`;
    expectError(await other.client.delete(path), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await admin.client.delete(path));
    await loggedIn(person);
    expectError(await admin.client.delete(path), 400, "BAD_REQUEST");
    const second = await enrolled("Otto Owner", 100);
    expectError(await admin.client.delete(`/users/${second.person.id}/second_factor`), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await server.owner.client.delete(`/users/${second.person.id}/second_factor`));
    expectError(await admin.client.delete("/users/99999999/second_factor"), 400, "BAD_REQUEST");
  });

  it("comes with the account's deletion", async () => {
    const { person } = await enrolled("Dee Deleted");
    expectSuccess(await server.owner.client.delete(`/users/${person.id}`, { actions: { delete_profile: true } }));
    expect(await server.database.sql`select from totp_factors where user_id = ${person.id}`).toHaveLength(0);
  });

  it("takes no new recovery codes with it: those before are over when there are others", async () => {
    const { person, secret, codes } = await enrolled("Nia New");
    const browser = await loggedIn(person, secret);
    const { recovery_codes } = await browser.ask("POST", "/users/me/second_factor/recovery_codes");
    const attempt = async (code: string) =>
      (await new CookieClient(server.url).form(secondStep, { pending: await pendingOf(person), code })).status;
    expect(await attempt(codes[0]!)).toBe(400);
    expect(await attempt((recovery_codes as string[])[9]!)).toBe(302);
  });
});

const anybody = () => new ApiClient({ url: server.url });
const secondStep = "/login/second-factor/";
const changes = [
  ["POST", "/users/me/passkeys/options"],
  ["POST", "/users/me/passkeys"],
  ["PATCH", "/users/me/passkeys/1"],
  ["DELETE", "/users/me/passkeys/1"],
  ["DELETE", "/users/me/second_factor/totp"],
  ["POST", "/users/me/reauthenticate/options"],
  ["POST", "/users/me/second_factor/totp"],
  ["POST", "/users/me/second_factor/totp/confirm"],
  ["POST", "/users/me/second_factor/recovery_codes"],
  ["DELETE", "/users/me/second_factor"],
  ["POST", "/users/me/reauthenticate"],
  ["POST", "/users/me/api_key"],
] as const;

const pendingIn = (page: string): string => /name="pending" value="([^"]+)"/.exec(page)![1]!;

/** The first half of a log-in. */
async function pendingOf({ email }: Person): Promise<string> {
  return pendingIn((await new CookieClient(server.url).form("/login/", { username: email, password })).page);
}

const codeOf = (secret: string): string => totpCode(secret, Math.floor(Date.now() / 30_000));

/** A code that was not used before. */
async function fresh({ id }: Person, secret: string): Promise<string> {
  await server.database.sql`update totp_factors set last_step = 0 where user_id = ${id}`;
  return codeOf(secret);
}

async function loggedIn(person: Person, secret?: string): Promise<CookieClient> {
  const browser = new CookieClient(server.url);
  const answer = await browser.form("/login/", { username: person.email, password });
  const done = secret
    ? await browser.form(secondStep, { pending: pendingIn(answer.page), code: await fresh(person, secret) })
    : answer;
  expect(done.status).toBe(302);
  return browser;
}

const factor = async (browser: CookieClient) =>
  (await browser.ask("GET", "/users/me/second_factor"))["second_factor"] as Record<string, unknown>;

/** Somebody with a second factor. */
async function enrolled(name: string, role?: number) {
  const person = await server.addUser(name, role === undefined ? {} : { role });
  const browser = await loggedIn(person);
  const secret = String((await browser.ask("POST", "/users/me/second_factor/totp"))["secret"]);
  const done = await browser.ask("POST", "/users/me/second_factor/totp/confirm", { code: codeOf(secret) });
  return { person, secret, codes: done["recovery_codes"] as string[] };
}

function jwtFor(email: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part({ email, iat: now, exp: now + 60 })}`;
  return `${text}.${createHmac("sha256", jwtKey).update(text).digest("base64url")}`;
}
