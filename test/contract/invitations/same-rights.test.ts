/** Who may add people to channels and groups may also invite new people to them, and nobody else. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
beforeAll(setUp);

describe.each([
  { kind: "public", may: { owner: true, admin: true, member: false, named: true, manager: true } },
  // An administrator is not in every private channel; whoever may add people to it has access to its content by that.
  { kind: "private", may: { owner: true, admin: false, member: false, named: true, manager: false } },
] as const)("subscribing others to a $kind channel", ({ kind, may }) => {
  let id: number;
  beforeAll(async () => void (id = await channelWith(kind)));

  it.each(Object.entries(may) as [Name, boolean][])("%s: %s", async (name, isAllowed) => {
    const params = { subscriptions: [{ name: kind }], principals: newcomers.map((person) => person.id) };
    expect((await people[name].client.post("/users/me/subscriptions", params)).status === 200).toBe(isAllowed);
    expect(await invites(people[name], { stream_ids: [id] })).toBe(isAllowed);
    await server.owner.client.delete("/users/me/subscriptions", { ...params, subscriptions: [kind] });
  });
});

describe("adding members to a group", () => {
  let id: number;
  beforeAll(async () => {
    const settings = { can_add_members_group: only(people.named), can_manage_group: only(people.manager) };
    const group = { name: "crew", description: "", members: [], ...settings };
    id = expectSuccess(await server.owner.client.post("/user_groups/create", group))["group_id"] as number;
  });

  const may = { owner: true, admin: false, member: false, named: true, manager: true };
  it.each(Object.entries(may) as [Name, boolean][])("%s: %s", async (name, isAllowed) => {
    const members = newcomers.map((person) => person.id);
    const reply = await people[name].client.post(`/user_groups/${id}/members`, { add: members });
    expect(reply.status === 200).toBe(isAllowed);
    expect(await invites(people[name], { group_ids: [id] })).toBe(isAllowed);
    if (isAllowed) expectSuccess(await server.owner.client.post(`/user_groups/${id}/members`, { delete: members }));
  });
});

async function setUp(): Promise<void> {
  const named = await server.addUser("Nadia Named");
  const manager = await server.addUser("Max Manager");
  const admin = await server.addUser("Adam Admin", { role: 200 });
  people = { owner: server.owner, admin, member: await server.addUser("Mia Member"), named, manager };
  newcomers = [await server.addUser("Nora New")];
  const state = await server.state();
  const groupOf = (name: string) => ({ new: state.groups.findByName(name)!.id });
  await server.owner.setRealm({
    can_add_subscribers_group: groupOf("role:nobody"),
    create_multiuse_invite_group: groupOf("role:members"),
  });
}

type Name = "owner" | "admin" | "member" | "named" | "manager";
let people: Record<Name, Person>;
let newcomers: Person[];
const only = (person: Person) => ({ direct_members: [person.id], direct_subgroups: [] });

const invites = async (person: Person, params: JsonObject) =>
  (await person.client.post("/invites/multiuse", params)).status === 200;

/** Where `named` may add people, and `manager` administers. */
function channelWith(kind: "public" | "private"): Promise<number> {
  return server.addChannel(kind, [server.owner], {
    invite_only: kind === "private",
    can_add_subscribers_group: only(people.named),
    can_administer_channel_group: only(people.manager),
  });
}
