/** An invitation gives what its maker could give by themselves: when it is made, and again when it is used. */
import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner } = server;
const [admin, member] = server.people(["Adam Admin", 200], "Mia Member");
const open = server.channel("open", [owner]);
const secret = server.channel("secret", [owner], { invite_only: true, history_public_to_subscribers: true });

describe("when it is made", () => {
  it("nobody invites into a private channel whose content they cannot read, administrators neither", async () => {
    const params = { stream_ids: [secret.id] };
    expectError(await link(admin, params), 400, "BAD_REQUEST");
    expectError(await admin.client.post("/invites", { ...params, invitee_emails: "spy@example.org" }), 400);
    const subscribing = { subscriptions: [{ name: "secret" }], principals: [member.id] };
    expectError(await admin.client.post("/users/me/subscriptions", subscribing), 400, "BAD_REQUEST");
    const joined = await join(expectSuccess(await link(owner, params)), "Trusted");
    expect(await channelsOf(joined)).toEqual([secret.id]);
  });
});

describe("when it is used", () => {
  it("a channel that its maker cannot read any more is left out, and the account joins", async () => {
    const channel = await server.addChannel("left", [owner, admin], { invite_only: true });
    const invitation = expectSuccess(await link(admin, { stream_ids: [open.id, channel] }));
    expect(await channelsOf(await join(invitation, "Early"))).toEqual([open.id, channel]);
    expectSuccess(await admin.client.delete("/users/me/subscriptions", { subscriptions: ["left"] }));
    expect(await channelsOf(await join(invitation, "Late"))).toEqual([open.id]);
  });

  it("a channel that has become private since then is left out", async () => {
    const channel = await server.addChannel("closing", [owner]);
    const invitation = expectSuccess(await link(admin, { stream_ids: [channel] }));
    expectSuccess(await owner.client.patch(`/streams/${channel}`, { is_private: true }));
    expect(await channelsOf(await join(invitation, "Outside"))).toEqual([]);
  });

  it("channels are left out when their maker may subscribe nobody any more; default channels are the organization's", async () => {
    await withSetting("create_multiuse_invite_group", "role:members", async () => {
      const invitation = expectSuccess(
        await link(member, { stream_ids: [open.id], include_realm_default_subscriptions: true }),
      );
      const general = (await server.state()).channelByName("general")!.id;
      await withSetting("can_add_subscribers_group", "role:administrators", async () => {
        expect(await channelsOf(await join(invitation, "Bare"))).toEqual([general]);
      });
      expect((await channelsOf(await join(invitation, "Full"))).sort()).toEqual([general, open.id].sort());
    });
  });

  it("a group that its maker may put nobody into any more is left out", async () => {
    const { group_id } = expectSuccess(
      await admin.client.post("/user_groups/create", { name: "crew", description: "", members: [] }),
    ) as { group_id: number };
    const invitation = expectSuccess(await link(admin, { group_ids: [group_id] }));
    const early = await join(invitation, "Crewearly");
    const nobody = (await server.state()).systemGroup("role:nobody");
    for (const setting of ["can_add_members_group", "can_manage_group"])
      expectSuccess(await owner.client.patch(`/user_groups/${group_id}`, { [setting]: { new: nobody } }));
    await withSetting("can_manage_all_groups", "role:owners", async () => {
      const late = await join(invitation, "Crewlate");
      expect(late).toBeDefined();
      await (await server.realm()).current();
      expect((await server.state()).groups.directMembers(group_id)).toEqual([early]);
    });
  });

  it("nobody joins with a role above its maker's", async () => {
    const fallen = await server.addUser("Fay Fallen", { role: 200 });
    await withSetting("create_multiuse_invite_group", "role:members", async () => {
      const [high, low] = [
        expectSuccess(await link(fallen, { invite_as: 200 })),
        expectSuccess(await link(fallen, { invite_as: 400 })),
      ];
      expectSuccess(await owner.client.patch(`/users/${fallen.id}`, { role: 400 }));
      expect(await join(high, "Climber")).toBeUndefined();
      expect(await join(low, "Walker")).toBeDefined();
    });
  });

  it("nobody joins by what its maker may not make any more, or when its maker is gone", async () => {
    const fleeting = await server.addUser("Flo Fleeting");
    const invitation = await withSetting("create_multiuse_invite_group", "role:members", async () =>
      expectSuccess(await link(fleeting)),
    );
    expect(await join(invitation, "Refused")).toBeUndefined();
    await withSetting("create_multiuse_invite_group", "role:members", async () => {
      expect(await join(invitation, "Welcome")).toBeDefined();
      expectSuccess(await owner.client.delete(`/users/${fleeting.id}`));
      expect(await join(invitation, "Orphan")).toBeUndefined();
    });
  });
});

describe("when its address joins", () => {
  it("every open invitation to the address is used, and each inviter fetches the list again", async () => {
    const keeper = await server.addUser("Kim Keeper");
    await invite(member, "twice@example.org");
    const other = await invite(keeper, "TWICE@example.org");
    await invite(keeper, "waits@example.org");
    const people = [member, keeper, admin];
    const queues = await Promise.all(people.map((person) => person.queue({ event_types: ["invites_changed"] })));
    await assertConverges({
      observers: people.map(({ client }) => client),
      act: async () => {
        expect(await join(other, "Twice")).toBeDefined();
      },
    });
    const heard = await Promise.all(people.map((person, index) => person.drain(queues[index]!)));
    expect(heard.map((events) => events.length)).toEqual([1, 1, 1]);
    expect(await addressesOf(member)).toEqual([]);
    expect(await addressesOf(keeper)).toEqual(["waits@example.org"]);
  });

  it("by a link for anybody, an invitation to the same address is used too, and the link stays", async () => {
    const invitation = expectSuccess(await link(admin));
    await invite(member, "either@example.org");
    const queue = await member.queue({ event_types: ["invites_changed"] });
    expect(await join(invitation, "Either")).toBeDefined();
    expect(await member.drain(queue)).toHaveLength(1);
    expect(await addressesOf(member)).toEqual([]);
    expect(await join(invitation, "Next")).toBeDefined();
  });
});

/** Invites an address. Answers what the joining page is opened with. */
async function invite(by: Person, email: string): Promise<JsonObject> {
  const reply = expectSuccess(await by.client.post("/invites", { invitee_emails: email, stream_ids: [] }));
  return (reply["links"] as [JsonObject])[0];
}

/** Addresses that the person has invited and that have not joined. */
async function addressesOf(person: Person): Promise<unknown[]> {
  const { invites } = expectSuccess(await person.client.get("/invites"));
  return (invites as JsonObject[]).flatMap((entry) => entry["email"] ?? []);
}

const link = (by: Person, params: JsonObject = {}) => by.client.post("/invites/multiuse", params);
const anybody = () => new ApiClient({ url: server.urls });

/** Joins by a link, and answers the new account's id; undefined when the link does not let them in. */
async function join(invitation: JsonObject, name: string): Promise<number | undefined> {
  const { pathname } = new URL(invitation["invite_link"] as string);
  const email = `${name.toLowerCase()}@example.org`;
  const form = { full_name: name, email, password: "a fine password" };
  const reply = await anybody().post(pathname, form, { root: true });
  if (reply.status !== 302) return undefined;
  const { user_id } = expectSuccess(
    await anybody().post("/fetch_api_key", { username: email, password: "a fine password" }),
  );
  return user_id as number;
}
async function channelsOf(userId: number | undefined): Promise<number[]> {
  const actor = await server.realm();
  await actor.current();
  return [...actor.state.subscriptions.channelsOf(userId!)];
}

/** Runs with another group holding a permission of the organization. */
async function withSetting<T>(name: string, group: string, run: () => Promise<T>): Promise<T> {
  const state = await server.state();
  const old = state.groupSetting(name as "can_invite_users_group") as number;
  const set = async (to: number) => await owner.setRealm({ [name]: { new: to } });
  await set(state.groups.findByName(group)!.id);
  try {
    return await run();
  } finally {
    await set(old);
  }
}
