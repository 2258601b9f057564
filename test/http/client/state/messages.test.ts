import { describe, expect, test } from "vitest";
import { MODERN } from "../../../support/convergence/client-profile.ts";
import {
  applyEvent,
  diffStates,
  normalizeState,
  type RegisterState,
} from "../../../support/convergence/client-state.ts";
import { sampleEvent } from "../../../support/convergence/sample-events.ts";
import { CALLER, sampleDirectMessage, sampleMessage, sampleState } from "../../../support/convergence/sample-state.ts";

function stateAfter(...events: [kind: string, changes: object][]): RegisterState {
  const state = sampleState();
  for (const [kind, changes] of events) applyEvent(state, sampleEvent(kind, changes), MODERN);
  return state;
}

function channelMessage(id: number, flags: string[], changes: object = {}): [string, object] {
  return ["message", { message: sampleMessage(id, changes), flags }];
}

function directMessage(id: number, others: number[]): [string, object] {
  return ["message", { message: sampleDirectMessage(id, [...others, CALLER]), flags: [] }];
}

describe("message", () => {
  test("an unread one is listed by channel and topic, ignoring the topic's case, and counted", () => {
    const state = stateAfter(channelMessage(41, []), channelMessage(42, [], { subject: "greetings" }));
    expect(state.max_message_id).toBe(42);
    expect(state.unread_msgs).toEqual({
      count: 2,
      pms: [],
      streams: [{ stream_id: 101, topic: "Greetings", unread_message_ids: [41, 42] }],
      huddles: [],
      mentions: [],
      old_unreads_missing: false,
    });
  });

  test("what was read is listed anew when more comes, and what stayed unread is added to", () => {
    const read: [string, object] = ["update_message_flags/add", { flag: "read", messages: [41, 42], all: false }];
    const state = stateAfter(
      channelMessage(41, []),
      channelMessage(42, [], { subject: "Plans" }),
      channelMessage(43, [], { subject: "plans" }),
      read,
      channelMessage(44, []),
      channelMessage(45, [], { subject: "PLANS" }),
    );
    expect(state.unread_msgs?.streams).toEqual([
      { stream_id: 101, topic: "Plans", unread_message_ids: [43, 45] },
      { stream_id: 101, topic: "Greetings", unread_message_ids: [44] },
    ]);
  });

  test("one that the caller starred on sending is listed", () => {
    expect(stateAfter(channelMessage(41, ["read", "starred"])).starred_messages).toEqual([7, 41]);
  });

  test("a read one raises only max_message_id", () => {
    const state = stateAfter(channelMessage(41, ["read"]));
    expect(state.max_message_id).toBe(41);
    expect(state.unread_msgs?.streams).toEqual([]);
  });

  test("count leaves out muted channels and topics, but not unmuted topics in muted channels", () => {
    const policy = (stream_id: number, topic_name: string, visibility_policy: number): [string, object] => [
      "user_topic",
      { stream_id, topic_name, visibility_policy },
    ];
    const inMuted = { stream_id: 102, subject: "t" };
    expect(stateAfter(channelMessage(41, [], inMuted)).unread_msgs?.count).toBe(0);
    expect(stateAfter(channelMessage(41, [], inMuted), policy(102, "T", 2)).unread_msgs?.count).toBe(1);
    expect(stateAfter(channelMessage(41, []), policy(101, "greetings", 1)).unread_msgs?.count).toBe(0);
    const unmute: [string, object] = ["subscription/update", { stream_id: 102, property: "is_muted", value: false }];
    expect(stateAfter(channelMessage(41, [], inMuted), unmute).unread_msgs?.count).toBe(1);
  });

  test("direct messages go to pms with one other or none, to huddles with more", () => {
    const state = stateAfter(directMessage(41, [2]), directMessage(42, []), directMessage(43, [2, 1]));
    expect(state.unread_msgs?.pms).toEqual([
      { other_user_id: 2, sender_id: 2, unread_message_ids: [41] },
      { other_user_id: CALLER, sender_id: CALLER, unread_message_ids: [42] },
    ]);
    expect(state.unread_msgs?.huddles).toEqual([{ user_ids_string: "1,2,3", unread_message_ids: [43] }]);
    expect(state.unread_msgs?.count).toBe(3);
    expect(state.recent_private_conversations).toEqual([
      { max_message_id: 43, user_ids: [1, 2] },
      { max_message_id: 42, user_ids: [] },
      { max_message_id: 41, user_ids: [2] },
    ]);
  });

  test.each([
    [["mentioned"], [41]],
    [["topic_wildcard_mentioned"], [41]],
    [["stream_wildcard_mentioned", "wildcard_mentioned"], [41]],
    [["mentioned", "read"], []],
    [["has_alert_word"], []],
  ])("flags %j make mentions %j", (flags, mentions) => {
    expect(stateAfter(channelMessage(41, flags)).unread_msgs?.mentions).toEqual(mentions);
  });
});

describe("update_message", () => {
  const move = { content: undefined, message_ids: [41, 42], message_id: 42, orig_subject: "Greetings" };

  test("a topic move takes only the moved unread messages along", () => {
    const state = stateAfter(channelMessage(41, []), channelMessage(43, []), [
      "update_message",
      { ...move, subject: "New" },
    ]);
    expect(state.unread_msgs?.streams).toEqual([
      { stream_id: 101, topic: "Greetings", unread_message_ids: [43] },
      { stream_id: 101, topic: "New", unread_message_ids: [41] },
    ]);
  });

  test("a channel move keeps the topic and recounts", () => {
    const state = stateAfter(channelMessage(41, []), ["update_message", { ...move, new_stream_id: 102 }]);
    expect(state.unread_msgs?.streams).toEqual([{ stream_id: 102, topic: "Greetings", unread_message_ids: [41] }]);
    expect(state.unread_msgs?.count).toBe(0);
  });

  test("an edit decides anew whether an unread message mentions the caller", () => {
    const edit = (flags: string[]): [string, object] => [
      "update_message",
      { message_id: 41, message_ids: [41], flags },
    ];
    expect(stateAfter(channelMessage(41, []), edit(["mentioned"])).unread_msgs?.mentions).toEqual([41]);
    expect(stateAfter(channelMessage(41, ["mentioned"]), edit([])).unread_msgs?.mentions).toEqual([]);
    expect(stateAfter(channelMessage(41, ["read"]), edit(["mentioned", "read"])).unread_msgs?.mentions).toEqual([]);
  });
});

describe("delete_message", () => {
  test("takes the messages out of unread, mentions and starred, in both forms", () => {
    const deleted = (changes: object) =>
      stateAfter(channelMessage(41, ["mentioned", "starred"]), ["delete_message", changes]);
    for (const changes of [{ message_ids: [41, 7] }, { message_ids: undefined, message_id: 41 }]) {
      const state = deleted(changes);
      expect(state.unread_msgs).toMatchObject({ count: 0, streams: [], mentions: [] });
      expect(state.starred_messages).toEqual("message_id" in changes ? [7] : []);
    }
  });

  test("leaves the newest message unknown, until a newer one comes", () => {
    const gone: [string, object] = ["delete_message", { message_ids: [40, 30], message_type: "private" }];
    const fetched = {
      ...sampleState(),
      max_message_id: 39,
      recent_private_conversations: [{ max_message_id: 20, user_ids: [1, 2] }],
    };
    const state = stateAfter(gone);
    state.starred_messages = fetched.starred_messages!;
    expect(diffStates(normalizeState(state), normalizeState(fetched))).toEqual([]);
    expect(stateAfter(gone, directMessage(50, [2]))).toMatchObject({
      max_message_id: 50,
      recent_private_conversations: [
        { max_message_id: 50, user_ids: [2] },
        { max_message_id: 20, user_ids: [1, 2] },
      ],
    });
    expect(diffStates(normalizeState(sampleState()), normalizeState(fetched))).not.toEqual([]);
  });
});

describe("update_message_flags", () => {
  const read = { op: "add", operation: "add", flag: "read" };

  test("read takes messages out; all empties everything", () => {
    const before = [channelMessage(41, ["mentioned"]), directMessage(42, [2])];
    const some = stateAfter(...before, ["update_message_flags/add", { ...read, messages: [41, 999] }]);
    expect(some.unread_msgs).toMatchObject({ count: 1, streams: [], mentions: [] });
    const all = stateAfter(...before, ["update_message_flags/add", { ...read, messages: [], all: true }]);
    expect(all.unread_msgs).toMatchObject({ count: 0, pms: [], streams: [], mentions: [] });
  });

  test("unread puts messages back where message_details says", () => {
    const details = {
      "5": { type: "stream", stream_id: 101, topic: "t", mentioned: true },
      "6": { type: "private", user_ids: [2] },
      "8": { type: "private", user_ids: [1, 2] },
    };
    const unread = { flag: "read", messages: [5, 6, 8], message_details: details };
    const state = stateAfter(["update_message_flags/remove", unread]);
    expect(state.unread_msgs).toMatchObject({
      count: 3,
      streams: [{ stream_id: 101, topic: "t", unread_message_ids: [5] }],
      pms: [{ other_user_id: 2, unread_message_ids: [6] }],
      huddles: [{ user_ids_string: "1,2,3", unread_message_ids: [8] }],
      mentions: [5],
    });
    expect(() => stateAfter(["update_message_flags/remove", { ...unread, message_details: {} }])).toThrow(
      "without details",
    );
  });

  test("starred is a set", () => {
    const star = (messages: number[]): [string, object] => ["update_message_flags/add", { messages }];
    expect(stateAfter(star([9, 7])).starred_messages).toEqual([7, 9]);
    expect(stateAfter(star([9]), ["update_message_flags/remove", { messages: [7] }]).starred_messages).toEqual([9]);
  });
});
