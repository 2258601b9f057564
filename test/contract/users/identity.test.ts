/** What a browser is let do only when its person lately showed who they are. */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const password = "a fine password";
let count = 0;

const deeds: [what: string, method: string, path: (about: Person) => string, params: Record<string, unknown>][] = [
  ["their API key", "POST", () => "/users/me/api_key", {}],
  ["a new API key", "POST", () => "/users/me/api_key/regenerate", {}],
  ["a further API key", "POST", () => "/users/me/api_keys", { name: "a program" }],
  ["a second factor", "POST", () => "/users/me/second_factor/totp", {}],
  ["another role for somebody", "PATCH", (about) => `/users/${about.id}`, { role: 300 }],
  ["an export", "POST", () => "/export/realm", { export_type: "public" }],
];

describe.each(deeds)("%s", (_what, method, path, params) => {
  it("is given after a log-in, refused when that is some time ago, and given with the password again", async () => {
    const [admin, about] = [await newAdmin(), await server.addUser(`About ${++count}`)];
    const browser = await loggedIn(admin);
    await age(admin, 601);
    expect(await browser.ask(method, path(about), params)).toMatchObject({
      status: 403,
      code: "REAUTHENTICATION_REQUIRED",
    });
    expect(await browser.ask("POST", "/users/me/reauthenticate")).toMatchObject({ code: "REAUTHENTICATION_REQUIRED" });
    expect(await browser.ask("POST", "/users/me/reauthenticate", { password: "wrong" })).toMatchObject({ status: 400 });
    expect(await browser.ask(method, path(about), params)).toMatchObject({ status: 403 });
    expect(await browser.ask("POST", "/users/me/reauthenticate", { password })).toMatchObject({ status: 200 });
    expect(await browser.ask("POST", "/users/me/reauthenticate")).toMatchObject({ status: 200 });
    expect(await browser.ask(method, path(about), params)).toMatchObject({ status: 200 });
    const fresh = await loggedIn(admin);
    await age(admin, 580);
    expect((await fresh.ask("POST", "/users/me/reauthenticate"))["status"]).toBe(200);
  });
});

it("the key of a bot is shown and made anew so, and left out of the list", async () => {
  const person = await server.addUser("Bo Botmaker");
  const bot = await server.addBot(person, "robo");
  const browser = await loggedIn(person);
  const listed = async () => ((await browser.ask("GET", "/bots"))["bots"] as { api_key: string }[])[0]!.api_key;
  expect(await listed()).toBe(bot.apiKey);
  await age(person, 601);
  expect(await listed()).toBe("");
  for (const [method, path] of [
    ["GET", `/bots/${bot.id}/api_key`],
    ["POST", `/bots/${bot.id}/api_key/regenerate`],
  ] as const)
    expect(await browser.ask(method, path)).toMatchObject({ status: 403, code: "REAUTHENTICATION_REQUIRED" });
  const { bots } = expectSuccess(await person.client.get("/bots"));
  expect(bots).toMatchObject([{ api_key: bot.apiKey }]);
});

it("programs that come by the account's own key are asked for nothing, as in Zulip", async () => {
  const [admin, about] = [await newAdmin(), await server.addUser("Plain Paul")];
  expectSuccess(await admin.client.patch(`/users/${about.id}`, { role: 300 }));
  expectSuccess(await admin.client.post("/users/me/api_key/regenerate"));
});

it("everything but the role is changed without it", async () => {
  const [admin, about] = [await newAdmin(), await server.addUser("Named Nora")];
  const browser = await loggedIn(admin);
  await age(admin, 601);
  expect(await browser.ask("PATCH", `/users/${about.id}`, { full_name: "Nora Named" })).toMatchObject({ status: 200 });
});

const newAdmin = () => server.addUser(`Admin ${++count}`, { role: 200 });

/** Has somebody's log-ins be so old. */
const age = ({ id }: Person, secs: number) =>
  server.database.sql`
    update sessions set confirmed_at = ${Math.floor(Date.now() / 1000) - secs} where user_id = ${id}`;

async function loggedIn({ email }: Person): Promise<CookieClient> {
  const browser = new CookieClient(server.url);
  expect((await browser.form("/login/", { username: email, password })).status).toBe(302);
  return browser;
}
