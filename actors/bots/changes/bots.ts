/** Bots: programs with accounts of their own, which people create and manage. */
import { isDeepStrictEqual } from "node:util";
import { findBots } from "../../../storage/bots/bots.ts";
import type { UserId } from "../../../storage/ids.ts";
import { keysOf, type Role, roles, type UserRow } from "../../../storage/rows.ts";
import { generateApiKey } from "../../../storage/users/passwords.ts";
import { badRequest } from "../../errors.ts";
import { accessChannelByName, isAdmin, requireOwner } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { addUser, checkFullName } from "../../users/changes/accounts.ts";
import { accessBot, accessBotOfRank } from "../../users/changes/api-keys.ts";
import { changeOwner, takeBot } from "../../users/changes/bot-owner.ts";
import { changeRole, checkRoleChange } from "../../users/changes/role.ts";
import { endAccount } from "../../users/changes/states.ts";
import { toManagers } from "../../users/changes/tell-bot.ts";
import { changeFullName } from "../../users/changes/update.ts";
import { incomingWebhookBot, outgoingWebhookBot, renderBot } from "../record.ts";
import { type BotService, checkInterface, checkServiceUrl, interfaces, serviceOf } from "../services.ts";

/**
 * Types of bots that can be made: generic, incoming webhook (it only sends) and outgoing webhook (a service that is
 * called). https://zulip.com/api/get-bots
 */
export const botTypes = [1, incomingWebhookBot, outgoingWebhookBot] as const;
/** A bot that would run inside the server. */
export const embeddedBot = 4;

/** The bot's default channels, by name; empty for none. */
export interface BotDefaults {
  sendingChannel?: string | undefined;
  eventsChannel?: string | undefined;
  allPublicChannels?: boolean | undefined;
}

/** A person's active bots, with their keys. */
export async function findBotsOf(
  { id, database }: RealmReader,
  owner: UserRow,
): Promise<(UserRow & { api_key: string })[]> {
  return (await findBots(database.sql, id, owner.id)).filter((bot) => bot.is_active);
}

/** Active bots of one person. Deactivated bots remain accounts, so all bots together have a limit too. */
const maxBots = 50;
const maxBotsEver = 500;

/** @throws BAD_REQUEST when the person has too many bots */
function checkBotCount(state: RealmState, owner: UserRow): void {
  let active = 0;
  let all = 0;
  for (const user of state.users.values()) {
    if (user.bot_owner_id !== owner.id) continue;
    all++;
    if (user.is_active) active++;
  }
  if (active >= maxBots) throw badRequest(`One person can have at most ${maxBots} bots in use.`);
  if (all >= maxBotsEver)
    throw badRequest(`One person can have at most ${maxBotsEver} bots, deactivated ones included.`);
}

export interface CreateBotArgs extends BotDefaults {
  ownerId: UserId;
  fullName: string;
  /** The part of the bot's address before `-bot@`. */
  shortName: string;
  type: (typeof botTypes)[number] | typeof embeddedBot;
  /** Only of outgoing webhooks: the address of the service, and the format of the requests. */
  serviceUrl?: string | undefined;
  serviceInterface?: number | undefined;
}

/** Creates a bot. @throws BAD_REQUEST */
export const createBot = command(async (tx: Tx, args: CreateBotArgs) => {
  const { state } = tx;
  const owner = tx.user(args.ownerId);
  const may =
    !owner.is_bot &&
    (state.may(owner, "can_create_bots_group") ||
      (args.type === incomingWebhookBot && state.may(owner, "can_create_write_only_bots_group")));
  if (!may) throw badRequest("Insufficient permission");
  if (args.type === embeddedBot) throw badRequest("Embedded bots are not enabled.");
  checkBotCount(state, owner);
  const shortName = args.shortName.trim().toLowerCase();
  if (!/^[a-z0-9._-]{1,60}$/.test(shortName)) throw badRequest("Bad name or username");
  const settings = changeDefaults(
    state,
    owner,
    args.type === outgoingWebhookBot ? { service: newService(args) } : {},
    args,
  );
  const apiKey = generateApiKey();
  const bot = await addUser(tx, {
    email: `${shortName.replace(/-bot$/, "")}-bot@${state.botDomain}`,
    fullName: args.fullName,
    passwordHash: null,
    // A key never carries a role above that of the person who creates it.
    role: Math.max(roles.member, owner.role),
    bot: { ownerId: owner.id, type: args.type, settings, apiKey },
  });
  toManagers(tx, bot, (viewer) => ({ type: "realm_bot", op: "add", bot: renderBot(state, bot, viewer) }));
  const record = renderBot(state, bot, owner);
  return {
    user_id: bot.id,
    api_key: apiKey,
    avatar_url: record["avatar_url"],
    default_sending_stream: record["default_sending_stream"],
    default_events_register_stream: record["default_events_register_stream"],
    default_all_public_streams: record["default_all_public_streams"],
  };
});

const newService = ({ serviceUrl, serviceInterface }: CreateBotArgs): BotService => ({
  base_url: checkServiceUrl(serviceUrl ?? ""),
  interface: checkInterface(serviceInterface ?? interfaces.generic),
  token: generateApiKey(),
});

export interface UpdateBotArgs extends BotDefaults {
  actorId: UserId;
  botId: UserId;
  fullName?: string | undefined;
  role?: Role | undefined;
  ownerId?: UserId | undefined;
  serviceUrl?: string | undefined;
  serviceInterface?: number | undefined;
}

/** Changes a bot. Either all changes are made or none. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
export const updateBot = command((tx: Tx, args: UpdateBotArgs) => {
  const { state } = tx;
  const actor = tx.user(args.actorId);
  const bot = accessBot(state, actor, args.botId);
  const fullName = args.fullName === undefined ? bot.full_name : checkFullName(args.fullName, state, bot.id);
  if (args.role !== undefined && args.role !== bot.role) {
    if (args.role <= roles.administrator || isAdmin(bot)) requireOwner(actor);
    else if (!isAdmin(actor)) throw badRequest("Insufficient permission");
    checkRoleChange(state, actor, bot, args.role);
  }
  const owner = args.ownerId === undefined ? undefined : state.users.get(args.ownerId);
  if (args.ownerId !== undefined) {
    if (!owner || owner.is_bot) throw badRequest("Failed to change owner, no such user");
    if (!owner.is_active) throw badRequest("Failed to change owner, user is deactivated");
    if (owner.id !== bot.bot_owner_id) {
      checkMayGive(state, actor, bot);
      checkBotCount(state, owner);
    }
  }
  const settings = { ...changeDefaults(state, actor, bot.settings, args), ...changeService(state, actor, bot, args) };
  let next = changeFullName(tx, bot, fullName);
  if (args.role !== undefined) next = changeRole(tx, next, args.role);
  next = changeSettings(tx, next, settings);
  if (owner && owner.id !== bot.bot_owner_id) next = changeOwner(tx, next, owner, owner.id === actor.id);
  else if (owner?.id === actor.id) next = takeBot(tx, next);
  const shown = renderBot(state, next, actor);
  return {
    full_name: next.full_name,
    avatar_url: shown["avatar_url"],
    default_sending_stream: shown["default_sending_stream"],
    default_events_register_stream: shown["default_events_register_stream"],
    default_all_public_streams: shown["default_all_public_streams"],
    ...(owner && { bot_owner: owner.delivery_email }),
    ...(shown.services[0] && {
      service_payload_url: shown.services[0].base_url,
      service_interface: shown.services[0].interface,
    }),
  };
});

/** Deactivates a bot. @throws BAD_REQUEST */
export const deactivateBot = command((tx: Tx, { actorId, botId }: { actorId: UserId; botId: UserId }) => {
  const actor = tx.user(actorId);
  const bot = accessBot(tx.state, actor, botId);
  endAccount(tx, actor, bot);
  return {};
});

/**
 * Only administrators give bots to others: the new owner is not asked.
 *
 * @throws as `accessBotOfRank` does
 */
function checkMayGive(state: RealmState, actor: UserRow, bot: UserRow): void {
  if (!isAdmin(actor)) throw badRequest("Only organization administrators can give a bot to somebody else.");
  accessBotOfRank(state, actor, bot.id);
}

/** Changes the bot's default channels. @throws STREAM_DOES_NOT_EXIST for a channel that `actor` does not see */
function changeDefaults(
  state: RealmState,
  actor: UserRow,
  before: Record<string, unknown>,
  change: BotDefaults,
): Record<string, unknown> {
  const channelId = (name: string) => (name.trim() === "" ? null : accessChannelByName(state, actor, name).id);
  return {
    ...before,
    ...(change.sendingChannel !== undefined && { default_sending_stream: channelId(change.sendingChannel) }),
    ...(change.eventsChannel !== undefined && { default_events_register_stream: channelId(change.eventsChannel) }),
    ...(change.allPublicChannels !== undefined && { default_all_public_streams: change.allPublicChannels }),
  };
}

/**
 * Changes the service of an outgoing webhook. The service speaks as the bot. So only a person who may have the bot's
 * key may choose it.
 *
 * @throws BAD_REQUEST for a bot of another type; else as `accessBotOfRank` does
 */
function changeService(
  state: RealmState,
  actor: UserRow,
  bot: UserRow,
  { serviceUrl, serviceInterface }: UpdateBotArgs,
): { service?: BotService } {
  if (serviceUrl === undefined && serviceInterface === undefined) return {};
  accessBotOfRank(state, actor, bot.id);
  if (bot.bot_type !== outgoingWebhookBot) throw badRequest("This bot is no outgoing webhook.");
  const before = serviceOf(bot);
  return {
    service: {
      base_url: serviceUrl === undefined ? checkServiceUrl(before?.base_url ?? "") : checkServiceUrl(serviceUrl),
      interface: checkInterface(serviceInterface ?? before?.interface ?? interfaces.generic),
      token: before?.token ?? generateApiKey(),
    },
  };
}

function changeSettings(tx: Tx, bot: UserRow, settings: Record<string, unknown>): UserRow {
  const next = { ...bot, settings };
  const [before, after] = [renderBot(tx.state, bot, undefined), renderBot(tx.state, next, undefined)];
  const names = keysOf(after);
  const isSetting = (name: string) => name.startsWith("default_") || name === "services";
  const changed = names.filter((name) => isSetting(name) && !isDeepStrictEqual(after[name], before[name]));
  if (changed.length === 0) return bot;
  tx.put("users", next);
  for (const name of changed)
    toManagers(tx, next, (viewer) => {
      const record = renderBot(tx.state, next, viewer);
      return { type: "realm_bot", op: "update", bot: { user_id: next.id, [name]: record[name] } };
    });
  return next;
}
