import { describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [anna, bert] = server.people("Anna", "Bert");

describe("POST /user_groups/{user_group_id}/subgroups", () => {
  it("adds and deletes subgroups, answers the envelope only, and converges", async () => {
    const [a, b] = [await create(), await create()];
    const id = await create([a]);
    const { result } = await assertConverges({
      observers: [owner.client, bert.client],
      act: async () => expectSuccess(await update(anna, id, { add: [b], delete: [a] })),
    });
    expect(result).toEqual({ result: "success", msg: "" });
    expect(await subgroups(id)).toEqual([b]);
  });

  it("adding what is there and deleting what is not are errors", async () => {
    const a = await create();
    const id = await create([a]);
    const b = await create();
    for (const params of [
      { add: [a] },
      { add: [b, a] },
      { delete: [b] },
      { delete: [a, b] },
      { add: [b], delete: [b] },
    ])
      expectError(await update(anna, id, params), 400, "BAD_REQUEST");
    expect(await subgroups(id)).toEqual([a]);
  });

  it("cycles are errors, however long", async () => {
    const a = await create();
    const b = await create([a]);
    const c = await create([b]);
    for (const [id, add] of [
      [a, a],
      [a, b],
      [a, c],
    ] as const)
      expectError(await update(anna, id, { add: [add] }), 400, "BAD_REQUEST");
    // Also in one request: the new edge would close the circle even as another one is cut elsewhere.
    expectError(await update(anna, b, { add: [c], delete: [a] }), 400, "BAD_REQUEST");
    expect(await subgroups(c)).toEqual([a, b]);
  });

  it("an empty request is an error", async () => {
    const id = await create();
    for (const params of [{}, { add: [] }, { add: [], delete: [] }])
      expectError(await update(anna, id, params), 400, "BAD_REQUEST");
  });

  it("system groups cannot be changed, but can be subgroups", async () => {
    const { groups } = await server.state();
    const id = await create();
    for (const name of ["role:members", "role:nobody", "role:everyone"])
      expectError(await update(owner, groups.findByName(name)!.id, { add: [id] }), 400, "BAD_REQUEST");
    const moderators = groups.findByName("role:moderators")!.id;
    expectSuccess(await update(anna, id, { add: [moderators] }));
    expect(await subgroups(id, { direct_subgroup_only: true })).toEqual([moderators]);
    expect((await subgroups(id)) as number[]).toContain(groups.findByName("role:owners")!.id);
  });

  it("unknown ids are errors, of the group and of its subgroups", async () => {
    const id = await create();
    expectError(await update(anna, 999_999, { add: [id] }), 400, "BAD_REQUEST");
    for (const params of [{ add: [999_999] }, { delete: [999_999] }, { add: ["x"] }, { add: 5 }])
      expectError(await update(anna, id, params), 400, "BAD_REQUEST");
  });

  it("it is all or nothing", async () => {
    const [a, b] = [await create(), await create()];
    const id = await create([a]);
    expectError(await update(anna, id, { add: [b], delete: [999_999] }), 400, "BAD_REQUEST");
    expectError(await update(anna, id, { add: [b, 999_999] }), 400, "BAD_REQUEST");
    expect(await subgroups(id)).toEqual([a]);
  });

  it("feature level 391: subgroups of a deactivated group can be changed", async () => {
    const a = await create();
    const id = await create();
    expectSuccess(await anna.client.post(`/user_groups/${id}/deactivate`));
    await assertConverges({
      observers: [owner.client],
      act: async () => expectSuccess(await update(anna, id, { add: [a] })),
    });
    expect(await subgroups(id)).toEqual([a]);
    expectError(await update(anna, a, { add: [id] }), 400, "BAD_REQUEST");
  });

  it("feature level 496: bots may call it, where they have the permission", async () => {
    const a = await create();
    const id = await create();
    const bot = await server.addBot(anna, "grouper");
    expectError(await update(bot, id, { add: [a] }), 400, "BAD_REQUEST");
    const only = { direct_members: [bot.id], direct_subgroups: [] };
    expectSuccess(await anna.client.patch(`/user_groups/${id}`, { can_manage_group: { new: only } }));
    expectSuccess(await update(bot, id, { add: [a] }));
    expect(await subgroups(id)).toEqual([a]);
  });

  it("takes permission: can_manage_group, can_add_members_group to add, can_remove_members_group to delete", async () => {
    const a = await create();
    const id = await create();
    expectError(await update(bert, id, { add: [a] }), 400, "BAD_REQUEST");
    const only = { direct_members: [bert.id], direct_subgroups: [] };
    expectSuccess(await anna.client.patch(`/user_groups/${id}`, { can_add_members_group: { new: only } }));
    expectSuccess(await update(bert, id, { add: [a] }));
    expectError(await update(bert, id, { delete: [a] }), 400, "BAD_REQUEST");
    expectSuccess(await anna.client.patch(`/user_groups/${id}`, { can_remove_members_group: { new: only } }));
    expectSuccess(await update(bert, id, { delete: [a] }));
  });
});

let counter = 0;

async function create(subgroups: number[] = []): Promise<number> {
  const body = { name: `group ${++counter}`, description: "", members: [], subgroups };
  return expectSuccess(await anna.client.post("/user_groups/create", body))["group_id"] as number;
}
const update = (person: Person, id: number, params: JsonObject) =>
  person.client.post(`/user_groups/${id}/subgroups`, params);
const subgroups = async (id: number, params: JsonObject = {}) =>
  expectSuccess(await anna.client.get(`/user_groups/${id}/subgroups`, params))["subgroups"];
