import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [admin, moderator, member, guest] = server.people(["Admin", 200], ["Moderator", 300], "Member", ["Guest", 600]);
const secret = server.channel("secret", [admin], { invite_only: true });
beforeAll(setUp);

describe("POST /invites/multiuse", () => {
  it("returns invite_link, an address of this server", async () => {
    const reply = expectSuccess(await link(admin));
    expect(reply["invite_link"]).toMatch(/^http:\/\/[^/]+\/join\/[\w-]{20,}\/$/);
    expect(Object.keys(reply).sort()).toEqual(["invite_link", "msg", "result"]);
  });

  it("its defaults: a member's role, 14400 minutes, nothing else", async () => {
    const row = await stored(expectSuccess(await link(admin)));
    expect(row).toMatchObject({
      invite_as: 400,
      stream_ids: [],
      group_ids: [],
      include_realm_default_subscriptions: false,
      welcome_message_custom_text: null,
      state: "open",
    });
    expect((row["expires_at"] as number) - (row["date_created"] as number)).toBe(14_400 * 60);
  });

  it("only for those whom create_multiuse_invite_group permits, members since level 209 too", async () => {
    expectError(await link(member), 400, "BAD_REQUEST");
    expectError(await link(guest), 400, "BAD_REQUEST");
    await withSetting("create_multiuse_invite_group", "role:members", async () => {
      expectSuccess(await link(member));
      expectError(await link(guest), 400, "BAD_REQUEST");
    });
  });

  it("invite_expires_in_minutes: a number, null for never, nothing else", async () => {
    const row = await stored(expectSuccess(await link(admin, { invite_expires_in_minutes: 10 })));
    expect((row["expires_at"] as number) - (row["date_created"] as number)).toBe(600);
    const never = await stored(expectSuccess(await link(admin, { invite_expires_in_minutes: null })));
    expect(never["expires_at"]).toBeNull();
    for (const wrong of [0, -1, 1.5, "soon", 1e15])
      expectError(await link(admin, { invite_expires_in_minutes: wrong }), 400, "BAD_REQUEST");
  });

  it("invite_as: one of five roles, none above the inviter's own", async () => {
    for (const role of [200, 300, 400, 600]) expectSuccess(await link(admin, { invite_as: role }));
    expectError(await link(admin, { invite_as: 100 }), 400, "BAD_REQUEST");
    expectSuccess(await link(server.owner, { invite_as: 100 }));
    expectError(await link(admin, { invite_as: 500 }), 400, "BAD_REQUEST");
    await withSetting("create_multiuse_invite_group", "role:members", async () => {
      expectSuccess(await link(moderator, { invite_as: 300 }));
      expectError(await link(moderator, { invite_as: 200 }), 400, "BAD_REQUEST");
      expectError(await link(member, { invite_as: 300 }), 400, "BAD_REQUEST");
      expectSuccess(await link(member, { invite_as: 600 }));
    });
  });

  it("stream_ids: an ID that does not exist or cannot be seen is refused, and nobody is invited", async () => {
    const before = (await invitesOf(admin)).length;
    const unknown = expectError(await link(admin, { stream_ids: [general, 999_999] }), 400, "BAD_REQUEST");
    expect(unknown["msg"]).toContain("No invites were sent");
    await withSetting("create_multiuse_invite_group", "role:members", async () => {
      const unseen = expectError(await link(member, { stream_ids: [secret.id] }), 400, "BAD_REQUEST");
      expect(unseen["msg"]).toBe((unknown["msg"] as string).replace("999999", String(secret.id)));
    });
    expect((await invitesOf(admin)).length).toBe(before);
    const row = await stored(expectSuccess(await link(admin, { stream_ids: [general, secret.id, general] })));
    expect(row["stream_ids"]).toEqual([general, secret.id]);
  });

  it("stream_ids: must be empty for who may not subscribe others", async () => {
    await withSetting("create_multiuse_invite_group", "role:members", () =>
      withSetting("can_add_subscribers_group", "role:moderators", async () => {
        expectError(await link(member, { stream_ids: [general] }), 400, "BAD_REQUEST");
        expectSuccess(await link(member, { include_realm_default_subscriptions: true }));
        expectSuccess(await link(moderator, { stream_ids: [general] }));
      }),
    );
  });

  it("group_ids: groups to which the inviter may add people, no system groups", async () => {
    const { group_id: groupId } = expectSuccess(
      await admin.client.post("/user_groups/create", { name: "helpers", description: "", members: [] }),
    );
    const row = await stored(expectSuccess(await link(admin, { group_ids: [groupId] })));
    expect(row["group_ids"]).toEqual([groupId]);
    const state = await server.state();
    expectError(await link(admin, { group_ids: [999_999] }), 400, "BAD_REQUEST");
    expectError(await link(admin, { group_ids: [state.systemGroup("role:members")] }), 400, "BAD_REQUEST");
    await withSetting("create_multiuse_invite_group", "role:members", async () => {
      expectError(await link(member, { group_ids: [groupId] }), 400, "BAD_REQUEST");
    });
  });

  it("welcome_message_custom_text: at most 8000 code points; others than administrators always get null", async () => {
    const text = "👋".repeat(8000);
    const row = await stored(expectSuccess(await link(admin, { welcome_message_custom_text: JSON.stringify(text) })));
    expect(row["welcome_message_custom_text"]).toBe(text);
    const tooLong = JSON.stringify(`${text}!`);
    expectError(await link(admin, { welcome_message_custom_text: tooLong }), 400, "BAD_REQUEST");
    for (const [sent, kept] of [
      ['""', ""],
      ["", ""],
      ["null", null],
      ["Hello, bare", "Hello, bare"],
    ] as const) {
      const other = await stored(expectSuccess(await link(admin, { welcome_message_custom_text: sent })));
      expect(other["welcome_message_custom_text"]).toBe(kept);
    }
    expectError(await link(admin, { welcome_message_custom_text: 5 }), 400, "BAD_REQUEST");
    await withSetting("create_multiuse_invite_group", "role:members", async () => {
      const other = await stored(expectSuccess(await link(member, { welcome_message_custom_text: '"Hi"' })));
      expect(other["welcome_message_custom_text"]).toBeNull();
    });
  });

  it("administrators and the inviter hear of it, nobody else", async () => {
    await withSetting("create_multiuse_invite_group", "role:members", async () => {
      const people = [admin, member, moderator];
      const queues = await Promise.all(
        people.map(async (person) => await person.queue({ event_types: ["invites_changed"] })),
      );
      expectSuccess(await link(member));
      const seen = await Promise.all(people.map((person, index) => person.drain(queues[index]!)));
      expect(seen.map((events) => events.map((event) => event.type))).toEqual([
        ["invites_changed"],
        ["invites_changed"],
        [],
      ]);
    });
  });

  it("converges", async () => {
    await assertConverges({ observers: [admin.client, member.client], act: () => link(admin) });
  });
});

describe("GET and DELETE /invites", () => {
  it("administrators list all open invitations, others their own", async () => {
    const reply = expectSuccess(await link(server.owner, { invite_as: 600 }));
    const mine = await listedFor(admin, reply);
    expect(mine).toEqual({
      id: expect.any(Number),
      invited_by_user_id: server.owner.id,
      invited: expect.any(Number),
      expiry_date: expect.any(Number),
      invited_as: 600,
      notify_referrer_on_join: true,
      is_multiuse: true,
      link_url: expect.stringContaining(`/join/${keyOf(reply)}/`),
    });
    expectSuccess(await invite(moderator, { invitee_emails: "friend@example.com" }));
    expect(new Set((await invitesOf(moderator)).map((entry) => entry["invited_by_user_id"]))).toEqual(
      new Set([moderator.id]),
    );
    expectError(await guest.client.get("/invites"), 400, "UNAUTHORIZED_PRINCIPAL");
  });

  it("an invitation is taken back once, by its inviter or an administrator", async () => {
    const reply = expectSuccess(await link(server.owner));
    const { id } = await listedFor(admin, reply);
    expectError(await member.client.delete(`/invites/multiuse/${id}`), 400, "BAD_REQUEST");
    expectError(await admin.client.delete(`/invites/${id}`), 400, "BAD_REQUEST");
    expectSuccess(await admin.client.delete(`/invites/multiuse/${id}`));
    expect((await stored(reply))["state"]).toBe("revoked");
    expectError(await admin.client.delete(`/invites/multiuse/${id}`), 400, "BAD_REQUEST");
    expect((await invitesOf(admin)).map((entry) => entry.id)).not.toContain(id);
    expectError(await admin.client.delete("/invites/multiuse/999999"), 400, "BAD_REQUEST");
  });

  it("only owners take back what invites owners", async () => {
    const reply = expectSuccess(await link(server.owner, { invite_as: 100 }));
    const { id } = await listedFor(admin, reply);
    expectError(await admin.client.delete(`/invites/multiuse/${id}`), 400, "BAD_REQUEST");
    expectSuccess(await server.owner.client.delete(`/invites/multiuse/${id}`));
  });

  it("an invitation whose time is over is listed no more, and the next sweep ends it", async () => {
    const reply = expectSuccess(await link(admin, { invite_expires_in_minutes: 1 }));
    const actor = await server.realm();
    await actor.database.sql`update invitations set expires_at = 5 where key = ${keyOf(reply)}`;
    expect(await listedFor(admin, reply)).toBeUndefined();
    const queue = await admin.queue({ event_types: ["invites_changed"] });
    await actor.execute("expireInvitations", {});
    expect((await stored(reply))["state"]).toBe("expired");
    expect(await admin.drain(queue)).toHaveLength(1);
  });
});

describe("POST /invites", () => {
  it("invites addresses; sending again renews, taking back ends", async () => {
    expectSuccess(await invite(member, { invitee_emails: "one@example.org, two@example.org\nthree@example.org" }));
    const mine = (await invitesOf(member)).filter((entry) => "email" in entry);
    expect(mine.map((entry) => entry["email"]).sort()).toEqual([
      "one@example.org",
      "three@example.org",
      "two@example.org",
    ]);
    expect(mine[0]).not.toHaveProperty("link_url");
    const { id } = mine[0]!;
    const { database } = await server.realm();
    await database.sql`update invitations set date_created = date_created - 1000, expires_at = expires_at - 1000 where id = ${id}`;
    expectSuccess(await member.client.post(`/invites/${id}/resend`));
    const renewed = (await invitesOf(member)).find((entry) => entry.id === id)!;
    expect((renewed["expiry_date"] as number) - (renewed["invited"] as number)).toBeGreaterThanOrEqual(
      14_400 * 60 + 1000,
    );
    expectError(await moderator.client.post(`/invites/${id}/resend`), 400, "BAD_REQUEST");
    expectSuccess(await member.client.delete(`/invites/${id}`));
    expectError(await member.client.post(`/invites/${id}/resend`), 400, "BAD_REQUEST");
  });

  it("INVITATION_FAILED: one address that is none, and nobody is invited", async () => {
    const before = (await invitesOf(admin)).length;
    const failed = expectError(
      await invite(admin, { invitee_emails: "right@example.org,not an address" }),
      400,
      "INVITATION_FAILED",
    );
    expect(failed).toMatchObject({
      errors: [["not an address", expect.any(String), false]],
      sent_invitations: false,
      daily_limit_reached: false,
      license_limit_reached: false,
    });
    expect((await invitesOf(admin)).length).toBe(before);
  });

  it("INVITATION_FAILED: who has an account is told back, the others are invited", async () => {
    const failed = expectError(
      await invite(admin, { invitee_emails: `${member.email},fresh@example.org` }),
      400,
      "INVITATION_FAILED",
    );
    expect(failed).toMatchObject({ errors: [[member.email, expect.any(String), false]], sent_invitations: true });
    expect((await invitesOf(admin)).map((entry) => entry["email"])).toContain("fresh@example.org");
    const none = expectError(await invite(admin, { invitee_emails: member.email }), 400, "INVITATION_FAILED");
    expect(none["sent_invitations"]).toBe(false);
  });

  it("only for those whom can_invite_users_group permits, with at least one address", async () => {
    expectError(await invite(guest, { invitee_emails: "x@example.org" }), 400, "BAD_REQUEST");
    expectError(await invite(member, { invitee_emails: " , " }), 400, "BAD_REQUEST");
    expectError(
      await member.client.post("/invites", { invitee_emails: "x@example.org" }),
      400,
      "REQUEST_VARIABLE_MISSING",
    );
    await withSetting("can_invite_users_group", "role:nobody", async () => {
      expectError(await invite(admin, { invitee_emails: "x@example.org" }), 400, "BAD_REQUEST");
    });
  });
});

async function setUp(): Promise<void> {
  const state = await server.state();
  general = state.channelByName("general")!.id;
}

let general: number;

const link = (person: Person, params: JsonObject = {}) => person.client.post("/invites/multiuse", params);
const invite = (person: Person, params: JsonObject = {}) =>
  person.client.post("/invites", { stream_ids: [], ...params });
type Invite = Record<string, unknown> & { id: number };
const invitesOf = async (person: Person) => expectSuccess(await person.client.get("/invites"))["invites"] as Invite[];
const keyOf = (reply: JsonObject) => /\/join\/([\w-]+)\/$/.exec(reply["invite_link"] as string)![1]!;

/** The invitation behind a link as it is listed. Each node tells the address that it was asked at. */
const listedFor = async (person: Person, reply: JsonObject) =>
  (await invitesOf(person)).find((entry) => String(entry["link_url"]).includes(`/join/${keyOf(reply)}/`))!;

/** The invitation behind a link as it is stored. */
async function stored(reply: JsonObject): Promise<Record<string, unknown>> {
  const { database } = await server.realm();
  return (await database.sql`select * from invitations where key = ${keyOf(reply)}`)[0] as Record<string, unknown>;
}

/** Runs with another group holding an organization's permission. */
async function withSetting<T>(name: string, group: string, run: () => Promise<T>): Promise<T> {
  const state = await server.state();
  const old = state.groupSetting(name as "can_invite_users_group") as number;
  const id = state.groups.findByName(group)!.id;
  await server.owner.setRealm({ [name]: { new: id } });
  try {
    return await run();
  } finally {
    await server.owner.setRealm({ [name]: { new: old } });
  }
}
