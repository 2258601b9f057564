/** What a log-in in a browser may not do by itself, since whoever sits down at it would keep the account. */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const password = "a fine password";
let count = 0;

const deeds: [what: string, method: string, path: string, params: () => Record<string, string>, proof: string][] = [
  ["another address", "PATCH", "/settings", () => ({ email: `again${++count}@example.org` }), "old_password"],
  ["a new API key", "POST", "/users/me/api_key/regenerate", () => ({}), "password"],
];

describe.each(deeds)("%s", (what, method, path, params, proof) => {
  it("is refused to a log-in alone and with a wrong password, and changes nothing", async () => {
    const person = await server.addUser(`Refused ${count++}`);
    const ask = await browserOf(person);
    // A new log-in is itself a proof of who sits there, for keys.
    await server.database.sql`update sessions set confirmed_at = 0 where user_id = ${person.id}`;
    expect([400, 403]).toContain((await ask(method, path, params())).status);
    for (const given of [{ [proof]: "" }, { [proof]: "wrong password" }])
      expect((await ask(method, path, { ...params(), ...given })).status).toBe(400);
    const me = expectSuccess(await person.client.get("/users/me"));
    expect(me["delivery_email"]).toBe(person.email);
  });

  it("is given with the password, to a key as well without", async () => {
    const person = await server.addUser(`Given ${count++}`);
    const ask = await browserOf(person);
    expect((await ask(method, path, { ...params(), [proof]: password })).status, what).toBe(200);
    const other = await server.addUser(`Keyed ${count++}`);
    const send = method === "PATCH" ? other.client.patch : other.client.post;
    expectSuccess(await send.call(other.client, path, params()));
  });

  it("is told to wait after five wrong passwords, which lock nobody out of logging in", async () => {
    const person = await server.addUser(`Guessed ${count++}`);
    const ask = await browserOf(person);
    for (let tries = 0; tries < 5; tries++)
      expect((await ask(method, path, { ...params(), [proof]: "wrong password" })).status).toBe(400);
    expect((await ask(method, path, { ...params(), [proof]: password })).status).toBe(429);
    await browserOf(person);
  });
});

it("an address that stays as it is, in a form that is sent whole, needs no password", async () => {
  const person = await server.addUser("Same Address");
  const ask = await browserOf(person);
  expect((await ask("PATCH", "/settings", { email: person.email, full_name: "Same Again" })).status).toBe(200);
});

/** Logs in with a browser; returns how it asks. */
async function browserOf({ email }: Person) {
  const form = new URLSearchParams({ username: email, password });
  const reply = await fetch(`${server.url}/login/`, { method: "POST", body: form, redirect: "manual" });
  expect(reply.status).toBe(302);
  const cookies = reply.headers.getSetCookie().map((line) => line.split(";")[0]!);
  const csrf = cookies.find((cookie) => cookie.startsWith("csrftoken="))!.slice("csrftoken=".length);
  return (method: string, path: string, params: Record<string, string>) =>
    fetch(`${server.url}/json${path}`, {
      method,
      headers: { Cookie: cookies.join("; "), "X-CSRFToken": csrf },
      body: new URLSearchParams(params),
    });
}
