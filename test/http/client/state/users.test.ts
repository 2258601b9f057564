import { describe, expect, test } from "vitest";
import { LEGACY, MOBILE, MODERN } from "../../../support/convergence/client-profile.ts";
import {
  applyEvent,
  diffStates,
  normalizeState,
  type RegisterState,
} from "../../../support/convergence/client-state.ts";
import { sampleEvent } from "../../../support/convergence/sample-events.ts";
import { CALLER, GROUPS, samplePerson, sampleState } from "../../../support/convergence/sample-state.ts";

function stateAfter(...events: [kind: string, changes?: object][]): RegisterState {
  const state = sampleState();
  for (const [kind, changes] of events) applyEvent(state, sampleEvent(kind, changes), MODERN);
  return state;
}

function person(changes: object): [string, object] {
  return ["realm_user/update", { person: { user_id: CALLER, ...changes } }];
}

function userOf(state: RegisterState, id: number) {
  return state.realm_users?.find((user) => user.user_id === id);
}

describe("realm_user", () => {
  test("add lists a human with profile_data and without is_active; an inactive one among the inactive", () => {
    const added = stateAfter(["realm_user/add", { person: samplePerson(8, 400, { profile_data: undefined }) }]);
    expect(userOf(added, 8)).toMatchObject({ user_id: 8, profile_data: {} });
    expect(userOf(added, 8)).not.toHaveProperty("is_active");
    const inactive = stateAfter(["realm_user/add", { person: samplePerson(8, 400, { is_active: false }) }]);
    expect(userOf(inactive, 8)).toBeUndefined();
    expect(inactive.realm_non_active_users?.map((user) => user.user_id)).toEqual([5, 8]);
  });

  test("client_gravatar hides the address of a gravatar, and of nothing else", () => {
    const withAvatar = (avatar_url: string, profile = MODERN) => {
      const state = sampleState();
      applyEvent(state, sampleEvent("realm_user/add", { person: samplePerson(8, 400, { avatar_url }) }), profile);
      return userOf(state, 8)?.avatar_url;
    };
    const gravatar = "https://secure.gravatar.com/avatar/1";
    expect(withAvatar(gravatar)).toBeNull();
    expect(withAvatar(gravatar, MOBILE)).toBe(gravatar);
    expect(withAvatar("/avatar/8")).toBe("/avatar/8");
  });

  test("deactivated and reactivated users change lists", () => {
    const gone = stateAfter(["realm_user/update", { person: { user_id: 2, is_active: false } }]);
    expect(userOf(gone, 2)).toBeUndefined();
    expect(gone.realm_non_active_users?.map((user) => user.user_id)).toEqual([5, 2]);
    const back = stateAfter(["realm_user/update", { person: { user_id: 5, is_active: true } }]);
    expect(userOf(back, 5)).toMatchObject({ full_name: "User 5" });
    expect(back.realm_non_active_users).toEqual([]);
  });

  test("an unknown user breaks clients", () => {
    expect(() => stateAfter(["realm_user/update", { person: { user_id: 99, full_name: "x" } }])).toThrow("user 99");
    expect(() => stateAfter(["realm_user/remove", { person: { user_id: 99 } }])).toThrow("user 99");
  });

  test("a profile value is set, rendered or not, and cleared", () => {
    const field = (value: object) => stateAfter(person({ custom_profile_field: { id: 1, ...value } }));
    expect(userOf(field({ value: "a", rendered_value: "<p>a</p>" }), CALLER)?.profile_data).toEqual({
      "1": { value: "a", rendered_value: "<p>a</p>" },
    });
    expect(userOf(field({ value: "a" }), CALLER)?.profile_data).toEqual({ "1": { value: "a" } });
    expect(userOf(field({ value: null }), CALLER)?.profile_data).toEqual({});
  });

  test("the caller's own fields follow", () => {
    const avatar = { avatar_url: "/a", avatar_url_medium: "/m", avatar_source: "U" };
    const state = stateAfter(
      person({ full_name: "Third" }),
      person({ new_email: "new@chat.example" }),
      person({ ...avatar, avatar_version: 2 }),
    );
    expect(state).toMatchObject({
      full_name: "Third",
      email: "new@chat.example",
      ...avatar,
    });
    expect(userOf(state, CALLER)).toMatchObject({
      full_name: "Third",
      email: "new@chat.example",
      avatar_url: "/a",
      avatar_version: 2,
    });
    expect(userOf(state, CALLER)).not.toHaveProperty("avatar_source");
  });

  test.each([
    [100, { is_owner: true, is_admin: true, is_moderator: true, is_guest: false }],
    [200, { is_owner: false, is_admin: true, is_moderator: true, is_guest: false }],
    [300, { is_owner: false, is_admin: false, is_moderator: true, is_guest: false }],
    [400, { is_owner: false, is_admin: false, is_moderator: false, is_guest: false }],
    [600, { is_owner: false, is_admin: false, is_moderator: false, is_guest: true }],
  ])("role %i gives the caller %j", (role, flags) => {
    const state = stateAfter(person({ role }));
    expect(state).toMatchObject(flags);
    const { is_moderator, ...ofUser } = flags;
    expect(userOf(state, CALLER)).toMatchObject({ role, ...ofUser });
  });

  test("becoming an administrator leaves open which bots the caller manages, in either direction", () => {
    const state = stateAfter(person({ role: 200 }));
    const bot = { user_id: 9, owner_id: 1, full_name: "Bot", email: "bot@a.test", is_active: true };
    const fetched = { ...structuredClone(state), realm_bots: [bot] };
    expect(diffStates(normalizeState(state), normalizeState(fetched))).toEqual([]);
    expect(diffStates(normalizeState(fetched), normalizeState(state))).toEqual([]);
    const moderator = { ...stateAfter(person({ role: 300 })), realm_bots: [bot] };
    expect(diffStates(normalizeState(moderator), normalizeState(stateAfter(person({ role: 300 }))))).toHaveLength(1);
  });

  test("someone else's changes leave the caller's fields alone", () => {
    const state = stateAfter(["realm_user/update", { person: { user_id: 2, role: 100 } }]);
    expect(state).toMatchObject({ is_owner: false, full_name: "User 3" });
  });
});

describe("permissions derived from groups", () => {
  const put = (name: string, value: unknown): [string, object] => ["realm/update_dict", { data: { [name]: value } }];

  test("can_create_* follow the setting", () => {
    const publicOnly = stateAfter(put("can_create_public_channel_group", GROUPS.members));
    expect(publicOnly).toMatchObject({
      can_create_streams: true,
      can_create_public_streams: true,
      can_create_private_streams: false,
    });
    const anonymous = { direct_members: [], direct_subgroups: [GROUPS.designers] };
    expect(stateAfter(put("can_create_private_channel_group", anonymous))).toMatchObject({
      can_create_streams: true,
      can_create_private_streams: true,
    });
  });

  test("can_create_* follow the membership, however indirect", () => {
    const add: [string, object] = ["user_group/add_members", { group_id: GROUPS.owners, user_ids: [CALLER] }];
    expect(stateAfter(add)).toMatchObject({ can_create_public_streams: true, can_invite_others_to_realm: true });
  });

  test("groups that hold each other end", () => {
    const cycle = { group_id: GROUPS.owners, direct_subgroup_ids: [GROUPS.administrators] };
    expect(stateAfter(["user_group/add_subgroups", cycle])["can_create_streams"]).toBe(false);
  });

  test("a guest holds none of them, whatever the group", () => {
    const state = stateAfter(put("can_invite_users_group", GROUPS.designers), person({ role: 600 }));
    expect(state["can_invite_others_to_realm"]).toBe(false);
  });

  test("web-public channels also need spectator access", () => {
    const setting = put("can_create_web_public_channel_group", GROUPS.members);
    expect(stateAfter(setting)["can_create_web_public_streams"]).toBe(false);
    const open: [string, object] = ["realm/update", { property: "enable_spectator_access", value: true }];
    expect(stateAfter(setting, open)["can_create_web_public_streams"]).toBe(true);
  });

  test.each([
    [GROUPS.nobody, 6],
    [GROUPS.owners, 5],
    [GROUPS.administrators, 5],
    [GROUPS.moderators, 7],
    [GROUPS.fullmembers, 3],
    [GROUPS.members, 2],
    [GROUPS.everyone, 1],
    [GROUPS.designers, 3],
    [{ direct_members: [4], direct_subgroups: [] }, 1],
    [{ direct_members: [2], direct_subgroups: [GROUPS.owners] }, 5],
  ])("wildcard mentions by %j are policy %i", (setting, policy) => {
    const state = stateAfter(put("can_mention_many_users_group", setting));
    expect(state["realm_wildcard_mention_policy"]).toBe(policy);
  });
});

describe("user_group", () => {
  const group = (state: RegisterState) => state.realm_user_groups?.find((one) => one.id === GROUPS.designers);

  test("members and subgroups come and go", () => {
    expect(group(stateAfter(["user_group/add_members"]))?.members).toEqual([1, 2, 3]);
    expect(group(stateAfter(["user_group/remove_members"]))?.members).toEqual([3]);
    const nested = stateAfter(["user_group/add_subgroups"]);
    expect(group(nested)?.direct_subgroup_ids).toEqual([GROUPS.owners]);
  });

  test("deactivation is an update with the capability and a removal without", () => {
    expect(group(stateAfter(["user_group/update"]))).toMatchObject({ deactivated: true });
    const legacy = sampleState(LEGACY);
    expect(() => applyEvent(legacy, sampleEvent("user_group/update"), LEGACY)).toThrow("instead of remove");
    applyEvent(legacy, sampleEvent("user_group/remove"), LEGACY);
    expect(group(legacy)).toBeUndefined();
    applyEvent(legacy, sampleEvent("user_group/add_members"), LEGACY);
    expect(group(legacy)).toBeUndefined();
    expect(() => stateAfter(["user_group/add_members", { group_id: 99 }])).toThrow("user group 99");
  });
});

describe("presence and status", () => {
  test("each format ends in the format that was fetched", () => {
    const entry = { client: "website", status: "active", timestamp: 9, pushable: false };
    const { pushable, ...aggregated } = entry;
    const event = { presences: undefined, user_id: 4, server_timestamp: 9.5, presence: { website: entry } };
    const legacy = sampleState(LEGACY);
    applyEvent(legacy, sampleEvent("presence", { ...event, email: "user4@chat.example" }), LEGACY);
    expect(legacy.presences).toEqual({ "user4@chat.example": { aggregated, website: entry } });
    const slim = sampleState(MOBILE);
    applyEvent(slim, sampleEvent("presence", event), MOBILE);
    expect(slim.presences?.["4"]).toEqual({ active_timestamp: 9, idle_timestamp: 9 });
    expect(stateAfter(["presence"]).presences?.["4"]).toEqual({ active_timestamp: 2, idle_timestamp: 2 });
  });

  test("legacy presences follow a new e-mail address", () => {
    const state = sampleState(LEGACY);
    state.presences = { "user3@chat.example": { aggregated: {} } };
    applyEvent(state, sampleEvent(...person({ new_email: "new@chat.example" })), LEGACY);
    expect(state.presences).toEqual({ "new@chat.example": { aggregated: {} } });
  });

  test("of presences only the names are compared, and only those of active users", () => {
    const other = sampleState();
    other.presences = {
      "2": { active_timestamp: 5, idle_timestamp: 6 },
      "5": { active_timestamp: 1, idle_timestamp: 1 },
    };
    expect(diffStates(normalizeState(sampleState()), normalizeState(other))).toEqual([]);
    other.presences = {};
    expect(diffStates(normalizeState(sampleState()), normalizeState(other))).toEqual(["presences.2: {} ≠ (missing)"]);
  });

  test("a status keeps what is not named, and goes when empty", () => {
    const emoji = { emoji_name: "car", emoji_code: "1f697", reaction_type: "unicode_emoji" };
    const bare = { status_text: undefined, emoji_name: undefined, emoji_code: undefined, reaction_type: undefined };
    const both = stateAfter(["user_status", { ...bare, user_id: 2, ...emoji }]);
    expect(both["user_status"]).toEqual({ "2": { status_text: "away", ...emoji } });
    expect(stateAfter(["user_status", { ...bare, user_id: 2, status_text: "" }])["user_status"]).toEqual({});
  });
});
