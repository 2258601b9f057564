import { describe, expect, test } from "vitest";
import { LEGACY, MOBILE, MODERN } from "../../../support/convergence/client-profile.ts";
import {
  APPLICABLE_KINDS,
  applyEvent,
  diffStates,
  kindOf,
  normalizeState,
  type RegisterState,
} from "../../../support/convergence/client-state.ts";
import { eventProblems, registerProblems, SHAPED_KINDS } from "../../../support/convergence/event-shapes.ts";
import { SAMPLE_KINDS, sampleEvent } from "../../../support/convergence/sample-events.ts";
import { sampleState } from "../../../support/convergence/sample-state.ts";

/** What each kind of event changes in the sample state of a client with every capability; nothing means no state. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  message: ["max_message_id", "unread_msgs"],
  delete_message: ["starred_messages"],
  "update_message_flags/remove": ["starred_messages"],
  "subscription/add": ["subscriptions", "never_subscribed", "streams"],
  "subscription/remove": ["subscriptions", "unsubscribed", "streams"],
  "subscription/update": ["subscriptions"],
  "subscription/peer_add": ["subscriptions", "streams"],
  "subscription/peer_remove": ["subscriptions", "streams"],
  "stream/create": ["never_subscribed", "streams"],
  "stream/delete": ["never_subscribed", "streams"],
  "stream/update": ["subscriptions", "streams"],
  "channel_folder/add": ["channel_folders"],
  "channel_folder/update": ["channel_folders"],
  "channel_folder/reorder": ["channel_folders"],
  default_streams: ["realm_default_streams"],
  default_stream_groups: ["realm_default_stream_groups"],
  "user_group/add": ["realm_user_groups"],
  "user_group/update": ["realm_user_groups"],
  "user_group/add_members": ["realm_user_groups"],
  "user_group/remove_members": ["realm_user_groups"],
  "user_group/add_subgroups": ["realm_user_groups"],
  "user_group/remove_subgroups": ["realm_user_groups"],
  "user_group/remove": ["realm_user_groups"],
  "realm_user/add": ["realm_users"],
  "realm_user/remove": ["realm_users"],
  "realm_user/update": ["realm_users"],
  presence: ["presences"],
  user_status: ["user_status"],
  "realm/update": ["realm_name"],
  "realm/update_dict": ["realm_topics_policy", "realm_mandatory_topics"],
  "realm_emoji/update": ["realm_emoji"],
  "realm_emoji/add": ["realm_emoji"],
  "realm_emoji/update_one": ["realm_emoji"],
  realm_linkifiers: ["realm_linkifiers"],
  realm_playgrounds: ["realm_playgrounds"],
  "realm_domains/add": ["realm_domains"],
  "realm_domains/change": ["realm_domains"],
  "realm_domains/remove": ["realm_domains"],
  custom_profile_fields: ["custom_profile_fields", "realm_users"],
  "realm_bot/add": ["realm_bots"],
  "realm_user_settings_defaults/update": ["realm_user_settings_defaults"],
  "user_settings/update": ["user_settings"],
  restart: ["zulip_version", "zulip_merge_base", "zulip_feature_level", "server_generation"],
  user_topic: ["user_topics"],
  muted_users: ["muted_users"],
  alert_words: ["alert_words"],
  onboarding_steps: ["onboarding_steps"],
  has_zoom_token: ["has_zoom_token"],
  "device/add": ["devices"],
  "saved_snippets/add": ["saved_snippets"],
  "drafts/add": ["drafts"],
  "scheduled_messages/add": ["scheduled_messages"],
  "reminders/add": ["reminders"],
  "navigation_view/add": ["navigation_views"],
  "navigation_view/update": ["navigation_views"],
  "navigation_view/remove": ["navigation_views"],
};

/** Events that need an earlier one, which is applied first. */
const AFTER: Readonly<Record<string, { first: string; changes: readonly string[] }>> = {
  "realm_bot/update": { first: "realm_bot/add", changes: ["realm_bots"] },
  "realm_bot/delete": { first: "realm_bot/add", changes: ["realm_bots"] },
  "device/update": { first: "device/add", changes: ["devices"] },
  "device/remove": { first: "device/add", changes: ["devices"] },
  "saved_snippets/update": { first: "saved_snippets/add", changes: ["saved_snippets"] },
  "saved_snippets/remove": { first: "saved_snippets/add", changes: ["saved_snippets"] },
  "drafts/update": { first: "drafts/add", changes: ["drafts"] },
  "drafts/remove": { first: "drafts/add", changes: ["drafts"] },
  "scheduled_messages/update": { first: "scheduled_messages/add", changes: ["scheduled_messages"] },
  "scheduled_messages/remove": { first: "scheduled_messages/add", changes: ["scheduled_messages"] },
  "reminders/remove": { first: "reminders/add", changes: ["reminders"] },
};

describe("every kind of event", () => {
  test("has a shape, a handler and a sample", () => {
    expect([...APPLICABLE_KINDS].sort()).toEqual([...SHAPED_KINDS].sort());
    expect([...SAMPLE_KINDS].sort()).toEqual([...SHAPED_KINDS].sort());
  });

  test.each(SAMPLE_KINDS)("%s changes exactly its part of the state", (kind) => {
    const state = sampleState();
    const { first, changes = CHANGES[kind] ?? [] } = AFTER[kind] ?? {};
    if (first) applyEvent(state, sampleEvent(first), MODERN);
    const before = structuredClone(state);
    const event = sampleEvent(kind);
    // Two kinds are for clients without a capability; applying them makes no difference between clients.
    applyEvent(state, event, MODERN);
    const changed = Object.keys(state).filter((field) => diffStates(before[field], state[field]).length > 0);
    expect(changed.sort()).toEqual([...changes].sort());
  });

  test.each(SAMPLE_KINDS)("%s leaves a state of which nothing was fetched empty", (kind) => {
    const state: RegisterState = { queue_id: "q", last_event_id: 1 };
    applyEvent(state, sampleEvent(kind), MODERN);
    expect(state).toEqual({ queue_id: "q", last_event_id: 1 });
  });

  test.each(["message/add", "stream", "pointer", "realm_emoji/edit"])("%s, which nobody knows, is refused", (kind) => {
    expect(() => applyEvent(sampleState(), sampleEvent(kind), MODERN)).toThrow(`no client knows an event ${kind}`);
  });
});

describe("the samples", () => {
  test.each([MODERN, { ...MOBILE, includeSubscribers: "true" as const }, LEGACY])("the state fits $name", (profile) => {
    expect(registerProblems(sampleState(profile), profile)).toEqual([]);
  });

  const misdirected = ["muted_topics", "realm_emoji/update", "user_group/remove"];
  test.each(SAMPLE_KINDS.filter((kind) => !misdirected.includes(kind)))("%s fits its shape", (kind) => {
    expect(eventProblems(sampleEvent(kind), MODERN)).toEqual([]);
  });
});

test("kindOf names an event by type and op", () => {
  expect(kindOf({ type: "message" })).toBe("message");
  expect(kindOf({ type: "stream", op: "create" })).toBe("stream/create");
});

test("a state equals another fetch of it, whatever the order of its lists", () => {
  const one = sampleState();
  const other = sampleState();
  Object.assign(other, { queue_id: "q2", last_event_id: 99, server_timestamp: 1, presence_last_update_id: 10 });
  for (const field of ["subscriptions", "streams", "realm_users", "realm_user_groups"] as const)
    other[field]?.reverse();
  other.subscriptions?.[0]?.subscribers?.reverse();
  expect(diffStates(normalizeState(one), normalizeState(other))).toEqual([]);
});
