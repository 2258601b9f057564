/** Rocket.Chat's collections, as `mongoexport` writes them, and a folder of files where it keeps them in one. */
import { roles } from "../../../storage/rows.ts";
import type { OldChannelId, OldUserId } from "../zulip/tables.ts";
import { quotationsOf } from "./attachments.ts";
import { textOfBlocks } from "./blocks.ts";
import type { ExportBuilder, NewMessage } from "./builder.ts";
import { twice } from "./forms.ts";
import { gridFiles } from "./grid-files.ts";
import { MongoExport } from "./mongo-export.ts";
import type { Reading } from "./reading.ts";
import {
  emojiForm,
  type Message,
  messageForm,
  type Room,
  roomForm,
  settingForm,
  subscriptionForm,
  type User,
  userForm,
} from "./rocketchat-forms.ts";
import { type Names, textOf } from "./rocketchat-text.ts";
import { described, Topics, topicOf } from "./words.ts";

export const rocketchatLeftOut = [
  "passwords and keys: everybody but the first owner needs a new password",
  "what each person has read: everything counts as read",
  "avatars, teams as such, notices of people joining and leaving, settings of notifications",
];

/** Of what is in no thread. */
const mainTopic = "imported from Rocket.Chat";
const needed = ["users", "rocketchat_room", "rocketchat_message"] as const;
/** Collections and folders, without their extension. */
const read = [
  ...needed,
  "rocketchat_subscription",
  "rocketchat_settings",
  "rocketchat_custom_emoji",
  ...["custom_emoji", "rocketchat_uploads"].flatMap((bucket) => [bucket, `${bucket}.files`, `${bucket}.chunks`]),
];
const seconds = (ms: number): number => Math.floor(ms / 1000);

/** @throws Error when the folder has no collections of Rocket.Chat's, or what is in them is no JSON */
export async function convertRocketchat(folder: string, builder: ExportBuilder): Promise<void> {
  const from = await MongoExport.open(folder);
  builder.note("collections that are not read", from.others(read).length);
  const missing = needed.find((name) => !from.has(name));
  if (missing !== undefined) throw new Error(`This is no export of Rocket.Chat's: it has no ${missing}.json.`);
  await new RocketchatConversion(folder, from, builder).run();
}

/** What a room becomes. */
type Place = { channel: OldChannelId; topic?: string } | { people: readonly OldUserId[] };

class RocketchatConversion {
  readonly #people = new Map<string, OldUserId>();
  readonly #byName = new Map<string, OldUserId>();
  readonly #addresses = new Set<string>();
  readonly #places = new Map<string, Place>();
  /** By the name in addresses. */
  readonly #channelNames = new Map<string, OldChannelId>();
  /** Of threads, by the message that begins each. */
  readonly #topics = new Map<string, string>();
  #files: ReadonlyMap<string, string> = new Map();
  #oldest = seconds(Date.now());

  constructor(
    private readonly folder: string,
    private readonly from: MongoExport,
    private readonly builder: ExportBuilder,
  ) {}

  readonly #names: Names = {
    mention: (username) => {
      const id = this.#byName.get(username);
      return id === undefined ? undefined : `@**${this.builder.nameOf(id)}|${id}**`;
    },
    channel: (name) => {
      const id = this.#channelNames.get(name);
      return id === undefined ? undefined : `#**${this.builder.channelName(id)}**`;
    },
  };

  readonly #other = (): void => this.builder.note("documents in a form that Rocket.Chat's have not");

  readonly #reading: Reading = {
    text: (text) => textOf(text, this.#names),
    plain: (text) => text,
    note: (what, count) => this.builder.note(what, count),
    onOther: this.#other,
  };

  #bucket(bucket: string): Promise<Map<string, string>> {
    const target = this.builder.ownFolder(bucket);
    return gridFiles(this.from, { folder: this.folder, bucket, target, onOther: this.#other });
  }

  /** People, rooms and threads first: messages name them. What has another form is noted then. */
  async run(): Promise<void> {
    const users = await this.#all("users", userForm);
    const rooms = await this.#all("rocketchat_room", roomForm);
    for await (const { ts } of this.from.documents("rocketchat_message", messageForm, this.#other))
      if (ts > 0) this.#oldest = Math.min(this.#oldest, seconds(ts));
    for (const user of users) this.#person(user);
    for (const room of rooms.filter(({ prid }) => !prid)) this.#room(room);
    for (const room of rooms.filter(({ prid }) => prid)) this.#discussion(room);
    for await (const { rid, u } of this.from.documents("rocketchat_subscription", subscriptionForm, this.#other))
      this.#join(rid, u._id);
    const pictures = await this.#bucket("custom_emoji");
    for await (const { name, extension } of this.from.documents("rocketchat_custom_emoji", emojiForm, this.#other))
      await this.builder.emoji(name.replaceAll("-", "_"), pictures.get(`${name}.${extension}`) ?? "");
    this.#files = await this.#bucket("rocketchat_uploads");
    await this.#findThreads();
    for await (const message of this.from.documents("rocketchat_message", messageForm, () => {}))
      await this.#message(message);
    await this.builder.finish(await this.#siteName(), this.#oldest);
  }

  async #all<T, S>(collection: string, form: Parameters<typeof this.from.documents<T, S>>[1]): Promise<T[]> {
    const all: T[] = [];
    for await (const one of this.from.documents(collection, form, this.#other)) all.push(one);
    return all;
  }

  async #siteName(): Promise<string> {
    for await (const { _id, value } of this.from.documents("rocketchat_settings", settingForm, () => {}))
      if (_id === "Site_Name" && typeof value === "string" && value !== "") return value;
    return "Rocket.Chat";
  }

  #person(user: User): void {
    if (this.#people.has(user._id)) {
      this.builder.note(twice);
      return;
    }
    const username = user.username || user._id;
    const has = (role: string): boolean => user.roles?.includes(role) ?? false;
    const isBot = user.type === "bot" || user.type === "app" || has("bot") || has("app");
    const role = has("admin") && !isBot ? "owner" : has("guest") ? "guest" : "member";
    const id = this.builder.person({
      name: user.name || username,
      email: this.#address(user.emails?.[0]?.address, username),
      role: roles[role],
      isActive: user.active !== false,
      isBot,
      joined: user.createdAt ? seconds(user.createdAt) : this.#oldest,
    });
    this.#people.set(user._id, id);
    this.#byName.set(username, id);
  }

  /** Visitors, bots and apps have none. Two people may not have the same. */
  #address(given: string | undefined, username: string): string {
    const isTaken = given !== undefined && this.#addresses.has(given.toLowerCase());
    if (isTaken) this.builder.note("addresses that somebody else has already");
    const local = username.toLowerCase().replace(/[^a-z0-9._-]/g, "-");
    const address = given && !isTaken ? given : `${local}-${this.#people.size + 1}@rocketchat.invalid`;
    this.#addresses.add(address.toLowerCase());
    return address;
  }

  #room(room: Room): void {
    const { _id, t } = room;
    if (this.#places.has(_id)) this.builder.note(twice);
    else if (t === "d") this.#places.set(_id, { people: this.#peopleOf(room) });
    else if (t === "c" || t === "p") this.#channel(room);
    else this.builder.note("conversations with visitors of a site, and rooms of other kinds");
  }

  #peopleOf({ uids, usernames }: Room): OldUserId[] {
    const what = "members of direct conversations who are unknown";
    return uids ? this.#known(this.#people, uids, what) : this.#known(this.#byName, usernames ?? [], what);
  }

  /** Those of the ids or names that the export has. @param what the others are */
  #known(people: ReadonlyMap<string, OldUserId>, given: readonly string[], what: string): OldUserId[] {
    return given.flatMap((one) => {
      const known = people.get(one);
      if (known === undefined) this.builder.note(what);
      return known ?? [];
    });
  }

  #channel(room: Room): void {
    const creator = this.#people.get(room.u?._id ?? "") ?? null;
    if (room.u && creator === null) this.builder.note("creators of rooms who are unknown");
    const id = this.builder.channel({
      name: room.fname || room.name || room._id,
      description: described(room.description, room.topic, room.announcement),
      isPrivate: room.t !== "c",
      isArchived: room.archived === true,
      created: room.ts ? seconds(room.ts) : this.#oldest,
      creator,
    });
    this.#places.set(room._id, { channel: id });
    if (room.name) this.#channelNames.set(room.name, id);
  }

  /** A topic of its channel, where everybody there may read it; else a channel. */
  #discussion(room: Room): void {
    const parent = this.#places.get(room.prid ?? "");
    if (this.#places.has(room._id) || room.t !== "c" || !parent || !("channel" in parent)) {
      this.#room(room);
      return;
    }
    const topic = this.#freeTopic(parent.channel, topicOf(room.fname || room.name || "", "discussion"));
    if (described(room.description, room.topic, room.announcement) !== "")
      this.builder.note("descriptions of discussions that became topics");
    this.#places.set(room._id, { channel: parent.channel, topic });
  }

  #join(room: string, user: string): void {
    const [place, person] = [this.#places.get(room), this.#people.get(user)];
    if (place === undefined || person === undefined) this.builder.note("memberships of rooms or people unknown");
    else if ("channel" in place && place.topic === undefined) this.builder.join(place.channel, person);
    else if ("channel" in place) this.builder.note("memberships of discussions that became topics");
  }

  async #findThreads(): Promise<void> {
    for await (const { _id, rid, msg, tcount } of this.from.documents("rocketchat_message", messageForm, () => {})) {
      const place = this.#places.get(rid);
      if (!tcount || this.#topics.has(_id) || !place || !("channel" in place) || place.topic !== undefined) continue;
      this.#topics.set(_id, this.#freeTopic(place.channel, topicOf(textOf(msg ?? "", this.#names), "thread")));
    }
  }

  readonly #taken = new Map<OldChannelId, Topics>();

  #freeTopic(channel: OldChannelId, wanted: string): string {
    const topics = this.#taken.get(channel) ?? new Topics();
    this.#taken.set(channel, topics);
    return topics.free(wanted);
  }

  /** Why a message does not come along. */
  #leftOut({ t, _hidden }: Message): string | undefined {
    if (_hidden) return "earlier texts of edited messages";
    if (t === "e2e") return "messages that are encrypted between people";
    return t ? "notices of the program" : undefined;
  }

  async #message(message: Message): Promise<void> {
    const why = this.#leftOut(message);
    const place = this.#places.get(message.rid);
    const sender = this.#sender(message);
    if (why !== undefined) return this.builder.note(why);
    if (place === undefined) return this.builder.note("messages in rooms that did not come along");
    if (sender === undefined) return this.builder.note("messages of somebody unknown");
    const starred = (message.starred ?? []).map(({ _id }) => _id);
    await this.builder.message({
      sender,
      to: this.#to(place, message),
      text: this.#text(message),
      sentAt: seconds(message.ts),
      editedAt: message.editedAt ? seconds(message.editedAt) : undefined,
      reactions: this.#reactions(message),
      starredBy: this.#known(this.#people, starred, "stars of somebody unknown"),
      files: this.#filesOf(message),
      pin: message.pinned
        ? {
            by: this.#people.get(message.pinnedBy?._id ?? ""),
            at: message.pinnedAt ? seconds(message.pinnedAt) : undefined,
          }
        : undefined,
    });
  }

  /** Programs write by somebody's webhook, under a name of their own. */
  #sender({ u, alias }: Message): OldUserId | undefined {
    if (!alias) return this.#people.get(u._id);
    const key = `webhook ${alias}`;
    const made = this.#people.get(key);
    if (made !== undefined) return made;
    const email = this.#address(undefined, "webhook");
    const own = { role: roles.member, isActive: false, isBot: true, joined: this.#oldest };
    const id = this.builder.person({ name: alias, email, ...own });
    this.#people.set(key, id);
    return id;
  }

  #to(place: Place, { _id, tmid }: Message): NewMessage["to"] {
    if ("people" in place) return place;
    return { channel: place.channel, topic: place.topic ?? this.#topics.get(tmid || _id) ?? mainTopic };
  }

  #text({ msg, attachments, blocks }: Message): string {
    const parts = [quotationsOf(attachments, this.#reading), textOf(msg ?? "", this.#names)];
    return [...parts, textOfBlocks(blocks, this.#reading)].filter((part) => part !== "").join("\n");
  }

  #reactions({ reactions }: Message): { user: OldUserId; name: string }[] {
    return Object.entries(reactions ?? {}).flatMap(([emoji, { usernames }]) =>
      this.#known(this.#byName, usernames ?? [], "reactions of somebody unknown").map((user) => ({
        user,
        name: emoji.replace(/^:|:$/g, "").replace(/(?<=\w)-/g, "_"),
      })),
    );
  }

  /** A picture has a smaller one of itself beside it, whose name says so. */
  #filesOf({ file, files }: Message): { name: string; path: string }[] {
    const all = new Map([...(files ?? []), ...(file ? [file] : [])].map((one) => [one._id, one.name || one._id]));
    return [...all]
      .filter(([, name]) => all.size === 1 || !name.startsWith("thumb-"))
      .map(([id, name]) => ({ name, path: this.#files.get(id) ?? "" }));
  }
}
