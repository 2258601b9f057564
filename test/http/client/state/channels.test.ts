import { describe, expect, test } from "vitest";
import { LEGACY, MODERN } from "../../../support/convergence/client-profile.ts";
import {
  applyEvent,
  diffStates,
  normalizeState,
  type RegisterState,
} from "../../../support/convergence/client-state.ts";
import { sampleEvent } from "../../../support/convergence/sample-events.ts";
import {
  CALLER,
  GROUPS,
  sampleChannel,
  sampleFolder,
  sampleState,
  sampleSubscription,
} from "../../../support/convergence/sample-state.ts";

function stateAfter(...events: [kind: string, changes?: object][]): RegisterState {
  const state = sampleState();
  for (const [kind, changes] of events) applyEvent(state, sampleEvent(kind, changes), MODERN);
  return state;
}

function idsOf(state: RegisterState) {
  const ids = (field: "subscriptions" | "unsubscribed" | "never_subscribed") =>
    state[field]?.map((channel) => channel.stream_id);
  return { subscribed: ids("subscriptions"), left: ids("unsubscribed"), never: ids("never_subscribed") };
}

function find(state: RegisterState, field: "subscriptions" | "unsubscribed" | "streams", id: number) {
  return state[field]?.find((channel) => channel.stream_id === id);
}

describe("subscription", () => {
  test("a channel is in exactly one list as the caller comes and goes", () => {
    expect(idsOf(stateAfter())).toEqual({ subscribed: [101, 102], left: [103], never: [104] });
    const joined = stateAfter([
      "subscription/add",
      { subscriptions: [sampleSubscription(103), sampleSubscription(104)] },
    ]);
    expect(idsOf(joined)).toEqual({ subscribed: [101, 102, 103, 104], left: [], never: [] });
    expect(idsOf(stateAfter(["subscription/remove"]))).toEqual({ subscribed: [102], left: [103, 101], never: [104] });
  });

  test("leaving takes the caller out of the subscribers, in every copy", () => {
    const state = stateAfter(["subscription/remove"]);
    expect(find(state, "unsubscribed", 101)).toMatchObject({ subscribers: [2], subscriber_count: 1, color: "#a1b2c3" });
    expect(find(state, "streams", 101)?.subscriber_count).toBe(1);
  });

  test("peers are added and removed in several channels at once", () => {
    const state = stateAfter(
      ["subscription/peer_add", { stream_ids: [101, 103], user_ids: [4] }],
      ["subscription/peer_remove", { stream_ids: [101], user_ids: [2] }],
    );
    expect(find(state, "subscriptions", 101)).toMatchObject({ subscribers: [3, 4], subscriber_count: 2 });
    expect(find(state, "unsubscribed", 103)).toMatchObject({ subscribers: [1, 4], subscriber_count: 2 });
    expect(find(state, "streams", 103)?.subscriber_count).toBe(2);
  });

  test("a change of peers that is none, or of an unseen channel, breaks clients", () => {
    expect(() => stateAfter(["subscription/peer_add", { user_ids: [2] }])).toThrow(
      "user 2 in channel 101, who is already in it",
    );
    expect(() => stateAfter(["subscription/peer_remove", { user_ids: [4] }])).toThrow(
      "user 4 in channel 101, who is not in it",
    );
    expect(() => stateAfter(["subscription/peer_add", { stream_ids: [999] }])).toThrow("channel 999 is not known");
    expect(() => stateAfter(["subscription/peer_remove", { stream_ids: [999] }])).toThrow("channel 999 is not known");
  });

  test("an update of a channel never joined, and a removal of one not subscribed to, break clients", () => {
    expect(() => stateAfter(["subscription/update", { stream_id: 104 }])).toThrow("subscription 104 is not known");
    expect(() => stateAfter(["subscription/remove", { subscriptions: [{ stream_id: 103 }] }])).toThrow(
      "103 was removed",
    );
  });
});

describe("stream", () => {
  test("a new channel starts empty, and peers follow", () => {
    const state = stateAfter(
      ["stream/create", { streams: [sampleChannel(105, { subscriber_count: 2 })] }],
      ["subscription/peer_add", { stream_ids: [105], user_ids: [1, 2] }],
    );
    expect(state.never_subscribed?.at(-1)).toMatchObject({ stream_id: 105, subscribers: [1, 2], subscriber_count: 2 });
    expect(find(state, "streams", 105)?.subscriber_count).toBe(2);
  });

  test("a channel seen again may turn out to be one once subscribed to", () => {
    const state = stateAfter(
      ["stream/delete", { stream_ids: [103] }],
      ["stream/create", { streams: [sampleChannel(103, { subscriber_count: 1 })] }],
      ["subscription/peer_add", { stream_ids: [103], user_ids: [1] }],
    );
    expect(diffStates(normalizeState(state), normalizeState(sampleState()))).toEqual([]);
  });

  test("deleting takes the channel out of every list; an unknown one breaks clients", () => {
    const state = stateAfter(["stream/delete", { stream_ids: [101, 103, 104] }]);
    expect(idsOf(state)).toEqual({ subscribed: [102], left: [], never: [] });
    expect(state.streams?.map((channel) => channel.stream_id)).toEqual([102]);
    expect(() => stateAfter(["stream/delete", { stream_ids: [999] }])).toThrow("channel 999 is not known");
  });

  test.each([
    [{ property: "name", value: "new" }, { name: "new" }],
    [
      { property: "description", value: "d", rendered_description: "<p>d</p>" },
      { description: "d", rendered_description: "<p>d</p>" },
    ],
    [
      { property: "invite_only", value: true, history_public_to_subscribers: false, is_web_public: false },
      { invite_only: true, history_public_to_subscribers: false },
    ],
    [
      { property: "stream_post_policy", value: 2 },
      { stream_post_policy: 2, is_announcement_only: true },
    ],
    [{ property: "is_archived", value: true }, { is_archived: true }],
    [{ property: "message_retention_days", value: null }, { message_retention_days: null }],
    [
      { property: "can_send_message_group", value: { direct_members: [3], direct_subgroups: [] } },
      { can_send_message_group: { direct_members: [3], direct_subgroups: [] } },
    ],
  ])("update %j changes both copies", (changes, expected) => {
    const state = stateAfter(["stream/update", changes]);
    expect(find(state, "subscriptions", 101)).toMatchObject(expected);
    expect(find(state, "streams", 101)).toMatchObject(expected);
    expect(find(state, "streams", 102)).toEqual(find(sampleState(), "streams", 102));
  });

  test("is_archived is not for clients without archived_channels", () => {
    const event = sampleEvent("stream/update", { property: "is_archived", value: true });
    expect(() => applyEvent(sampleState(LEGACY), event, LEGACY)).toThrow("without archived_channels");
  });

  test("a renamed channel is renamed in muted_topics", () => {
    const state: RegisterState = { ...sampleState(LEGACY), muted_topics: [["channel 101", "t", 1]] };
    applyEvent(state, sampleEvent("stream/update", { property: "name", value: "new" }), LEGACY);
    expect(state.muted_topics).toEqual([["new", "t", 1]]);
  });
});

describe("channel_folder", () => {
  test("only the order of folders is compared, not the numbers that express it", () => {
    const numbered = (...orders: number[]) => ({
      ...sampleState(),
      channel_folders: orders.map((order, i) => sampleFolder(i + 1, order)),
    });
    expect(diffStates(normalizeState(numbered(0, 1)), normalizeState(numbered(3, 8)))).toEqual([]);
    expect(diffStates(normalizeState(numbered(0, 1)), normalizeState(numbered(8, 3)))).toHaveLength(2);
  });

  test("reorder sets each folder's place; a folder left out breaks clients", () => {
    const folders = stateAfter(["channel_folder/reorder"])["channel_folders"];
    expect(folders).toMatchObject([
      { id: 1, order: 1 },
      { id: 2, order: 0 },
    ]);
    expect(() => stateAfter(["channel_folder/reorder", { order: [1] }])).toThrow("leaves folder 2 out");
  });
});

describe("a deactivated user", () => {
  const deactivate: [string, object] = ["realm_user/update", { person: { user_id: 2, is_active: false } }];
  const leave: [string, object] = ["subscription/peer_remove", { stream_ids: [101], user_ids: [2] }];

  test("leaves every group and anonymous group", () => {
    const anonymous = { direct_members: [2, CALLER], direct_subgroups: [] };
    const state = stateAfter(
      ["stream/update", { property: "can_send_message_group", value: anonymous }],
      ["realm/update_dict", { data: { can_create_groups: anonymous } }],
      deactivate,
    );
    expect(find(state, "streams", 101)?.["can_send_message_group"]).toEqual({ ...anonymous, direct_members: [CALLER] });
    expect(state["realm_can_create_groups"]).toEqual({ ...anonymous, direct_members: [CALLER] });
    expect(state.realm_user_groups?.find((group) => group.id === GROUPS.designers)?.members).toEqual([CALLER]);
  });

  test("leaves the channels that are said to lose them, and no others", () => {
    expect(find(stateAfter(deactivate), "subscriptions", 101)).toMatchObject({ subscribers: [2, CALLER] });
    const left = { subscribers: [CALLER], subscriber_count: 1 };
    expect(find(stateAfter(leave, deactivate), "subscriptions", 101)).toMatchObject(left);
  });
});
