/** User groups as directories provision them. */

import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { type Directory, directoryOf, expectRefusal, type ScimResource } from "../../support/client/scim.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [ada, bob, cora] = server.people("Ada", "Bob", "Cora");
let directory: Directory;
beforeAll(async () => {
  directory = await directoryOf(server);
});

describe("a group that a directory makes", () => {
  it("has its members, and is told to everybody", async () => {
    const { result: made } = await assertConverges({
      observers: [ada.client, cora.client],
      act: () => make("Engineers", [ada, bob], { externalId: "g-1" }),
    });
    expect(made).toEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
      id: expect.stringMatching(/^\d+$/),
      externalId: "g-1",
      displayName: "Engineers",
      members: [ada, bob].map(({ id }) => ({
        value: String(id),
        $ref: expect.stringMatching(new RegExp(`/scim/v2/Users/${id}$`)),
        type: "User",
      })),
      meta: {
        resourceType: "Group",
        created: expect.any(String),
        location: expect.stringMatching(new RegExp(`/scim/v2/Groups/${made.id}$`)),
        version: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      },
    });
    expect(await membersOf(made.id)).toEqual([ada.id, bob.id]);
  });

  it("is the only one of its name, and none of the system's", async () => {
    await make("Only", []);
    for (const displayName of ["ONLY", " only ", "role:members"])
      expectRefusal(await directory.ask("POST", "/Groups", { displayName }), 409, "uniqueness");
    for (const displayName of ["@x", "x".repeat(101), " ", "\u200b"])
      expectRefusal(await directory.ask("POST", "/Groups", { displayName }), 400, "invalidValue");
    const other = await make("Other", []);
    const rename = { op: "replace", path: "displayName", value: "Only" };
    expectRefusal(await directory.patch(`/Groups/${other.id}`, rename), 409, "uniqueness");
  });

  it("that is deleted is out of use, and comes back with other members", async () => {
    const made = await make("Deleted", [ada, bob], { externalId: "g-2" });
    await assertConverges({
      observers: [ada.client],
      act: () => directory.ask("DELETE", `/Groups/${made.id}`),
    });
    for (const method of ["GET", "DELETE"]) expectRefusal(await directory.ask(method, `/Groups/${made.id}`), 404);
    expect(await directory.find("Groups", 'displayName eq "Deleted"')).toEqual({ ids: [], total: 0 });
    const { result: again } = await assertConverges({
      observers: [ada.client],
      act: () => make("Deleted", [bob, cora]),
    });
    expect(again.id).toBe(made.id);
    expect(again).not.toHaveProperty("externalId");
    expect(await membersOf(made.id)).toEqual([bob.id, cora.id]);
  });

  it("that something uses cannot be deleted", async () => {
    const made = await make("Used", [ada]);
    const permission = JSON.stringify({ new: Number(made.id) });
    await server.owner.setRealm({ can_create_groups: permission });
    expectRefusal(await directory.ask("DELETE", `/Groups/${made.id}`), 409);
    expect((await directory.ask("GET", `/Groups/${made.id}`)).status).toBe(200);
  });
});

describe("members", () => {
  it("come and go by each spelling that directories have", async () => {
    const made = await make("Spelling", [ada]);
    const membersAfter = async (operation: JsonObject) => {
      const { result } = await assertConverges({
        observers: [ada.client],
        act: () => directory.patch(`/Groups/${made.id}`, operation),
      });
      expect(result, JSON.stringify(result.body)).toMatchObject({ status: 204, body: {} });
      const { meta } = await directory.resource("GET", `/Groups/${made.id}`);
      expect(result.headers.get("etag")).toBe(meta.version);
      return membersOf(made.id);
    };
    const value = (...people: { id: number }[]) => people.map(({ id }) => ({ value: String(id) }));
    expect(await membersAfter({ op: "Add", path: "members", value: value(bob, ada) })).toEqual([ada.id, bob.id]);
    expect(await membersAfter({ op: "remove", path: `members[value eq "${ada.id}"]` })).toEqual([bob.id]);
    expect(await membersAfter({ op: "add", value: { members: value(ada, cora) } })).toEqual([ada.id, bob.id, cora.id]);
    expect(await membersAfter({ op: "Remove", path: "members", value: value(bob, cora) })).toEqual([ada.id]);
    expect(await membersAfter({ op: "remove", path: `members[value eq "${bob.id}"]` })).toEqual([ada.id]);
    expect(await membersAfter({ op: "replace", path: "members", value: value(cora) })).toEqual([cora.id]);
    expect(await membersAfter({ op: "replace", value: { id: made.id, displayName: "Spelled" } })).toEqual([cora.id]);
    expect(await membersAfter({ op: "remove", path: "members" })).toEqual([]);
    expect((await directory.resource("GET", `/Groups/${made.id}`))["displayName"]).toBe("Spelled");
  });

  it("are all of them with a PUT, for the version that it names", async () => {
    const made = await make("Put", [ada]);
    const put = (ifMatch: string, members: JsonObject[]) =>
      directory.ask("PUT", `/Groups/${made.id}`, { displayName: "Put", members }, { "If-Match": ifMatch });
    const changed = await put(made.meta.version, [{ value: String(bob.id), type: "User" }]);
    expect(changed.status).toBe(200);
    expect(await membersOf(made.id)).toEqual([bob.id]);
    expectRefusal(await put(made.meta.version, []), 412);
    expectRefusal(
      await directory.ask("DELETE", `/Groups/${made.id}`, undefined, { "If-Match": made.meta.version }),
      412,
    );
    expect(await membersOf(made.id)).toEqual([bob.id]);
  });

  it("that are not active are the directory's, and shown once they are", async () => {
    const user = await directory.createUser("sleeper@example.com", { active: false });
    const made = await make("Sleepers", [{ id: Number(user.id) }]);
    expect(made["members"]).toMatchObject([{ value: user.id }]);
    expect(await membersOf(made.id)).toEqual([]);
    await assertConverges({
      observers: [ada.client],
      act: () => directory.patch(`/Users/${user.id}`, { op: "replace", path: "active", value: true }),
    });
    expect(await membersOf(made.id)).toEqual([Number(user.id)]);
    await assertConverges({ observers: [ada.client], act: () => directory.ask("DELETE", `/Users/${user.id}`) });
    expect(await directory.resource("GET", `/Groups/${made.id}`)).not.toHaveProperty("members");
  });

  it("are people: a bot that is in the group stays, and whoever is no person is refused", async () => {
    const bot = await server.addBot(ada, "group-bot");
    const made = await make("Mixed", [ada]);
    const add = { add: [bot.id] };
    expectSuccess(await server.owner.client.post(`/user_groups/${made.id}/members`, add));
    await directory.ask("PUT", `/Groups/${made.id}`, { displayName: "Mixed", members: [{ value: String(bob.id) }] });
    expect(await membersOf(made.id)).toEqual([bob.id, bot.id]);
    expect((await directory.resource("GET", `/Groups/${made.id}`))["members"]).toHaveLength(1);
    for (const members of [
      [{ value: String(bot.id) }],
      [{ value: "999999" }],
      [{ value: "x" }],
      [{}],
      [{ value: made.id, type: "Group" }],
      [null],
    ])
      expectRefusal(await directory.ask("POST", "/Groups", { displayName: "No", members }), 400, "invalidValue");
    for (const [operation, scimType] of [
      [{ op: "remove", path: 'members[display eq "x"]' }, "invalidFilter"],
      [{ op: "add", path: `members[value eq "${bob.id}"]`, value: {} }, "noTarget"],
      [{ op: "replace", path: "members.value", value: "1" }, "mutability"],
      [{ op: "remove", path: "displayName" }, "mutability"],
    ] as const)
      expectRefusal(await directory.patch(`/Groups/${made.id}`, operation), 400, scimType);
  });

  it("of 50,000 in one body are refused in a sentence", async () => {
    const members = Array.from({ length: 50_000 }, (_, index) => ({ value: String(index) }));
    const body = { displayName: "Large", members };
    const refused = expectRefusal(await directory.ask("POST", "/Groups", body), 400, "invalidSyntax");
    expect(refused).toContain("several requests");
  });
});

describe("groups", () => {
  it("are found by name, member, id and externalId", async () => {
    const made = await make("Findable", [cora], { externalId: "find-me" });
    for (const filter of [
      'displayName eq "findable"',
      'externalId eq "find-me"',
      `id eq "${made.id}" and members eq "${cora.id}"`,
      `members.value eq "${cora.id}" and displayName sw "Find"`,
      'displayName co "indabl"',
    ])
      expect(await directory.find("Groups", filter), filter).toEqual({ ids: [made.id], total: 1 });
    expect(await directory.find("Groups", `id eq "${made.id}" and members eq "${ada.id}"`)).toMatchObject({ total: 0 });
    for (const filter of ['members co "1"', "members pr", 'description eq "x"'])
      expectRefusal(await directory.ask("GET", `/Groups?filter=${encodeURIComponent(filter)}`), 400, "invalidFilter");
    const lean = await directory.resource("GET", `/Groups/${made.id}?excludedAttributes=members`);
    expect(lean).not.toHaveProperty("members");
    const names = (await directory.ask("GET", "/Groups")).body["Resources"] as ScimResource[];
    expect(names.map(({ displayName }) => displayName)).not.toContain("role:owners");
    for (const id of [await server.groupNamed("role:owners"), 999_999, "x"])
      expectRefusal(await directory.ask("GET", `/Groups/${id}`), 404);
  });
});

function make(displayName: string, members: readonly { id: number }[], more: JsonObject = {}): Promise<ScimResource> {
  const listed = members.map(({ id }) => ({ value: String(id) }));
  return directory.resource("POST", "/Groups", { displayName, members: listed, ...more });
}

async function membersOf(groupId: string): Promise<unknown> {
  return expectSuccess(await ada.client.get(`/user_groups/${groupId}/members`))["members"];
}
