/**
 * Mattermost's bulk export: a file of JSON lines, and a folder of what is attached.
 * https://docs.mattermost.com/administration-guide/manage/bulk-export-tool.html
 */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { array, type Infer, literal, number, string, type, unknown } from "superstruct";
import { defined } from "../../../storage/failures.ts";
import { roles } from "../../../storage/rows.ts";
import type { OldChannelId, OldUserId } from "../zulip/tables.ts";
import { type ExportBuilder, type NewMessage, topicOf } from "./builder.ts";
import { fitting, maybe, twice } from "./forms.ts";

const channelForm = type({
  team: string(),
  name: string(),
  display_name: maybe(string()),
  type: maybe(string()),
  header: maybe(string()),
  purpose: maybe(string()),
  deleted_at: maybe(number()),
});
type Channel = Infer<typeof channelForm>;

const userForm = type({
  username: string(),
  email: maybe(string()),
  nickname: maybe(string()),
  first_name: maybe(string()),
  last_name: maybe(string()),
  roles: maybe(string()),
  delete_at: maybe(number()),
  teams: maybe(
    array(type({ name: string(), roles: maybe(string()), channels: maybe(array(type({ name: string() }))) })),
  ),
});
type User = Infer<typeof userForm>;

const said = {
  user: string(),
  message: maybe(string()),
  /** Milliseconds since 1970. */
  create_at: number(),
  edit_at: maybe(number()),
  type: maybe(string()),
  flagged_by: maybe(array(string())),
  reactions: maybe(array(type({ user: string(), emoji_name: string() }))),
  attachments: maybe(array(type({ path: string() }))),
};
const reply = type(said);
type Post = Infer<typeof reply>;
const thread = { ...said, replies: maybe(array(unknown())) };

/** The lines that are read, by their types; a line has its content under the name of its type. */
const forms = {
  version: type({ type: literal("version") }),
  team: type({ type: literal("team"), team: type({ name: string(), display_name: maybe(string()) }) }),
  channel: type({ type: literal("channel"), channel: channelForm }),
  user: type({ type: literal("user"), user: userForm }),
  emoji: type({ type: literal("emoji"), emoji: type({ name: string(), image: string() }) }),
  post: type({ type: literal("post"), post: type({ ...thread, team: string(), channel: string() }) }),
  direct_post: type({
    type: literal("direct_post"),
    direct_post: type({ ...thread, channel_members: array(string()) }),
  }),
};
type Line = { [Name in keyof typeof forms]: Infer<(typeof forms)[Name]> }[keyof typeof forms];

export const mattermostLeftOut = [
  "passwords and keys: everybody but the first owner needs a new password",
  "what each person has read: everything counts as read",
  "notices of people joining and leaving, playbooks, boards, bots' secrets and settings of notifications",
];

/** Of what is in no thread. */
const mainTopic = "imported from Mattermost";
const otherForm = "people, channels and posts in a form that Mattermost's have not";
const seconds = (ms: number): number => Math.floor(ms / 1000);

/** @throws Error when the folder is no bulk export */
export async function convertMattermost(folder: string, builder: ExportBuilder): Promise<void> {
  const [file] = (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).sort();
  if (file === undefined) throw new Error("This is no bulk export of Mattermost's: it has no .jsonl file.");
  await new MattermostConversion(folder, join(folder, file), builder).run();
}

class MattermostConversion {
  readonly #people = new Map<string, OldUserId>();
  /** By team and name. */
  readonly #channels = new Map<string, OldChannelId>();
  readonly #topics = new Map<OldChannelId, Set<string>>();
  readonly #teams: string[] = [];
  #now = Math.floor(Date.now() / 1000);
  #oldest = this.#now;

  constructor(
    private readonly folder: string,
    private readonly file: string,
    private readonly builder: ExportBuilder,
  ) {}

  /** People, channels and emoji first: posts name them. */
  async run(): Promise<void> {
    const users: User[] = [];
    const channels: Channel[] = [];
    let lines = 0;
    for await (const line of this.#lines(true)) {
      if (++lines === 1 && line.type !== "version") throw new Error("The export does not begin with its version.");
      if (line.type === "team") this.#teams.push(line.team.display_name || line.team.name);
      else if (line.type === "channel") channels.push(line.channel);
      else if (line.type === "user") users.push(line.user);
      else if (line.type === "emoji") {
        const path = this.#path(line.emoji.image);
        if (path !== undefined) await this.builder.emoji(line.emoji.name.replaceAll("-", "_"), path);
      } else if (line.type === "post" || line.type === "direct_post") {
        const { create_at } = line.type === "post" ? line.post : line.direct_post;
        if (create_at > 0) this.#oldest = Math.min(this.#oldest, seconds(create_at));
      }
    }
    for (const user of users) this.#person(user);
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
        const people = direct_post.channel_members.flatMap((name) => this.#people.get(name) ?? []);
        for (const one of [direct_post, ...this.#replies(direct_post.replies)]) await this.#post(one, { people });
      }
    }
    await this.builder.finish(this.#teams[0] ?? "Mattermost", this.#oldest);
  }

  #replies = (replies: unknown): Post[] => fitting(replies, reply, () => this.builder.note(otherForm));

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
      const kind = (line as { type?: unknown } | null)?.type;
      const form =
        typeof kind === "string" && Object.hasOwn(forms, kind) ? forms[kind as keyof typeof forms] : undefined;
      if (form?.is(line)) yield line as Line;
      else if (form && isFirst) this.builder.note(otherForm);
      // Whoever gives no export at all is told so.
      else if (number === 1 && isFirst) throw new Error("The export does not begin with its version.");
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

  #channel(channel: Channel): void {
    if (this.#channels.has(`${channel.team}/${channel.name}`)) {
      this.builder.note(twice);
      return;
    }
    const id = this.builder.channel({
      name: channel.display_name || channel.name,
      description: channel.purpose || channel.header || "",
      isPrivate: channel.type === "P",
      isArchived: !!channel.deleted_at,
      created: this.#oldest,
      creator: null,
    });
    this.#channels.set(`${channel.team}/${channel.name}`, id);
  }

  #joins(user: User): void {
    for (const team of user.teams ?? [])
      for (const { name } of team.channels ?? []) {
        const channel = this.#channels.get(`${team.name}/${name}`);
        if (channel !== undefined) this.builder.join(channel, defined(this.#people.get(user.username), "such person"));
      }
  }

  async #thread(post: Post, replies: readonly Post[], channel: OldChannelId): Promise<void> {
    let topic = mainTopic;
    if (replies.length > 0) {
      const used = this.#topics.get(channel) ?? new Set();
      this.#topics.set(channel, used);
      topic = topicOf(this.#text(post.message ?? ""), "thread");
      // Threads that begin alike stay apart.
      if (used.has(topic)) topic = `${topic.slice(0, 45)} (${used.size + 1})`;
      used.add(topic);
    }
    for (const one of [post, ...replies]) await this.#post(one, { channel, topic });
  }

  async #post(post: Post, to: NewMessage["to"]): Promise<void> {
    // Notices have a type of their own; what people say has none.
    if (post.type?.startsWith("system_")) return this.builder.note("notices of the program");
    const sender = this.#people.get(post.user);
    if (sender === undefined) return this.builder.note("posts of somebody unknown");
    const person = (name: string) => this.#people.get(name) ?? [];
    await this.builder.message({
      sender,
      to,
      text: `${post.type === "me" ? "/me " : ""}${this.#text(post.message ?? "")}`,
      sentAt: seconds(post.create_at),
      editedAt: post.edit_at ? seconds(post.edit_at) : undefined,
      reactions: (post.reactions ?? []).flatMap(({ user, emoji_name }) => {
        const id = this.#people.get(user);
        return id === undefined ? [] : [{ user: id, name: emoji_name.replace(/(?<=\w)-/g, "_") }];
      }),
      starredBy: (post.flagged_by ?? []).flatMap(person),
      files: (post.attachments ?? []).flatMap(({ path }) => {
        const found = this.#path(path);
        return found === undefined ? [] : [{ name: basename(path), path: found }];
      }),
    });
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
                const channel = this.#channelNamed(name);
                return channel === undefined ? all : `#**${this.builder.channelName(channel)}**`;
              }),
      )
      .join("");
  }

  #channelNamed(name: string): OldChannelId | undefined {
    for (const [key, id] of this.#channels) if (key.endsWith(`/${name}`)) return id;
    return undefined;
  }
}
