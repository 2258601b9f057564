import { describe, expect, test } from "vitest";
import { LEGACY, MODERN } from "../../../support/convergence/client-profile.ts";
import {
  applyEvent,
  diffStates,
  normalizeState,
  type RegisterState,
} from "../../../support/convergence/client-state.ts";
import { sampleEvent } from "../../../support/convergence/sample-events.ts";
import { CALLER, GROUPS, sampleProfileField, sampleState } from "../../../support/convergence/sample-state.ts";

function stateAfter(...events: [kind: string, changes?: object][]): RegisterState {
  const state = sampleState();
  for (const [kind, changes] of events) applyEvent(state, sampleEvent(kind, changes), MODERN);
  return state;
}

describe("realm", () => {
  test("several properties change at once, without their prefix", () => {
    const icon = { property: "icon", data: { icon_url: "/new", icon_source: "U" } };
    expect(stateAfter(["realm/update_dict", icon])).toMatchObject({ realm_icon_url: "/new", realm_icon_source: "U" });
  });

  test("a property that register does not have is refused", () => {
    expect(() => stateAfter(["realm/update", { property: "colour", value: 1 }])).toThrow(
      "no field for realm property colour",
    );
  });

  test("deprecated fields follow", () => {
    expect(stateAfter(["realm/update_dict"])["realm_mandatory_topics"]).toBe(true);
    const hide = { property: "message_edit_history_visibility_policy", value: "none" };
    expect(stateAfter(["realm/update", hide])["realm_allow_edit_history"]).toBe(false);
  });

  test("authentication methods set the older booleans", () => {
    const state: RegisterState = {
      realm_authentication_methods: {},
      realm_email_auth_enabled: true,
      realm_password_auth_enabled: true,
    };
    const methods = (value: object) => sampleEvent("realm/update_dict", { data: { authentication_methods: value } });
    applyEvent(state, methods({ Email: { enabled: false }, LDAP: { enabled: true } }), MODERN);
    expect(state).toMatchObject({ realm_email_auth_enabled: false, realm_password_auth_enabled: true });
  });
});

describe("settings", () => {
  test("a setting that register does not have is refused", () => {
    expect(() => stateAfter(["user_settings/update", { property: "colour" }])).toThrow("user_settings has no colour");
  });

  test("clients that cannot see inheritance see inherited notification settings change", () => {
    const event = sampleEvent("user_settings/update", { property: "enable_stream_desktop_notifications", value: true });
    const legacy = sampleState(LEGACY);
    const [first, second] = legacy.subscriptions ?? [];
    Object.assign(second ?? {}, { desktop_notifications: true });
    applyEvent(legacy, event, LEGACY);
    expect(first).toMatchObject({ desktop_notifications: true, email_notifications: false });
    expect(second).toMatchObject({ desktop_notifications: true });
    const modern = sampleState();
    applyEvent(modern, event, MODERN);
    expect(modern.subscriptions?.[0]).toMatchObject({ desktop_notifications: false });
  });
});

describe("profile fields, emoji and linkifiers", () => {
  test("a removed profile field takes its values along", () => {
    const state = stateAfter(["custom_profile_fields", { fields: [sampleProfileField(2)] }]);
    expect(state.realm_users?.find((user) => user.user_id === CALLER)?.profile_data).toEqual({});
  });

  test("an unknown emoji breaks clients", () => {
    expect(() => stateAfter(["realm_emoji/update_one", { emoji_id: "9" }])).toThrow("emoji 9");
  });

  test("linkifiers are not for clients without the capability", () => {
    expect(() => applyEvent(sampleState(LEGACY), sampleEvent("realm_linkifiers"), LEGACY)).toThrow(
      "without linkifier_url_template",
    );
  });
});

describe("what belongs to the caller", () => {
  test("drafts are listed newest edit first", () => {
    const draft = (id: number, timestamp: number) => ({ id, type: "", to: [], topic: "", content: "x", timestamp });
    const state = stateAfter(
      ["drafts/add", { drafts: [draft(1, 5), draft(2, 9)] }],
      ["drafts/update", { draft: draft(1, 10) }],
    );
    expect(state["drafts"]).toMatchObject([{ id: 1 }, { id: 2 }]);
    const wrong = { ...state, drafts: [...(state.drafts ?? [])].reverse() };
    expect(diffStates(normalizeState(state), normalizeState(wrong))).toEqual([
      'order of drafts: "newest first" ≠ "not newest first"',
    ]);
  });

  test("a topic has one policy, ignoring its case; 0 takes it off the list", () => {
    const again: [string, object] = ["user_topic", { topic_name: "T", visibility_policy: 1 }];
    expect(stateAfter(["user_topic"], again).user_topics).toEqual([
      { stream_id: 101, topic_name: "T", last_updated: 1, visibility_policy: 1 },
    ]);
    expect(stateAfter(["user_topic"], ["user_topic", { visibility_policy: 0 }]).user_topics).toEqual([]);
  });

  test("a new device has all five fields; an update leaves those not named", () => {
    const empty = {
      push_key_id: null,
      push_token_id: null,
      pending_push_token_id: null,
      push_token_last_updated_timestamp: null,
      push_registration_error_code: null,
    };
    expect(stateAfter(["device/add"])["devices"]).toEqual({ "1": empty });
    expect(stateAfter(["device/add"], ["device/update"])["devices"]).toEqual({
      "1": { ...empty, push_token_id: "abc" },
    });
  });

  test.each([
    "saved_snippets/remove",
    "saved_snippets/update",
    "drafts/remove",
    "drafts/update",
    "scheduled_messages/remove",
    "reminders/remove",
  ])("%s of something unknown breaks clients", (kind) => {
    expect(() => stateAfter([kind])).toThrow("is not known to this client");
  });
});

describe("comparison", () => {
  test("an anonymous group that equals a named one is that group", () => {
    const state = (value: unknown) => stateAfter(["realm/update_dict", { data: { can_create_groups: value } }]);
    const same = (value: unknown, id: number) =>
      expect(diffStates(normalizeState(state(value)), normalizeState(state(id)))).toEqual([]);
    same({ direct_members: [], direct_subgroups: [GROUPS.members] }, GROUPS.members);
    same({ direct_members: [], direct_subgroups: [] }, GROUPS.nobody);
    const other = normalizeState(state({ direct_members: [1], direct_subgroups: [GROUPS.members] }));
    expect(diffStates(other, normalizeState(state(GROUPS.members)))).toHaveLength(1);
  });

  test("differences name their path and both values", () => {
    const other = stateAfter(["realm_user/update"], ["stream/delete"]);
    expect(diffStates(normalizeState(sampleState()), normalizeState(other))).toEqual([
      expect.stringMatching(/^streams\.104: \{.*…? ≠ \(missing\)$/),
      'realm_users.2.full_name: "User 2" ≠ "Second"',
      expect.stringMatching(/^not subscribed\.104: \{.*…? ≠ \(missing\)$/),
    ]);
  });

  test("a thing listed twice is a difference", () => {
    const twice = sampleState();
    twice.streams?.push(structuredClone(twice.streams[0]!));
    expect(diffStates(normalizeState(sampleState()), normalizeState(twice))).toHaveLength(1);
  });
});
