/** Accounts: how they begin, change and end. */

import type { UserId } from "../../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { insertCredentials } from "../../../storage/users/credentials.ts";
import { generateApiKey } from "../../../storage/users/passwords.ts";
import { addSubscribers } from "../../channels/changes/subscribers.ts";
import { badRequest } from "../../errors.ts";
import { checkEmailDomain } from "../../organization/email-domains.ts";
import { isGuest, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import type { Language } from "../../text/languages.ts";
import { isLegible } from "../../text/legible-name.ts";
import { isLonger } from "../../text/texts.ts";
import { newUserRow } from "../new-row.ts";
import { personRecord } from "../record.ts";
import { chosenDefaults, newcomerSettings } from "../settings/setting-values.ts";
import { checkEmail, checkFreeEmail } from "./address.ts";
import { receiveNewcomer } from "./newcomers.ts";
import { changeSystemGroups } from "./role.ts";

/** Code points of a name. */
export const fullNameLengths = { minLength: 2, maxLength: limits.fullName } as const;
/** What a name may not have: signs of the syntax of mentions, and an end as of one with an id. */
export const unfitInNames = /[*`\\>"@]|\|(?=\d+$)/;

/**
 * A name without white space around it.
 *
 * @param userId the account that gets it; undefined: a new one
 * @throws BAD_REQUEST for a name by which people could not be told apart or mentioned
 */
export function checkFullName(name: string, state: RealmState, userId?: UserId): string {
  const trimmed = name.trim();
  if (!isLonger(trimmed, fullNameLengths.minLength - 1)) throw badRequest("Name too short!");
  if (isLonger(trimmed, fullNameLengths.maxLength)) throw badRequest("Name too long!");
  if (/[*`\\>"@]/.test(trimmed) || !isLegible(trimmed)) throw badRequest("Invalid characters in name!");
  // A mention with an id ends like this.
  if (/\|\d+$/.test(trimmed)) throw badRequest("Invalid format!");
  const isTaken =
    state.setting("require_unique_names") &&
    state.usersByName(trimmed).some((other) => other.id !== userId && other.is_active);
  if (isTaken) throw badRequest("Unique names required in this organization.");
  return trimmed;
}

export interface CreateUserArgs {
  /** undefined: the server itself. */
  actorId: UserId | undefined;
  email: string;
  fullName: string;
  passwordHash: string | null;
  role: number;
  /** Whether the address is unconfirmed. */
  hasUnconfirmedEmail?: boolean;
  /** What their browser asks for; the organization's unless known. */
  language?: Language | undefined;
  /** For a bot: its owner, its type and its first settings. */
  bot?: { ownerId: UserId; type: number; settings: Record<string, unknown>; apiKey: string };
}

/** Adds an account, with its key, to the default channels. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const createUser = command(async (tx: Tx, args: CreateUserArgs) => {
  if (args.actorId !== undefined) {
    const actor = tx.user(args.actorId);
    requireAdmin(actor);
    if (!actor.can_create_users) throw badRequest("User not authorized to create users");
    checkEmailDomain(tx.state, checkEmail(args.email));
  }
  const user = await addPerson(tx, args);
  return { user_id: user.id };
});

/** A new account in the default channels, with its welcome, for any command that may add one. */
export async function addPerson(tx: Tx, args: Omit<CreateUserArgs, "actorId">): Promise<UserRow> {
  const user = await addUser(tx, args);
  const channels = isGuest(user) ? [] : activeDefaultChannels(tx.state);
  for (const channel of channels) await addSubscribers(tx, channel, [user.id]);
  await receiveNewcomer(tx, user, { channels });
  return user;
}

/** The rows and events of a new account, which is in no channel yet, for any command that adds one. */
export async function addUser(tx: Tx, args: Omit<CreateUserArgs, "actorId">): Promise<UserRow> {
  const { state } = tx;
  const fullName = checkFullName(args.fullName, state);
  const email = checkFreeEmail(state, args.email);
  const user = newUserRow({
    id: await tx.id("user_ids"),
    realm_id: tx.realmId,
    delivery_email: email,
    full_name: fullName,
    role: args.role,
    date_joined: tx.now,
    settings: args.bot ? (args.bot.settings ?? chosenDefaults(state)) : newcomerSettings(state, args.language),
    avatar_source: state.setting("default_avatar_source"),
    has_unconfirmed_email: args.hasUnconfirmedEmail ?? false,
    ...(args.bot && { is_bot: true, bot_type: args.bot.type, bot_owner_id: args.bot.ownerId }),
  });
  tx.put("users", user);
  const api_key = args.bot?.apiKey ?? generateApiKey();
  tx.write((sql) =>
    insertCredentials(sql, [{ user_id: user.id, realm_id: tx.realmId, api_key, password_hash: args.passwordHash }]),
  );
  tx.event({ type: "realm_user", op: "add", person: personRecord(state, user) }, { to: "realm" });
  changeSystemGroups(tx, undefined, user);
  return user;
}

/** The default channels that are not archived. */
export const activeDefaultChannels = ({ defaultChannels, channels }: RealmState): ChannelRow[] =>
  [...defaultChannels].flatMap((id) => {
    const channel = channels.get(id);
    return channel && !channel.is_archived ? [channel] : [];
  });

export interface PermitUserArgs {
  userId: UserId;
  canCreateUsers?: boolean | undefined;
  canChangeUserEmails?: boolean | undefined;
}

/**
 * Permissions that only the server's operator gives to single accounts. There is no event, since clients do not show
 * them.
 */
export const permitUser = command((tx: Tx, args: PermitUserArgs) => {
  const user = tx.user(args.userId);
  tx.put("users", {
    ...user,
    can_create_users: args.canCreateUsers ?? user.can_create_users,
    can_change_user_emails: args.canChangeUserEmails ?? user.can_change_user_emails,
  });
  return {};
});
