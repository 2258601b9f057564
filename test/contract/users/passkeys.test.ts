/** Passkeys: registering them, logging in by one alone or after a password, and everything that is refused. */

import { describe, expect, it } from "vitest";
import { totpCode } from "../../../actors/users/second-factors/totp.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { Authenticator, type Told } from "../../support/client/authenticator.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes", "native build"] });
const password = "a fine password";

describe("registering one", () => {
  it("turns the second factor on, and tells recovery codes with the first", async () => {
    const { browser, person } = await loggedIn("Reg Istering");
    const device = new Authenticator(browser.origin);
    const added = await add(browser, device, { name: "My phone" });
    expect(added).toMatchObject({ status: 200, passkey_id: expect.any(Number) });
    expect(new Set(added["recovery_codes"] as string[]).size).toBe(10);
    expect(await factor(browser)).toMatchObject({
      state: "on",
      has_totp: false,
      recovery_codes_left: 10,
      passkeys: [{ id: added["passkey_id"], name: "My phone", last_used: null, is_synced: false, is_blocked: false }],
    });
    const second = await add(browser, new Authenticator(browser.origin));
    expect(second).toMatchObject({ status: 200, recovery_codes: [] });
    expect(await told(person)).toEqual(["user_passkey_added", "user_second_factor_changed", "user_passkey_added"]);
  });

  it("is called after the browser and its system, in its person's language, unless told", async () => {
    const person = await server.addUser("Nam Eless");
    expectSuccess(await person.client.patch("/settings", { default_language: "de" }));
    const browser = new Browser({ "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0" });
    expect((await browser.form("/login/", { username: person.email, password })).status).toBe(302);
    expect(await add(browser, new Authenticator(browser.origin))).toMatchObject({ status: 200 });
    expect((await factor(browser))["passkeys"]).toMatchObject([{ name: "Firefox unter Linux" }]);
  });

  it("takes what was made for this challenge, place and organization only, and each challenge once", async () => {
    const { browser } = await loggedIn("Ref Used");
    const lies: Told[] = [
      { origin: "https://evil.example.com" },
      { rpId: "evil.example.com" },
      { challenge: "AAAA" },
      { type: "webauthn.get" },
      { flags: 0 },
    ];
    for (const lie of lies)
      expect(await add(browser, new Authenticator(browser.origin), {}, lie), JSON.stringify(lie)).toMatchObject({
        status: 400,
        msg: expect.stringContaining("not what a passkey"),
      });
    const question = await ask(browser, "/users/me/passkeys/options");
    const credential = new Authenticator(browser.origin).make(question.options);
    const send = (challenge: string, said: string) =>
      browser.ask("POST", "/users/me/passkeys", { challenge, credential: said, name: "x" });
    for (const said of ["", "x", "null", "[]", '{"id":7}', '{"id":"AAAA"}', `{"id":"${"A".repeat(3000)}"}`])
      expect((await send(question.challenge, said))["status"], said.slice(0, 20)).toBe(400);
    const other = await ask((await loggedIn("Oth Er")).browser, "/users/me/passkeys/options");
    for (const challenge of ["", "x", other.challenge, "A".repeat(1000)])
      expect(await send(challenge, credential)).toMatchObject({ status: 400, msg: expect.stringContaining("is over") });
    const both = await Promise.all([1, 2, 3].map(() => send(question.challenge, credential)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it("takes a passkey that somebody has, and a 21st, from nobody", async () => {
    const { browser } = await loggedIn("Man Y");
    const device = new Authenticator(browser.origin);
    await add(browser, device);
    const { browser: others } = await loggedIn("Ano Ther");
    expect(await add(others, device)).toMatchObject({ status: 400, msg: expect.stringContaining("already") });
    for (let count = 1; count < 20; count++) await add(browser, new Authenticator(browser.origin));
    expect(await add(browser, new Authenticator(browser.origin))).toMatchObject({
      status: 400,
      msg: "You can have at most 20 passkeys.",
    });
  });

  it("asks first who is there, when that is some time ago, and names it as its person wants", async () => {
    const { browser, person, id } = await withPasskey("Ren Amed");
    expect(await browser.ask("PATCH", `/users/me/passkeys/${id}`, { name: " Key ring " })).toMatchObject({
      status: 200,
    });
    expect((await factor(browser))["passkeys"]).toMatchObject([{ name: "Key ring" }]);
    for (const name of ["", "x".repeat(61)])
      expect(await browser.ask("PATCH", `/users/me/passkeys/${id}`, { name })).toMatchObject({ status: 400 });
    const { browser: stranger } = await loggedIn("Str Anger");
    expect(await stranger.ask("PATCH", `/users/me/passkeys/${id}`, { name: "x" })).toMatchObject({ status: 404 });
    expect(await stranger.ask("DELETE", `/users/me/passkeys/${id}`)).toMatchObject({ status: 404 });
    await server.database.sql`update sessions set confirmed_at = 0 where user_id = ${person.id}`;
    for (const [method, path] of [
      ["POST", "/users/me/passkeys/options"],
      ["POST", "/users/me/passkeys"],
      ["DELETE", `/users/me/passkeys/${id}`],
    ] as const)
      expect(await browser.ask(method, path)).toMatchObject({ status: 403, code: "REAUTHENTICATION_REQUIRED" });
  });

  it("is offered only where the address has a name", async () => {
    const person = await server.addUser("Ip Only");
    const browser = new CookieClient(server.url);
    await browser.form("/login/", { username: person.email, password });
    expect(await browser.ask("POST", "/users/me/passkeys/options")).toMatchObject({
      status: 400,
      msg: expect.stringContaining("Passkeys need"),
    });
  });
});

describe("a log-in by a passkey alone", () => {
  it("lets its person in, where they wanted to go", async () => {
    const { person, device } = await withPasskey("Alo Ne");
    const browser = new Browser();
    const done = await logIn(browser, device, {}, { next: "#narrow/is/starred" });
    expect(done).toMatchObject({ status: 302, location: "/#narrow/is/starred" });
    expect((await browser.ask("GET", "/users/me"))["user_id"]).toBe(person.id);
    expect((await factor(browser))["passkeys"]).toMatchObject([{ last_used: expect.any(Number) }]);
  });

  it("gives an application on a phone its key", async () => {
    const { person, device } = await withPasskey("Pho Ne");
    const browser = new Browser();
    const done = await logIn(browser, device, {}, { mobile_flow_otp: "ab".repeat(32) });
    const sealed = Buffer.from(new URL(done.location).searchParams.get("otp_encrypted_api_key")!, "hex");
    expect(Buffer.from(sealed.map((byte) => byte ^ 0xab)).toString("latin1")).toBe(person.apiKey);
    expect(browser.isLoggedIn).toBe(false);
  });

  it("takes it only as it was asked, from who asked who is there, and as its own person's", async () => {
    const { device } = await withPasskey("Wro Ng");
    const { device: others } = await withPasskey("Els E");
    const lies: [Authenticator, Told][] = [
      [new Authenticator(device.origin), {}],
      [device, { isForged: true }],
      [device, { origin: "https://evil.example.com" }],
      [device, { rpId: "evil.example.com" }],
      [device, { type: "webauthn.create" }],
      [others, { flags: 1 }],
      [others, { userHandle: undefined }],
      [others, { userHandle: "AAAA" }],
    ];
    for (const [by, lie] of lies) {
      const refused = await logIn(new Browser(), by, lie);
      expect(refused, JSON.stringify(lie)).toMatchObject({
        status: 400,
        page: expect.stringContaining("not what a pass"),
      });
    }
    expect(await logIn(new Browser(), device)).toMatchObject({ status: 302 });
  });

  it("takes each answer once, and none to what was asked for something else", async () => {
    const { person, device, browser: first } = await withPasskey("Onc E");
    const browser = new Browser();
    const { options, challenge } = await asked(browser);
    const answer = { challenge, credential: device.show(options) };
    const tries = await Promise.all([1, 2, 3].map(() => new Browser().form("/login/passkey/", answer)));
    expect(tries.map(({ status }) => status).sort()).toEqual([302, 400, 400]);
    const other = await ask(first, "/users/me/reauthenticate/options");
    const crossed = { challenge: other.challenge, credential: device.show(other.options) };
    expect(await new Browser().form("/login/passkey/", crossed)).toMatchObject({ status: 400 });
    const again = await asked(new Browser());
    const pending = await pendingOf(person);
    const step = { pending, challenge: again.challenge, credential: device.show(again.options) };
    expect(await new Browser().form(secondStep, step)).toMatchObject({ status: 400 });
  });

  it("is told to wait after five that were refused, and nobody else is", async () => {
    const { device } = await withPasskey("Wai T");
    for (let tries = 0; tries < 5; tries++)
      expect((await logIn(new Browser(), device, { isForged: true })).status).toBe(400);
    expect((await logIn(new Browser(), device)).status).toBe(429);
    const { device: others } = await withPasskey("Not Waiting");
    expect((await logIn(new Browser(), others)).status).toBe(302);
  });

  it("ends with the account, for as long as it is deactivated and for good when it is deleted", async () => {
    const { person, device } = await withPasskey("Gon E");
    expectSuccess(await server.owner.client.delete(`/users/${person.id}`));
    expect(await logIn(new Browser(), device)).toMatchObject({ status: 401 });
    expectSuccess(await server.owner.client.delete(`/users/${person.id}`, { actions: { delete_profile: true } }));
    expect(await server.database.sql`select from passkeys where user_id = ${person.id}`).toHaveLength(0);
  });
});

describe("a passkey that counts", () => {
  it("is blocked when it counts no further than before, with a letter and a row; and still is a second factor", async () => {
    const { person, browser, device } = await withPasskey("Cop Ied");
    expect((await logIn(new Browser(), device, { count: 7 })).status).toBe(302);
    for (const count of [7, 9]) {
      const refused = await logIn(new Browser(), device, { count });
      expect(refused).toMatchObject({ status: 400, page: expect.stringContaining("somebody has a copy") });
    }
    expect((await factor(browser))["passkeys"]).toMatchObject([{ is_blocked: true }]);
    expect(await told(person)).toContain("user_passkey_blocked");
    expect((await new Browser().form("/login/", { username: person.email, password })).status).toBe(200);
  });
});

describe("as the second step", () => {
  it("is asked for after the password, and lets nobody in before", async () => {
    const { person, device } = await withPasskey("Sec Ond");
    const browser = new Browser();
    const page = (await browser.form("/login/", { username: person.email, password })).page;
    const { options, challenge } = questionIn(page);
    expect(options).toMatchObject({
      allowCredentials: [{ id: device.id.toString("base64url"), transports: ["internal", "hybrid"] }],
    });
    expect(browser.isLoggedIn).toBe(false);
    const step = { pending: pendingIn(page), challenge };
    const { device: others } = await withPasskey("Thi Rd");
    const wrong = await browser.form(secondStep, { ...step, credential: others.show(options) });
    expect(wrong).toMatchObject({ status: 400, page: expect.stringContaining("data-passkey") });
    // A password was shown, so a security key that asks for no PIN is enough.
    const done = await browser.form(secondStep, { ...step, credential: device.show(options, { flags: 1 }) });
    expect(done).toMatchObject({ status: 302 });
    const key = await person.client.post("/fetch_api_key", { username: person.email, password });
    expect(key.body["code"]).toBe("SECOND_FACTOR_REQUIRED");
  });

  it("is not needed where a recovery code is there", async () => {
    const { person, codes } = await withPasskey("Rec Overy");
    const pending = await pendingOf(person);
    expect((await new Browser().form(secondStep, { pending, code: codes[0]! })).status).toBe(302);
  });

  it("is set up in the log-in of whoever has to have one, and its last one stays", async () => {
    const { client } = server.owner;
    const person = await server.addUser("Req Uired", { role: 200 });
    expectSuccess(await client.patch("/realm/second_factor", { of: "administrators", grace_days: 0 }));
    const browser = new Browser();
    const { page } = await browser.form("/login/", { username: person.email, password });
    const { options, challenge } = questionIn(page);
    const credential = new Authenticator(browser.origin).make(options);
    const path = `${secondStep}set-up/`;
    const told = await browser.form(path, { pending: pendingIn(page), challenge, credential });
    expect(told.page).toMatch(/([a-z2-7]{4}-){3}[a-z2-7]{4}/);
    expect(await browser.form(path, { pending: pendingIn(told.page) })).toMatchObject({ status: 302 });
    const [passkey] = (await factor(browser))["passkeys"] as { id: number }[];
    for (const ended of [`/users/me/passkeys/${passkey!.id}`, "/users/me/second_factor"])
      expect(await browser.ask("DELETE", ended)).toMatchObject({
        status: 400,
        msg: expect.stringContaining("organization requires"),
      });
    expectSuccess(await client.patch("/realm/second_factor", { of: "nobody" }));
  });
});

describe("showing again who is there", () => {
  it("takes a passkey of the person that has asked who is there", async () => {
    const { person, browser, device } = await withPasskey("Aga In");
    await server.database.sql`update sessions set confirmed_at = 0 where user_id = ${person.id}`;
    const { device: others } = await withPasskey("Any Body");
    const show = async (by: Authenticator, lie: Told = {}) => {
      const { options, challenge } = await ask(browser, "/users/me/reauthenticate/options");
      return browser.ask("POST", "/users/me/reauthenticate", { challenge, credential: by.show(options, lie) });
    };
    expect(await show(others)).toMatchObject({ status: 400 });
    expect(await show(device, { flags: 1 })).toMatchObject({ status: 400 });
    expect(await browser.ask("POST", "/users/me/reauthenticate")).toMatchObject({ status: 403 });
    expect(await show(device)).toMatchObject({ status: 200 });
    expect(await browser.ask("POST", "/users/me/reauthenticate")).toMatchObject({ status: 200 });
    const { browser: without } = await loggedIn("With Out");
    expect(await without.ask("POST", "/users/me/reauthenticate/options")).toMatchObject({ status: 400 });
  });
});

describe("ending them", () => {
  it("leaves the others, and with the last one nothing is asked for any more", async () => {
    const { person, browser, id, device } = await withPasskey("End Ing");
    const further = await add(browser, new Authenticator(browser.origin));
    expect(await browser.ask("DELETE", `/users/me/passkeys/${id}`)).toMatchObject({ status: 200 });
    expect(await logIn(new Browser(), device)).toMatchObject({ status: 400 });
    expect(await factor(browser)).toMatchObject({ state: "on", recovery_codes_left: 10 });
    expect(await browser.ask("DELETE", `/users/me/passkeys/${further["passkey_id"]}`)).toMatchObject({ status: 200 });
    expect(await factor(browser)).toMatchObject({ state: "off", recovery_codes_left: 0, passkeys: [] });
    expect((await new Browser().form("/login/", { username: person.email, password })).status).toBe(302);
    expect(await told(person)).toContain("user_passkey_ended");
  });

  it("goes without the application where passkeys are left, and not where they are not", async () => {
    const { browser } = await loggedIn("App Lication");
    const { secret } = await browser.ask("POST", "/users/me/second_factor/totp");
    const code = totpCode(String(secret), Math.floor(Date.now() / 30_000));
    await browser.ask("POST", "/users/me/second_factor/totp/confirm", { code });
    const end = () => browser.ask("DELETE", "/users/me/second_factor/totp");
    expect(await end()).toMatchObject({ status: 400, msg: expect.stringContaining("only second factor") });
    expect(await add(browser, new Authenticator(browser.origin))).toMatchObject({ recovery_codes: [] });
    expect(await factor(browser)).toMatchObject({ state: "on", has_totp: true });
    expect(await end()).toMatchObject({ status: 200 });
    expect(await factor(browser)).toMatchObject({ state: "on", has_totp: false, recovery_codes_left: 10 });
    expect(await browser.ask("POST", "/users/me/second_factor/recovery_codes")).toMatchObject({ status: 200 });
  });

  it("is an administrator's as well, with all of the second factor", async () => {
    const { person, device } = await withPasskey("Los T");
    expectSuccess(await server.owner.client.delete(`/users/${person.id}/second_factor`));
    expect(await logIn(new Browser(), device)).toMatchObject({ status: 400 });
    expect((await new Browser().form("/login/", { username: person.email, password })).status).toBe(302);
  });
});

const secondStep = "/login/second-factor/";

/** A browser at an address that has a name. */
class Browser extends CookieClient {
  readonly origin: string;
  constructor(headers: Record<string, string> = {}) {
    const origin = server.url.replace("127.0.0.1", "localhost");
    super(origin, headers);
    this.origin = origin;
  }
}

interface Question {
  options: Record<string, unknown>;
  challenge: string;
}

const pendingIn = (page: string): string => /name="pending" value="([^"]+)"/.exec(page)![1]!;
const plain = (html: string) => html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

function questionIn(page: string): Question {
  const options = JSON.parse(plain(/data-passkey="([^"]+)"/.exec(page)![1]!));
  return { options, challenge: /name="challenge" value="([^"]+)"/.exec(page)![1]! };
}

/** What the log-in page asks. */
const asked = async (browser: Browser): Promise<Question> =>
  questionIn(await (await fetch(`${browser.origin}/login/`)).text());

const ask = async (browser: Browser, path: string) => (await browser.ask("POST", path)) as unknown as Question;

async function logIn(browser: Browser, device: Authenticator, lie: Told = {}, to: Record<string, string> = {}) {
  const { options, challenge } = await asked(browser);
  return browser.form("/login/passkey/", { challenge, credential: device.show(options, lie), ...to });
}

async function pendingOf({ email }: Person): Promise<string> {
  return pendingIn((await new Browser().form("/login/", { username: email, password })).page);
}

async function loggedIn(name: string) {
  const person = await server.addUser(name);
  const browser = new Browser();
  expect((await browser.form("/login/", { username: person.email, password })).status).toBe(302);
  return { person, browser };
}

async function add(browser: Browser, device: Authenticator, params = {}, lie: Told = {}) {
  const { options, challenge } = await ask(browser, "/users/me/passkeys/options");
  return browser.ask("POST", "/users/me/passkeys", { challenge, credential: device.make(options, lie), ...params });
}

async function withPasskey(name: string) {
  const { person, browser } = await loggedIn(name);
  const device = new Authenticator(browser.origin);
  const added = await add(browser, device);
  return { person, browser, device, id: Number(added["passkey_id"]), codes: added["recovery_codes"] as string[] };
}

const factor = async (browser: CookieClient) =>
  (await browser.ask("GET", "/users/me/second_factor"))["second_factor"] as Record<string, unknown>;

/** What the audit log has of somebody's second factor. */
async function told({ id }: Person): Promise<string[]> {
  const { body } = await server.owner.client.get("/realm/audit_log", { modified_user_id: id, num_before: 100 });
  const types = (body["audit_log"] as { event_type: string }[]).map(({ event_type }) => event_type);
  return types.filter((type) => /passkey|second_factor/.test(type));
}
