/** Microsoft Teams, as Microsoft Graph tells it: a folder of its answers (docs/moving.md). */
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Struct } from "superstruct";
import { roles } from "../../../storage/rows.ts";
import { emojiNames, findEmojiCharacters } from "../../markdown/emoji.ts";
import type { OldChannelId, OldUserId } from "../zulip/tables.ts";
import type { ExportBuilder, NewMessage } from "./builder.ts";
import { fitting, twice } from "./forms.ts";
import { attachmentsOf } from "./teams-attachments.ts";
import { GraphAnswers } from "./teams-files.ts";
import {
  attachmentForm,
  type Channel,
  type Chat,
  channelForm,
  chatForm,
  type Message,
  memberForm,
  mentionForm,
  messageForm,
  reactionForm,
  type Team,
  teamForm,
  type User,
  userForm,
} from "./teams-forms.ts";
import { type Elements, markdownOf, maxHtml } from "./teams-text.ts";
import { Topics, topicOf } from "./words.ts";

export const teamsLeftOut = [
  "passwords and keys: everybody but the first owner needs a new password",
  "what each person has read: everything counts as read",
  "pictures of people, tags, pins, names of group chats, apps, tabs, wikis and meetings",
];

/** Of what is in no thread. */
const mainTopic = "imported from Teams";
const needed = ["users", "messages"] as const;
/** What older clients call reactions; newer ones send the emoji itself. */
const reactionNames = new Map([
  ["like", "+1"],
  ["heart", "heart"],
  ["laugh", "laughing"],
  ["surprised", "open_mouth"],
  ["sad", "frown"],
  ["angry", "rage"],
]);

/** @throws Error when the folder has no answers of Graph's, or what is in them is no JSON */
export async function convertTeams(folder: string, builder: ExportBuilder): Promise<void> {
  const from = new GraphAnswers(folder, (what) => builder.note(what));
  for (const list of needed)
    if (!(await from.has(list)))
      throw new Error(`These are no answers of Microsoft Graph's: there is no ${list}.json.`);
  await new TeamsConversion(folder, from, builder).run();
}

type Place = { channel: OldChannelId } | { people: readonly OldUserId[] };

/** Seconds since 1970; undefined for what is no time. */
function secondsOf(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isFinite(ms) && ms >= 0 ? Math.floor(ms / 1000) : undefined;
}

/** An id as a part of a file's name. */
const inNames = (id: string): string => id.replace(/[^A-Za-z0-9.-]/g, "_");

class TeamsConversion {
  readonly #people = new Map<string, OldUserId>();
  readonly #places = new Map<string, Place>();
  /** Of threads, by the place and the message that begins each. */
  readonly #topics = new Map<string, string>();
  readonly #taken = new Map<OldChannelId, Topics>();
  /** Messages that were read, by their places. */
  readonly #seen = new Set<string>();
  /** Names of files, by themselves and without their extension. */
  readonly #files = new Map<string, string>();
  #oldest = Math.floor(Date.now() / 1000);

  constructor(
    private readonly folder: string,
    private readonly from: GraphAnswers,
    private readonly builder: ExportBuilder,
  ) {}

  readonly #other = (): void => this.builder.note("parts of messages in a form that Graph's have not");

  /** People, places and threads first: messages name them. */
  async run(): Promise<void> {
    for (const name of await this.from.names("files"))
      for (const key of [name, name.replace(/\.[^.]*$/, "")]) this.#files.set(key, name);
    const teams = await this.#all("teams", teamForm);
    const administrators = new Set((await this.#all("administrators", userForm)).map(({ id }) => id));
    const owners = await this.#ownersOf(teams);
    for await (const message of this.#messages(true))
      this.#oldest = Math.min(this.#oldest, secondsOf(message.createdDateTime) ?? this.#oldest);
    for (const user of await this.#all("users", userForm)) this.#person(user, administrators, owners);
    for (const team of teams) await this.#team(team);
    for (const chat of await this.#all("chats", chatForm)) this.#chat(chat);
    await this.#findThreads();
    for await (const message of this.#messages()) await this.#message(message);
    await this.builder.finish("Teams", this.#oldest);
  }

  async #all<T, S>(list: string, form: Struct<T, S>): Promise<T[]> {
    const all: T[] = [];
    for await (const row of this.from.rows(list, form)) all.push(row);
    return all;
  }

  /** Messages and their answers, which are with them or rows of their own. @param isFirst what is odd is told once */
  async *#messages(isFirst = false): AsyncGenerator<Message> {
    const onOther = isFirst ? this.#other : () => {};
    for await (const message of this.from.rows("messages", messageForm, isFirst)) {
      yield message;
      for (const reply of fitting(message.replies, messageForm, onOther)) {
        const { channelIdentity, chatId } = message;
        yield { ...reply, replyToId: message.id, channelIdentity, chatId };
        // Answers have none themselves.
        if (isFirst && Array.isArray(reply.replies))
          this.builder.note("answers to answers, which Graph never has", reply.replies.length);
      }
    }
  }

  async #ownersOf(teams: readonly Team[]): Promise<Set<string>> {
    const owners = new Set<string>();
    for (const { id } of teams)
      for await (const { userId, roles: named } of this.from.rows(`members/${inNames(id)}`, memberForm))
        if (userId && named?.includes("owner")) owners.add(userId);
    return owners;
  }

  #person(user: User, administrators: ReadonlySet<string>, owners: ReadonlySet<string>): void {
    if (this.#people.has(user.id)) {
      this.builder.note(twice);
      return;
    }
    // Without a list of administrators those who own a team have to do.
    const isAdministrator = administrators.size > 0 ? administrators.has(user.id) : owners.has(user.id);
    const isGuest = user.userType?.toLowerCase() === "guest";
    const role = isAdministrator ? "owner" : isGuest ? "guest" : owners.has(user.id) ? "administrator" : "member";
    const id = this.builder.person({
      name: user.displayName || user.userPrincipalName || user.id,
      email: user.mail || user.userPrincipalName || `${inNames(user.id)}@teams.invalid`,
      role: roles[role],
      isActive: user.accountEnabled !== false,
      joined: secondsOf(user.createdDateTime) ?? this.#oldest,
    });
    this.#people.set(user.id, id);
  }

  async #team(team: Team): Promise<void> {
    const own = inNames(team.id);
    for await (const channel of this.from.rows(`channels/${own}`, channelForm)) {
      if (this.#places.has(channel.id)) this.builder.note(twice);
      else await this.#channel(team, channel, own);
    }
  }

  async #channel(team: Team, channel: Channel, own: string): Promise<void> {
    const isStandard = !channel.membershipType || channel.membershipType === "standard";
    const id = this.builder.channel({
      name: `${team.displayName || team.id} / ${channel.displayName || channel.id}`,
      description: channel.description || team.description || "",
      isPrivate: !isStandard || team.visibility?.toLowerCase() !== "public",
      isArchived: channel.isArchived === true || team.isArchived === true,
      created: secondsOf(channel.createdDateTime) ?? this.#oldest,
      creator: null,
    });
    this.#places.set(channel.id, { channel: id });
    const list = `members/${isStandard ? own : inNames(channel.id)}`;
    if (!(await this.from.has(list))) this.builder.note("channels whose members are not in the folder");
    for await (const { userId } of this.from.rows(list, memberForm, !isStandard)) {
      const person = this.#people.get(userId ?? "");
      if (person === undefined) this.builder.note("members of channels who are unknown");
      else this.builder.join(id, person);
    }
  }

  #chat({ id, members }: Chat): void {
    if (this.#places.has(id)) {
      this.builder.note(twice);
      return;
    }
    const people = (members ?? []).flatMap(({ userId }) => {
      const known = this.#people.get(userId ?? "");
      if (known === undefined) this.builder.note("members of chats who are unknown");
      return known ?? [];
    });
    if (people.length === 0) this.builder.note("chats with nobody known");
    else this.#places.set(id, { people });
  }

  #placeOf({ chatId, channelIdentity }: Message): { key: string; place: Place } | undefined {
    const key = chatId || channelIdentity?.channelId || "";
    const place = this.#places.get(key);
    return place && { key, place };
  }

  /** A message that has answers, or a subject, begins a thread. */
  async #findThreads(): Promise<void> {
    const answered = new Set<string>();
    for await (const message of this.#messages()) {
      const found = this.#placeOf(message);
      if (found && message.replyToId) answered.add(`${found.key} ${message.replyToId}`);
    }
    for await (const message of this.#messages()) {
      const found = this.#placeOf(message);
      if (!found || !("channel" in found.place) || message.replyToId) continue;
      const key = `${found.key} ${message.id}`;
      if (this.#topics.has(key) || (!answered.has(key) && !message.subject?.trim())) continue;
      const topics = this.#taken.get(found.place.channel) ?? new Topics();
      this.#taken.set(found.place.channel, topics);
      const words = message.subject?.trim() || this.#bodyOf(message, []);
      this.#topics.set(key, topics.free(topicOf(words, "thread")));
    }
  }

  async #message(message: Message): Promise<void> {
    const sentAt = secondsOf(message.createdDateTime);
    const found = this.#placeOf(message);
    // Both calls for messages may have been made, and each person of a chat has it.
    const key = `${found?.key} ${message.id}`;
    if (found && this.#seen.has(key)) return this.builder.note("messages that are in the folder twice");
    this.#seen.add(key);
    if (message.deletedDateTime) return this.builder.note("messages that were deleted");
    if (message.messageType && message.messageType !== "message") return this.builder.note("notices of the program");
    if (sentAt === undefined) return this.builder.note("messages without a time");
    if (!found) return this.builder.note("messages in channels and chats that are not in the folder");
    const sender = this.#sender(message);
    if (sender === undefined) return this.builder.note("messages of somebody unknown");
    const files: { name: string; path: string }[] = [];
    const body = this.#bodyOf(message, files, true);
    const { before, behind } = attachmentsOf(fitting(message.attachments, attachmentForm, this.#other), {
      note: (what) => this.builder.note(what),
      markdown: (html) => markdownOf(html, this.#elementsOf(message, [])),
      place: (attachment) => this.#file(attachment.id ?? "", attachment.name ?? "", files),
    });
    for (const file of files) file.path = await this.#inside(file.path);
    await this.builder.message({
      sender,
      to: this.#to(found, message),
      text: [...before, body, ...behind].filter((part) => part !== "").join("\n"),
      sentAt,
      editedAt: secondsOf(message.lastEditedDateTime),
      reactions: this.#reactions(message),
      files,
    });
  }

  #to({ key, place }: { key: string; place: Place }, { id, replyToId }: Message): NewMessage["to"] {
    if ("people" in place) return place;
    const topic = this.#topics.get(`${key} ${replyToId || id}`);
    if (topic === undefined && replyToId) this.builder.note("answers to what is not in the folder, in no thread");
    return { channel: place.channel, topic: topic ?? mainTopic };
  }

  /** @param isTold what is not read of it is counted */
  #bodyOf(message: Message, files: { name: string; path: string }[], isTold = false): string {
    const { contentType, content } = message.body ?? {};
    if (!content || contentType?.toLowerCase() !== "html") return content ?? "";
    if (isTold && content.length > maxHtml) this.builder.note("messages over 500,000 characters, which are cut");
    return markdownOf(content, this.#elementsOf(message, files, isTold));
  }

  #elementsOf({ mentions }: Message, files: { name: string; path: string }[], isTold = false): Elements {
    const named = new Map(
      fitting(mentions, mentionForm, isTold ? this.#other : () => {}).map((one) => [String(one.id), one]),
    );
    return {
      mention: (id) => {
        const mentioned = named.get(id)?.mentioned;
        if (mentioned?.conversation) return "@**all**";
        const person = this.#people.get(mentioned?.user?.id ?? "");
        return person === undefined ? undefined : `@**${this.builder.nameOf(person)}|${person}**`;
      },
      picture: (address) => {
        const hosted = /\/hostedContents\/([^/?#]+)\/\$value/.exec(address)?.[1];
        if (hosted === undefined) return /^https?:\/\/[^\s<>()]+$/.test(address) ? address : undefined;
        if (this.#file(hosted, "", files)) return "";
        if (isTold) this.builder.note("pictures in messages that are not in the folder");
        return undefined;
      },
    };
  }

  /** @returns whether the folder has it */
  #file(id: string, name: string, files: { name: string; path: string }[]): boolean {
    const found = this.#files.get(inNames(id));
    if (id === "" || found === undefined) return false;
    files.push({ name: name || found.slice(-80), path: join(this.folder, "files", basename(found)) });
    return true;
  }

  /** What a folder of one file stands for. */
  async #inside(path: string): Promise<string> {
    if (!(await stat(path)).isDirectory()) return path;
    const [name] = await this.from.names("files", basename(path));
    return name === undefined ? path : join(path, name);
  }

  #reactions({ reactions }: Message): { user: OldUserId; name: string }[] {
    return fitting(reactions, reactionForm, this.#other).flatMap(({ reactionType, user }) => {
      const person = this.#people.get(user?.user?.id ?? "");
      if (person === undefined) this.builder.note("reactions of somebody unknown");
      const code = findEmojiCharacters(reactionType)[0]?.code;
      const name = reactionNames.get(reactionType) ?? (code === undefined ? undefined : emojiNames(code)[0]);
      return person === undefined ? [] : [{ user: person, name: name ?? reactionType }];
    });
  }

  /** Applications, and people of other organizations, are in no list. */
  #sender({ from }: Message): OldUserId | undefined {
    const shown = from?.user ?? from?.application;
    const known = this.#people.get(shown?.id ?? "");
    if (known !== undefined || !shown?.id || !shown.displayName) return known;
    const isBot = !from?.user;
    const id = this.builder.person({
      name: shown.displayName,
      email: `${isBot ? "bot" : "guest"}-${this.#people.size + 1}@teams.invalid`,
      role: isBot ? roles.member : roles.guest,
      isActive: false,
      isBot,
      joined: this.#oldest,
    });
    this.#people.set(shown.id, id);
    return id;
  }
}
