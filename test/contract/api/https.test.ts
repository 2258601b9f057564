/** A server that people reach by https, and the hosts that organizations answer to. */

import { createHash } from "node:crypto";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { createRealm } from "../../../actors/organization/changes/create.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ environment: { PARLEY_URL: "https://chat.example.com" }, alsoOn: ["native build"] });
const plain = testServer();
const [ada] = server.people("Ada");
const [bob] = plain.people("Bob");
const strict = "strict-transport-security";

describe("by https", () => {
  it("browsers are told to come by nothing else, by pages, answers and errors", async () => {
    for (const path of ["/login/", "/api/v1/server_settings", "/json/users/me", "/api/v1/nothing"])
      expect((await fetch(`${server.url}${path}`)).headers.get(strict), path).toMatch(/^max-age=\d{8}$/);
    expect((await fetch(`${plain.url}/login/`)).headers.get(strict)).toBeNull();
  });

  it("cookies are of this very host, and those from before go", async () => {
    const lines = await logIn(server.url, ada);
    const set = lines.filter((line) => !line.includes("Max-Age=0"));
    expect(set.map((line) => line.split("=")[0]).sort()).toEqual([
      "__Host-csrftoken",
      "__Host-device",
      "__Host-sessionid",
    ]);
    for (const line of set) {
      expect(line).toMatch(/; Path=\/; Secure/);
      expect(line).not.toContain("Domain");
      expect(line.includes("HttpOnly")).toBe(!line.startsWith("__Host-csrftoken"));
    }
    expect(lines.filter((line) => line.includes("Max-Age=0")).map((line) => line.split("=")[0])).toEqual([
      "sessionid",
      "csrftoken",
    ]);
    for (const line of await logIn(plain.url, bob)) expect(line).not.toMatch(/__Host-|Secure/);
  });

  it("a log-in is good under the name that its cookie was set by, with the token of that name", async () => {
    const jar = jarOf(await logIn(server.url, ada));
    const [session, csrf] = [jar["__Host-sessionid"]!, jar["__Host-csrftoken"]!];
    expect(await me(`__Host-sessionid=${session}`)).toBe(200);
    expect(await me(`sessionid=${session}`)).toBe(401);
    expect(await change(`__Host-sessionid=${session}; __Host-csrftoken=${csrf}`, csrf)).toBe(200);
    expect(await change(`__Host-sessionid=${session}; csrftoken=${csrf}`, csrf)).toBe(401);
    // Another host of the domain sets one of its own beside it.
    expect(await me(`sessionid=${"x".repeat(32)}; __Host-sessionid=${session}`)).toBe(200);
  });

  it("a log-in from before is good until it ends, and is ended like any", async () => {
    const token = "t".repeat(32);
    await server.database.sql`
      insert into sessions (token_hash, realm_id, user_id, csrf_token, expires_at)
      values (${createHash("sha256").update(token).digest()}, ${(await server.state()).id}, ${ada.id}, 'old',
        extract(epoch from now())::bigint + 600)`;
    const cookie = `sessionid=${token}; csrftoken=old`;
    expect(await me(cookie)).toBe(200);
    expect(await change(cookie, "old")).toBe(200);
    const end = await fetch(`${server.url}/json/sessions/end`, {
      method: "POST",
      headers: { Cookie: cookie, "X-CSRFToken": "old" },
    });
    expect(end.headers.getSetCookie().map((line) => line.split("=")[0])).toEqual([
      "sessionid",
      "csrftoken",
      "__Host-sessionid",
      "__Host-csrftoken",
    ]);
    expect(await me(cookie)).toBe(401);
  });
});

it("an organization without a host answers to any while it is alone, beside others to the server's own", async () => {
  const own = ["chat.example.com", "CHAT.example.com:8443", "localhost:9991", "127.0.0.1", "[::1]:80"];
  const others = ["evil.example", "192.0.2.7:9991", "x.chat.example.com", "localhost.evil.example"];
  for (const host of [...own, ...others]) expect(await statusAt(host), host).toBe(200);
  const owner = { email: "owner@team.example", fullName: "Owner", passwordHash: null };
  await server.database.transaction((sql) =>
    createRealm(sql, { host: "team.example", name: "Team", now: 1_700_000_000, hasFirstMessages: false, owner }),
  );
  for (const node of server.nodes) await node.app.system.readHosts();
  for (const host of [...own, "team.example"]) expect(await statusAt(host), host).toBe(200);
  for (const host of others) expect(await statusAt(host), host).toBe(404);
});

async function logIn(url: string, { email }: Pick<Person, "email">): Promise<string[]> {
  const body = new URLSearchParams({ username: email, password: "a fine password" });
  const reply = await fetch(`${url}/login/`, { method: "POST", body, redirect: "manual" });
  expect(reply.status).toBe(302);
  return reply.headers.getSetCookie();
}

const jarOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line) => line.split(";")[0]!.split("=") as [string, string]));
const me = async (Cookie: string) => (await fetch(`${server.url}/json/users/me`, { headers: { Cookie } })).status;
const change = async (Cookie: string, token: string) => {
  const headers = { Cookie, "X-CSRFToken": token };
  const body = new URLSearchParams({ status_text: "here" });
  return (await fetch(`${server.url}/json/users/me/status`, { method: "POST", headers, body })).status;
};

/** What server_settings answers to a request for another host. */
function statusAt(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}/api/v1/server_settings`, { headers: { Host: host } }, (reply) => {
      reply.resume();
      resolve(reply.statusCode!);
    });
    asked.on("error", reject).end();
  });
}
