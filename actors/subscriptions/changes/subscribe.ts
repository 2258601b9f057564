/** Decides who may subscribe and unsubscribe whom. `change.ts` does it. */
import { defined, firstOf } from "../../../storage/failures.ts";
import type { ChannelId, UserId } from "../../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { addChannel, checkChannelName, planChannel } from "../../channels/changes/create.ts";
import { noteCreated } from "../../channels/changes/notices.ts";
import {
  addSubscriptions,
  type Joining,
  type Leaving,
  removeSubscriptions,
} from "../../channels/changes/subscribers.ts";
import type { ChannelOptions } from "../../channels/rules.ts";
import { badRequest, errors } from "../../errors.ts";
import { sendBotMessage, wordsOfBot } from "../../messages/changes/system-messages.ts";
import {
  accessUserByEmail,
  canAdministerChannel,
  canReadContent,
  canSeeChannel,
  canSeeUser,
} from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { parseColor } from "../colors.ts";
import { mayAddOthers, maySubscribeOthers } from "../rules.ts";

/** People by id or by address. */
export type Principals = (UserId | string)[];

export interface ChannelToJoin {
  name: string;
  /** Description of a channel that is created. Undefined: none. */
  description?: string | undefined;
  /** Colour for everybody whom this request subscribes. */
  color?: string | undefined;
}

export interface SubscribeArgs {
  userId: UserId;
  channels: ChannelToJoin[];
  /** undefined or none: the caller alone. */
  principals: Principals | undefined;
  /** Whether to refuse the whole request when one channel cannot be joined. Otherwise the answer names that channel. */
  authorizationErrorsFatal: boolean;
  /** Whether the notification bot tells people that somebody else subscribed them. */
  sendMessages: boolean;
  /** Options of channels that are created. */
  options: ChannelOptions;
}

export interface SubscribeReply {
  /** User id → names of channels. */
  subscribed: Record<string, string[]>;
  already_subscribed: Record<string, string[]>;
  unauthorized?: string[];
  new_subscription_messages_sent?: boolean;
}

/** The most people whom the notification bot tells. If there are more, it tells nobody. */
export const maxNewSubscriptionMessages = 100;

/**
 * Subscribes people to channels by name, and creates channels that do not exist.
 *
 * @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
 */
export const subscribe = command((tx: Tx, args: SubscribeArgs) => join(tx, args));

export interface UnsubscribeArgs {
  userId: UserId;
  channels: string[];
  principals: Principals | undefined;
}

export interface UnsubscribeReply {
  removed: string[];
  not_removed: string[];
}

/** Unsubscribes people from channels by name. @throws STREAM_DOES_NOT_EXIST, BAD_REQUEST */
export const unsubscribe = command((tx: Tx, args: UnsubscribeArgs) => leave(tx, args));

export interface UpdateSubscriptionsArgs {
  userId: UserId;
  add: SubscribeArgs;
  remove: UnsubscribeArgs;
}

/** Both in one request, all or nothing. @throws the errors of either */
export const updateSubscriptions = command(async (tx: Tx, { add, remove }: UpdateSubscriptionsArgs) => {
  const removed = new Set(remove.channels.map(keyOf));
  if (add.channels.some(({ name }) => removed.has(keyOf(name))))
    throw badRequest("A channel cannot be both in 'add' and in 'delete'.");
  const left = await leave(tx, remove);
  return { ...(await join(tx, add)), ...left };
});

/** The most people times channels in one request. It allows to subscribe an organization of ten thousand to ten. */
export const maxSubscriptionsAtOnce = 100_000;

/** The most channels in one request. */
const maxChannelsAtOnce = 1000;

/** @throws BAD_REQUEST */
function checkAmount(people: number, channels: number): void {
  if (channels > maxChannelsAtOnce || people * channels > maxSubscriptionsAtOnce)
    throw badRequest("Too many people and channels at once; please use several requests.");
}

const keyOf = (name: string): string => name.trim().toLowerCase();

/** A channel that people are to be subscribed to. */
interface Target {
  name: string;
  /** Undefined: it is to be created. */
  known: ChannelRow | undefined;
  description: string;
  colors: Map<UserId, number> | undefined;
}

/** Channels that one commit creates: a tenth of a second, in which nobody else writes. */
const newPerTurn = 20;

async function join(tx: Tx, args: SubscribeArgs): Promise<SubscribeReply> {
  const { state } = tx;
  const caller = tx.user(args.userId);
  const people = findPrincipals(state, caller, args.principals);
  checkAmount(people.length, args.channels.length);
  const isForOthers = people.some(({ id }) => id !== caller.id);
  const wanted = new Map<string, ChannelToJoin>();
  for (const channel of args.channels) {
    checkChannelName(channel.name);
    if (!wanted.has(keyOf(channel.name))) wanted.set(keyOf(channel.name), channel);
  }
  const targets: Target[] = [];
  const unauthorized: string[] = [];
  for (const { name, description = "", color } of wanted.values()) {
    const colors = readColor(color, people);
    const known = state.channelByName(name.trim());
    const refusal = known && whyNotJoin(state, known, name.trim(), caller, isForOthers);
    if (known && refusal !== undefined) {
      if (args.authorizationErrorsFatal) throw badRequest(refusal);
      unauthorized.push(canSeeChannel(state, known, caller) ? known.name : name.trim());
      continue;
    }
    const planned = known ?? planChannel(state, caller, { ...args.options, userId: caller.id, name, description });
    if (!known && isForOthers && !mayAddOthers(state, planned, caller)) throw badRequest("Insufficient permission");
    targets.push({ name: planned.name, known, description, colors });
  }
  const reply: SubscribeReply = { subscribed: {}, already_subscribed: {} };
  const gained = new Map<UserId, string[]>();
  for (const { known, name } of targets) {
    for (const { id } of people) {
      const isSubscribed = known !== undefined && state.subscriptions.has(id, known.id);
      ((isSubscribed ? reply.already_subscribed : reply.subscribed)[id] ??= []).push(name);
      if (isSubscribed) continue;
      const names = gained.get(id);
      if (names) names.push(name);
      else gained.set(id, [name]);
    }
  }
  if (!args.authorizationErrorsFatal) reply.unauthorized = unauthorized;
  const userIds = people.map(({ id }) => id);
  const [now = [], ...later] = inTurns(targets);
  const joined = await joinTurn(tx, args, now, userIds, isForOthers);
  for (const turn of later) tx.later(async (next) => void (await joinTurn(next, args, turn, userIds, isForOthers)));
  if (!args.sendMessages) return reply;
  const told = people.filter(({ id, is_bot }) => id !== caller.id && !is_bot && gained.has(id));
  reply.new_subscription_messages_sent = told.length <= maxNewSubscriptionMessages;
  if (!reply.new_subscription_messages_sent) return reply;
  if (later.length === 0) await tellSubscribed(tx, caller, told, gained, joined);
  else tx.later((next) => tellSubscribed(next, caller, told, gained, []));
  return reply;
}

/** Those that exist and the first new ones, then the other new ones. */
function inTurns(targets: readonly Target[]): Target[][] {
  const fresh = targets.filter(({ known }) => !known);
  const turns = [[...targets.filter(({ known }) => known), ...fresh.slice(0, newPerTurn)]];
  for (let first = newPerTurn; first < fresh.length; first += newPerTurn)
    turns.push(fresh.slice(first, first + newPerTurn));
  return turns;
}

/**
 * Creates what is to be created, with the request's options, and subscribes people. Somebody else may have created a
 * channel of that name since the first turn: it is joined if the caller may.
 */
async function joinTurn(
  tx: Tx,
  args: SubscribeArgs,
  targets: readonly Target[],
  userIds: readonly UserId[],
  isForOthers: boolean,
): Promise<ChannelRow[]> {
  const { state } = tx;
  const caller = tx.user(args.userId);
  const active = userIds.filter((id) => state.users.get(id)?.is_active);
  const joinings: Joining[] = [];
  const created: ChannelRow[] = [];
  for (const { name, known, description, colors } of targets) {
    const found = known ?? state.channelByName(name);
    if (found && !known && whyNotJoin(state, found, name, caller, isForOthers) !== undefined) continue;
    const channel =
      found ?? (await addChannel(tx, { ...args.options, userId: caller.id, name, description, subscriberIds: [] }));
    if (!found) created.push(channel);
    joinings.push({ channel: tx.channelNow(channel.id), userIds: active, colors });
  }
  await addSubscriptions(tx, joinings);
  for (const channel of created) await noteCreated(tx, caller, channel);
  return joinings.map(({ channel }) => channel);
}

/**
 * Why the caller cannot subscribe themselves, or others, to an existing channel. Undefined: they can. `name` is as they
 * gave it.
 */
function whyNotJoin(
  state: RealmState,
  channel: ChannelRow,
  name: string,
  caller: UserRow,
  isForOthers: boolean,
): string | undefined {
  if (!canReadContent(state, channel, caller)) return `Unable to access channel (${name}).`;
  if (isForOthers && !maySubscribeOthers(state, channel, caller)) return "Insufficient permission";
  return undefined;
}

/** @throws BAD_REQUEST */
function readColor(color: string | undefined, people: readonly UserRow[]): Map<UserId, number> | undefined {
  if (color === undefined) return undefined;
  const parsed = parseColor(color);
  if (parsed === undefined) throw badRequest("color is not a valid hex color code");
  return new Map(people.map(({ id }) => [id, parsed]));
}

/**
 * The people named, each once.
 *
 * @throws BAD_REQUEST for somebody who does not exist, is deactivated, or whom the caller may not know of
 */
function findPrincipals(state: RealmState, caller: UserRow, principals: Principals | undefined): UserRow[] {
  if (principals === undefined || principals.length === 0) return [caller];
  const people = new Set<UserRow>();
  for (const principal of principals) {
    const user =
      typeof principal === "number" ? state.users.get(principal) : accessUserByEmail(state, caller, principal);
    if (!user || user.is_system_bot || !canSeeUser(state, user, caller)) throw badRequest("No such user");
    if (!user.is_active) throw badRequest("User is deactivated");
    people.add(user);
  }
  return [...people];
}

/** Has the notification bot tell people who subscribed them. @param joined channels that may be new in this commit */
async function tellSubscribed(
  tx: Tx,
  caller: UserRow,
  people: readonly UserRow[],
  gained: ReadonlyMap<UserId, string[]>,
  joined: readonly ChannelRow[],
): Promise<void> {
  for (const user of people) {
    const { id } = user;
    const words = wordsOfBot(tx.state, user);
    const links = defined(gained.get(id), "channel that they gained").map((name) => `#**${name}**`);
    const by = `@_**${caller.full_name}|${caller.id}**`;
    const text =
      links.length === 1
        ? words.addedYou(by, firstOf(links))
        : `${words.addedYouToMany(by)}\n\n${links.map((link) => `* ${link}`).join("\n")}`;
    await sendBotMessage(tx, "notification", { userIds: [id] }, text, { channels: joined });
  }
}

async function leave(tx: Tx, args: UnsubscribeArgs): Promise<UnsubscribeReply> {
  const { state } = tx;
  const caller = tx.user(args.userId);
  const channels = new Map<ChannelId, ChannelRow>();
  const archived = namesOfArchived(state, caller, args.channels);
  for (const name of args.channels) {
    const channel = state.channelByName(name.trim()) ?? archived.get(keyOf(name));
    if (!channel || !canSeeChannel(state, channel, caller)) throw errors.STREAM_DOES_NOT_EXIST({ stream: name });
    channels.set(channel.id, channel);
  }
  const people = findPrincipals(state, caller, args.principals);
  checkAmount(people.length, channels.size);
  const reply: UnsubscribeReply = { removed: [], not_removed: [] };
  const leavings: Leaving[] = [];
  for (const channel of channels.values()) {
    const others = people.filter(({ id, bot_owner_id }) => id !== caller.id && bot_owner_id !== caller.id);
    if (others.length > 0 && !mayRemoveAnybody(state, channel, caller)) throw badRequest("Insufficient permission");
    const userIds = people.map(({ id }) => id).filter((id) => state.subscriptions.has(id, channel.id));
    if (userIds.length > 0) reply.removed.push(channel.name);
    if (userIds.length < people.length) reply.not_removed.push(channel.name);
    leavings.push({ channel, userIds });
  }
  await removeSubscriptions(tx, leavings);
  return reply;
}

/** The newest archived channel of each name that no active channel has, so that its subscribers can still leave it. */
function namesOfArchived(state: RealmState, caller: UserRow, names: readonly string[]): Map<string, ChannelRow> {
  const found = new Map<string, ChannelRow>();
  if (names.every((name) => state.channelByName(name.trim()))) return found;
  for (const channel of state.channels.values()) {
    if (channel.is_archived && canSeeChannel(state, channel, caller)) found.set(keyOf(channel.name), channel);
  }
  return found;
}

/**
 * Whether somebody may remove anybody: administrators of the organization or the channel, and people whom the channel
 * names. Besides, everybody may remove themselves and their own bots. https://zulip.com/api/unsubscribe
 */
function mayRemoveAnybody(state: RealmState, channel: ChannelRow, caller: UserRow): boolean {
  return (
    canAdministerChannel(state, channel, caller) || state.groups.holds(channel.can_remove_subscribers_group, caller)
  );
}
