/**
 * Narrows. `parseNarrow` checks the form of what clients send. `resolveNarrow` finds its meaning for one reader: the
 * channels and users that they may see, and the messages that they could find at all.
 * https://zulip.com/api/construct-narrow
 */
import type { RecipientId, UserId } from "../../storage/ids.ts";
import type { ChannelLimits, Condition, Narrowed, Scope, TopicList } from "../../storage/narrow/narrow.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { errors } from "../errors.ts";
import type { NarrowTerm } from "../events/registration.ts";
import { findReadable } from "../messages/access.ts";
import { conversationOf } from "../messages/audience.ts";
import { canReadHistory, isGuest, readableMessages } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";
import { topicNames } from "../topics/empty-topic.ts";
import { findChannel, findPeople, findUser, messageId, text } from "./operands.ts";
import { parseSearch, queriesOf, type SearchTerm } from "./search-terms.ts";

/** A narrow, resolved for one reader. */
export interface ResolvedNarrow extends Narrowed {
  /** Words and phrases of the search, for highlighting. */
  searchTerms: SearchTerm[];
  /** What the reader muted, which the anchor `first_unread` passes over. Undefined: nothing. */
  passedOver: () => Muted | undefined;
}

/** Muted topics and channels, and topics of muted channels that are not muted. */
export type Muted = Extract<Condition, { is: "muted" }>;

const badNarrow = (desc: string) => errors.BAD_NARROW({ desc });

/** Other names of operators. https://zulip.com/api/construct-narrow */
const aliases: ReadonlyMap<string, string> = new Map([
  ["stream", "channel"],
  ["streams", "channels"],
  ["pm-with", "dm"],
  ["pm_with", "dm"],
  ["group_pm_with", "group-pm-with"],
  ["dm-with", "dm-including"],
]);
const channelOperators = new Set(["channel", "channels", "topic"]);
const directOperators = new Set(["dm", "dm-including", "group-pm-with"]);
/** Operators that a spectator may use. */
const spectatorOperators = new Set(["channel", "channels", "topic", "sender", "has", "search", "near", "id", "with"]);

/** What `channels` may name. Of public ones the whole history is found, of archived ones what was received. */
const kindsOfChannels: ReadonlyMap<string, (channel: ChannelRow) => boolean> = new Map([
  ["public", (channel) => !channel.invite_only],
  ["web-public", (channel) => channel.is_web_public],
  ["archived", (channel) => channel.is_archived],
]);

const noTopics: TopicList = { recipientIds: [], topics: [] };

/** Terms of one narrow. People use a handful. */
export const maxTerms = 100;
/** Code units of a search. With some thousand words PostgreSQL would be busy for seconds. */
const maxSearchLength = 1000;

/**
 * Resolves a narrow for a reader. `user` is undefined for a spectator.
 *
 * @param sql for looking up the message of `with`
 * @throws BAD_NARROW for what does not exist as far as the reader may know; UNAUTHENTICATED_USER when a spectator asks
 * for more than web-public channels
 */
export async function resolveNarrow(
  state: RealmState,
  sql: Sql,
  user: UserRow | undefined,
  terms: readonly NarrowTerm[],
): Promise<ResolvedNarrow> {
  if (terms.length > maxTerms) throw badNarrow("too many terms");
  const named = terms.map((term) => ({ ...term, operator: aliases.get(term.operator) ?? term.operator }));
  if (!user) checkSpectator(state, named);
  checkNotBoth(named);
  const resolver = new Resolver(state, user);
  const conversation = await findWith(state, sql, user, named);
  for (const term of conversation ? named.filter((term) => !isConversation(term)) : named) resolver.add(term);
  if (conversation) resolver.narrowTo(conversation);
  if (conversation === null) resolver.nothing();
  return resolver.finish();
}

function checkSpectator(state: RealmState, terms: readonly NarrowTerm[]): void {
  const isOpen = terms.some(
    ({ operator, operand, negated }) =>
      !negated && (operator === "channel" || (operator === "channels" && operand === "web-public")),
  );
  const isKnown = terms.every(({ operator }) => spectatorOperators.has(operator));
  if (!isOpen || !isKnown || !state.hasSpectators) throw errors.UNAUTHENTICATED_USER();
}

function checkNotBoth(terms: readonly NarrowTerm[]): void {
  const wanted = terms.filter(({ negated }) => !negated);
  const isDirect = wanted.some(
    ({ operator, operand }) =>
      directOperators.has(operator) || (operator === "is" && (operand === "dm" || operand === "private")),
  );
  if (isDirect && wanted.some(({ operator }) => channelOperators.has(operator)))
    throw badNarrow("No message can be both a channel message and direct message");
}

const isConversation = ({ operator }: NarrowTerm): boolean =>
  operator === "channel" || operator === "topic" || operator === "dm";

type Conversation = { channel: ChannelRow; topic: string } | { userIds: UserId[] };

/**
 * The present conversation of the message that `with` names. Undefined when there is no such term, or when the reader
 * cannot read that message and other terms name the conversation. Null when the reader cannot read it and no other term
 * does: then nothing is found.
 */
async function findWith(
  state: RealmState,
  sql: Sql,
  user: UserRow | undefined,
  terms: readonly NarrowTerm[],
): Promise<Conversation | null | undefined> {
  const [given, ...others] = terms.filter(({ operator }) => operator === "with");
  if (!given) return undefined;
  if (others.length > 0 || given.negated)
    throw badNarrow("Only one 'with' operand is allowed, and it cannot be negated");
  const message = await findReadable(state, sql, user, messageId(given.operand));
  if (message) {
    const { channel, participants } = conversationOf(state, message);
    return channel ? { channel, topic: message.topic } : { userIds: [...participants] };
  }
  return terms.some((term) => isConversation(term) && !term.negated) ? undefined : null;
}

/** A condition before the negation of its term is applied. `negated` marks one that a message must not match. */
type Unsigned = Condition extends infer C
  ? C extends { negated: boolean }
    ? Omit<C, "negated"> & { negated?: true }
    : never
  : never;

class Resolver {
  readonly #conditions: Condition[] = [];
  readonly #searchTerms: SearchTerm[] = [];
  #channel: ChannelRow | undefined;
  #direct: UserId[] | undefined;
  #publicChannels: RecipientId[] | undefined;
  #namesChannel = false;
  #isStarred = false;
  #isNothing = false;

  constructor(
    private readonly state: RealmState,
    private readonly user: UserRow | undefined,
  ) {}

  narrowTo(conversation: Conversation): void {
    if ("channel" in conversation) {
      this.#addChannel(conversation.channel, false);
      this.#conditions.push({ is: "topic", topics: [conversation.topic], negated: false });
    } else this.#addDirect(conversation.userIds, false);
  }

  add(term: NarrowTerm): void {
    const { operator, operand, negated } = term;
    const { state, user } = this;
    if (operator === "channel") this.#addChannel(findChannel(state, user, operand), negated);
    else if (operator === "channels") this.#addChannels(text(operand), negated);
    else if (operator === "dm") this.#addDirect(withReader(findPeople(state, user, operand), user), negated);
    else if (operator === "search") this.#addSearch(text(operand), negated);
    else {
      const condition = this.#conditionOf(term);
      if (condition) this.#conditions.push({ ...condition, negated: negated !== (condition.negated ?? false) });
      if (operator === "is" && operand === "starred" && !negated) this.#isStarred = true;
      if (operator === "in" && operand === "all" && negated) this.nothing();
    }
  }

  finish(): ResolvedNarrow {
    const { state, user } = this;
    if (this.#publicChannels && (this.#channel || this.#direct || this.#isGuest))
      this.#conditions.push({ is: "recipient", recipientIds: this.#publicChannels, negated: false });
    return {
      realmId: state.id,
      userId: user?.id ?? null,
      scope: this.#isNothing ? { in: "nothing" } : this.#scope(),
      conditions: this.#conditions,
      searchTerms: this.#searchTerms,
      passedOver: () => this.#passedOver(),
    };
  }

  nothing(): void {
    this.#isNothing = true;
  }

  get #isGuest(): boolean {
    return this.user !== undefined && isGuest(this.user);
  }

  #scope(): Scope {
    const { state, user } = this;
    if (this.#direct) return { in: "direct", userIds: this.#direct };
    const channel = this.#channel;
    if (channel) {
      const recipientId = channel.recipient_id;
      const readable = readableMessages(state, channel, user);
      if (readable === "all") return { in: "history", recipientIds: [recipientId] };
      return readable === "received" ? { in: "receivedIn", recipientId } : { in: "nothing" };
    }
    // A guest's search of all public channels finds only what they received. The history of a channel needs a narrow to
    // it.
    if (this.#publicChannels && !this.#isGuest) return { in: "history", recipientIds: this.#publicChannels };
    if (!user) return { in: "nothing" };
    let limits: ChannelLimits | undefined;
    return {
      in: this.#isStarred ? "readable" : "received",
      limits: () => (limits ??= channelLimits(state, user)),
    };
  }

  /**
   * Muted topics; where the narrow names no channel, muted channels too. People who look at a muted channel want to see
   * what is new there.
   */
  #passedOver(): Muted | undefined {
    const muted = this.#muted();
    if (this.#namesChannel) Object.assign(muted, { channels: [], except: noTopics });
    if (muted.channels.length === 0 && muted.topics.topics.length === 0) return undefined;
    return { is: "muted", ...muted, negated: true };
  }

  #addChannel(channel: ChannelRow, negated: boolean): void {
    this.#namesChannel = true;
    if (!negated && this.#channel === undefined) this.#channel = channel;
    else this.#conditions.push({ is: "recipient", recipientIds: [channel.recipient_id], negated });
  }

  #addDirect(userIds: UserId[], negated: boolean): void {
    if (!negated && this.#direct === undefined) this.#direct = userIds;
    else this.#conditions.push({ is: "direct", userIds, negated });
  }

  #addChannels(which: string, negated: boolean): void {
    const fits = kindsOfChannels.get(which);
    if (!fits) throw badNarrow(`unknown channels: ${which.slice(0, 60)}`);
    const { state, user } = this;
    const isReceived = which === "archived";
    const recipientIds: RecipientId[] = [];
    for (const channel of state.channels.values()) {
      // A term that is negated, or adds to what was received, may name channels that the reader cannot read.
      const mayName = negated || isReceived || canReadHistory(state, channel, user);
      if (mayName && fits(channel)) recipientIds.push(channel.recipient_id);
    }
    if (!negated && !isReceived && this.#publicChannels === undefined) this.#publicChannels = recipientIds;
    else this.#conditions.push({ is: "recipient", recipientIds, negated });
  }

  /** The condition of a term that names no conversation. Undefined when it asks for nothing. */
  #conditionOf({ operator, operand }: NarrowTerm): Unsigned | undefined {
    const { state, user } = this;
    switch (operator) {
      case "topic":
        return { is: "topic", topics: topicNames(text(operand)) };
      case "dm-including":
        return { is: "directIncluding", userIds: findPeople(state, user, operand), groupOnly: false };
      case "group-pm-with":
        return { is: "directIncluding", userIds: findPeople(state, user, operand), groupOnly: true };
      case "sender":
        return { is: "sender", userId: findUser(state, user, operand).id };
      case "mentions":
        return { is: "mentions", userId: findUser(state, user, operand).id };
      case "is":
        return this.#isCondition(text(operand));
      case "has":
        return hasCondition(text(operand));
      case "in":
        return this.#inCondition(text(operand));
      case "id":
        return { is: "id", id: messageId(operand) };
      case "near":
      case "with":
        messageId(operand);
        return undefined;
      default:
        throw badNarrow(`unknown operator: ${operator.slice(0, 60)}`);
    }
  }

  #isCondition(what: string): Unsigned {
    switch (what) {
      case "dm":
      case "private":
        return { is: "dm" };
      case "starred":
      case "mentioned":
      case "alerted":
      case "unread":
      case "resolved":
        return { is: what };
      case "followed":
        return { is: "followed", topics: this.#topicsOf([3]) };
      case "muted":
        return { is: "muted", ...this.#muted() };
      default:
        throw badNarrow(`unknown 'is' operand: ${what.slice(0, 60)}`);
    }
  }

  #inCondition(what: string): Unsigned | undefined {
    if (what === "home") return { is: "muted", ...this.#muted(), negated: true };
    if (what === "all") return undefined;
    throw badNarrow(`unknown 'in' operand: ${what.slice(0, 60)}`);
  }

  #addSearch(query: string, negated: boolean): void {
    if (query.length > maxSearchLength) throw badNarrow("the search is too long");
    const { wanted, unwanted, isBlank } = parseSearch(query);
    const add = (terms: SearchTerm[], isNegated: boolean) =>
      this.#conditions.push({ is: "search", ...queriesOf(terms), negated: isNegated });
    if (!negated) this.#searchTerms.push(...wanted);
    // A negated search asks for none of its words together. A minus in it means nothing.
    const terms = negated ? [...wanted, ...unwanted] : wanted;
    if (terms.length > 0 || (!isBlank && unwanted.length === 0)) add(terms, negated);
    for (const term of negated ? [] : unwanted) add([term], true);
  }

  #muted(): { topics: TopicList; channels: RecipientId[]; except: TopicList } {
    const { state, user } = this;
    const channels: RecipientId[] = [];
    // A subscription that ended says nothing any more.
    for (const { channel_id, is_muted, is_active } of user ? state.subscriptions.of(user.id) : []) {
      const channel = is_muted && is_active ? state.channels.get(channel_id) : undefined;
      if (channel) channels.push(channel.recipient_id);
    }
    return { topics: this.#topicsOf([1]), channels, except: this.#topicsOf([2, 3]) };
  }

  /** The reader's topics with one of these visibility policies. */
  #topicsOf(policies: readonly number[]): TopicList {
    const recipientIds: RecipientId[] = [];
    const topics: string[] = [];
    for (const row of (this.user && this.state.userTopics.get(this.user.id)?.values()) ?? []) {
      const channel = policies.includes(row.visibility_policy) ? this.state.channels.get(row.channel_id) : undefined;
      if (!channel) continue;
      recipientIds.push(channel.recipient_id);
      topics.push(row.topic_name);
    }
    return { recipientIds, topics };
  }
}

function hasCondition(what: string): Unsigned {
  // Older clients send the plural.
  const name = what.endsWith("s") ? what.slice(0, -1) : what;
  if (name !== "attachment" && name !== "image" && name !== "link" && name !== "reaction")
    throw badNarrow(`unknown 'has' operand: ${what.slice(0, 60)}`);
  return { is: name };
}

function withReader(userIds: readonly UserId[], user: UserRow | undefined): UserId[] {
  return [...new Set(user ? [...userIds, user.id] : userIds)].sort((a, b) => a - b);
}

function channelLimits(state: RealmState, user: UserRow): ChannelLimits {
  const readable: RecipientId[] = [];
  const unreadable: RecipientId[] = [];
  const onlyReceived: RecipientId[] = [];
  for (const channel of state.channels.values()) {
    const { recipient_id } = channel;
    const messages = readableMessages(state, channel, user);
    (messages === "none" ? unreadable : readable).push(recipient_id);
    if (messages === "received") onlyReceived.push(recipient_id);
  }
  return { readable, unreadable, onlyReceived };
}
