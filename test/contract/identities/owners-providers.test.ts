/** Providers that owners set: who may, what nobody is shown, how people come in by one, and how owners stay able to. */
import { afterEach, describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import { claimsOf, Newcomer } from "../../support/identities/newcomer.ts";
import { openIdProvider } from "../../support/identities/open-id-provider.ts";
import { runFile } from "../../support/projects.ts";
import { testServer } from "../../support/server/server.ts";
import { patienceMs } from "../../support/web/browser.ts";

runFile({ alsoOn: ["two nodes"] });
const provider = openIdProvider();
const servers = { name: "servers", display_name: "Server's", issuer: "http://127.0.0.1:1", client_id: "parley" };
const server = testServer({
  environment: () => ({ PARLEY_ALLOWED_ADDRESSES: "127.0.0.1", PARLEY_OIDC: JSON.stringify({ "*": [servers] }) }),
});
const [adam, olaf] = server.people(["Adam Admin", 200], ["Olaf Owner", 100]);
server.channel("papers", [server.owner]);
server.channel("secrets", [server.owner], { invite_only: true });

describe("a provider of the owners'", () => {
  it("is a way in on every node, and gone again, of which clients hear", async () => {
    const queue = await adam.queue({ event_types: ["realm"] });
    expect(await add()).toMatchObject({
      joining: "everybody",
      redirect_uri: expect.stringMatching(/^http.*\/complete\/own\/$/),
    });
    for (const url of server.urls) await expect.poll(() => waysAt(url), { timeout: patienceMs }).toEqual(own);
    expect((await listed())["server_identity_providers"]).toEqual([{ name: "servers", display_name: "Server's" }]);
    expectSuccess(await server.owner.client.delete(`${path}/own`));
    for (const url of server.urls) await expect.poll(() => waysAt(url), { timeout: patienceMs }).toEqual(others);
    // The server's provider goes on, so what clients know has not changed.
    expect(await adam.client.drain(queue)).toEqual([]);
  });

  it("brings people in, who join what their groups say, but no private channel", async () => {
    await add({ channels: { staff: ["Papers"] }, groups: { staff: "Staff" }, scopes: ["profile", "email"] });
    const one = newcomer();
    await one.come({ ...claimsOf("nora", "nora@example.net"), groups: ["staff"] }, "own");
    const { user_id } = (await one.self())!;
    const { state } = await server.realm();
    const channels = [...state.channels.values()].filter(({ id }) => state.subscriptions.has(user_id, id));
    expect(channels.map(({ name }) => name)).toContain("papers");
    const group = state.groups.findByName("Staff");
    expect(group && state.groups.hasDirectMember(group.id, user_id)).toBe(true);
    for (const name of ["secrets", "no such channel"])
      expectError(await change({ channels: { staff: [name] } }), 400, "BAD_REQUEST");
    // One that has become private since.
    const papers = [...state.channels.values()].find(({ name }) => name === "papers")!;
    expectSuccess(await server.owner.client.patch(`/streams/${papers.id}`, { is_private: true }));
    const later = newcomer();
    await later.come({ ...claimsOf("nils", "nils@example.net"), groups: ["staff"] }, "own");
    const second = (await later.self())!.user_id;
    expect((await server.realm()).state.subscriptions.has(second, papers.id)).toBe(false);
    expectSuccess(await server.owner.client.patch(`/streams/${papers.id}`, { is_private: false }));
  });

  it("is set by owners alone, whose browser showed lately who they are", async () => {
    await add();
    for (const asked of [
      adam.client.get(path),
      adam.client.post(path, fields()),
      adam.client.patch(`${path}/own`, { display_name: "Adam's" }),
      adam.client.delete(`${path}/own`),
      adam.client.post(`${path}/try`, tried()),
    ])
      expectError(await asked, 400, "UNAUTHORIZED_PRINCIPAL");
    const browser = new CookieClient(server.url);
    await browser.form("/login/", { username: olaf.email, password: "a fine password" });
    const set = () => browser.ask("PATCH", `${path}/own`, { display_name: "Own & Co" });
    expect(await set()).toMatchObject({ status: 200 });
    const { environment } = server.server.app.system;
    const { clock } = environment;
    environment.clock = () => clock() + 700;
    try {
      expect(await set()).toMatchObject({ status: 403, code: "REAUTHENTICATION_REQUIRED" });
      expect(await browser.ask("DELETE", `${path}/own`)).toMatchObject({ code: "REAUTHENTICATION_REQUIRED" });
      expect(await browser.ask("POST", `${path}/try`, tried())).toMatchObject({ code: "REAUTHENTICATION_REQUIRED" });
    } finally {
      environment.clock = clock;
    }
  });
});

describe("its secret", () => {
  it("is shown to nobody, and stored sealed: not in answers, rows, the log or the audit log", async () => {
    await add();
    await change({ client_secret: provider.clientSecret, display_name: "Renamed" });
    const told = await listed();
    expect(told["identity_providers"]).toMatchObject([{ name: "own", client_secret_set_at: expect.any(Number) }]);
    const stored = await server.database.sql`
      select settings::text as text from realms union all select row_to_json(l)::text from realm_log l
      union all select row_to_json(a)::text from audit_log a`;
    const rows = stored.map(({ text }) => text as string);
    expect(rows.some((text) => text.includes("client_secret_sealed"))).toBe(true);
    for (const text of [JSON.stringify(told), ...rows]) expect(text).not.toContain(provider.clientSecret);
    const audit = await audited();
    expect(audit.map(({ event_type }) => event_type)).toEqual([
      "realm_identity_provider_added",
      "realm_identity_provider_changed",
    ]);
    expect(audit[1]).toMatchObject({
      acting_user_id: server.owner.id,
      before: { name: "own", display_name: "Own" },
      after: { name: "own", display_name: "Renamed" },
    });
    expect(JSON.stringify(audit)).not.toContain("sealed");
  });

  it("goes to no other issuer than the one for which it was given", async () => {
    await add();
    expectError(await change({ issuer: "https://elsewhere.example" }), 400, "BAD_REQUEST");
    expectSuccess(await change({ issuer: "https://elsewhere.example", client_secret: "another" }));
    expectSuccess(await change({ issuer: provider.issuer, client_secret: "" }));
    expect((await listed())["identity_providers"]).toMatchObject([{ client_secret_set_at: null }]);
  });
});

describe("owners who come in by it alone", () => {
  it("are told of before it is removed or goes elsewhere", async () => {
    await add({ roles: { owner: ["owners"] } });
    const owner = newcomer();
    await owner.come({ ...claimsOf("olga", "olga@example.net", "Olga Owner"), groups: ["owners"] }, "own");
    const { user_id, role } = (await owner.self())!;
    expect(role).toBe(100);
    const elsewhere = { issuer: "https://elsewhere.example", client_secret: "x" };
    for (const asked of [server.owner.client.delete(`${path}/own`), change(elsewhere)])
      expect(expectError(await asked, 400, "OWNERS_LOCKED_OUT")["owner_ids"]).toEqual([user_id]);
    expectSuccess(await change({ ...elsewhere, locks_out_owners: true }));
    expectSuccess(await change({ issuer: provider.issuer, client_secret: provider.clientSecret }));
    expectSuccess(await server.owner.client.patch(`/users/${user_id}`, { role: 400 }));
    expectSuccess(await server.owner.client.delete(`${path}/own`));
  });
});

describe("what cannot be", () => {
  it.each<[string, JsonObject]>([
    ["a name that is no part of an address", { name: "Own/.." }],
    ["the server's name", { name: "servers" }],
    ["plain HTTP", { issuer: "http://id.example" }],
    ["no address", { issuer: "id.example" }],
    ["an address inside the network", { issuer: "https://10.0.0.1/realm" }],
    ["an unknown way to join", { joining: "some" }],
    ["groups that are a list", { groups: ["a"] }],
    ["a role that is none", { roles: { king: ["a"] } }],
    ["a file of the server's", { client_secret_file: "/etc/passwd", client_secret: undefined, groups: 7 }],
    ["an empty client ID", { client_id: "" }],
    ["too many groups", { groups: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`g${i}`, "x"])) }],
  ])("is %s", async (_, wrong) => {
    expectError(await server.owner.client.post(path, { ...fields(), ...wrong }), 400);
    expect((await listed())["identity_providers"]).toEqual([]);
  });

  it("is two of a name, an eleventh one, or a change of one that is not there", async () => {
    await add();
    expectError(await server.owner.client.post(path, fields()), 400, "BAD_REQUEST");
    for (let index = 2; index <= 10; index++) await add({ name: `own${index}` });
    expectError(await server.owner.client.post(path, fields({ name: "own11" })), 400, "BAD_REQUEST");
    expectError(await server.owner.client.patch(`${path}/nothing`, { display_name: "x" }), 404);
    expectError(await server.owner.client.delete(`${path}/nothing`), 404);
  });
});

describe("a trial", () => {
  it("finds nothing wrong with the right one, by the secret that is there or one that is sent", async () => {
    expect(await problem({ client_secret: provider.clientSecret })).toBe(null);
    await add();
    expect(await problem()).toBe(null);
  });

  it("says what is wrong in one sentence", async () => {
    const unknown = "The provider does not know the client ID, or the client secret is another one.";
    expect(await problem({ client_secret: "wrong" })).toBe(unknown);
    expect(await problem({ client_id: "nobody", client_secret: provider.clientSecret })).toBe(unknown);
    expect(await problem({ issuer: provider.issuer.replace("127.0.0.1", "localhost") })).toBe(
      `The provider calls itself ${provider.issuer}, so that is its issuer.`,
    );
    expect(await problem({ issuer: `${provider.issuer}/realms/x` })).toMatch(
      /^There is no description of a provider at http:.*: it answered 404\.$/,
    );
    expect(await problem({ issuer: "http://127.0.0.1:1" })).toBe(
      "The provider cannot be asked: it could not be reached (ECONNREFUSED).",
    );
  });
});

const newcomer = () => new Newcomer(server, provider);
const path = "/realm/identity_providers";
afterEach(async () => {
  for (const { name } of (await listed())["identity_providers"] as { name: string }[])
    expectSuccess(await server.owner.client.delete(`${path}/${name}`, { locks_out_owners: true }));
});

const own = ["oidc:servers", "oidc:own", "browser"];
const others = ["oidc:servers", "browser"];

const fields = (more: JsonObject = {}): JsonObject => ({
  ...tried(),
  display_name: "Own",
  joining: "everybody",
  client_secret: provider.clientSecret,
  ...more,
});

const tried = (): JsonObject => ({ name: "own", issuer: provider.issuer, client_id: provider.clientId });

async function add(more: JsonObject = {}): Promise<JsonObject> {
  return expectSuccess(await server.owner.client.post(path, fields(more)))["identity_provider"] as JsonObject;
}

const change = (fields: JsonObject) => server.owner.client.patch(`${path}/own`, fields);

const listed = async () => expectSuccess(await server.owner.client.get(path));

async function problem(more: JsonObject = {}): Promise<unknown> {
  return expectSuccess(await server.owner.client.post(`${path}/try`, { ...tried(), ...more }))["problem"];
}

async function waysAt(url: string): Promise<string[]> {
  const { body } = await new ApiClient({ url }).get("/server_settings");
  return (body["external_authentication_methods"] as { name: string }[]).map(({ name }) => name);
}

async function audited() {
  const types = ["added", "changed"].map((what) => `realm_identity_provider_${what}`);
  const { audit_log } = expectSuccess(
    await server.owner.client.get("/realm/audit_log", { anchor: "newest", num_before: 2, event_types: types }),
  );
  return audit_log as { event_type: string; acting_user_id: number; before: object; after: object }[];
}
