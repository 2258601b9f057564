/**
 * Nothing tells strangers who has an account. Whoever is asked about, the answer is the same, and so is the work: as
 * many hashes of passwords, and the same questions to the database.
 */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { routes } from "../../../http/api/routes.ts";
import { Authenticator } from "../../support/client/authenticator.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import { hiddenField } from "../../support/client/plain-browser.ts";
import { identityServer } from "../../support/identities/identity-server.ts";
import { ldapServer } from "../../support/ldap/ldap-server.ts";
import { lacksSlapd } from "../../support/ldap/slapd.ts";
import type { TestServer } from "../../support/server/server.ts";

/** Before the server is loaded, which takes these functions out of their package once. */
const hashes = await vi.hoisted(async () => {
  const { createRequire } = await import("node:module");
  const argon2 = createRequire(import.meta.url)("@node-rs/argon2");
  return [vi.spyOn(argon2, "hash"), vi.spyOn(argon2, "verify")];
});

const { server, provider, newcomer } = identityServer();
const [ada, dora, paul, fay] = server.people("Ada", "Dora Deactivated", "Paul Passwordless", "Fay Foreign");
/** Of each kind there is: who is there, who was, who has no password, a damaged one, a bot, and nobody. */
let names: string[];

beforeAll(async () => {
  const { client } = server.owner;
  await client.delete(`/users/${dora.id}`);
  const bot = await client.post("/bots", { full_name: "Bob Bot", short_name: "bob" });
  const { sql } = server.database;
  await sql`update credentials set password_hash = null where user_id = ${paul.id}`;
  await sql`update credentials set password_hash = '$argon2id$v=19$m=9999999,t=9,p=9$AAAAAAAAAAA$AAAA'
    where user_id = ${fay.id}`;
  const [row] = await sql`select delivery_email as email from users where id = ${Number(bot.body["user_id"])}`;
  names = [ada.email, dora.email, paul.email, fay.email, String(row!["email"]), "nobody@example.com"];
});

describe("a wrong password", () => {
  it("of anybody is refused alike by the page, for programs, and where a log-in is linked", async () => {
    const nora = newcomer();
    const arrival = hiddenField((await nora.come({ sub: "nora", name: "Nora" }, "nobody")).text, "arrival");
    const send = (path: string, fields: Record<string, string>) => () => nora.browser.post(server.url + path, fields);
    const password = "not the password";
    for (const [path, fields] of [
      ["/login/", {}],
      ["/api/v1/fetch_api_key", {}],
      ["/accounts/identity/link/", { arrival }],
    ] as const)
      await isAlike(server, names, (username) => send(path, { ...fields, username, password }), {
        status: 401,
        hashes: 1,
        asked: [expect.stringContaining("from credentials where user_id")],
      });
  });

  it("is refused alike in a browser that one of them has used", async () => {
    const { browser } = newcomer();
    const logIn = (username: string, password: string) => browser.post(`${server.url}/login/`, { username, password });
    expect((await logIn(ada.email, "a fine password")).status).toBe(302);
    await isAlike(server, names, (name) => () => logIn(name, "not the password"), {
      status: 401,
      hashes: 1,
      asked: [
        expect.stringContaining("from known_devices where user_id"),
        expect.stringContaining("from credentials where user_id"),
      ],
    });
  });
});

describe("a link for a new password", () => {
  it("is asked for alike, whoever wants it", async () => {
    const send = (email: string) => () => newcomer().browser.post(`${server.url}/accounts/password/reset/`, { email });
    await isAlike(server, names, send, {
      status: 200,
      hashes: 0,
      asked: [expect.stringContaining("insert into emails")],
    });
  });
});

describe("a log-in by a provider", () => {
  it("that does not know the address to be theirs tells nothing of it", async () => {
    const come = (email: string) => () =>
      newcomer().come({ sub: `as ${email}`, email, email_verified: false, name: "Thea" }, "nobody");
    await isAlike(server, names, come, {
      status: 401,
      hashes: 0,
      asked: [expect.stringContaining("from identities")],
    });
    expect(provider.asked).toContain("/token");
  });
});

describe("a passkey", () => {
  it("is asked for without a name, and refused alike, whosever it says to be", async () => {
    const origin = server.url.replace("127.0.0.1", "localhost");
    const browser = new CookieClient(origin);
    expect(await browser.form("/login/", { username: ada.email, password: "a fine password" })).toMatchObject({
      status: 302,
    });
    const device = new Authenticator(origin);
    const { options, challenge } = (await browser.ask("POST", "/users/me/passkeys/options")) as {
      options: Record<string, unknown>;
      challenge: string;
    };
    const added = await browser.ask("POST", "/users/me/passkeys", { challenge, credential: device.make(options) });
    expect(added).toMatchObject({ status: 200 });
    const form = async () => (await fetch(`${origin}/login/`)).text();
    const asksFor = /data-passkey="([^"]+)"/.exec(await form())![1]!;
    expect(asksFor.replaceAll("&#34;", '"')).toContain('"allowCredentials":[]');
    const show = async (id: Buffer) => {
      const page = await form();
      const said = JSON.parse(device.show({ rpId: "localhost", challenge: "another" }));
      const credential = JSON.stringify({ ...said, id: id.toString("base64url"), rawId: id.toString("base64url") });
      const shown = await new CookieClient(origin).form("/login/passkey/", {
        challenge: hiddenField(page, "challenge"),
        credential,
      });
      return [shown.status, /role="alert" id="error">([^<]*)</.exec(shown.page)?.[1]];
    };
    const refused = [400, "This is not what a passkey of yours says to it."];
    expect([await show(device.id), await show(Buffer.alloc(32, 7))]).toEqual([refused, refused]);
  });
});

describe("SCIM without a token", () => {
  it("answers the same at each of its routes, and looks for nobody", async () => {
    const endpoints = routes.filter(({ path }) => /^\^\/scim\/v2\/(?:Users|Groups)/.test(path));
    expect(endpoints).toHaveLength(12);
    const filter = `?filter=${encodeURIComponent(`userName eq "${ada.email}"`)}`;
    const ids = [String(ada.id), "999999", "x"];
    for (const { method, path } of endpoints)
      for (const token of ["", "Bearer parley_scim_", `Bearer parley_scim_${"A".repeat(43)}`]) {
        const send = (id: string) => () =>
          ask(server, method, path.slice(1).replace(":resource_id", id) + filter, { Authorization: token });
        const asked = token.length > 40 ? [expect.stringContaining("from scim_tokens")] : [];
        await isAlike(server, ids, send, { status: 401, hashes: 0, asked });
      }
  });
});

describe.skipIf(lacksSlapd !== "")(`a directory${lacksSlapd}`, () => {
  const { server: other, slapd } = ldapServer();
  const [mia] = other.people("Mia");

  it("refuses whom it has, whom only this server has, and nobody alike", async () => {
    await slapd.person("ruth");
    await slapd.person("left");
    await slapd.remove("uid=left,ou=people,dc=example,dc=com");
    const body = (username: string) => new URLSearchParams({ username, password: "not the password" });
    const all = ["ruth", "ruth@example.net", "left", "nobody", mia.email];
    await isAlike(other, all, (name) => () => ask(other, "POST", "/api/v1/fetch_api_key", {}, body(name)), {
      status: 401,
      hashes: 1,
      asked: [expect.stringContaining("from credentials where user_id")],
    });
  });
});

interface Told {
  status: number;
  text: string;
}

async function ask(
  { url }: TestServer,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: URLSearchParams,
): Promise<Told> {
  const response = await fetch(url + path, { method, headers, ...(body && { body }) });
  return { status: response.status, text: await response.text() };
}

/** What the hourly housekeeping asks, first a second after a start, beside whatever log-in there is. */
const ofHousekeeping =
  /^(?:delete from scim_tokens where expires_at|select user_id, api_key from credentials where api_key is not null)/;
/** Questions that tell who there is. */
const telling =
  /\b(?:credentials|known_devices|identities|passkeys|totp_factors|scim_tokens)\b|^(?:update|insert into) (?:users|emails)\b/;

/** Expects the same of each name: status, text but for the name itself, hashes, and questions to the database. */
async function isAlike(
  { database }: TestServer,
  all: readonly string[],
  sending: (name: string) => () => Promise<Told>,
  expected: { status: number; hashes: number; asked: unknown[] },
): Promise<void> {
  const seen = new Map<string, string>();
  for (const name of all) {
    const { sql } = database;
    const asked: string[] = [];
    const watched = new Proxy(sql, {
      apply(target, self, given) {
        const question = Array.isArray(given[0]) ? given[0].join("?").replace(/\s+/g, " ").trim() : "";
        if (telling.test(question) && !ofHousekeeping.test(question)) asked.push(question);
        return Reflect.apply(target, self, given);
      },
    });
    for (const spy of hashes) spy.mockClear();
    Object.assign(database, { sql: watched });
    const { status, text } = await sending(name)().finally(() => Object.assign(database, { sql }));
    const count = hashes.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    expect({ name, status, hashes: count, asked }).toEqual({ name, ...expected });
    const plain = text
      .replaceAll(`"${name}"`, "")
      .replace(/(?:challenge|arrival)" value="[^"]*"|data-passkey="[^"]*"/g, "");
    seen.set(plain, name);
  }
  expect([...seen.values()], [...seen.keys()].join("\n\n")).toHaveLength(1);
}
