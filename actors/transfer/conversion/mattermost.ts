/**
 * Mattermost's bulk export: a file of JSON lines, and a folder of what is attached.
 * https://docs.mattermost.com/administration-guide/manage/bulk-export-tool.html
 */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { roles } from "../../../storage/rows.ts";
import type { OldChannelId, OldUserId } from "../zulip/tables.ts";
import { type ExportBuilder, type NewMessage, topicOf } from "./builder.ts";

interface Line {
  type: string;
  team?: { name: string; display_name?: string };
  channel?: Channel;
  user?: User;
  post?: Post & { team: string; channel: string };
  direct_post?: Post & { channel_members: string[] };
  emoji?: { name: string; image: string };
}

interface Channel {
  team: string;
  name: string;
  display_name?: string;
  type?: string;
  header?: string;
  purpose?: string;
  deleted_at?: number;
}

interface User {
  username: string;
  email?: string;
  nickname?: string;
  first_name?: string;
  last_name?: string;
  roles?: string;
  delete_at?: number;
  teams?: { name: string; roles?: string; channels?: { name: string }[] | null }[] | null;
}

interface Post {
  user: string;
  message?: string;
  /** Milliseconds since 1970. */
  create_at: number;
  edit_at?: number;
  type?: string;
  flagged_by?: string[] | null;
  reactions?: { user: string; emoji_name: string }[] | null;
  attachments?: { path: string }[] | null;
  replies?: Post[] | null;
}

export const mattermostLeftOut = [
  "passwords and keys: everybody but the first owner needs a new password",
  "what each person has read: everything counts as read",
  "notices of people joining and leaving, playbooks, boards, bots' secrets and settings of notifications",
];

/** Of what is in no thread. */
const mainTopic = "imported from Mattermost";
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
    let number = 0;
    for await (const line of this.#lines()) {
      if (++number === 1 && line.type !== "version") throw new Error("The export does not begin with its version.");
      if (line.type === "team" && line.team) this.#teams.push(line.team.display_name || line.team.name);
      else if (line.type === "channel" && line.channel) channels.push(line.channel);
      else if (line.type === "user" && line.user) users.push(line.user);
      else if (line.type === "emoji" && line.emoji) {
        const path = this.#path(line.emoji.image);
        if (path !== undefined) await this.builder.emoji(line.emoji.name.replaceAll("-", "_"), path);
      }
      const at = line.post?.create_at ?? line.direct_post?.create_at;
      if (at !== undefined) this.#oldest = Math.min(this.#oldest, seconds(at));
    }
    for (const user of users) this.#person(user);
    for (const channel of channels) this.#channel(channel);
    for (const user of users) this.#joins(user);
    for await (const { type, post, direct_post } of this.#lines()) {
      if (type === "post" && post) {
        const channel = this.#channels.get(`${post.team}/${post.channel}`);
        if (channel === undefined) this.builder.note("posts in channels that are not in the export");
        else await this.#thread(post, channel);
      } else if (type === "direct_post" && direct_post) {
        const people = direct_post.channel_members.flatMap((name) => this.#people.get(name) ?? []);
        for (const one of [direct_post, ...(direct_post.replies ?? [])]) await this.#post(one, { people });
      }
    }
    await this.builder.finish(this.#teams[0] ?? "Mattermost", this.#oldest);
  }

  async *#lines(): AsyncGenerator<Line> {
    let number = 0;
    for await (const text of createInterface({
      input: createReadStream(this.file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      number++;
      if (text.trim() === "") continue;
      let line: Line;
      try {
        line = JSON.parse(text) as Line;
      } catch {
        throw new Error(`Line ${number} of the export is no JSON.`);
      }
      yield line;
    }
  }

  #person(user: User): void {
    const { username } = user;
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
        if (channel !== undefined) this.builder.join(channel, this.#people.get(user.username)!);
      }
  }

  async #thread(post: Post, channel: OldChannelId): Promise<void> {
    const replies = post.replies ?? [];
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
