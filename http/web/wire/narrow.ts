/**
 * Narrows as addresses in the form of Zulip's links (`#narrow/channel/7-general/topic/hello/near/42`). Messages and
 * notifications contain such links. So older forms with names instead of ids are understood as well.
 */
import type { Message, SentMessage, Term } from "../../client/types.ts";

export type Narrow = readonly Term[];

/** Percent-encoding with `.` instead of `%`. Link detection in other programs would stop at a `%`. */
export const encodePart = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[.!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%/g, ".");

export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\./g, "%"));
  } catch {
    return text;
  }
}

const aliases: Readonly<Record<string, string>> = {
  stream: "channel",
  streams: "channels",
  subject: "topic",
  "pm-with": "dm",
  "group-pm-with": "dm-including",
  "dm-with": "dm-including",
  from: "sender",
};

const slugs = new Map<string, string>();
const maxSlugs = 20_000;

/** The channel's name behind its id. Every row of a list needs one, so they are cached. */
function slug(name: string): string {
  let text = slugs.get(name);
  if (text === undefined) {
    if (slugs.size >= maxSlugs) slugs.clear();
    slugs.set(name, (text = encodePart(name.replace(/[\s/]+/g, "-"))));
  }
  return text;
}

/** `#narrow/…`. @param nameOf a channel's name, which makes the address readable */
export function hashOf(narrow: Narrow, nameOf: (channelId: number) => string | undefined = () => undefined): string {
  const parts = narrow.map(({ operator, operand, negated }) => {
    const value =
      operator === "channel" && typeof operand === "number"
        ? `${operand}-${slug(nameOf(operand) ?? "")}`
        : Array.isArray(operand)
          ? `${operand.join(",")}-${operand.length > 1 ? "group" : "dm"}`
          : encodePart(String(operand));
    return `${negated ? "-" : ""}${operator}/${value}`;
  });
  return `#narrow/${parts.join("/")}`;
}

/** The terms of an address. Undefined when it is not `#narrow/…`. */
export function narrowOfHash(hash: string, idOfChannel: (name: string) => number | undefined): Narrow | undefined {
  const [, path] = /^#narrow\/(.+)$/.exec(hash) ?? [];
  if (path === undefined) return undefined;
  const parts = path.split("/");
  const terms: Term[] = [];
  for (let at = 0; at + 1 < parts.length || (at < parts.length && parts[at] !== ""); at += 2) {
    const written = parts[at] ?? "";
    const isNegated = written.startsWith("-");
    const name = decodePart(isNegated ? written.slice(1) : written);
    const operator = aliases[name] ?? name;
    const value = parts[at + 1] ?? "";
    terms.push({
      operator,
      operand: operandOf(operator, value, idOfChannel),
      ...(isNegated && { negated: true }),
    });
  }
  return terms;
}

const namesPerson = (operator: string): boolean => operator === "sender" || operator === "mentions";

function operandOf(
  operator: string,
  value: string,
  idOfChannel: (name: string) => number | undefined,
): Term["operand"] {
  if (operator === "channel") {
    const known = /^(\d+)(?:-|$)/.exec(value);
    if (known) return Number(known[1]);
    const name = decodePart(value);
    return idOfChannel(name) ?? name;
  }
  if (operator === "dm" || operator === "dm-including") {
    const ids = /^[\d,]+/.exec(value)?.[0];
    if (ids) return ids.split(",").filter(Boolean).map(Number);
  }
  if (operator === "near" || operator === "with" || operator === "id") return Number(decodePart(value)) || 0;
  const [id] = /^\d+/.exec(value) ?? [];
  if (namesPerson(operator) && id !== undefined) return Number(id);
  return decodePart(value);
}

export const termOf = (narrow: Narrow, operator: string): Term | undefined =>
  narrow.find((term) => term.operator === operator && !term.negated);

/** A conversation, to which replies can be sent. */
export type Conversation =
  | { kind: "topic"; channelId: number; topic: string }
  | { kind: "direct"; userIds: readonly number[] };

/** The conversation of a narrow that shows just one. */
export function conversationOf(narrow: Narrow): Conversation | undefined {
  const channel = termOf(narrow, "channel")?.operand;
  const topic = termOf(narrow, "topic")?.operand;
  if (typeof channel === "number" && topic !== undefined)
    return { kind: "topic", channelId: channel, topic: String(topic) };
  const people = termOf(narrow, "dm")?.operand;
  return Array.isArray(people) ? { kind: "direct", userIds: people } : undefined;
}

export function narrowOf(conversation: Conversation): Narrow {
  return conversation.kind === "direct"
    ? [{ operator: "dm", operand: [...conversation.userIds] }]
    : [
        { operator: "channel", operand: conversation.channelId },
        { operator: "topic", operand: conversation.topic },
      ];
}

/** Whether a term only says where to open the list. */
const isPlace = ({ operator }: Term): boolean => operator === "near" || operator === "with";

/** The narrow without the terms that say where to open it. */
export const withoutPlace = (narrow: Narrow): Narrow => narrow.filter((term) => !isPlace(term));

/** A key that is equal for equal narrows. */
export function keyOf(narrow: Narrow): string {
  return withoutPlace(narrow)
    .map(({ operator, operand, negated }) => {
      const value = Array.isArray(operand) ? [...operand].sort((a, b) => a - b).join(",") : String(operand);
      return `${negated ? "-" : ""}${operator}:${operator === "topic" ? value.toLowerCase() : value}`;
    })
    .join(" ");
}

export const sameTopic = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The people of a direct message except `me`, ascending. Empty for notes to oneself. */
export function othersOf(message: SentMessage, me: number): number[] {
  if (typeof message.display_recipient === "string") return [];
  return message.display_recipient
    .map(({ id }) => id)
    .filter((id) => id !== me)
    .sort((a, b) => a - b);
}

export const conversationOfMessage = (message: SentMessage, me: number): Conversation =>
  message.type === "stream"
    ? { kind: "topic", channelId: message.stream_id, topic: message.subject }
    : { kind: "direct", userIds: othersOf(message, me) };

const mentionFlags = new Set([
  "mentioned",
  "wildcard_mentioned",
  "stream_wildcard_mentioned",
  "topic_wildcard_mentioned",
]);
export const isMentioned = (message: Message): boolean => message.flags.some((flag) => mentionFlags.has(flag));

/** What matching a message needs besides the message. */
export interface Reader {
  userId: number;
  isShownInFeed(channelId: number, topic: string): boolean;
}

/** Whether a narrow contains a message. Undefined when only the server knows. */
export function finds(narrow: Narrow, message: Message, reader: Reader): boolean | undefined {
  let isSure = true;
  for (const term of withoutPlace(narrow)) {
    const found = findsBy(term, message, reader);
    if (found === undefined) isSure = false;
    else if (found === (term.negated ?? false)) return false;
  }
  return isSure ? true : undefined;
}

function findsBy({ operator, operand }: Term, message: Message, reader: Reader): boolean | undefined {
  switch (operator) {
    case "channel":
      return typeof operand === "number" ? message.stream_id === operand : undefined;
    case "topic":
      return message.type === "stream" && sameTopic(message.subject, String(operand));
    case "dm": {
      if (message.type !== "private" || !Array.isArray(operand)) return false;
      const wanted = operand.filter((id) => id !== reader.userId).sort((a, b) => a - b);
      return othersOf(message, reader.userId).join() === wanted.join();
    }
    case "dm-including":
      return message.type === "private" && Array.isArray(operand)
        ? operand.every((id) => message.display_recipient.some((person) => person.id === id))
        : false;
    case "sender":
      return typeof operand === "number" ? message.sender_id === operand : undefined;
    case "id":
      return message.id === operand;
    case "is":
      return findsByState(String(operand), message);
    case "in":
      return operand === "home" ? isInFeed(message, reader) : true;
    default:
      return undefined;
  }
}

function findsByState(operand: string, message: Message): boolean | undefined {
  switch (operand) {
    case "starred":
      return message.flags.includes("starred");
    case "mentioned":
      return isMentioned(message);
    case "alerted":
      return message.flags.includes("has_alert_word");
    case "dm":
    case "private":
      return message.type === "private";
    case "unread":
      return !message.flags.includes("read");
    default:
      return undefined;
  }
}

const isInFeed = (message: Message, reader: Reader): boolean =>
  message.type === "private" || isMentioned(message) || reader.isShownInFeed(message.stream_id, message.subject);

/** The combined feed: all conversations that are not muted. */
export const feed: Narrow = [{ operator: "in", operand: "home" }];

/** What is in muted channels and topics. */
export const mutedNarrow: Narrow = [{ operator: "is", operand: "muted" }];

/** What is in topics that the person does not follow. */
export const unfollowedNarrow: Narrow = [
  { operator: "is", operand: "followed", negated: true },
  { operator: "is", operand: "dm", negated: true },
];

/** The messages of somebody that others have reacted to. */
export const reactionsTo = (userId: number): Narrow => [
  { operator: "has", operand: "reaction" },
  { operator: "sender", operand: userId },
];

/** Parses the text of the search box. */
export function parseSearch(
  text: string,
  idOfChannel: (name: string) => number | undefined,
  idOfPerson: (name: string) => number | undefined,
): Narrow {
  const terms: Term[] = [];
  const words: string[] = [];
  for (const match of text.matchAll(/(-?)([a-z-]+):(?:"([^"]*)"|(\S*))|"([^"]*)"|(\S+)/gi)) {
    const [whole, minus, name, quoted, bare] = match;
    const operator = name && (aliases[name.toLowerCase()] ?? name.toLowerCase());
    if (!operator || !operators.has(operator)) {
      words.push(whole);
      continue;
    }
    const value = quoted ?? bare ?? "";
    terms.push({ operator, operand: typed(operator, value, idOfChannel, idOfPerson), ...(minus && { negated: true }) });
  }
  if (words.length > 0) terms.push({ operator: "search", operand: words.join(" ") });
  return terms;
}

/** Operators of the search box. https://zulip.com/help/search-for-messages */
const operators = new Set([
  "channel",
  "topic",
  "dm",
  "dm-including",
  "sender",
  "mentions",
  "is",
  "has",
  "id",
  "near",
  "with",
  "in",
  "channels",
  // Only of the box: where the list opens.
  "date",
]);

function typed(
  operator: string,
  value: string,
  idOfChannel: (name: string) => number | undefined,
  idOfPerson: (name: string) => number | undefined,
): Term["operand"] {
  if (operator === "channel") return idOfChannel(value) ?? value;
  if (namesPerson(operator)) return idOfPerson(value) ?? value;
  if (operator === "dm" || operator === "dm-including") {
    const ids = value.split(",").map((name) => idOfPerson(name.trim()));
    const known = ids.filter((id) => id !== undefined);
    return known.length === ids.length ? known : value;
  }
  if (operator === "near" || operator === "with" || operator === "id") return Number(value) || 0;
  return value;
}

/** The text of a narrow for the search box. */
export function searchText(
  narrow: Narrow,
  nameOfChannel: (id: number) => string | undefined,
  nameOfPerson: (id: number) => string | undefined,
): string {
  return withoutPlace(narrow)
    .map(({ operator, operand, negated }) => {
      if (operator === "search") return String(operand);
      const names =
        operator === "channel" && typeof operand === "number"
          ? (nameOfChannel(operand) ?? String(operand))
          : Array.isArray(operand)
            ? operand.map((id) => nameOfPerson(id) ?? id).join(",")
            : namesPerson(operator) && typeof operand === "number"
              ? (nameOfPerson(operand) ?? String(operand))
              : String(operand);
      return `${negated ? "-" : ""}${operator}:${/[\s"]/.test(names) ? `"${names}"` : names}`;
    })
    .join(" ");
}
