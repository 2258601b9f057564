/** Completions of the text before the caret: people, groups, channels, topics, emoji, commands, times. */
import type { Channels } from "../channels.ts";
import type { EmojiTable } from "../emoji.ts";
import { folded, type People } from "../people.ts";
import type { Store } from "../store.ts";

export interface Candidate {
  /** What it is. It also decides how it is drawn. */
  kind: "person" | "group" | "wildcard" | "channel" | "topic" | "emoji" | "command" | "time";
  label: string;
  detail?: string;
  /** The text that replaces the completed one. */
  insert: string;
  userId?: number;
  picture?: string;
}

export interface Completion {
  /** Start of the replaced text. */
  from: number;
  candidates: readonly Candidate[];
}

interface Parts {
  people: People;
  channels: Channels;
  emoji: EmojiTable;
  store: Store;
  topicsOf(channelId: number): readonly string[];
}

const limit = 8;

const patterns: readonly (readonly [RegExp, (app: Parts, match: RegExpExecArray) => Candidate[]])[] = [
  [/(?:^|[\s(])#\*\*([^*>\n]+)>([^*\n]*)$/, (app, match) => topics(app, match[1]!, match[2]!)],
  [
    /(?:^|[\s([{])@(_?)(?:\*{0,2})([^\s@*][^@*\n]{0,40})?$/,
    (app, match) => mentions(app, match[2] ?? "", match[1] === "_"),
  ],
  [/(?:^|[\s([{])#(?:\*{0,2})([^\s#*>][^#*>\n]{0,40})?$/, (app, match) => channels(app, match[1] ?? "")],
  [/(?:^|[\s([{*])~?:([a-z0-9_+-]{2,30})$/i, (app, match) => emoji(app, match[1]!)],
  [/^\/([a-z]*)$/, (_app, match) => commands(match[1]!)],
  [/<time:?([^<>\n]*)$/, () => times()],
];

/** @param text the text before the caret */
export function complete(app: Parts, text: string): Completion | undefined {
  const line = text.slice(Math.max(0, text.length - 120));
  for (const [pattern, find] of patterns) {
    const match = pattern.exec(line);
    if (!match) continue;
    const candidates = find(app, match);
    if (candidates.length === 0) continue;
    const lead = /^[\s([{*]/.test(match[0]) ? 1 : 0;
    return { from: text.length - match[0].length + lead, candidates };
  }
  return undefined;
}

function mentions({ people, store }: Parts, text: string, isSilent: boolean): Candidate[] {
  const mark = isSilent ? "@_" : "@";
  const found = people.search(text, limit).map(
    (user): Candidate => ({
      kind: "person",
      label: user.full_name,
      detail: user.is_bot ? "bot" : ((user["delivery_email"] as string | null) ?? ""),
      insert: `${mark}**${people.mention(user)}** `,
      userId: user.user_id,
    }),
  );
  const wanted = folded(text);
  const groups = (store.read("groups").realm_user_groups ?? [])
    .filter((group) => !group["is_system_group"] && !group["deactivated"] && folded(group.name).startsWith(wanted))
    .map(
      (group): Candidate => ({
        kind: "group",
        label: group.name,
        detail: String(group["description"] ?? ""),
        insert: `${mark}*${group.name}* `,
      }),
    );
  const wildcards = isSilent
    ? []
    : ["all", "topic"]
        .filter((name) => text !== "" && name.startsWith(wanted))
        .map((name): Candidate => ({ kind: "wildcard", label: name, insert: `@**${name}** ` }));
  return [...wildcards, ...found, ...groups].slice(0, limit);
}

const channels = ({ channels: all }: Parts, text: string): Candidate[] =>
  all.search(text, limit).map((channel) => ({
    kind: "channel",
    label: channel.name,
    detail: channel.description,
    insert: `#**${channel.name}** `,
  }));

function topics({ channels: all, topicsOf }: Parts, channel: string, text: string): Candidate[] {
  const id = all.idOf(channel);
  if (id === undefined) return [];
  const wanted = folded(text);
  return topicsOf(id)
    .filter((topic) => folded(topic).includes(wanted))
    .slice(0, limit)
    .map((topic) => ({ kind: "topic", label: topic, insert: `#**${channel}>${topic}** ` }));
}

const emoji = ({ emoji: table }: Parts, text: string): Candidate[] =>
  table.search(text, limit).map((one) => ({
    kind: "emoji",
    label: `:${one.name}:`,
    insert: `:${one.name}: `,
    ...(one.url ? { picture: one.url } : { detail: one.text }),
  }));

const slashCommands: readonly [name: string, what: string, insert: string][] = [
  ["me", "says what you do", "/me "],
  ["poll", "asks a question", "/poll "],
  ["todo", "starts a list of tasks", "/todo "],
];
const commands = (text: string): Candidate[] =>
  slashCommands
    .filter(([name]) => name.startsWith(text))
    .map(([name, detail, insert]) => ({ kind: "command", label: `/${name}`, detail, insert }));

/** The next full hours: meetings mostly begin then. */
function times(): Candidate[] {
  const next = new Date();
  next.setMinutes(0, 0, 0);
  return [1, 2, 3, 24].map((hours) => {
    const at = new Date(next.getTime() + hours * 3_600_000);
    return {
      kind: "time",
      label: at.toLocaleString(undefined, { weekday: "short", hour: "numeric", minute: "2-digit" }),
      insert: `<time:${at.toISOString().replace(/\.\d+Z$/, "Z")}> `,
    };
  });
}
