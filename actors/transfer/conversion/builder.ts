/**
 * Builds an export in the form of Zulip's out of what another program exported, in a folder of its own. So one import
 * serves all of them. The same input gives the same export: an import that was cut off can go on.
 */
import { copyFile, mkdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../../storage/failures.ts";
import { JsonTablesWriter } from "../../../storage/transfer/json-tables.ts";
import { encodeHashComponent } from "../../markdown/channel-links.ts";
import { emojiByName } from "../../markdown/emoji.ts";
import { renderMarkdown } from "../../markdown/render.ts";
import { limits } from "../../realm/state/settings.ts";
import { unfitInNames } from "../../users/changes/accounts.ts";
import { name as nameColumn } from "../checks/columns.ts";
import type { OldChannelId, OldEmojiId, OldMessageId, OldRecipientId, OldUserId } from "../zulip/tables.ts";
import {
  channelRecipient,
  groupRecipient,
  personalRecipient,
  receivedOf,
  recipientsOf,
  renderingContext,
  subscriptionsOf,
} from "./builder-tables.ts";
import { shortTopic, topicOf } from "./words.ts";

interface NewPerson {
  name: string;
  email: string;
  role: number;
  isActive: boolean;
  isBot?: boolean;
  timezone?: string;
  /** UNIX seconds. */
  joined: number;
}

interface NewChannel {
  name: string;
  description: string;
  isPrivate: boolean;
  isArchived: boolean;
  /** UNIX seconds. */
  created: number;
  creator: OldUserId | null;
}

export interface NewMessage {
  sender: OldUserId;
  /** A channel with a topic, or the other people. */
  to: { channel: OldChannelId; topic: string } | { people: readonly OldUserId[] };
  text: string;
  /** UNIX seconds. */
  sentAt: number;
  editedAt?: number | undefined;
  reactions?: readonly { user: OldUserId; name: string }[];
  starredBy?: readonly OldUserId[];
  files?: readonly { name: string; path: string }[];
  pin?: Pin | undefined;
}

/** Who pinned a message, and when, as far as that is known. */
export interface Pin {
  by?: OldUserId | undefined;
  /** UNIX seconds. */
  at?: number | undefined;
}

/** A pinned message of a channel. */
interface Pinned {
  id: OldMessageId;
  by: OldUserId;
  to: { channel: OldChannelId; topic: string };
  at: number;
  words: string;
}

const messagesPerFile = 1000;
/** What the server takes. */
const maxMessage = 10_000;
const maxChannelName = 60;
const maxDescription = 1024;
/** Where each channel's pinned messages are linked to. */
const pinsTopic = "pinned messages";
/** A disk takes 255 bytes. */
const maxFileName = 80;
const personName = nameColumn(limits.fullName, "User", unfitInNames);
const channelName = nameColumn(limits.channelName, "channel");

export class ExportBuilder {
  /** What was left out, and how often. */
  readonly notes = new Map<string, number>();
  readonly #people: object[] = [];
  readonly #names = new Map<OldUserId, string>();
  readonly #channels: object[] = [];
  readonly #channelNames = new Map<OldChannelId, string>();
  readonly #taken = new Set<string>();
  readonly #idsOfChannels = new Map<string, OldChannelId>();
  readonly #members = new Map<OldChannelId, Set<OldUserId>>();
  readonly #conversations = new Map<string, { id: OldRecipientId; people: readonly OldUserId[] }>();
  readonly #emoji = new Map<string, { id: OldEmojiId; fileName: string }>();
  readonly #reactions: object[] = [];
  readonly #attachments: object[] = [];
  readonly #pins: Pinned[] = [];
  #messages: object[] = [];
  #receipts: object[] = [];
  #files = 0;
  #count = 0;

  constructor(
    private readonly folder: string,
    /** Of the client that messages were sent by, as they will say. */
    private readonly client: string,
  ) {}

  /** Where a conversion may put files together. It goes with the export. */
  ownFolder(name: string): string {
    return join(this.folder, "parts", name);
  }

  note(what: string, count = 1): void {
    if (count > 0) this.notes.set(what, (this.notes.get(what) ?? 0) + count);
  }

  person({ name, email, role, isActive, isBot = false, timezone = "", joined }: NewPerson): OldUserId {
    const id: OldUserId = this.#people.length + 1;
    // Mentions name people as they will be called.
    const full_name = personName(name, { id });
    if (full_name !== name.trim()) this.note("names of people that are too long or not allowed, and became others");
    this.#names.set(id, full_name);
    this.#people.push({
      id,
      delivery_email: email,
      email,
      full_name,
      role,
      is_active: isActive,
      is_bot: isBot,
      bot_type: isBot ? 1 : null,
      bot_owner: null,
      is_mirror_dummy: false,
      date_joined: joined,
      last_login: isBot ? null : joined,
      timezone,
      avatar_source: "G",
      recipient: personalRecipient(id),
    });
    return id;
  }

  nameOf = (id: OldUserId): string => this.#names.get(id) ?? "";

  /** The name may become another one where it is taken or too long. */
  channel({ name, description, isPrivate, isArchived, created, creator }: NewChannel): OldChannelId {
    const id: OldChannelId = this.#channels.length + 1;
    const wanted = channelName(name, { id });
    let free = wanted;
    for (let number = 2; this.#taken.has(free.toLowerCase()); number++)
      free = `${wanted.slice(0, maxChannelName - 8)} (${number})`;
    if (free !== name.trim()) this.note("names of channels that are taken, too long or not allowed, and became others");
    if (description.length > maxDescription) this.note("descriptions over 1,024 characters, which are cut");
    this.#taken.add(free.toLowerCase());
    this.#channelNames.set(id, free);
    this.#idsOfChannels.set(free, id);
    this.#channels.push({
      id,
      name: free,
      description: description.slice(0, maxDescription),
      date_created: created,
      deactivated: isArchived,
      invite_only: isPrivate,
      history_public_to_subscribers: true,
      is_web_public: false,
      message_retention_days: null,
      creator,
      recipient: channelRecipient(id),
    });
    this.#members.set(id, new Set());
    return id;
  }

  channelName = (id: OldChannelId): string => this.#channelNames.get(id) ?? "";

  join(channel: OldChannelId, person: OldUserId): void {
    this.#members.get(channel)?.add(person);
  }

  /** A custom emoji with its picture. */
  async emoji(name: string, path: string): Promise<void> {
    if (this.#emoji.has(name)) return this.note("custom emoji whose name another one has too");
    const id: OldEmojiId = this.#emoji.size + 1;
    const fileName = `${id}${/\.[a-z]{3,4}$/i.exec(path)?.[0] ?? ".png"}`;
    if (await this.#place(path, join("emoji", "1/emoji/images", fileName))) this.#emoji.set(name, { id, fileName });
    else this.note("custom emoji whose picture is missing");
  }

  async message(message: NewMessage): Promise<void> {
    const { sender, to, text, sentAt, editedAt, reactions = [], starredBy = [], files = [], pin } = message;
    if (!(sentAt > 0)) return this.note("messages without a time");
    const id: OldMessageId = ++this.#count;
    const links = await this.#placeFiles(id, message, files);
    let content = [text, ...links].filter((part) => part !== "").join("\n");
    if (content === "") return this.note("messages without text");
    if (content.length > maxMessage) {
      this.note("messages over 10,000 characters, which are cut");
      content = `${content.slice(0, maxMessage - 1)}…`;
    }
    const rendered = renderMarkdown(content, this.#context);
    this.#messages.push({
      id,
      sender,
      recipient: "channel" in to ? channelRecipient(to.channel) : this.#conversation(sender, to.people),
      subject: "channel" in to ? shortTopic(to.topic) : "",
      content,
      rendered_content: rendered.html,
      date_sent: sentAt,
      sending_client: 1,
      last_edit_time: editedAt || null,
      edit_history: null,
      has_attachment: rendered.hasAttachment,
      has_image: rendered.hasImage,
      has_link: rendered.hasLink,
    });
    for (const user of new Set(starredBy)) this.#receipts.push({ user_profile: user, message: id, flags_mask: 3 });
    const mentioned = new Set(rendered.mentionedUserIds);
    for (const user of mentioned) this.#receipts.push({ user_profile: user, message: id, flags_mask: 1 + 8 });
    this.#react(id, reactions);
    if (pin && "channel" in to)
      this.#pins.push({ id, by: pin.by ?? sender, to, at: pin.at || sentAt, words: topicOf(text, "a message") });
    else if (pin) this.note("pins in direct conversations, whose messages come along");
    if (this.#messages.length >= messagesPerFile) await this.#writeMessages();
  }

  /** @returns a link to each file, or its name where it is missing */
  async #placeFiles(
    id: OldMessageId,
    { sender, sentAt }: NewMessage,
    files: NonNullable<NewMessage["files"]>,
  ): Promise<string[]> {
    const links: string[] = [];
    for (const file of files) {
      const fileName = basename(file.name)
        .replace(/[^\p{L}\p{N}._-]/gu, "-")
        .slice(-maxFileName);
      const path = `1/${(id % 256).toString(16)}/${id}-${links.length}/${fileName}`;
      if (!(await this.#place(file.path, join("uploads", path)))) {
        this.note("files that are not in the export");
        links.push(file.name);
        continue;
      }
      links.push(`[${file.name.replace(/[[\]]/g, "")}](/user_uploads/${path})`);
      this.#attachments.push({
        id: this.#attachments.length + 1,
        file_name: file.name,
        path_id: path,
        owner: sender,
        create_time: sentAt,
        size: this.#placedBytes,
        messages: [id],
      });
    }
    return links;
  }

  #react(message: OldMessageId, reactions: NonNullable<NewMessage["reactions"]>): void {
    const seen = new Set<string>();
    for (const { user, name } of reactions) {
      const own = this.#emoji.get(name);
      const code = own ? String(own.id) : emojiByName(name)?.code;
      if (code === undefined) this.note("reactions with emoji that are not in the export");
      else if (seen.has(`${user} ${code}`)) this.note("reactions that somebody has given with the same emoji already");
      else
        this.#reactions.push({
          id: this.#reactions.length + 1,
          user_profile: user,
          message,
          emoji_name: name,
          emoji_code: code,
          reaction_type: own ? "realm_emoji" : "unicode_emoji",
        });
      seen.add(`${user} ${code}`);
    }
  }

  #conversation(sender: OldUserId, others: readonly OldUserId[]): OldRecipientId {
    const people = [...new Set([sender, ...others])].sort((a, b) => a - b);
    if (people.length <= 2) return personalRecipient(people.find((id) => id !== sender) ?? sender);
    const key = people.join(",");
    const known = this.#conversations.get(key);
    if (known) return known.id;
    const id = groupRecipient(this.#conversations.size + 1);
    this.#conversations.set(key, { id, people });
    return id;
  }

  readonly #context = renderingContext(this.#named());

  #named() {
    return {
      people: this.#names,
      channels: this.#channelNames,
      idsOfChannels: this.#idsOfChannels,
      members: this.#members,
      conversations: this.#conversations,
      emoji: this.#emoji,
    };
  }

  /** Pinned messages are there not pinned but linked to, in a topic of their channel. */
  async #writePins(): Promise<void> {
    for (const { id, by, to, at, words } of this.#pins.splice(0)) {
      const { channel, topic } = to;
      const narrow = `channel/${channel}/topic/${encodeHashComponent(shortTopic(topic))}/near/${id}`;
      const text = `[${words.replace(/[[\]]/g, "")}](#narrow/${narrow})`;
      await this.message({ sender: by, to: { channel, topic: pinsTopic }, text, sentAt: at });
    }
  }

  #placedBytes = 0;

  /** @returns false when there is no such file */
  async #place(path: string, target: string): Promise<boolean> {
    const to = join(this.folder, target);
    try {
      await mkdir(dirname(to), { recursive: true });
      await copyFile(path, to);
      this.#placedBytes = (await stat(to)).size;
      return true;
    } catch (error) {
      if (["ENOENT", "EISDIR", "ENOTDIR", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"].includes(codeOf(error) ?? ""))
        return false;
      throw error;
    }
  }

  async #writeMessages(): Promise<void> {
    const name = `messages-${String(++this.#files).padStart(6, "0")}.json`;
    const out = new JsonTablesWriter(join(this.folder, name));
    await out.table("zerver_message", this.#messages);
    await out.table("zerver_usermessage", this.#receipts);
    await out.close();
    this.#messages = [];
    this.#receipts = [];
  }

  /** Writes what is left. @param created UNIX seconds */
  async finish(name: string, created: number): Promise<void> {
    await this.#writePins();
    if (this.#messages.length > 0) await this.#writeMessages();
    const attachments = new JsonTablesWriter(join(this.folder, "attachment.json"));
    await attachments.table("zerver_attachment", this.#attachments);
    await attachments.close();
    const records = [...this.#emoji.values()].map(({ fileName }) => ({
      path: `1/emoji/images/${fileName}`,
      file_name: fileName,
    }));
    await mkdir(join(this.folder, "emoji"), { recursive: true });
    await writeFile(join(this.folder, "emoji", "records.json"), JSON.stringify(records));
    const out = new JsonTablesWriter(join(this.folder, "realm.json"));
    await out.table("zerver_realm", [{ id: 1, name, string_id: "", date_created: created }]);
    await out.table("zerver_userprofile", this.#people);
    await out.table("zerver_stream", this.#channels);
    await out.table("zerver_recipient", recipientsOf(this.#named()));
    await out.table("zerver_subscription", subscriptionsOf(this.#named()));
    await out.table("parley_received", receivedOf(this.#named()));
    await out.table(
      "zerver_realmemoji",
      [...this.#emoji].map(([own, { id, fileName }]) => ({
        id,
        name: own,
        file_name: fileName,
        author: null,
        deactivated: false,
      })),
    );
    await out.table("zerver_reaction", this.#reactions);
    await out.table("zerver_client", [{ id: 1, name: this.client }]);
    await out.close();
  }
}
