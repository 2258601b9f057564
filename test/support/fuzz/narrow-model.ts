/**
 * What narrows find, worked out plainly: every message is looked at, by what the tables hold and the contract says.
 * Nothing of it is shared with the server.
 */
import type { Database } from "../../../storage/postgres.ts";

export interface ModelTerm {
  operator: string;
  operand: string | number | number[];
  negated: boolean;
}

/** Where to look. `since` is a time, in UNIX seconds. */
export type ModelAnchor = number | "newest" | "oldest" | "first_unread" | { since: number };

export interface ModelRequest {
  anchor: ModelAnchor;
  includeAnchor: boolean;
  before: number;
  after: number;
}

export interface ModelAnswer {
  ids: number[];
  anchor: number;
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
}

export interface ModelMessage {
  id: number;
  recipient_id: number;
  channel_id: number | null;
  sender_id: number;
  topic: string;
  content: string;
  sent_at: number;
  has_link: boolean;
  has_image: boolean;
  has_attachment: boolean;
  read_by_sender: boolean;
  channel_wildcard: boolean;
  mentioned: number[] | null;
  rendered_content: string;
  topic_participants: number[] | null;
  alerted: number[] | null;
  /** Of a direct conversation. */
  user_ids: number[] | null;
}

interface ModelChannel {
  id: number;
  name: string;
  invite_only: boolean;
  is_web_public: boolean;
  history_public_to_subscribers: boolean;
}

/** Of a person and a message, or a channel. */
type Fact = "received" | "read" | "starred" | "subscribed" | "mutes";

const newest = 10_000_000_000_000_000;
/** A narrow that the server refuses. */
export class Refused extends Error {}

/** Everything that the organization has, as it is now. */
export class NarrowModel {
  readonly messages: readonly ModelMessage[];
  readonly channels: ReadonlyMap<number, ModelChannel>;
  readonly #roles: ReadonlyMap<number, number>;
  /** Each of `user:id`. */
  readonly #facts: Record<Fact, ReadonlySet<string>>;
  readonly #reacted: ReadonlySet<number>;
  /** By `user:channel:topic`. */
  readonly #policies: ReadonlyMap<string, number>;

  private constructor(rows: Awaited<ReturnType<typeof readAll>>) {
    this.messages = rows.messages;
    this.channels = new Map(rows.channels.map((channel) => [channel.id, channel]));
    this.#roles = new Map(rows.users.map(({ id, role }) => [id, role]));
    this.#facts = {
      received: pairs(rows.received),
      read: pairs(rows.read),
      starred: pairs(rows.starred),
      subscribed: pairs(rows.subscribed),
      mutes: pairs(rows.subscribed.filter(({ is_muted }) => is_muted)),
    };
    this.#reacted = new Set(rows.reacted.map(({ id }) => id));
    this.#policies = new Map(
      rows.policies.map((row) => [`${row.user_id}:${row.channel_id}:${lower(row.topic)}`, row.policy]),
    );
  }

  static async read(database: Database): Promise<NarrowModel> {
    return new NarrowModel(await readAll(database));
  }

  /** Ids of the narrow, ascending. @throws Refused */
  find(me: number, terms: readonly ModelTerm[]): number[] {
    return this.#find(me, terms).found.map(({ id }) => id);
  }

  /** @throws Refused */
  answer(me: number, terms: readonly ModelTerm[], request: ModelRequest): ModelAnswer {
    const { found, isInChannel } = this.#find(me, terms);
    const anchor = this.#place(me, request.anchor, found, isInChannel);
    const below = found.filter(({ id }) => id < anchor);
    const before = below.slice(below.length - Math.min(request.before, below.length));
    const after = anchor === newest ? [] : found.filter(({ id }) => id > anchor).slice(0, request.after);
    const at = request.includeAnchor ? found.filter(({ id }) => id === anchor) : [];
    return {
      ids: [...before, ...at, ...after].map(({ id }) => id),
      anchor,
      found_anchor: at.length > 0,
      found_oldest: anchor === 0 || before.length < request.before,
      found_newest: anchor === newest || after.length < request.after,
    };
  }

  #place(me: number, anchor: ModelAnchor, found: ModelMessage[], isInChannel: boolean): number {
    if (anchor === "oldest") return 0;
    if (anchor === "newest") return newest;
    if (typeof anchor === "number") return Math.min(Math.max(anchor, 0), newest);
    const first =
      anchor === "first_unread"
        ? found.find((message) => this.#isUnread(me, message) && !this.#isPassedOver(me, message, isInChannel))
        : found.find(({ sent_at }) => sent_at >= anchor.since);
    return first?.id ?? newest;
  }

  #find(me: number, given: readonly ModelTerm[]): { found: ModelMessage[]; isInChannel: boolean } {
    const wanted = given.filter(({ negated }) => !negated);
    const isDirect = wanted.some(
      ({ operator, operand }) =>
        ["dm", "dm-including", "group-pm-with"].includes(operator) || (operator === "is" && operand === "dm"),
    );
    if (isDirect && wanted.some(({ operator }) => ["channel", "channels", "topic"].includes(operator)))
      throw new Refused("both");
    const { terms, isNothing } = this.#followWith(me, given);
    const named = terms.filter(({ operator }) => operator === "channel");
    for (const { operand } of named) if (!this.#sees(me, operand as number)) throw new Refused("unknown channel");
    if (isNothing) return { found: [], isInChannel: named.length > 0 };
    const has = (operator: string, operand?: string) =>
      terms.some((t) => !t.negated && t.operator === operator && (operand === undefined || t.operand === operand));
    const isGuest = this.#roles.get(me) === 600;
    // Only narrows to channels, and to what somebody has starred, find what they did not receive.
    const isHistory = has("channel") || has("is", "starred") || (has("channels") && !isGuest);
    const found = this.messages.filter(
      (message) =>
        this.canRead(me, message) &&
        (isHistory || message.channel_id === null || this.#has("received", me, message.id)) &&
        terms.every((term) => this.#fits(me, message, term) !== term.negated),
    );
    return { found, isInChannel: named.length > 0 };
  }

  /** The conversation of the message that `with` names takes the place of the terms that name one. */
  #followWith(me: number, given: readonly ModelTerm[]): { terms: readonly ModelTerm[]; isNothing?: boolean } {
    const withs = given.filter(({ operator }) => operator === "with");
    if (withs.length === 0) return { terms: given };
    if (withs.length > 1 || withs[0]!.negated) throw new Refused("with");
    const isConversation = ({ operator }: ModelTerm) => ["channel", "topic", "dm"].includes(operator);
    const others = given.filter(({ operator }) => operator !== "with");
    const message = this.messages.find(({ id }) => id === withs[0]!.operand);
    if (!message || !this.canRead(me, message))
      return { terms: others, isNothing: !others.some((term) => isConversation(term) && !term.negated) };
    const kept = others.filter((term) => !isConversation(term));
    const term = (operator: string, operand: ModelTerm["operand"]) => ({ operator, operand, negated: false });
    const conversation =
      message.channel_id === null
        ? [term("dm", message.user_ids!)]
        : [term("channel", message.channel_id), term("topic", message.topic)];
    return { terms: [...kept, ...conversation] };
  }

  canRead(me: number, message: ModelMessage): boolean {
    if (message.channel_id === null) return message.user_ids!.includes(me);
    const channel = this.channels.get(message.channel_id)!;
    if (channel.is_web_public) return true;
    if (!this.#isOpenTo(me, channel)) return false;
    return channel.history_public_to_subscribers || this.#has("received", me, message.id);
  }

  #isOpenTo(me: number, channel: ModelChannel): boolean {
    return this.#has("subscribed", me, channel.id) || (this.#roles.get(me) !== 600 && !channel.invite_only);
  }

  #sees(me: number, channelId: number): boolean {
    const channel = this.channels.get(channelId);
    return channel !== undefined && (channel.is_web_public || this.#isOpenTo(me, channel));
  }

  #fits(me: number, message: ModelMessage, { operator, operand, negated }: ModelTerm): boolean {
    const channel = message.channel_id === null ? undefined : this.channels.get(message.channel_id)!;
    const people = message.user_ids ?? [];
    const named = Array.isArray(operand) ? operand : [operand as number];
    switch (operator) {
      case "channel":
        return channel?.id === operand;
      case "channels":
        return channel !== undefined && (operand === "web-public" ? channel.is_web_public : !channel.invite_only);
      case "topic": {
        const names = operand === "general chat" ? ["", "general chat"] : [lower(operand as string)];
        return channel !== undefined && names.includes(lower(message.topic));
      }
      case "dm": {
        const all = new Set([...named, me]);
        return !channel && people.length === all.size && people.every((id) => all.has(id));
      }
      case "dm-including":
        return !channel && named.every((id) => people.includes(id));
      case "group-pm-with":
        return !channel && people.length > 2 && named.every((id) => people.includes(id));
      case "sender":
        return message.sender_id === operand;
      case "mentions":
        return (
          (message.mentioned ?? []).includes(operand as number) &&
          message.rendered_content.includes(`<span class="user-mention" data-user-id="${operand}">`)
        );
      case "id":
        return message.id === operand;
      case "search": {
        const words = new Set(`${message.topic} ${message.content}`.toLowerCase().match(/[a-z]+/g));
        return (operand as string).split(" ").every((word) => words.has(word));
      }
      case "has":
        if (operand === "reaction") return this.#reacted.has(message.id);
        return message[`has_${operand as "link" | "image" | "attachment"}`];
      case "in":
        return operand === "all" || !this.#isMuted(me, message);
      case "is":
        return this.#is(me, message, operand as string);
      case "near":
        // It asks nothing of a message, and so does its reverse.
        return !negated;
      default:
        throw new Error(`The model does not know ${operator}.`);
    }
  }

  #is(me: number, message: ModelMessage, what: string): boolean {
    switch (what) {
      case "dm":
        return message.channel_id === null;
      case "starred":
        return this.#has("starred", me, message.id);
      case "mentioned":
        return (
          [...(message.mentioned ?? []), ...(message.topic_participants ?? [])].includes(me) ||
          (message.channel_wildcard && this.#has("received", me, message.id))
        );
      case "alerted":
        return message.alerted?.includes(me) ?? false;
      case "unread":
        return this.#isUnread(me, message);
      case "resolved":
        return message.channel_id !== null && message.topic.startsWith("✔ ");
      case "followed":
        return this.#policyOf(me, message) === 3;
      case "muted":
        return this.#isMuted(me, message);
      default:
        throw new Error(`The model does not know is:${what}.`);
    }
  }

  #isUnread(me: number, message: ModelMessage): boolean {
    if (message.sender_id === me && message.read_by_sender) return false;
    return !this.#has("read", me, message.id) && (message.channel_id === null || this.#has("received", me, message.id));
  }

  #isMuted(me: number, message: ModelMessage): boolean {
    if (message.channel_id === null) return false;
    const policy = this.#policyOf(me, message);
    return policy === 1 || (policy === 0 && this.#has("mutes", me, message.channel_id));
  }

  /** What `first_unread` does not stop at. In a narrow to a channel only muted topics count. */
  #isPassedOver(me: number, message: ModelMessage, isInChannel: boolean): boolean {
    return isInChannel ? this.#policyOf(me, message) === 1 : this.#isMuted(me, message);
  }

  #policyOf(me: number, { channel_id, topic }: ModelMessage): number {
    return channel_id === null ? 0 : (this.#policies.get(`${me}:${channel_id}:${lower(topic)}`) ?? 0);
  }

  #has(fact: Fact, userId: number, id: number): boolean {
    return this.#facts[fact].has(`${userId}:${id}`);
  }
}

/** As PostgreSQL does it: character by character. */
const lower = (text: string): string => [...text].map((character) => character.toLowerCase()).join("");

const pairs = (rows: readonly { user_id: number; id: number }[]): ReadonlySet<string> =>
  new Set(rows.map(({ user_id, id }) => `${user_id}:${id}`));

async function readAll({ sql }: Database) {
  type Pair = { user_id: number; id: number };
  return {
    messages: await sql<ModelMessage[]>`
      select m.id, m.recipient_id, m.channel_id, m.sender_id, m.topic, m.content, m.sent_at, m.has_link, m.has_image,
        m.has_attachment, m.read_by_sender, m.channel_wildcard, m.mentioned, m.rendered_content, m.topic_participants, m.alerted,
        d.user_ids
      from messages m left join direct_conversations d on d.recipient_id = m.recipient_id order by m.id`,
    channels: await sql<ModelChannel[]>`
      select id, name, invite_only, is_web_public, history_public_to_subscribers from channels`,
    users: await sql<{ id: number; role: number }[]>`select id, role from users`,
    received: await sql<Pair[]>`
      select r.user_id, m.id from messages m join received r on r.recipient_id = m.recipient_id and r.ids @> m.id`,
    read: await sql<Pair[]>`
      select r.user_id, m.id from messages m join read_states r on r.recipient_id = m.recipient_id and r.ids @> m.id
      union select g.user_id, m.id from messages m join read_segments g on g.recipient_id = m.recipient_id and g.ids @> m.id`,
    starred: await sql<Pair[]>`select user_id, message_id as id from message_flags where starred`,
    subscribed: await sql<(Pair & { is_muted: boolean })[]>`
      select user_id, channel_id as id, is_muted from subscriptions where is_active`,
    reacted: await sql<{ id: number }[]>`select distinct message_id as id from reactions`,
    policies: await sql<{ user_id: number; channel_id: number; topic: string; policy: number }[]>`
      select user_id, channel_id, topic_name as topic, visibility_policy as policy from user_topics`,
  };
}
