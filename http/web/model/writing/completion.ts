/** Completions of the text before the caret: people, groups, channels, topics, emoji, commands, times. */
import { perLanguage } from "../../languages/speaking.ts";
import { t } from "../../texts.ts";
import type { Channels } from "../channels.ts";
import type { EmojiTable } from "../emoji.ts";
import { folded, type People } from "../people.ts";
import type { Store } from "../store.ts";
import { linkOfAddress } from "./place-link.ts";

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
  near: Near;
  /** The channel that is written to; undefined in direct messages. */
  channelId: number | undefined;
  topicsOf(channelId: number): readonly string[];
}

export type Wildcard = "all" | "topic";

/** Who is near to what is written. */
export interface Near {
  inTopic: ReadonlySet<number>;
  /** Of the channel; undefined in direct messages, and while they are not known. */
  members: ReadonlySet<number> | undefined;
  talkedWith: ReadonlySet<number>;
  /** What stands for everybody here, where the person may tell everybody. */
  wildcards: readonly Wildcard[];
}

const limit = 8;

const patterns: readonly (readonly [RegExp, (app: Parts, match: RegExpExecArray) => Candidate[]])[] = [
  [
    /(?:^|[\s(])#\*\*([^*>\n]+)>([^*\n]*)$/,
    (app, [, channel = "", topic = ""]) => topics(app, app.channels.idOf(channel), topic),
  ],
  [/(?:^|[\s(])#>([^*>\n]{0,60})$/, (app, [, topic = ""]) => topics(app, app.channelId, topic)],
  [/(?:^|[\s(])(?:https?:\/\/[^\s/]+\/)?#narrow\/channel\/\S+$/, (app, [address]) => places(app, address.trim())],
  [
    /(?:^|[\s([{])@(_?)(?:\*{0,2})([^\s@*][^@*\n]{0,40})?$/,
    (app, match) => mentions(app, match[2] ?? "", match[1] === "_"),
  ],
  [/(?:^|[\s([{])#(?:\*{0,2})([^\s#*>][^#*>\n]{0,40})?$/, (app, match) => channels(app, match[1] ?? "")],
  [/(?:^|[\s([{*])~?:([a-z0-9_+-]{2,30})$/i, (app, [, name = ""]) => emoji(app, name)],
  [/^\/([a-z]*)$/, (_app, [, name = ""]) => commands(name)],
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

/** How near a person is to what is written: 0 in this topic, 1 in this channel, 2 talked with, 3 anybody else. */
const nearness = { topic: 0, channel: 1, talked: 2, far: 3 } as const;

/** Groups, and mentions of everybody, that are listed whoever else is. */
const kept = 2;

function mentions({ people, store, near }: Parts, text: string, isSilent: boolean): Candidate[] {
  const mark = isSilent ? "@_" : "@";
  const rankOf = ({ user_id: id }: { user_id: number }): number => {
    // Few mention themselves.
    if (id === people.myId) return nearness.far;
    if (near.inTopic.has(id)) return nearness.topic;
    if (near.members?.has(id)) return nearness.channel;
    return near.talkedWith.has(id) ? nearness.talked : nearness.far;
  };
  const found = people.ranked(text, limit, rankOf).map((user) => {
    const isOutside = near.members !== undefined && !near.members.has(user.user_id);
    const candidate: Candidate = {
      kind: "person",
      label: user.full_name,
      detail: isOutside ? t.notInChannel : user.is_bot ? t.bot : (user.delivery_email ?? ""),
      insert: `${mark}**${people.mention(user)}** `,
      userId: user.user_id,
    };
    return { candidate, rank: rankOf(user) };
  });
  const wanted = folded(text);
  const groups = (store.read("groups").realm_user_groups ?? [])
    .filter((group) => !group["is_system_group"] && !group["deactivated"])
    .filter(({ name }) => folded(name).startsWith(wanted) || folded(name).includes(` ${wanted}`))
    .map(
      (group): Candidate => ({
        kind: "group",
        label: group.name,
        detail: String(group["description"] ?? ""),
        insert: `${mark}*${group.name}* `,
      }),
    );
  const wildcards = (isSilent ? [] : near.wildcards)
    .filter((name) => name.startsWith(wanted))
    .map((name): Candidate => ({ kind: "wildcard", label: name, detail: t.wildcards[name], insert: `@**${name}** ` }));
  // A name that is written out is meant; else nobody should tell everybody by mistake.
  const isMeant = (candidate: Candidate): boolean => wanted !== "" && candidate.label === wanted;
  const close = found.filter(({ rank }) => rank <= nearness.channel).map(({ candidate }) => candidate);
  const others = found.filter(({ rank }) => rank > nearness.channel).map(({ candidate }) => candidate);
  const wide = [...groups.slice(0, kept), ...wildcards.filter((one) => !isMeant(one)).slice(0, kept)];
  const narrowed = close.slice(0, Math.max(0, limit - wide.length));
  return [...wildcards.filter(isMeant), ...narrowed, ...wide, ...groups.slice(kept), ...others].slice(0, limit);
}

const channels = ({ channels: all }: Parts, text: string): Candidate[] =>
  all.search(text, limit).map((channel) => ({
    kind: "channel",
    label: channel.name,
    detail: channel.description,
    insert: `#**${channel.name}** `,
  }));

function topics({ channels: all, topicsOf }: Parts, channelId: number | undefined, text: string): Candidate[] {
  const channel = channelId === undefined ? undefined : all.get(channelId);
  if (!channel) return [];
  const wanted = folded(text);
  return topicsOf(channel.stream_id)
    .filter((topic) => folded(topic).includes(wanted))
    .slice(0, limit)
    .map((topic) => ({ kind: "topic", label: topic || t.generalChat, insert: `#**${channel.name}>${topic}** ` }));
}

/** An address that was typed, as the link to its place. */
function places({ channels: all }: Parts, address: string): Candidate[] {
  const link = linkOfAddress(all, address);
  return link ? [{ kind: link.kind, label: link.label, insert: `${link.markdown} ` }] : [];
}

const emoji = ({ emoji: table }: Parts, text: string): Candidate[] =>
  table.search(text, limit).map((one) => ({
    kind: "emoji",
    label: `:${one.name}:`,
    insert: `:${one.name}: `,
    ...(one.url ? { picture: one.url } : { detail: one.text }),
  }));

const slashCommands = ["me", "poll", "todo"] as const;
const commands = (text: string): Candidate[] =>
  slashCommands
    .filter((name) => name.startsWith(text))
    .map((name) => ({ kind: "command", label: `/${name}`, detail: t.commands[name], insert: `/${name} ` }));

const hour = perLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { weekday: "short", hour: "numeric", minute: "2-digit" }),
);

/** Meetings mostly begin at a full hour. */
export function nextHour(): Date {
  const at = new Date();
  at.setHours(at.getHours() + 1, 0, 0, 0);
  return at;
}

/** A time in the text of a message. Each reader sees it by their own clock. */
export const globalTime = (at: Date): string => `<time:${at.toISOString().replace(/\.\d+Z$/, "Z")}> `;

function times(): Candidate[] {
  const next = nextHour().getTime();
  return [0, 1, 2, 23].map((hours) => {
    const at = new Date(next + hours * 3_600_000);
    return { kind: "time", label: hour().format(at), insert: globalTime(at) };
  });
}
