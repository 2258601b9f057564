/**
 * Mattermost's bulk export: a file of JSON lines, and a folder of what is attached.
 * https://docs.mattermost.com/administration-guide/manage/bulk-export-tool.html
 */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { defined } from "../../../storage/failures.ts";
import { isKeyOf, roles } from "../../../storage/rows.ts";
import { isObject } from "../../text/json-object.ts";
import type { OldChannelId, OldUserId } from "../zulip/tables.ts";
import { quotationsOf } from "./attachments.ts";
import type { ExportBuilder, NewMessage } from "./builder.ts";
import { fitting, twice } from "./forms.ts";
import { type Bot, type Channel, forms, type Line, type Post, replyForm, type User } from "./mattermost-forms.ts";
import type { Reading } from "./reading.ts";
import { described, Topics, topicOf } from "./words.ts";

export const mattermostLeftOut = [
  "passwords and keys: everybody but the first owner needs a new password",
  "what each person has read: everything counts as read",
  "pictures and titles of people, teams as such, favorites and threads that somebody follows",
  "notices of people joining and leaving, playbooks, boards, bots' secrets and settings of notifications",
];

/** Of what is in no thread. */
const mainTopic = "imported from Mattermost";
const otherForm = "people, channels and posts in a form that Mattermost's have not";
const seconds = (ms: number): number => Math.floor(ms / 1000);

/** @throws Error when the folder is no bulk export */
export async function convertMattermost(folder: string, builder: ExportBuilder): Promise<void> {
  const [file, ...others] = (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).sort();
  if (file === undefined) throw new Error("This is no bulk export of Mattermost's: it has no .jsonl file.");
  builder.note("other .jsonl files of the folder", others.length);
  await new MattermostConversion(folder, join(folder, file), builder).run();
}

class MattermostConversion {
  readonly #people = new Map<string, OldUserId>();
  /** By team and name. */
  readonly #channels = new Map<string, OldChannelId>();
  /** By name alone: the first of that name. */
  readonly #channelsNamed = new Map<string, OldChannelId>();
  readonly #topics = new Map<OldChannelId, Topics>();
  readonly #teams: string[] = [];
  #now = Math.floor(Date.now() / 1000);
  #oldest = this.#now;

  constructor(
    private readonly folder: string,
    private readonly file: string,
    private readonly builder: ExportBuilder,
  ) {}

  readonly #reading: Reading = {
    text: (text) => this.#text(text),
    plain: (text) => text,
    note: (what, count) => this.builder.note(what, count),
    onOther: () => this.builder.note(otherForm),
  };

  /** People, channels and emoji first: posts name them. */
  async run(): Promise<void> {
    const users: User[] = [];
    const bots: Bot[] = [];
    const channels: Channel[] = [];
    let lines = 0;
    for await (const line of this.#lines(true)) {
      if (++lines === 1 && line.type !== "version") throw new Error("The export does not begin with its version.");
      if (line.type === "team") this.#teams.push(line.team.display_name || line.team.name);
      else if (line.type === "channel") channels.push(line.channel);
      else if (line.type === "user") users.push(line.user);
      else if (line.type === "bot") bots.push(line.bot);
      else if (line.type === "emoji") {
        const path = this.#path(line.emoji.image);
        if (path !== undefined) await this.builder.emoji(line.emoji.name.replaceAll("-", "_"), path);
      } else if (line.type === "post" || line.type === "direct_post") {
        const { create_at } = line.type === "post" ? line.post : line.direct_post;
        if (create_at > 0) this.#oldest = Math.min(this.#oldest, seconds(create_at));
      }
    }
    for (const user of users) this.#person(user);
    for (const bot of bots) this.#bot(bot);
    for (const channel of channels) this.#channel(channel);
    for (const user of users) this.#joins(user);
    for await (const line of this.#lines()) {
      if (line.type === "post") {
        const { post } = line;
        const channel = this.#channels.get(`${post.team}/${post.channel}`);
        if (channel === undefined) this.builder.note("posts in channels that are not in the export");
        else await this.#thread(post, this.#replies(post.replies), channel);
      } else if (line.type === "direct_post") {
        const { direct_post } = line;
        const people = this.#known(direct_post.channel_members, "members of direct conversations who are unknown");
        for (const one of [direct_post, ...this.#replies(direct_post.replies)]) await this.#post(one, { people });
      }
    }
    await this.builder.finish(this.#teams[0] ?? "Mattermost", this.#oldest);
  }

  #replies = (replies: unknown): Post[] => fitting(replies, replyForm, this.#reading.onOther);

  /** Those of the names whom the export has. @param what the others are */
  #known(names: readonly string[], what: string): OldUserId[] {
    return names.flatMap((name) => {
      const known = this.#people.get(name);
      if (known === undefined) this.builder.note(what);
      return known ?? [];
    });
  }

  /** @param isFirst what has another form is noted once */
  async *#lines(isFirst = false): AsyncGenerator<Line> {
    let number = 0;
    for await (const text of createInterface({
      input: createReadStream(this.file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      number++;
      if (text.trim() === "") continue;
      let line: unknown;
      try {
        line = JSON.parse(text);
      } catch {
        throw new Error(`Line ${number} of the export is no JSON.`);
      }
      const kind = isObject(line) ? line["type"] : undefined;
      const form = typeof kind === "string" && isKeyOf(forms, kind) ? forms[kind] : undefined;
      if (form?.is(line)) yield line as Line;
      else if (form && isFirst) this.builder.note(otherForm);
      // Whoever gives no export at all is told so.
      else if (number === 1 && isFirst) throw new Error("The export does not begin with its version.");
      else if (isFirst) this.builder.note("lines of the export about other things: roles, schemes and the like");
    }
  }

  #person(user: User): void {
    const { username } = user;
    if (this.#people.has(username)) {
      this.builder.note(twice);
      return;
    }
    const names = (user.roles ?? "").split(" ");
    const isTeamAdmin = user.teams?.some((team) => team.roles?.split(" ").includes("team_admin")) ?? false;
    const role = names.includes("system_admin")
      ? "owner"
      : isTeamAdmin
        ? "administrator"
        : names.includes("system_guest")
          ? "guest"
          : "member";
    const id = this.builder.person({
      name: [user.first_name, user.last_name].filter(Boolean).join(" ") || user.nickname || username,
      email: user.email || `${username}@mattermost.invalid`,
      role: roles[role],
      isActive: !user.delete_at,
      joined: this.#oldest,
    });
    this.#people.set(username, id);
  }

  #bot({ username, display_name, delete_at }: Bot): void {
    // Some exports have it among the people as well.
    if (!this.#people.has(username)) this.#addBot(username, display_name || username, !delete_at);
  }

  #addBot(key: string, name: string, isActive: boolean): OldUserId {
    const email = `bot-${this.#people.size + 1}@mattermost.invalid`;
    const id = this.builder.person({ name, email, role: roles.member, isActive, isBot: true, joined: this.#oldest });
    this.#people.set(key, id);
    return id;
  }

  #channel(channel: Channel): void {
    if (this.#channels.has(`${channel.team}/${channel.name}`)) {
      this.builder.note(twice);
      return;
    }
    const id = this.builder.channel({
      name: channel.display_name || channel.name,
      description: described(channel.purpose, channel.header),
      isPrivate: channel.type === "P",
      isArchived: !!channel.deleted_at,
      created: this.#oldest,
      creator: null,
    });
    this.#channels.set(`${channel.team}/${channel.name}`, id);
    if (!this.#channelsNamed.has(channel.name)) this.#channelsNamed.set(channel.name, id);
  }

  #joins(user: User): void {
    for (const team of user.teams ?? [])
      for (const { name } of team.channels ?? []) {
        const channel = this.#channels.get(`${team.name}/${name}`);
        if (channel === undefined) this.builder.note("memberships of channels that are not in the export");
        else this.builder.join(channel, defined(this.#people.get(user.username), "such person"));
      }
  }

  async #thread(post: Post, replies: readonly Post[], channel: OldChannelId): Promise<void> {
    let topic = mainTopic;
    if (replies.length > 0) {
      const topics = this.#topics.get(channel) ?? new Topics();
      this.#topics.set(channel, topics);
      topic = topics.free(topicOf(this.#text(post.message ?? ""), "thread"));
    }
    for (const one of [post, ...replies]) await this.#post(one, { channel, topic });
  }

  async #post(post: Post, to: NewMessage["to"]): Promise<void> {
    // Notices have a type of their own; what people say has none.
    if (post.type?.startsWith("system_")) return this.builder.note("notices of the program");
    const sender = this.#sender(post);
    if (sender === undefined) return this.builder.note("posts of somebody unknown");
    await this.builder.message({
      sender,
      to,
      text: [
        `${post.type === "me" ? "/me " : ""}${this.#text(post.message ?? "")}`,
        quotationsOf(post.props?.attachments, this.#reading),
      ]
        .filter((part) => part !== "")
        .join("\n"),
      sentAt: seconds(post.create_at),
      editedAt: post.edit_at ? seconds(post.edit_at) : undefined,
      reactions: (post.reactions ?? []).flatMap(({ user, emoji_name }) =>
        this.#known([user], "reactions of somebody unknown").map((id) => ({
          user: id,
          name: emoji_name.replace(/(?<=\w)-/g, "_"),
        })),
      ),
      starredBy: this.#known(post.flagged_by ?? [], "stars of somebody unknown"),
      files: (post.attachments ?? []).flatMap(({ path }) => {
        const found = this.#path(path);
        return found === undefined ? [] : [{ name: basename(path), path: found }];
      }),
      pin: post.is_pinned ? {} : undefined,
    });
  }

  /** Programs write by somebody's webhook, under a name of their own. */
  #sender({ user, props }: Post): OldUserId | undefined {
    const shown = props?.override_username;
    if (!shown) return this.#people.get(user);
    const key = `webhook ${shown}`;
    return this.#people.get(key) ?? this.#addBot(key, shown, false);
  }

  /** A file of the export; newer versions keep them in a folder `data`. */
  #path(path: string): string | undefined {
    const below = normalize(path);
    if (below.startsWith("..") || below.startsWith("/")) {
      this.builder.note("files outside of the export");
      return undefined;
    }
    return join(this.folder, "data", below);
  }

  /** Mentions and links to channels; the rest is Markdown there too. */
  #text(text: string): string {
    return text
      .split(/(```[\s\S]*?```|`[^`\n]+`)/)
      .map((part, index) =>
        index % 2 === 1
          ? part
          : part
              .replace(/(?<![\w.])@([a-z0-9][a-z0-9._-]*[a-z0-9_-]|[a-z0-9])/gi, (all, name: string) => {
                if (/^(?:all|channel|here)$/i.test(name)) return "@**all**";
                const id = this.#people.get(name.toLowerCase());
                return id === undefined ? all : `@**${this.builder.nameOf(id)}|${id}**`;
              })
              .replace(/(?<![\w~])~([a-z0-9_-]+)/g, (all, name: string) => {
                const channel = this.#channelsNamed.get(name);
                return channel === undefined ? all : `#**${this.builder.channelName(channel)}**`;
              }),
      )
      .join("");
  }
}
