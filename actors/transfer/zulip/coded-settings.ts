/** Settings that the API names by words and Zulip's tables by numbers. */
import { keysOf } from "../../../storage/rows.ts";

const codes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  message_edit_history_visibility_policy: { all: 1, moves: 2, none: 3 },
  resolved_topic_notice_auto_read_policy: { always: 1, except_followed: 2, never: 3 },
};
/** Of a channel, and of an organization, whose own have no `inherit`. */
export const topicsPolicies = {
  inherit: 1,
  allow_empty_topic: 2,
  disable_empty_topic: 3,
  empty_topic_only: 4,
} as const;

/** The word for a number; anything else is returned as it is. */
export function settingWord(name: string, value: unknown): unknown {
  const words: Readonly<Record<string, number>> | undefined = name === "topics_policy" ? topicsPolicies : codes[name];
  if (words === undefined || typeof value !== "number") return value;
  return Object.keys(words).find((word) => words[word] === value) ?? value;
}

/** A channel's policy for its topics, by its number in Zulip's tables. */
export const topicsPolicyOf = (code: number | undefined): keyof typeof topicsPolicies =>
  keysOf(topicsPolicies).find((word) => topicsPolicies[word] === code) ?? "inherit";

/** The number for a word; anything else is returned as it is. */
export function settingCode(name: string, value: unknown): unknown {
  const words: Readonly<Record<string, number>> | undefined = name === "topics_policy" ? topicsPolicies : codes[name];
  return words !== undefined && typeof value === "string" ? (words[value] ?? value) : value;
}
