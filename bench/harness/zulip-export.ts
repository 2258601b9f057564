/**
 * An organization as Zulip's own `export` writes it, made up and of any size. Each message has a row for everybody who
 * received it, so those rows are most of it. The same size gives the same export.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { JsonTablesWriter } from "../../storage/transfer/json-tables.ts";

export interface ExportSize {
  messages: number;
  people: number;
  channels: number;
}

export interface ExportCounts {
  /** Rows of people who received a message. */
  receipts: number;
  reactions: number;
  bytes: number;
}

/** What Zulip puts into one file. */
const messagesPerFile = 1000;
/** Old ids begin somewhere, as on a server with other organizations. */
const first = { user: 1001, channel: 301, recipient: 5001, message: 70_000 };
const [personal, channel] = [1, 2];
const startedAt = 1_600_000_000;
const flags = { read: 1, starred: 2, mentioned: 8, direct: 2048 };
const uploads = 20;

/** Writes the export into a folder that is not there yet. */
export async function writeZulipExport(folder: string, size: ExportSize): Promise<ExportCounts> {
  mkdirSync(folder, { recursive: true });
  const maker = new Maker(folder, size);
  await maker.writeMessages();
  await maker.writeUploads();
  await maker.writeRealm();
  return maker.counts;
}

class Maker {
  readonly counts: ExportCounts = { receipts: 0, reactions: 0, bytes: 0 };
  readonly #random = randomNumbers(7);
  readonly #words = makeWords();
  /** People of each channel: from a few to half of all. */
  readonly #members: number[][];
  readonly #reactions: string[] = [];
  readonly #attached = new Map<number, number>();

  constructor(
    private readonly folder: string,
    private readonly size: ExportSize,
  ) {
    this.#members = Array.from({ length: size.channels }, (_, at) => {
      const share = 0.03 + 0.3 * (at / size.channels) ** 2;
      return Array.from({ length: size.people }, (_, person) => person).filter(
        (person) => person === at % size.people || this.#random() < share,
      );
    });
  }

  async writeMessages(): Promise<void> {
    const { messages } = this.size;
    for (let begin = 0, file = 1; begin < messages; begin += messagesPerFile, file++) {
      const out = new JsonTablesWriter(join(this.folder, `messages-${String(file).padStart(6, "0")}.json`));
      const receipts: string[] = [];
      out.begin("zerver_message");
      for (let at = begin; at < Math.min(begin + messagesPerFile, messages); at++) {
        const text = this.#message(at, receipts);
        this.counts.bytes += text.length;
        await out.row(text);
      }
      out.begin("zerver_usermessage");
      for (const text of receipts) {
        this.counts.bytes += text.length;
        await out.row(text);
      }
      await out.close();
    }
  }

  #message(at: number, receipts: string[]): string {
    const random = this.#random;
    const isDirect = random() < 0.2;
    const place = Math.floor(random() ** 0.7 * this.size.channels);
    const members = this.#members[place]!;
    const sender = members[Math.floor(random() * members.length)]!;
    const other = Math.floor(random() * this.size.people);
    const received = isDirect ? [...new Set([sender, other])] : members;
    const id = first.message + 3 * at;
    const words = Array.from(
      { length: 4 + Math.floor(40 * random() ** 2) },
      () => this.#words[Math.floor(this.#words.length * random() ** 2)]!,
    );
    const mentioned = !isDirect && random() < 0.05 ? members[Math.floor(random() * members.length)]! : undefined;
    const name = (person: number) => `Person ${person}`;
    let content = words.join(" ");
    let html = content;
    if (mentioned !== undefined) {
      content += ` @**${name(mentioned)}|${first.user + mentioned}**`;
      html += ` <span class="user-mention" data-user-id="${first.user + mentioned}">@${name(mentioned)}</span>`;
    }
    if (random() < 0.03) {
      const path = `#narrow/stream/${first.channel + place}-c/topic/t/near/${id - 3}`;
      content += ` [there](${path})`;
      html += ` <a href="/${path}">there</a>`;
    }
    if (at % 50 === 7 && this.#attached.size < uploads) {
      this.#attached.set(at, sender);
      content += ` [file](/user_uploads/${uploadPath(at)})`;
      html += ` <a href="/user_uploads/${uploadPath(at)}">file</a>`;
    }
    const isEdited = random() < 0.03;
    for (const person of received) this.#receive(at, { id, person, sender, mentioned, isDirect }, receipts);
    while (random() < 0.25) this.#react(id, Math.floor(random() * this.size.people));
    const sentAt = startedAt + at * 20 + random();
    return row({
      id,
      realm: 5,
      sender: first.user + sender,
      recipient: first.recipient + (isDirect ? this.size.channels + other : place),
      subject: isDirect ? "" : `topic ${Math.floor(random() * 30)}`,
      content,
      rendered_content: `<p>${html}</p>`,
      rendered_content_version: 1,
      date_sent: sentAt,
      sending_client: 1 + Math.floor(random() * 3),
      last_edit_time: isEdited ? sentAt + 60 : null,
      edit_history: isEdited ? this.#edit(sender, sentAt, words) : null,
      has_attachment: this.#attached.has(at),
      has_image: false,
      has_link: content.includes("]("),
      search_tsvector: [...new Set(words)].map((word, place) => `'${word}':${place + 1}`).join(" "),
    });
  }

  #edit(sender: number, sentAt: number, words: readonly string[]): string {
    const before = words.slice(1).join(" ");
    return JSON.stringify([
      {
        user_id: first.user + sender,
        timestamp: Math.floor(sentAt) + 60,
        prev_content: before,
        prev_rendered_content: `<p>${before}</p>`,
        prev_rendered_content_version: 1,
      },
    ]);
  }

  #receive(
    at: number,
    of: { id: number; person: number; sender: number; mentioned: number | undefined; isDirect: boolean },
    receipts: string[],
  ): void {
    // Everybody has read up to some place, and a few messages after it.
    const readTo = this.size.messages * (0.6 + (0.4 * ((of.person * 37) % 100)) / 100);
    const isRead = of.person === of.sender || at < readTo || this.#random() < 0.02;
    const mask =
      (isRead ? flags.read : 0) |
      (this.#random() < 0.002 ? flags.starred : 0) |
      (of.person === of.mentioned ? flags.mentioned : 0) |
      (of.isDirect ? flags.direct : 0);
    const id = ++this.counts.receipts;
    receipts.push(
      `{\n      "id": ${id},\n      "user_profile": ${first.user + of.person},\n      "message": ${of.id},\n      "flags_mask": ${mask}\n    }`,
    );
  }

  #react(message: number, person: number): void {
    const [emoji_name, emoji_code] = emoji[Math.floor(this.#random() * emoji.length)]!;
    const id = ++this.counts.reactions;
    const own = { id, user_profile: first.user + person, message, emoji_name, emoji_code };
    this.#reactions.push(JSON.stringify({ ...own, reaction_type: "unicode_emoji" }));
  }

  async writeUploads(): Promise<void> {
    const out = new JsonTablesWriter(join(this.folder, "attachment.json"));
    const records: object[] = [];
    const rows = [...this.#attached].map(([at, sender], index) => {
      const path = uploadPath(at);
      mkdirSync(join(this.folder, "uploads", path, ".."), { recursive: true });
      writeFileSync(join(this.folder, "uploads", path), `file ${at}\n`.repeat(100));
      records.push({ path, s3_path: path, user_profile_id: first.user + sender, content_type: null });
      const own = { id: index + 1, file_name: "file.txt", path_id: path, owner: first.user + sender, realm: 5 };
      return { ...own, create_time: startedAt, size: 800, messages: [first.message + 3 * at], scheduled_messages: [] };
    });
    await out.table("zerver_attachment", rows);
    await out.close();
    mkdirSync(join(this.folder, "uploads"), { recursive: true });
    writeFileSync(join(this.folder, "uploads", "records.json"), JSON.stringify(records));
  }

  async writeRealm(): Promise<void> {
    const { people, channels } = this.size;
    const out = new JsonTablesWriter(join(this.folder, "realm.json"));
    const everybody = Array.from({ length: people }, (_, person) => person);
    await out.table("zerver_realm", [{ id: 5, name: "Made up", string_id: "made", date_created: startedAt }]);
    await out.table("zerver_userprofile", everybody.map(personRow));
    await out.table("zerver_stream", Array.from({ length: channels }, channelRow));
    await out.table("zerver_recipient", [
      ...Array.from({ length: channels }, (_, at) => recipient(at, channel, first.channel + at)),
      ...everybody.map((person) => recipient(channels + person, personal, first.user + person)),
    ]);
    await out.table("zerver_subscription", this.#subscriptions());
    out.begin("zerver_reaction");
    for (const text of this.#reactions) await out.row(text);
    const clients = ["website", "ZulipMobile", "ZulipPython"];
    await out.table(
      "zerver_client",
      clients.map((name, at) => ({ id: at + 1, name })),
    );
    await out.close();
  }

  *#subscriptions(): Generator<object> {
    const settings = { active: true, is_muted: false, color: "#76ce90", pin_to_top: false };
    for (const [at, members] of this.#members.entries())
      for (const person of members)
        yield { user_profile: first.user + person, recipient: first.recipient + at, ...settings, ...inherited };
  }
}

const inherited = {
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
};
const emoji = [
  ["thumbs_up", "1f44d"],
  ["heart", "2764"],
  ["tada", "1f389"],
] as const;

const uploadPath = (at: number): string => `5/${(at % 256).toString(16)}/${String(at).padStart(24, "x")}/file.txt`;
const recipient = (at: number, type: number, type_id: number) => ({ id: first.recipient + at, type, type_id });

function personRow(person: number): object {
  const email = `person${person}@made.example.com`;
  return {
    id: first.user + person,
    realm: 5,
    delivery_email: email,
    email,
    full_name: `Person ${person}`,
    role: person === 0 ? 100 : 400,
    is_active: true,
    is_bot: false,
    bot_type: null,
    bot_owner: null,
    is_mirror_dummy: false,
    date_joined: startedAt,
    timezone: "",
    avatar_source: "G",
    avatar_version: 1,
    recipient: null,
  };
}

function channelRow(_: unknown, at: number): object {
  return {
    id: first.channel + at,
    realm: 5,
    name: `channel ${at}`,
    description: "",
    rendered_description: "",
    date_created: startedAt,
    deactivated: false,
    invite_only: at % 5 === 0,
    history_public_to_subscribers: true,
    is_web_public: false,
    message_retention_days: null,
    stream_post_policy: 1,
  };
}

/** As Zulip indents it. */
const row = (columns: object): string => JSON.stringify(columns, undefined, 2).replaceAll("\n", "\n    ");

/** Words of a made-up language. */
function makeWords(): string[] {
  const random = randomNumbers(3);
  const syllables = ["ka", "lo", "mi", "ter", "san", "du", "vel", "ri", "po", "ne", "shi", "gar", "ta", "bo", "lin"];
  return Array.from({ length: 5000 }, () =>
    Array.from(
      { length: 1 + Math.floor(random() * 3.5) },
      () => syllables[Math.floor(random() * syllables.length)]!,
    ).join(""),
  );
}

/** Numbers in [0, 1), the same each time (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
