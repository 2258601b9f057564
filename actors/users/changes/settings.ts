/** People changing their own settings and names, and administrators changing the defaults of new accounts. */

import type { SessionId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { checkConfirmable, checkEmailDomain } from "../../organization/email-domains.ts";
import { discardDrafts } from "../../personal/changes/drafts.ts";
import { apiEmail, canSeeEmail, canSeeUser, isAdmin, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";
import {
  checkUserSetting,
  chosenDefaults,
  editedSettings,
  languageName,
  type UserSettingValue,
  userDefaultsKey,
  userSettingDefaults,
  withEdited,
  withSetting,
} from "../settings/setting-values.ts";
import { type UserSettingName, userSetting } from "../settings/settings.ts";
import { canonicalTimezone } from "../settings/timezone.ts";
import { checkFullName } from "./accounts.ts";
import { changeEmail, changeEmailVisibility, checkEmail } from "./address.ts";
import { setPassword } from "./key-change.ts";
import { askForAddress } from "./one-time-links.ts";
import { changeFullName } from "./update.ts";

export type SettingValues = Partial<Record<UserSettingName, UserSettingValue>>;
const entriesOf = (values: SettingValues) => Object.entries(values) as [UserSettingName, UserSettingValue][];

export interface UpdateSettingsArgs {
  userId: UserId;
  settings: SettingValues;
  fullName?: string | undefined;
  email?: string | undefined;
  timezone?: string | undefined;
  /** Hash of a new password. The caller has checked the old password. */
  passwordHash?: string | undefined;
  /** The caller's log-in. A new password ends the others. */
  sessionId?: SessionId | undefined;
}

/** All of it or nothing. @throws BAD_REQUEST */
export const updateSettings = command((tx: Tx, args: UpdateSettingsArgs) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  const settings = entriesOf(args.settings).map(([name, value]) => [name, checkUserSetting(name, value)] as const);
  const { fullName, email } = checkIdentity(tx, user, args);
  const timezone = args.timezone === undefined ? user.timezone : checkTimezone(args.timezone);
  let next = changeFullName(tx, user, fullName);
  // Where there is mail, an address is whose who reads what is sent there.
  if (!state.server.sendsEmail) next = changeEmail(tx, next, email, isAdmin(user));
  else if (email !== user.delivery_email) askForAddress(tx, user, email);
  if (timezone !== user.timezone) {
    next = { ...next, timezone };
    tx.put("users", next);
    tellSetting(tx, [user.id], "timezone", timezone);
    tx.event(
      {
        type: "realm_user",
        op: "update",
        person: { user_id: user.id, timezone, email: apiEmail(state, next) },
      },
      { to: "userViewers", userId: user.id },
    );
  }
  const changed = settings.filter(([name, value]) => userSetting(next, name) !== value);
  if (changed.length > 0) {
    const edited = [...editedSettings(state, user), ...changed.map(([name]) => name)];
    next = { ...next, settings: withEdited(next.settings, edited) };
    tx.put("users", next);
  }
  const others = changed.filter(([name]) => name !== "email_address_visibility");
  if (others.length > 0) {
    const chosen = others.reduce((values, [name, value]) => withSetting(values, name, value), next.settings);
    next = { ...next, settings: chosen };
    tx.put("users", next);
  }
  for (const [name, value] of changed) {
    if (name === "email_address_visibility") next = changeEmailVisibility(tx, next, Number(value));
    else tellSetting(tx, [user.id], name, value);
    if (name === "allow_private_data_export")
      tx.event({ type: "realm_export_consent", user_id: user.id, consented: value === true }, { to: "admins" });
    if (name === "presence_enabled") tellAway(tx, user.id, !value);
    if (name === "presence_enabled" && value === false) tellGone(tx, next);
    if (name === "enable_drafts_synchronization" && value === false) discardDrafts(tx, user.id);
  }
  const { passwordHash } = args;
  if (passwordHash !== undefined) setPassword(tx, next, passwordHash, args.sessionId);
  return {};
});

/** Checks that somebody may give themselves this name and address in this organization. @throws BAD_REQUEST */
function checkIdentity(tx: Tx, user: UserRow, args: UpdateSettingsArgs): { fullName: string; email: string } {
  const { state } = tx;
  const fullName = args.fullName === undefined ? user.full_name : checkFullName(args.fullName, state, user.id);
  if (fullName !== user.full_name && state.setting("name_changes_disabled") && !isAdmin(user))
    throw badRequest("Name changes are disabled in this organization.");
  const email = args.email === undefined ? user.delivery_email : checkEmail(args.email);
  if (email !== user.delivery_email && state.setting("email_changes_disabled") && !isAdmin(user))
    throw badRequest("Email address changes are disabled in this organization.");
  if (email !== user.delivery_email) {
    checkEmailDomain(state, email);
    if (!isAdmin(user)) checkConfirmable(state);
  }
  const holder = state.userByEmail(email);
  if (holder && holder.id !== user.id) {
    // Nobody learns of an address that they may not know.
    const isKnown = canSeeEmail(holder, user) && canSeeUser(state, holder, user);
    throw badRequest(isKnown ? `Email '${email}' already in use` : "This email address cannot be used here.");
  }
  return { fullName, email };
}

/** The name as it is stored. @throws BAD_REQUEST for a name that is no IANA time zone */
function checkTimezone(name: string): string {
  const timezone = canonicalTimezone(name);
  if (timezone === undefined) throw badRequest("Invalid timezone");
  return timezone;
}

/** Tells people that a setting of theirs has changed. */
export function tellSetting(
  tx: Tx,
  ids: UserId[],
  property: UserSettingName | "timezone",
  value: UserSettingValue,
): void {
  const change = property === "default_language" ? languageChange(String(value)) : { property, value };
  tx.event({ type: "user_settings", op: "update", ...change }, { to: "users", ids });
}

/** Tells everybody who sees the account of `away`, for older clients. */
export function tellAway(tx: Tx, userId: UserId, away: boolean): void {
  tx.event({ type: "user_status", user_id: userId, away }, { to: "userViewers", userId });
}

/** Seconds after which nobody counts as here any more, even with the minute between two reports of a client. */
const goneSecs = 261;

/** Tells everybody who sees the account that its person, who was here, is gone. */
function tellGone(tx: Tx, user: UserRow): void {
  if (tx.state.setting("presence_disabled")) return;
  const timestamp = tx.now - goneSecs;
  tx.event(
    {
      type: "presence",
      user_id: user.id,
      email: apiEmail(tx.state, user),
      server_timestamp: tx.now,
      // Clients that know one time for each status take it for the newest activity.
      presence: { website: { client: "website", status: "active", timestamp, pushable: false } },
      active_timestamp: timestamp,
      idle_timestamp: timestamp,
    },
    { to: "userViewers", userId: user.id },
  );
}

function languageChange(value: string) {
  const language_name = languageName(value);
  return { property: "default_language" as const, value, ...(language_name !== undefined && { language_name }) };
}

export interface UpdateDefaultsArgs {
  userId: UserId;
  settings: SettingValues;
}

/** Changes the defaults of new accounts. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const updateUserDefaults = command((tx: Tx, args: UpdateDefaultsArgs) => {
  const { state } = tx;
  requireAdmin(tx.user(args.userId));
  const settings = entriesOf(args.settings).map(([name, value]) => [name, checkUserSetting(name, value)] as const);
  const current = userSettingDefaults(state);
  const changed = settings.filter(([name, value]) => current[name] !== value);
  if (changed.length === 0) return {};
  const chosen = changed.reduce((values, [name, value]) => withSetting(values, name, value), chosenDefaults(state));
  tx.put("realms", { ...state.row, settings: { ...state.row.settings, [userDefaultsKey]: chosen } });
  for (const [property, value] of changed)
    tx.event({ type: "realm_user_settings_defaults", op: "update", property, value }, { to: "realm" });
  return {};
});
