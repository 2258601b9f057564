/**
 * Slack's export of a workspace: lists of people and conversations, and a folder of days for each conversation.
 * https://slack.com/help/articles/220556107-How-to-read-Slack-data-exports
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { array, boolean, type Infer, number, type Struct, string, type } from "superstruct";
import { codeOf, defined, messageOf } from "../../../storage/failures.ts";
import { roles } from "../../../storage/rows.ts";
import type { OldChannelId, OldUserId } from "../zulip/tables.ts";
import { type ExportBuilder, type NewMessage, topicOf } from "./builder.ts";
import { fitting, maybe, twice } from "./forms.ts";

const slackUser = type({
  id: string(),
  name: maybe(string()),
  deleted: maybe(boolean()),
  real_name: maybe(string()),
  tz: maybe(string()),
  is_owner: maybe(boolean()),
  is_primary_owner: maybe(boolean()),
  is_admin: maybe(boolean()),
  is_restricted: maybe(boolean()),
  is_ultra_restricted: maybe(boolean()),
  is_bot: maybe(boolean()),
  profile: maybe(type({ real_name: maybe(string()), display_name: maybe(string()), email: maybe(string()) })),
});
type SlackUser = Infer<typeof slackUser>;

const slackConversation = type({
  id: string(),
  name: maybe(string()),
  created: maybe(number()),
  creator: maybe(string()),
  is_archived: maybe(boolean()),
  members: maybe(array(string())),
  topic: maybe(type({ value: maybe(string()) })),
  purpose: maybe(type({ value: maybe(string()) })),
});
type SlackConversation = Infer<typeof slackConversation>;

const slackMessage = type({
  type: maybe(string()),
  subtype: maybe(string()),
  user: maybe(string()),
  bot_id: maybe(string()),
  username: maybe(string()),
  text: maybe(string()),
  ts: string(),
  thread_ts: maybe(string()),
  edited: maybe(type({ ts: maybe(string()) })),
  reactions: maybe(array(type({ name: string(), users: maybe(array(string())) }))),
  files: maybe(
    array(type({ id: maybe(string()), name: maybe(string()), title: maybe(string()), permalink: maybe(string()) })),
  ),
});
type SlackMessage = Infer<typeof slackMessage>;

/** Subtypes that somebody said; the others are notices of the program. */
const said = new Set([undefined, "bot_message", "me_message", "thread_broadcast", "file_share", "file_comment"]);
/** Of what is in no thread. */
const mainTopic = "imported from Slack";

export const slackLeftOut = [
  "passwords and keys: everybody but the first owner needs a new password",
  "custom emoji, which Slack does not export",
  "what each person has read: everything counts as read",
  "notices of people joining and leaving, canvases, lists and workflows",
];

/** @throws Error when the folder is no export of Slack's */
export async function convertSlack(folder: string, builder: ExportBuilder): Promise<void> {
  const names = await readdir(folder);
  if (!names.includes("users.json") || !names.includes("channels.json"))
    throw new Error("This is no export of Slack's: it has no users.json and channels.json.");
  const conversion = new SlackConversion(folder, builder);
  await conversion.run();
}

class SlackConversion {
  readonly #people = new Map<string, OldUserId>();
  readonly #channels = new Map<string, OldChannelId>();
  #oldest = Math.floor(Date.now() / 1000);

  constructor(
    private readonly folder: string,
    private readonly builder: ExportBuilder,
  ) {}

  async run(): Promise<void> {
    const conversations = (name: string) => this.#list(name, slackConversation);
    const [channels, groups] = [await conversations("channels"), await conversations("groups")];
    const [dms, mpims] = [await conversations("dms"), await conversations("mpims")];
    const created = [...channels, ...groups].map((one) => one.created ?? this.#oldest);
    this.#oldest = Math.min(this.#oldest, ...created.slice(0, 10_000));
    const users = await this.#list("users", slackUser);
    const hasOwner = users.some((user) => !user.deleted && (user.is_owner || user.is_primary_owner));
    for (const user of users) this.#person(user, !hasOwner);
    for (const one of channels) this.#channel(one, false);
    for (const one of groups) this.#channel(one, true);
    for (const one of [...channels, ...groups])
      await this.#messages(one.name ?? one.id, (topic) => ({
        channel: defined(this.#channels.get(one.id), "channel"),
        topic,
      }));
    for (const one of [...dms, ...mpims]) {
      const people = (one.members ?? []).flatMap((id) => this.#people.get(id) ?? []);
      if (people.length === 0) this.builder.note("direct conversations with nobody known");
      else await this.#messages(dms.includes(one) ? one.id : (one.name ?? one.id), () => ({ people }));
    }
    await this.builder.finish("Slack", this.#oldest);
  }

  /** What of a list has the form that it should have. */
  async #list<T, S>(name: string, form: Struct<T, S>): Promise<T[]> {
    let list: unknown;
    try {
      list = JSON.parse(await readFile(join(this.folder, `${name}.json`), "utf8"));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw new Error(`${name}.json cannot be read: ${messageOf(error)}`);
    }
    return fitting(list, form, () =>
      this.builder.note("people, channels and messages in a form that Slack's have not"),
    );
  }

  #person(user: SlackUser, isAdminOwner: boolean): void {
    if (this.#people.has(user.id)) {
      this.builder.note(twice);
      return;
    }
    const isOwner = user.is_owner || user.is_primary_owner || (isAdminOwner && user.is_admin);
    const isGuest = user.is_restricted || user.is_ultra_restricted;
    const role = isOwner ? "owner" : user.is_admin ? "administrator" : isGuest ? "guest" : "member";
    const { profile } = user;
    const name = profile?.real_name || user.real_name || profile?.display_name || user.name || user.id;
    const id = this.builder.person({
      name,
      // Some people, and bots, have none in the export.
      email: profile?.email ?? `${user.id.toLowerCase()}@slack.invalid`,
      role: roles[role],
      isActive: user.deleted !== true,
      isBot: user.is_bot === true,
      timezone: user.tz ?? "",
      joined: this.#oldest,
    });
    this.#people.set(user.id, id);
  }

  #channel(one: SlackConversation, isPrivate: boolean): void {
    if (this.#channels.has(one.id)) {
      this.builder.note(twice);
      return;
    }
    const id = this.builder.channel({
      name: one.name ?? one.id,
      description: one.purpose?.value || one.topic?.value || "",
      isPrivate,
      isArchived: one.is_archived === true,
      created: one.created ?? this.#oldest,
      creator: this.#people.get(one.creator ?? "") ?? null,
    });
    this.#channels.set(one.id, id);
    for (const member of one.members ?? []) {
      const person = this.#people.get(member);
      if (person !== undefined) this.builder.join(id, person);
    }
  }

  async #messages(name: string, place: (topic: string) => NewMessage["to"]): Promise<void> {
    // A name is somebody's: it stays one folder.
    if (/[/\\]|^\.\.?$/.test(name)) return this.builder.note("conversations whose folder has no name");
    const days = await readdir(join(this.folder, name)).catch(() => [] as string[]);
    /** Topic of each thread, by the time of its first message. */
    const threads = new Map<string, string>();
    for (const day of days.filter((file) => file.endsWith(".json")).sort()) {
      const messages = await this.#list(join(name, day.slice(0, -".json".length)), slackMessage);
      for (const message of messages) await this.#message(message, threads, place);
    }
  }

  async #message(
    message: SlackMessage,
    threads: Map<string, string>,
    place: (topic: string) => NewMessage["to"],
  ): Promise<void> {
    const { ts, thread_ts, subtype } = message;
    const sentAt = Math.floor(Number(ts));
    if (!said.has(subtype ?? undefined) || !Number.isFinite(sentAt)) return this.builder.note("notices of the program");
    const sender = this.#sender(message);
    if (sender === undefined) return this.builder.note("messages of somebody unknown");
    let text = this.#text(message.text ?? "");
    if (subtype === "me_message" && text !== "") text = `/me ${text}`;
    const [present, absent] = await this.#files(message.files ?? []);
    for (const link of absent) text = text === "" ? link : `${text}\n${link}`;
    let topic = mainTopic;
    if (thread_ts != null) {
      topic = threads.get(thread_ts) ?? topicOf(text, `thread of ${dayOf(thread_ts)}`);
      // Threads that begin alike stay apart.
      if (!threads.has(thread_ts)) {
        const used = new Set(threads.values());
        if (used.has(topic)) topic = `${topic.slice(0, 40)} ${dayOf(thread_ts)} ${used.size}`;
        threads.set(thread_ts, topic);
      }
    }
    const editedAt = Math.floor(Number(message.edited?.ts));
    await this.builder.message({
      sender,
      to: place(topic),
      text,
      sentAt,
      editedAt: Number.isFinite(editedAt) ? editedAt : undefined,
      reactions: (message.reactions ?? []).flatMap(({ name, users }) =>
        (users ?? []).flatMap((id) => {
          const user = this.#people.get(id);
          return user === undefined ? [] : [{ user, name: name.replace(/::skin-tone-\d$/, "").replaceAll("-", "_") }];
        }),
      ),
      files: present,
    });
  }

  #sender({ user, bot_id, username }: SlackMessage): OldUserId | undefined {
    const known = this.#people.get(user ?? "") ?? this.#people.get(bot_id ?? "");
    if (known !== undefined || (bot_id == null && username == null)) return known;
    // A bot that is in no list.
    const key = `bot ${bot_id ?? username}`;
    const made = this.#people.get(key);
    if (made !== undefined) return made;
    const id = this.builder.person({
      name: username || "Bot",
      email: `bot-${this.#people.size + 1}@slack.invalid`,
      role: roles.member,
      isActive: false,
      isBot: true,
      joined: this.#oldest,
    });
    this.#people.set(key, id);
    return id;
  }

  /** Files that tools put beside the messages, and links to the others. */
  async #files(files: NonNullable<SlackMessage["files"]>): Promise<[{ name: string; path: string }[], string[]]> {
    const present: { name: string; path: string }[] = [];
    const absent: string[] = [];
    for (const { id: given, name, title, permalink } of files) {
      const id = given ?? "";
      const shown = name || title || id;
      const folder = join(this.folder, "__uploads", id);
      const [found] = /^[A-Z0-9]+$/i.test(id) ? await readdir(folder).catch(() => [] as string[]) : [];
      if (found !== undefined) present.push({ name: shown, path: join(folder, found) });
      else {
        this.builder.note("files, which Slack's export only links to");
        absent.push(permalink ? `[${shown.replace(/[[\]]/g, "")}](${permalink.split("?")[0]})` : shown);
      }
    }
    return [present, absent];
  }

  /** Slack's markup as ours. https://docs.slack.dev/messaging/formatting-message-text/ */
  #text(text: string): string {
    return text
      .split(/(```[\s\S]*?```|`[^`\n]+`)/)
      .map((part, index) => (index % 2 === 1 ? code(unescaped(part)) : this.#prose(part)))
      .join("");
  }

  #prose(text: string): string {
    const marked = text
      .replace(/(^|[\s(])\*([^*\s][^*\n]*)\*/g, "$1**$2**")
      .replace(/(^|[\s(])_([^_\s][^_\n]*)_(?=$|[\s),.!?])/g, "$1*$2*")
      .replace(/(^|[\s(])~([^~\s][^~\n]*)~/g, "$1~~$2~~")
      .replace(/<([^<>\n]+)>/g, (_, inner: string) => this.#reference(inner));
    return unescaped(marked);
  }

  #reference(inner: string): string {
    const bar = inner.indexOf("|");
    const [target, label] = bar < 0 ? [inner, ""] : [inner.slice(0, bar), inner.slice(bar + 1)];
    if (target.startsWith("@")) {
      const id = this.#people.get(target.slice(1));
      return id === undefined ? `@${label || target.slice(1)}` : `@**${this.builder.nameOf(id)}|${id}**`;
    }
    if (target.startsWith("#")) {
      const id = this.#channels.get(target.slice(1));
      return id === undefined ? `#${label || target.slice(1)}` : `#**${this.builder.channelName(id)}**`;
    }
    if (/^!(?:here|channel|everyone)$/.test(target)) return "@**all**";
    if (target.startsWith("!")) return label || target.slice(1);
    return label === "" || label === target ? target : `[${label.replace(/[[\]]/g, "")}](${target})`;
  }
}

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** A block of code stands on lines of its own. */
const code = (part: string): string =>
  part.startsWith("```") ? `\n\`\`\`\n${part.slice(3, -3).replace(/^\n|\n$/g, "")}\n\`\`\`\n` : part;

const dayOf = (ts: string): string => {
  const ms = Number(ts) * 1000;
  return Number.isFinite(ms) && Math.abs(ms) < 8e15 ? new Date(ms).toISOString().slice(0, 10) : "?";
};
