import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../http/client/types.ts";
import {
  decodePart,
  encodePart,
  finds,
  hashOf,
  keyOf,
  narrowOfHash,
  parseSearch,
} from "../../../http/web/wire/narrow.ts";

const noChannel = () => undefined;
const message = (changes: Partial<Message> = {}): Message =>
  ({
    id: 5,
    sender_id: 2,
    type: "stream",
    stream_id: 7,
    subject: "Hello",
    flags: [],
    reactions: [],
    display_recipient: "x",
    ...changes,
  }) as Message;
const reader = { userId: 1, isShownInFeed: () => true };

describe("addresses", () => {
  it("any text survives in one, without a character at which links are cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/\p{Surrogate}/u.test(text));
        expect(encodePart(text)).toMatch(/^[\w.~-]*$/);
        expect(decodePart(encodePart(text))).toBe(text);
      }),
    );
  });

  it("a narrow is the same after it was in one", () => {
    const narrow = [
      { operator: "channel", operand: 7 },
      { operator: "topic", operand: "a/b (c) 100%. déjà" },
      { operator: "near", operand: 42 },
    ];
    const hash = hashOf(narrow, () => "über uns/alle");
    expect(narrowOfHash(hash, noChannel)).toEqual(narrow);
  });

  it("those of older links are understood: names for ids, older words", () => {
    const idOf = (name: string) => (name === "general" ? 3 : undefined);
    expect(narrowOfHash("#narrow/stream/general/subject/hello.20there", idOf)).toEqual([
      { operator: "channel", operand: 3 },
      { operator: "topic", operand: "hello there" },
    ]);
    expect(narrowOfHash("#narrow/pm-with/4,5-group", idOf)).toEqual([{ operator: "dm", operand: [4, 5] }]);
    expect(narrowOfHash("#inbox", idOf)).toBeUndefined();
    expect(narrowOfHash("#narrow/topic/%E0%A4%A", idOf)).toEqual([{ operator: "topic", operand: "%E0%A4%A" }]);
  });
});

describe("what a narrow finds", () => {
  it("topics compare ignoring case, negated terms the other way round", () => {
    const narrow = [
      { operator: "channel", operand: 7 },
      { operator: "topic", operand: "HELLO" },
    ];
    expect(finds(narrow, message(), reader)).toBe(true);
    expect(finds(narrow, message({ subject: "other" }), reader)).toBe(false);
    expect(finds([{ operator: "channel", operand: 7, negated: true }], message(), reader)).toBe(false);
  });

  it("only the server knows about words, and says so only where the rest fits", () => {
    const search = { operator: "search", operand: "x" };
    expect(finds([search], message(), reader)).toBeUndefined();
    expect(finds([search, { operator: "channel", operand: 8 }], message(), reader)).toBe(false);
  });

  it("direct messages are found by their people, in any order and with oneself or without", () => {
    const people = [1, 2, 3].map((id) => ({ id, full_name: "" }));
    const direct = message({ type: "private", display_recipient: people });
    for (const operand of [
      [3, 2],
      [1, 2, 3],
    ])
      expect(finds([{ operator: "dm", operand }], direct, reader)).toBe(true);
    expect(finds([{ operator: "dm", operand: [2] }], direct, reader)).toBe(false);
  });

  it("two narrows that find the same have one key", () => {
    const one = [
      { operator: "dm", operand: [3, 2] },
      { operator: "near", operand: 9 },
    ];
    expect(keyOf(one)).toBe(keyOf([{ operator: "dm", operand: [2, 3] }]));
  });
});

describe("the search box", () => {
  it("tells operators from words, with quotes, negation and names", () => {
    const found = parseSearch(
      'channel:"über uns" -sender:Ada has:link http://x.example two words',
      (name) => (name === "über uns" ? 7 : undefined),
      (name) => (name === "Ada" ? 2 : undefined),
    );
    expect(found).toEqual([
      { operator: "channel", operand: 7 },
      { operator: "sender", operand: 2, negated: true },
      { operator: "has", operand: "link" },
      { operator: "search", operand: "http://x.example two words" },
    ]);
  });
});
