/** Tokens by which directories provision accounts: made, listed, limited and ended by owners. */

import { describe, expect, it } from "vitest";
import { housekeep } from "../../../actors/housekeeping.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { Directory, directoryOf, expectRefusal, ownerPassword } from "../../support/client/scim.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [mia, admin, second] = server.people("Mia", ["Adi Admin", 200], ["Olga Owner", 100]);
const password = ownerPassword;

describe("a SCIM token", () => {
  it("is made by an owner with the password, and told once; the database has its hash", async () => {
    const { client } = server.owner;
    for (const person of [mia, admin])
      for (const asked of [
        person.client.get("/realm/scim_tokens"),
        person.client.post("/realm/scim_tokens", { name: "Mine", password: "a fine password" }),
        person.client.delete("/realm/scim_tokens/1"),
      ])
        expectError(await asked, 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await client.post("/realm/scim_tokens", { name: "Entra" }), 400);
    expectError(await client.post("/realm/scim_tokens", { name: "Entra", password: "wrong" }), 400);
    const { id, token } = expectSuccess(await client.post("/realm/scim_tokens", { name: " Entra ", password }));
    expect(token).toMatch(/^parley_scim_[\w-]{43}$/);
    const list = await client.get("/realm/scim_tokens");
    expect(list.text).not.toContain(token as string);
    expect(expectSuccess(list)["scim_tokens"]).toEqual([
      {
        id,
        name: "Entra",
        creator_id: server.owner.id,
        date_created: expect.any(Number),
        last_used: null,
        expires_at: null,
      },
    ]);
    const rows = await server.database.sql<{ text: string }[]>`select json_agg(t)::text as text from scim_tokens t`;
    expect(rows[0]!.text).not.toContain(token as string);
    expectSuccess(await client.delete(`/realm/scim_tokens/${id as number}`));
  });

  it("is one of ten at most, with a name, and a key that may only read lists none", async () => {
    const { client } = second;
    const make = (name: string) => client.post("/realm/scim_tokens", { name, password: "a fine password" });
    for (const name of ["", " ", "x".repeat(61)]) expectError(await make(name), 400);
    const ids: unknown[] = [];
    for (let count = 0; count < 10; count++) ids.push(expectSuccess(await make(`Token ${count}`))["id"]);
    expect(expectError(await make("One more"), 400)["msg"]).toContain("10");
    const key = { name: "Reader", scope: "read", password: "a fine password" };
    const { api_key } = expectSuccess(await client.post("/users/me/api_keys", key));
    const reader = new ApiClient({ url: server.urls, email: second.email, apiKey: api_key as string });
    expectError(await reader.get("/realm/scim_tokens"), 401, "UNAUTHORIZED");
    for (const id of ids) expectSuccess(await client.delete(`/realm/scim_tokens/${id as number}`));
    expectError(await client.delete(`/realm/scim_tokens/${ids[0] as number}`), 404);
  });

  it("says when it was used, and ends at once, by itself or by an owner, on every node", async () => {
    const directory = await directoryOf(server);
    for (const _ of server.urls) await directory.find("Users", `userName eq "nobody"`);
    const listed = async () =>
      (
        expectSuccess(await server.owner.client.get("/realm/scim_tokens"))["scim_tokens"] as Record<string, unknown>[]
      )[0]!;
    await until("the use to be noted", async () => (await listed())["last_used"] !== null);
    expectSuccess(await second.client.delete(`/realm/scim_tokens/${(await listed())["id"] as number}`));
    for (const _ of server.urls) expectRefusal(await directory.ask("GET", "/Users"), 401);
    const timely = { name: "Timely", password, expires_in_days: 1 };
    const { token, id } = expectSuccess(await server.owner.client.post("/realm/scim_tokens", timely));
    const short = new Directory(server, token as string);
    await short.find("Users", `userName eq "nobody"`);
    await server.database.sql`update scim_tokens set expires_at = date_created - 1 where id = ${id as number}`;
    for (const _ of server.urls) expectRefusal(await short.ask("GET", "/Users"), 401);
    await housekeep(server.nodes[0]!.app.system.environment);
    expect(await server.database.sql`select from scim_tokens where id = ${id as number}`).toHaveLength(0);
  });

  it("goes on when its owner has left", async () => {
    const leaving = await server.addUser("Leaving Owner", { role: 100 });
    const directory = await directoryOf(server, leaving);
    expectSuccess(await server.owner.client.delete(`/users/${leaving.id}`));
    const { id } = await directory.createUser("after@example.com");
    expect((await directory.ask("DELETE", `/Users/${id}`)).status).toBe(204);
  });

  it("is all that opens SCIM, and opens nothing else", async () => {
    const directory = await directoryOf(server);
    for (const wrong of [
      "",
      "x",
      directory.token.slice(0, -1),
      `${directory.token}x`,
      "parley_scim_",
      server.owner.apiKey,
    ]) {
      const answer = await new Directory(server, wrong).ask("GET", "/Users");
      expectRefusal(answer, 401);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="scim"');
    }
    const headers = { Authorization: `Bearer ${directory.token}` };
    expect((await fetch(`${server.url}/api/v1/users`, { headers })).status).toBe(401);
    const basic = `Basic ${Buffer.from(`${server.owner.email}:${server.owner.apiKey}`).toString("base64")}`;
    expectRefusal(await directory.ask("GET", "/Users", undefined, { Authorization: basic }), 401);
    expect((await directory.ask("GET", "/Users")).headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("limits", () => {
  it("hold one token's requests, and whoever tries tokens", async () => {
    const limited = await startTestServer(
      {
        PARLEY_RATE_LIMITS: "on",
        PARLEY_RATE_LIMIT_API_BY_SCIM_TOKEN: "3/60",
        PARLEY_RATE_LIMIT_REFUSED_KEY_BY_IP: "4/60",
      },
      // Nodes tell each other of refusals a moment later.
      1,
    );
    try {
      const directory = await directoryOf(limited);
      const other = await directoryOf(limited);
      for (let count = 0; count < 3; count++) expect((await directory.ask("GET", "/Schemas")).status).toBe(200);
      const answer = await directory.ask("GET", "/Schemas");
      expectRefusal(answer, 429);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await other.ask("GET", "/Schemas")).status).toBe(200);
      const guesser = new Directory(limited, `parley_scim_${"x".repeat(43)}`);
      for (let count = 0; count < 4; count++) expectRefusal(await guesser.ask("GET", "/Schemas"), 401);
      expectRefusal(await guesser.ask("GET", "/Schemas"), 429);
    } finally {
      await limited.stop();
    }
  });
});
