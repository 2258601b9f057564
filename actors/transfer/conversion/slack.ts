/**
 * Slack's export of a workspace: lists of people and conversations, and a folder of days for each conversation.
 * https://slack.com/help/articles/220556107-How-to-read-Slack-data-exports
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Struct } from "superstruct";
import { codeOf, defined, messageOf } from "../../../storage/failures.ts";
import { roles } from "../../../storage/rows.ts";
import type { OldChannelId, OldUserId } from "../zulip/tables.ts";
import { quotationsOf } from "./attachments.ts";
import { isTyped, textOfBlocks } from "./blocks.ts";
import type { ExportBuilder, NewMessage, Pin } from "./builder.ts";
import { fitting, twice } from "./forms.ts";
import type { Reading } from "./reading.ts";
import {
  type Conversation,
  conversationForm,
  type File,
  type Message,
  messageForm,
  pinForm,
  sharedForm,
  type User,
  userForm,
} from "./slack-forms.ts";
import { type Names, textOf, unescaped } from "./slack-text.ts";
import { described, Topics, topicOf } from "./words.ts";

/** Subtypes that somebody said; the others are notices of the program. */
const said = new Set([
  undefined,
  "bot_message",
  "me_message",
  "thread_broadcast",
  "file_share",
  "file_comment",
  "slackbot_response",
]);
/** Of what is in no thread. */
const mainTopic = "imported from Slack";
/** Lists of conversations, in which each has its folder. */
const lists = ["channels", "groups", "dms", "mpims"] as const;
/** Files of tools, by the ids that Slack gave them. */
const uploads = "__uploads";

export const slackLeftOut = [
  "passwords and keys: everybody but the first owner needs a new password",
  "custom emoji, which Slack does not export",
  "what each person has read: everything counts as read",
  "pictures, titles and numbers of people; stars and settings",
  "notices of people joining and leaving, canvases, lists and workflows",
];

/** @throws Error when the folder is no export of Slack's */
export async function convertSlack(folder: string, builder: ExportBuilder): Promise<void> {
  const names = await readdir(folder);
  if (!names.includes("users.json") || !names.includes("channels.json"))
    throw new Error("This is no export of Slack's: it has no users.json and channels.json.");
  const conversion = new SlackConversion(folder, builder);
  await conversion.run(names);
}

type Place = (topic: string) => NewMessage["to"];
/** The topic of each thread, by the time of the message that begins it. */
interface Threads {
  topicOf: Map<string, string>;
  topics: Topics;
}

class SlackConversion {
  readonly #people = new Map<string, OldUserId>();
  readonly #channels = new Map<string, OldChannelId>();
  /** Folders of conversations that were read. */
  readonly #read = new Set<string>();
  #oldest = Math.floor(Date.now() / 1000);

  constructor(
    private readonly folder: string,
    private readonly builder: ExportBuilder,
  ) {}

  readonly #names: Names = {
    mention: (given) => {
      const id = this.#people.get(given);
      return id === undefined ? undefined : `@**${this.builder.nameOf(id)}|${id}**`;
    },
    channel: (given) => {
      const id = this.#channels.get(given);
      return id === undefined ? undefined : `#**${this.builder.channelName(id)}**`;
    },
  };

  readonly #reading: Reading = {
    text: (text) => textOf(text, this.#names),
    plain: unescaped,
    note: (what, count) => this.builder.note(what, count),
    onOther: () => this.builder.note("people, channels and messages in a form that Slack's have not"),
  };

  async run(names: readonly string[]): Promise<void> {
    const conversations = (name: (typeof lists)[number]) => this.#list(name, conversationForm);
    const [channels, groups] = [await conversations("channels"), await conversations("groups")];
    const [dms, mpims] = [await conversations("dms"), await conversations("mpims")];
    const created = [...channels, ...groups].map((one) => one.created ?? this.#oldest);
    this.#oldest = Math.min(this.#oldest, ...created.slice(0, 10_000));
    const users = await this.#list("users", userForm);
    const hasOwner = users.some((user) => !user.deleted && (user.is_owner || user.is_primary_owner));
    for (const user of users) this.#person(user, !hasOwner);
    for (const one of channels) this.#channel(one, false);
    for (const one of groups) this.#channel(one, true);
    for (const one of [...channels, ...groups])
      await this.#messages(one, one.name ?? one.id, (topic) => ({
        channel: defined(this.#channels.get(one.id), "channel"),
        topic,
      }));
    for (const one of dms) await this.#direct(one, one.id);
    for (const one of mpims) await this.#direct(one, one.name ?? one.id);
    this.#noteOthers(names);
    await this.builder.finish("Slack", this.#oldest);
  }

  /** What lies in the folder besides. */
  #noteOthers(names: readonly string[]): void {
    const read = new Set([...this.#read, ...[...lists, "users"].map((name) => `${name}.json`), uploads]);
    for (const name of names)
      if (!read.has(name))
        this.builder.note(name.includes(".") ? "other files of the export" : "folders of conversations in no list");
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
    return fitting(list, form, this.#reading.onOther);
  }

  /** Those of the ids whom the export has. @param what the others are */
  #known(ids: readonly string[], what: string): OldUserId[] {
    return ids.flatMap((id) => {
      const known = this.#people.get(id);
      if (known === undefined) this.builder.note(what);
      return known ?? [];
    });
  }

  #person(user: User, isAdminOwner: boolean): void {
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

  #channel(one: Conversation, isPrivate: boolean): void {
    if (this.#channels.has(one.id)) {
      this.builder.note(twice);
      return;
    }
    const creator = this.#people.get(one.creator ?? "") ?? null;
    if (one.creator && creator === null) this.builder.note("creators of channels who are unknown");
    const id = this.builder.channel({
      name: one.name ?? one.id,
      description: described(one.purpose?.value, one.topic?.value),
      isPrivate,
      isArchived: one.is_archived === true,
      created: one.created ?? this.#oldest,
      creator,
    });
    this.#channels.set(one.id, id);
    for (const person of this.#known(one.members ?? [], "members of channels who are unknown"))
      this.builder.join(id, person);
  }

  async #direct(one: Conversation, name: string): Promise<void> {
    const people = this.#known(one.members ?? [], "members of direct conversations who are unknown");
    if (people.length > 0) return this.#messages(one, name, () => ({ people }));
    this.#read.add(name);
    this.builder.note("direct conversations with nobody known");
  }

  /** @param name of its folder */
  async #messages(one: Conversation, name: string, place: Place): Promise<void> {
    // A name is somebody's: it stays one folder.
    if (/[/\\]|^\.\.?$/.test(name)) return this.builder.note("conversations whose folder has no name");
    if (this.#read.has(name)) return this.builder.note("conversations whose folder another one has");
    this.#read.add(name);
    const days = await readdir(join(this.folder, name)).catch(() => undefined);
    if (days === undefined) this.builder.note("conversations without a folder");
    const threads: Threads = { topicOf: new Map(), topics: new Topics() };
    const pins = new Map(
      fitting(one.pins, pinForm, this.#reading.onOther).map((pin) => [
        pin.id,
        { by: this.#people.get(pin.user ?? ""), at: pin.created ?? undefined },
      ]),
    );
    for (const day of days?.filter((file) => file.endsWith(".json")).sort() ?? []) {
      const messages = await this.#list(join(name, day.slice(0, -".json".length)), messageForm);
      for (const message of messages) {
        const pin = pins.get(message.ts) ?? (message.pinned_to?.includes(one.id) ? {} : undefined);
        pins.delete(message.ts);
        await this.#message(message, { threads, place, pin });
      }
    }
    this.builder.note("pins of files, and of messages that are not in the export", pins.size);
  }

  async #message(
    message: Message,
    { threads, place, pin }: { threads: Threads; place: Place; pin: Pin | undefined },
  ): Promise<void> {
    if (!said.has(message.subtype ?? undefined)) return this.builder.note("notices of the program");
    const sender = this.#sender(message);
    if (sender === undefined) return this.builder.note("messages of somebody unknown");
    let text = this.#text(message);
    if (message.subtype === "me_message" && text !== "") text = `/me ${text}`;
    const shared = Array.isArray(message.attachments) ? message.attachments.filter((one) => sharedForm.is(one)) : [];
    const [present, absent] = await this.#files([...(message.files ?? []), ...shared.flatMap(({ files }) => files)]);
    for (const link of absent) text = text === "" ? link : `${text}\n${link}`;
    await this.builder.message({
      sender,
      to: place(this.#topic(threads, message, text)),
      text,
      sentAt: Math.floor(Number(message.ts)),
      editedAt: Math.floor(Number(message.edited?.ts)),
      reactions: this.#reactions(message),
      files: present,
      pin,
    });
  }

  #topic(threads: Threads, { thread_ts }: Message, text: string): string {
    if (thread_ts == null) return mainTopic;
    const wanted = () => topicOf(text, `thread of ${dayOf(thread_ts)}`);
    const topic = threads.topicOf.get(thread_ts) ?? threads.topics.free(wanted());
    threads.topicOf.set(thread_ts, topic);
    return topic;
  }

  /** Blocks are what is seen, and then the text is a summary, which may say something else. */
  #text({ text, blocks, attachments }: Message): string {
    const own = this.#reading.text(text ?? "");
    const seen = own !== "" && isTyped(blocks) ? "" : textOfBlocks(blocks, this.#reading);
    return [seen.includes(own) ? "" : own, seen, quotationsOf(attachments, this.#reading)]
      .filter((part) => part !== "")
      .join("\n");
  }

  #reactions({ reactions }: Message): { user: OldUserId; name: string }[] {
    return (reactions ?? []).flatMap(({ name, users, count }) => {
      const listed = users ?? [];
      const untold = (count ?? 0) - listed.length;
      if (Number.isSafeInteger(untold)) this.builder.note("reactions of people whom the export does not name", untold);
      const emoji = name.replace(/::skin-tone-\d$/, "").replaceAll("-", "_");
      return this.#known(listed, "reactions of somebody unknown").map((user) => ({ user, name: emoji }));
    });
  }

  #sender({ user, bot_id, username, user_profile }: Message): OldUserId | undefined {
    const known = this.#people.get(user ?? "") ?? this.#people.get(bot_id ?? "");
    if (known !== undefined) return known;
    const isBot = bot_id != null || username != null;
    // Bots, and people of other workspaces, are in no list.
    const key = isBot ? `bot ${bot_id ?? username}` : user_profile && user ? user : undefined;
    if (key === undefined) return undefined;
    const made = this.#people.get(key);
    if (made !== undefined) return made;
    const own = user_profile?.real_name || user_profile?.display_name || user_profile?.name || user;
    const id = this.builder.person({
      name: (isBot ? username || "Bot" : own) ?? "",
      email: `${isBot ? "bot" : "guest"}-${this.#people.size + 1}@slack.invalid`,
      role: isBot ? roles.member : roles.guest,
      isActive: false,
      isBot,
      joined: this.#oldest,
    });
    this.#people.set(key, id);
    return id;
  }

  /** Files that tools put beside the messages, and links to the others. */
  async #files(files: readonly File[]): Promise<[{ name: string; path: string }[], string[]]> {
    const present: { name: string; path: string }[] = [];
    const absent: string[] = [];
    for (const { id: given, name, title, permalink } of files) {
      const id = given ?? "";
      const shown = name || title || id;
      const folder = join(this.folder, uploads, id);
      const [found] = /^[A-Z0-9]+$/i.test(id) ? await readdir(folder).catch((): string[] => []) : [];
      if (found !== undefined) present.push({ name: shown, path: join(folder, found) });
      else {
        this.builder.note("files, which Slack's export only links to");
        absent.push(permalink ? `[${shown.replace(/[[\]]/g, "")}](${permalink.split("?")[0]})` : shown);
      }
    }
    return [present, absent];
  }
}

const dayOf = (ts: string): string => {
  const ms = Number(ts) * 1000;
  return Number.isFinite(ms) && Math.abs(ms) < 8e15 ? new Date(ms).toISOString().slice(0, 10) : "?";
};
