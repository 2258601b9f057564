/** What the search box suggests: the words themselves, here or everywhere, then people, places and operators. */

import type { Term } from "../../../client/types.ts";
import { t } from "../../texts.ts";
import { conversationOf, type Narrow, narrowOf, parseSearch, searchText, termOf } from "../../wire/narrow.ts";
import type { App } from "../app.ts";
import { folded } from "../people.ts";
import { findTopics } from "./destinations.ts";

export interface Suggestion {
  /** As it would be typed; empty for "here". */
  text: string;
  what: string;
  /** Terms that it adds. */
  terms: Narrow;
  /** The text that stays in the box. */
  rest: string;
  /** Whether it is searched for at once. */
  isFinal: boolean;
}

type Parts = Pick<App, "people" | "channels" | "route" | "topics" | "recent" | "unread" | "visited" | "me">;

const maxOfKind = 3;
const max = 10;

/** The terms of a text, with names instead of ids where they are known. */
export const termsOf = ({ channels, people }: Parts, text: string): Narrow =>
  parseSearch(
    text,
    (name) => channels.idOf(name),
    (name) => people.idOf(name),
  );

export const textOf = ({ channels, people }: Parts, terms: Narrow): string =>
  searchText(
    terms,
    (id) => channels.name(id),
    (id) => people.name(id),
  );

/** Whether the open place is a search, not a conversation or a view with a name. */
export const isSearch = (narrow: Narrow): boolean =>
  narrow.some(({ operator }) =>
    ["search", "sender", "mentions", "has", "id", "dm-including", "channels"].includes(operator),
  ) ||
  (narrow.length > 1 && narrow.some(({ operator }) => operator === "is"));

/** The terms of the open conversation or channel, and its name. */
function hereOf(parts: Parts, narrow: Narrow): { terms: Narrow; name: string } | undefined {
  const conversation = conversationOf(narrow);
  if (conversation?.kind === "topic")
    return { terms: narrowOf(conversation), name: conversation.topic || t.generalChat };
  if (conversation) {
    const others = conversation.userIds.filter((id) => id !== parts.me);
    return {
      terms: narrowOf(conversation),
      name: others.map((id) => parts.people.name(id)).join(", ") || t.notesToSelf,
    };
  }
  const channel = termOf(narrow, "channel");
  return typeof channel?.operand === "number"
    ? { terms: [channel], name: `#${parts.channels.name(channel.operand)}` }
    : undefined;
}

/**
 * @param pills the terms that the box has
 * @param text what is typed behind them
 * @param place the open narrow, for "here"
 */
export function suggest(parts: Parts, pills: Narrow, text: string, place: Narrow): Suggestion[] {
  const at = text.lastIndexOf(" ") + 1;
  const [before, word] = [text.slice(0, at), text.slice(at)];
  const adding = (term: Term | Narrow, what: string): Suggestion => {
    const terms = Array.isArray(term) ? term : [term];
    return { text: textOf(parts, terms), what, terms, rest: before.trim(), isFinal: false };
  };
  const isPlaced = pills.some(({ operator }) => ["channel", "topic", "dm"].includes(operator));
  const here = isPlaced ? undefined : hereOf(parts, place);
  const [isOperand, operator = "", typed = ""] =
    /^(channel|stream|sender|from|mentions|dm|dm-with|dm-including|date):"?([^"]*)$/i.exec(word) ?? [];
  if (isOperand) return operandsOf(parts, operator.toLowerCase(), typed, adding);
  const found: Suggestion[] = [];
  if (here) {
    const rest = text.trim();
    const what = rest ? t.searchHere(rest, here.name) : t.onlyHere(here.name);
    found.push({ text: "", what, terms: here.terms, rest, isFinal: rest !== "" });
  }
  if (word.length > 1 && !word.includes(":")) found.push(...named(parts, text.trim(), isPlaced, adding));
  return [...found, ...operatorsFor(word, before)].slice(0, max);
}

type Adding = (term: Term | Narrow, what: string) => Suggestion;

/** People and places that are called like what is typed. */
function named(parts: Parts, text: string, isPlaced: boolean, adding: Adding): Suggestion[] {
  const word = text.slice(text.lastIndexOf(" ") + 1);
  const people = parts.people
    .search(word, maxOfKind)
    .map(({ user_id }) => adding({ operator: "sender", operand: user_id }, t.searchOperators["sender:"]));
  if (isPlaced) return people;
  const channels = parts.channels
    .search(word, maxOfKind)
    .map(({ stream_id }) => adding({ operator: "channel", operand: stream_id }, t.searchOperators["channel:"]));
  const topics = findTopics(parts, word)
    .slice(0, maxOfKind)
    .flatMap(({ channelId, topic }) =>
      channelId === undefined || topic === undefined
        ? []
        : adding(narrowOf({ kind: "topic", channelId, topic }), t.searchOperators["topic:"]),
    );
  return [...channels, ...topics, ...people];
}

/** What may stand behind an operator. */
function operandsOf(parts: Parts, operator: string, typed: string, adding: Adding): Suggestion[] {
  if (operator === "channel" || operator === "stream")
    return parts.channels
      .search(typed, max)
      .map(({ stream_id }) => adding({ operator: "channel", operand: stream_id }, t.searchOperators["channel:"]));
  if (operator === "date")
    return dates()
      .filter(({ day }) => day.startsWith(typed))
      .map(({ day, what }) => adding({ operator: "date", operand: day }, what));
  const isDirect = operator.startsWith("dm");
  const name = operator === "mentions" ? operator : "sender";
  return parts.people
    .search(typed, max)
    .map(({ user_id }) =>
      isDirect
        ? adding({ operator, operand: [user_id] }, t.searchOperators["dm:"])
        : adding({ operator: name, operand: user_id }, t.searchOperators[`${name}:`]),
    );
}

const operatorsFor = (word: string, before: string): Suggestion[] =>
  Object.entries(t.searchOperators)
    .filter(([operator, what]) => {
      if (operator === word.toLowerCase()) return false;
      return operator.startsWith(word.toLowerCase()) || (word.length > 2 && folded(what).includes(folded(word)));
    })
    .map(([operator, what]) => {
      const [name = "", operand = ""] = operator.split(":");
      // Those with a fixed operand are complete.
      return operand
        ? { text: operator, what, terms: [{ operator: name, operand }], rest: before.trim(), isFinal: false }
        : { text: operator, what, terms: [], rest: before + operator, isFinal: false };
    });

/** Days that people look back to. */
function dates(): { day: string; what: string }[] {
  const back = (days: number): string => {
    const now = new Date();
    // The calendar's day here, as `YYYY-MM-DD`.
    return new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() - days)).toISOString().slice(0, 10);
  };
  return [
    { day: back(0), what: t.today },
    { day: back(1), what: t.yesterday },
    { day: back(7), what: t.weekAgo },
    { day: back(30), what: t.monthAgo },
    { day: back(365), what: t.yearAgo },
  ];
}

/** Takes terms that are complete out of the text. @returns them, and the text without them */
export function takeTerms(parts: Parts, text: string): { terms: Narrow; rest: string } {
  const terms = termsOf(parts, text);
  const rest = terms.find(({ operator }) => operator === "search")?.operand;
  return { terms: terms.filter(({ operator }) => operator !== "search"), rest: rest === undefined ? "" : `${rest}` };
}
