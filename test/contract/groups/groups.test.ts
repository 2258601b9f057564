import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MOBILE, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [admin, anna, bert, carl, guest, gone] = server.people(
  ["Admin", 200],
  "Anna",
  "Bert",
  "Carl",
  ["Guest", 600],
  "Gone",
);
beforeAll(setUp);

describe("POST /user_groups/create", () => {
  it("answers group_id, and everybody learns of the group", async () => {
    const inner = await create(anna);
    const name = fresh("group");
    const { result, observations } = await assertConverges({
      observers: [owner.client, anna.client, guest.client],
      act: () => create(anna, { name, description: "D", members: [bert.id, anna.id], subgroups: [inner] }),
    });
    expect(await read(result)).toMatchObject({
      name,
      description: "D",
      members: [anna.id, bert.id],
      direct_subgroup_ids: [inner],
      is_system_group: false,
      deactivated: false,
      creator_id: anna.id,
      can_manage_group: only(anna),
      can_add_members_group: only(anna),
      can_join_group: await server.groupNamed("role:nobody"),
      can_leave_group: await server.groupNamed("role:everyone"),
      can_mention_group: await server.groupNamed("role:everyone"),
      can_remove_members_group: await server.groupNamed("role:nobody"),
    });
    for (const { events } of observations) expect(kinds(events)).toEqual(["user_group/add"]);
  });

  it("names: at most 100 code points, no forbidden beginnings, unique ignoring case", async () => {
    const taken = fresh("taken");
    await create(anna, { name: taken });
    const name = "𝔤".repeat(100);
    await create(anna, { name });
    const bad = [
      "",
      "  ",
      "x".repeat(101),
      "@a",
      "role:a",
      "user:a",
      "stream:a",
      "channel:a",
      "Role:a",
      taken.toUpperCase(),
    ];
    for (const wrong of bad) {
      const response = await anna.client.post("/user_groups/create", { name: wrong, description: "", members: [] });
      expectError(response, 400, "BAD_REQUEST");
    }
  });

  it("members are active users, subgroups exist and are in use, settings are allowed", async () => {
    const unused = await create(anna);
    expectSuccess(await deactivate(anna, unused));
    const everyone = await server.groupNamed("role:everyone");
    const internet = await server.groupNamed("role:internet");
    const bad: JsonObject[] = [
      { members: [gone.id] },
      { members: [999_999] },
      { members: ["x"] },
      { subgroups: [999_999] },
      { subgroups: [unused] },
      { can_manage_group: everyone },
      { can_mention_group: internet },
      { can_manage_group: 999_999 },
      { can_manage_group: unused },
      { can_manage_group: only(gone) },
    ];
    const before = (await server.state()).groups.byId.size;
    for (const params of bad) {
      const body = { name: fresh("bad"), description: "", members: [], ...params };
      expectError(await anna.client.post("/user_groups/create", body), 400, "BAD_REQUEST");
    }
    expect((await server.state()).groups.byId.size).toBe(before);
  });

  it("takes can_create_groups, and no guest has it", async () => {
    const body = { name: fresh("by guest"), description: "", members: [] };
    expectError(await guest.client.post("/user_groups/create", body), 400, "BAD_REQUEST");
  });
});

describe("GET /user_groups", () => {
  it("lists deactivated groups only when asked, system groups with their members", async () => {
    const unused = await create(anna);
    expectSuccess(await deactivate(anna, unused));
    const list = async (params: JsonObject) =>
      expectSuccess(await guest.client.get("/user_groups", params))["user_groups"] as JsonObject[];
    expect((await list({})).map((group) => group["id"])).not.toContain(unused);
    const all = await list({ include_deactivated_groups: true });
    expect(all.map((group) => group["id"])).toContain(unused);
    const named = (name: string) => all.find((group) => group["name"] === name)!;
    expect(named("role:owners")).toMatchObject({ members: [owner.id], direct_subgroup_ids: [], is_system_group: true });
    expect(named("role:administrators")).toMatchObject({
      members: [admin.id],
      direct_subgroup_ids: [named("role:owners")["id"]],
    });
    expect(named("role:members")["members"]).toEqual([anna.id, bert.id, carl.id]);
    expect(named("role:everyone")["members"]).toEqual([guest.id]);
    expect(named("role:nobody")).toMatchObject({ members: [], direct_subgroup_ids: [] });
  });
});

describe("PATCH /user_groups/{id}", () => {
  it("changes name, description and permissions, and converges", async () => {
    const id = await create(anna);
    const name = fresh("renamed");
    await assertConverges({
      observers: [owner.client, guest.client],
      act: async () =>
        expectSuccess(
          await patch(anna, id, {
            name,
            description: "new",
            can_join_group: {
              new: await server.groupNamed("role:members"),
              old: await server.groupNamed("role:nobody"),
            },
            can_manage_group: { new: only(bert, anna), old: only(anna) },
          }),
        ),
    });
    expect(await read(id)).toMatchObject({ name, description: "new", can_manage_group: only(anna, bert) });
  });

  it("a stale old is EXPECTATION_MISMATCH, and one bad parameter changes nothing", async () => {
    const id = await create(anna);
    const before = await read(id);
    const stale = { new: only(bert), old: only(carl) };
    expectError(await patch(anna, id, { name: fresh("x"), can_join_group: stale }), 400, "EXPECTATION_MISMATCH");
    expectError(await patch(anna, id, { description: "x", name: "@x" }), 400, "BAD_REQUEST");
    expectError(await patch(anna, id, {}), 400, "BAD_REQUEST");
    expect(await read(id)).toEqual(before);
  });

  it("takes can_manage_group or the organization's can_manage_all_groups; system groups are nobody's", async () => {
    const id = await create(anna, { can_manage_group: only(bert) });
    const rename = (person: Person) => patch(person, id, { name: fresh("name") });
    for (const person of [anna, carl, guest, admin]) expectError(await rename(person), 400, "BAD_REQUEST");
    for (const person of [bert, owner]) expectSuccess(await rename(person));
    const members = await server.groupNamed("role:members");
    expectError(await patch(owner, members, { name: "x" }), 400, "BAD_REQUEST");
    expectError(await patch(owner, 999_999, { name: "x" }), 400, "BAD_REQUEST");
  });

  it("deactivated=false brings a group back: older clients get it whole", async () => {
    const id = await create(anna, { members: [bert.id] });
    expectSuccess(await deactivate(anna, id));
    const { eventsOf } = await assertConverges({
      observers: [owner.client],
      act: async () => expectSuccess(await patch(anna, id, { deactivated: false, description: "back" })),
    });
    expect(kinds(eventsOf(owner.client, LEGACY))).toEqual(["user_group/add", "user_group/update"]);
    expect(kinds(eventsOf(owner.client, MOBILE))).toEqual(["user_group/update", "user_group/update"]);
  });
});

describe("POST /user_groups/{id}/deactivate", () => {
  it("`remove` for clients without include_deactivated_groups, else `update`", async () => {
    const id = await create(anna, { members: [bert.id] });
    const { eventsOf } = await assertConverges({
      observers: [owner.client, bert.client],
      act: async () => expectSuccess(await deactivate(anna, id)),
    });
    expect(eventsOf(bert.client, LEGACY)).toMatchObject([{ type: "user_group", op: "remove", group_id: id }]);
    expect(eventsOf(bert.client, MODERN)).toMatchObject([{ op: "update", data: { deactivated: true } }]);
    expectError(await deactivate(anna, id), 400, "BAD_REQUEST");
    expect((await read(id))!["members"]).toEqual([bert.id]);
  });

  it("a group in use is refused, with what uses it", async () => {
    const id = await create(anna);
    const outer = await create(anna, { subgroups: [id] });
    const user = await create(anna, { can_join_group: { direct_members: [bert.id], direct_subgroups: [id] } });
    const channelId = await server.addChannel(fresh("channel"), [owner], { can_send_message_group: id });
    const hidden = await server.addChannel(fresh("hidden"), [owner], { invite_only: true, can_send_message_group: id });
    const error = expectError(await deactivate(anna, id), 400, "CANNOT_DEACTIVATE_GROUP_IN_USE");
    expect(error["objections"]).toEqual([
      { type: "subgroup", supergroup_ids: [outer] },
      { type: "channel", channel_id: channelId, settings: ["can_send_message_group"] },
      { type: "user_group", group_id: user, settings: ["can_join_group"] },
    ]);
    expect(JSON.stringify(error)).not.toContain(String(hidden));
    expect((await read(id))!["deactivated"]).toBe(false);
  });
});

describe("POST /user_groups/{id}/members", () => {
  it("adds and deletes members and subgroups in one, and converges", async () => {
    const [a, b] = [await create(anna), await create(anna)];
    const id = await create(anna, { members: [bert.id], subgroups: [a] });
    const { eventsOf } = await assertConverges({
      observers: [owner.client, guest.client],
      act: async () =>
        expectSuccess(
          await members(anna, id, {
            add: [carl.id, guest.id],
            delete: [bert.id],
            add_subgroups: [b],
            delete_subgroups: [a],
          }),
        ),
    });
    expect(await read(id)).toMatchObject({ members: [carl.id, guest.id], direct_subgroup_ids: [b] });
    expect(kinds(eventsOf(owner.client))).toEqual([
      "user_group/add_members",
      "user_group/remove_members",
      "user_group/add_subgroups",
      "user_group/remove_subgroups",
    ]);
  });

  it("refuses members who are there, who are not, who do not exist, and an empty request; all or nothing", async () => {
    const id = await create(anna, { members: [bert.id] });
    const bad: JsonObject[] = [
      {},
      { add: [carl.id, bert.id] },
      { delete: [carl.id] },
      { add: [gone.id] },
      { add: [999_999] },
      { add: [carl.id], delete: [999_999] },
      { add: [carl.id], add_subgroups: [id] },
    ];
    for (const params of bad) expectError(await members(anna, id, params), 400, "BAD_REQUEST");
    expect((await read(id))!["members"]).toEqual([bert.id]);
    expectError(await members(owner, await server.groupNamed("role:members"), { add: [guest.id] }), 400, "BAD_REQUEST");
  });

  it("who may add, remove, join and leave, by setting", async () => {
    type Act = "add another" | "remove another" | "join" | "leave";
    const matrix: [string, Act[]][] = [
      ["can_manage_group", ["add another", "remove another", "join", "leave"]],
      ["can_add_members_group", ["add another", "join"]],
      ["can_remove_members_group", ["remove another", "leave"]],
      ["can_join_group", ["join"]],
      ["can_leave_group", ["leave"]],
      ["can_mention_group", []],
    ];
    const nobody = await server.groupNamed("role:nobody");
    const closed = Object.fromEntries(matrix.map(([setting]) => [setting, nobody]));
    for (const [setting, allowed] of matrix) {
      const acts: Record<Act, JsonObject> = {
        "add another": { add: [carl.id] },
        "remove another": { delete: [anna.id] },
        join: { add: [bert.id] },
        leave: { delete: [bert.id] },
      };
      for (const [act, params] of Object.entries(acts) as [Act, JsonObject][]) {
        const inside = act === "leave" ? [anna.id, bert.id] : [anna.id];
        const id = await create(anna, { ...closed, [setting]: only(bert), members: inside });
        const response = await members(bert, id, params);
        if (allowed.includes(act)) expectSuccess(response);
        else expectError(response, 400, "BAD_REQUEST");
      }
    }
  });
});

describe("GET /user_groups/{id}/members", () => {
  it("members through subgroups, or direct ones; and one user's membership", async () => {
    const inner = await create(anna, { members: [bert.id] });
    const moderators = await server.groupNamed("role:moderators");
    const id = await create(anna, { members: [guest.id], subgroups: [inner, moderators] });
    const list = async (params: JsonObject) =>
      expectSuccess(await anna.client.get(`/user_groups/${id}/members`, params))["members"];
    expect(await list({})).toEqual([owner.id, admin.id, bert.id, guest.id]);
    expect(await list({ direct_member_only: true })).toEqual([guest.id]);
    const isMember = async (person: Person, params: JsonObject = {}) =>
      expectSuccess(await anna.client.get(`/user_groups/${id}/members/${person.id}`, params))["is_user_group_member"];
    expect(await isMember(bert)).toBe(true);
    expect(await isMember(owner)).toBe(true);
    expect(await isMember(carl)).toBe(false);
    expect(await isMember(bert, { direct_member_only: true })).toBe(false);
    expectError(await anna.client.get("/user_groups/999999/members"), 400, "BAD_REQUEST");
    expectError(await anna.client.get(`/user_groups/${id}/members/999999`), 400, "BAD_REQUEST");
  });

  it("who was deactivated is not listed", async () => {
    const leaver = await server.addUser(fresh("Leaver"));
    const id = await create(anna, { members: [leaver.id, bert.id] });
    expectSuccess(await owner.client.delete(`/users/${leaver.id}`));
    expect((await read(id))!["members"]).toEqual([bert.id]);
    expect(expectSuccess(await anna.client.get(`/user_groups/${id}/members`))["members"]).toEqual([bert.id]);
  });
});

describe("a group that a private channel names decides who sees it", () => {
  it("members who come and go are told of the channel, nobody else is", async () => {
    const inner = await create(anna);
    const id = await create(anna, { subgroups: [inner] });
    const channelId = await server.addChannel(fresh("secret"), [owner, carl], {
      invite_only: true,
      can_subscribe_group: id,
    });
    const observers = [owner.client, anna.client, bert.client, carl.client, guest.client];
    const gained = await assertConverges({
      observers,
      act: async () => expectSuccess(await members(anna, inner, { add: [bert.id, guest.id] })),
    });
    expect(kinds(gained.eventsOf(bert.client))).toEqual([
      "user_group/add_members",
      "stream/create",
      "subscription/peer_add",
    ]);
    for (const { client } of [anna, guest]) expect(JSON.stringify(gained.eventsOf(client))).not.toContain('"stream');
    const lost = await assertConverges({
      observers,
      act: async () => expectSuccess(await members(anna, id, { delete_subgroups: [inner] })),
    });
    expect(lost.eventsOf(bert.client)[1]).toMatchObject({ type: "stream", op: "delete", stream_ids: [channelId] });
    expect(kinds(lost.eventsOf(anna.client))).toEqual(["user_group/remove_subgroups"]);
  });
});

async function setUp(): Promise<void> {
  expectSuccess(await owner.client.delete(`/users/${gone.id}`));
}

let counter = 0;
const fresh = (name: string) => `${name} ${++counter}`;

const only = (...people: Person[]) => ({ direct_members: people.map(({ id }) => id), direct_subgroups: [] });
async function create(person: Person, params: JsonObject = {}): Promise<number> {
  const body = { name: fresh("group"), description: "", members: [], ...params };
  return expectSuccess(await person.client.post("/user_groups/create", body))["group_id"] as number;
}
async function read(groupId: number): Promise<JsonObject | undefined> {
  const { user_groups } = expectSuccess(await owner.client.get("/user_groups", { include_deactivated_groups: true }));
  return (user_groups as JsonObject[]).find((group) => group["id"] === groupId);
}
const patch = (person: Person, id: number, params: JsonObject) => person.client.patch(`/user_groups/${id}`, params);
const members = (person: Person, id: number, params: JsonObject) =>
  person.client.post(`/user_groups/${id}/members`, params);
const deactivate = (person: Person, id: number) => person.client.post(`/user_groups/${id}/deactivate`);
const kinds = (events: readonly { type: string; op?: unknown }[]) =>
  events.map(({ type, op }) => `${type}/${String(op)}`);
