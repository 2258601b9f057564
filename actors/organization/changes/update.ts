/** The organization's own settings (`PATCH /realm`), and its deactivation. */
import type { ChannelId, UserId } from "../../../storage/ids.ts";
import type { GroupSetting } from "../../../storage/rows.ts";
import { keysOf } from "../../../storage/rows.ts";
import { callProviders, callServicesOf } from "../../calls/services.ts";
import { grantChannel } from "../../channels/channel-machine.ts";
import { badRequest, errors } from "../../errors.ts";
import { checkGroupSettingUpdate, type GroupSettingUpdate, shownGroupSetting } from "../../groups/setting-values.ts";
import { accessChannel, requireAdmin, requireOwner } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import {
  limits,
  type RealmGroupSetting,
  type RealmGroupSettingName,
  type RealmSetting,
  type RealmSettingName,
  realmGroupSettings,
  realmSettings,
} from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLegible } from "../../text/legible-name.ts";
import { isLine, isLonger } from "../../text/texts.ts";
import { checkUserSetting } from "../../users/settings/setting-values.ts";
import { renderPlain } from "../markdown-context.ts";
import type { ChangedRealmValue, ShownRealmSetting as SettingValue } from "../shapes.ts";
import { tellChangedAccess, tellFullMembers } from "./consequences.ts";

export interface UpdateRealmArgs {
  userId: UserId;
  name?: string | undefined;
  /** Decoded from the request. `unlimited` and `default` are still words. */
  settings: Partial<Record<RealmSettingName, unknown>>;
  groups: Partial<Record<RealmGroupSettingName, GroupSettingUpdate>>;
}

/** Settings whose changes clients get in one `update_dict`, together with deprecated ones that follow from them. */
const inDictionary: Partial<
  Record<RealmSettingName, (value: SettingValue, state: RealmState) => Record<string, SettingValue>>
> = {
  description: (value, state) => ({
    description: value,
    rendered_description: renderPlain(state, String(value)),
  }),
  allow_message_editing: (value) => ({ allow_message_editing: value }),
  message_content_edit_limit_seconds: (value) => ({ message_content_edit_limit_seconds: value }),
  topics_policy: (value) => ({ topics_policy: value, mandatory_topics: value === "disable_empty_topic" }),
  message_edit_history_visibility_policy: (value) => ({
    message_edit_history_visibility_policy: value,
    allow_edit_history: value !== "none",
  }),
};

/** Changes settings of the organization. Either all changes are made or none. */
export const updateRealm = command((tx: Tx, args: UpdateRealmArgs) => {
  const { state } = tx;
  requireAdmin(tx.user(args.userId));
  const changed = checkSettings(tx, args);
  const groups = checkGroups(tx, args);
  const name = args.name === undefined ? state.row.name : checkName(args.name);
  if (changed.size === 0 && groups.size === 0 && name === state.row.name) return {};
  tx.put("realms", {
    ...state.row,
    name,
    settings: { ...state.row.settings, ...Object.fromEntries(changed), ...Object.fromEntries(groups) },
  });
  const updates: [string, SettingValue][] = name === state.row.name ? [] : [["name", name]];
  const data: Record<string, ChangedRealmValue> = {};
  for (const [property, value] of changed) {
    const entries = inDictionary[property];
    if (entries) Object.assign(data, entries(value, state));
    else updates.push([property, value]);
  }
  for (const [property, value] of groups) data[property] = shownGroupSetting(state, value);
  for (const [property, value] of updates) {
    tx.event({ type: "realm", op: "update", property, value }, { to: "realm" });
  }
  if (Object.keys(data).length > 0) {
    tx.event({ type: "realm", op: "update_dict", property: "default", data }, { to: "realm" });
  }
  const threshold = changed.get("waiting_period_threshold");
  if (threshold !== undefined) tellFullMembers(tx, Number(threshold));
  const access = groups.get("can_access_all_users_group");
  if (access !== undefined) tellChangedAccess(tx, access);
  return {};
});

/** The settings whose values change. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
function checkSettings(tx: Tx, args: UpdateRealmArgs): Map<RealmSettingName, SettingValue> {
  const changed = new Map<RealmSettingName, SettingValue>();
  for (const name of keysOf(args.settings)) {
    const given = args.settings[name];
    if (given === undefined) continue;
    const setting: RealmSetting = realmSettings[name];
    if (setting.owner) requireOwner(tx.user(args.userId));
    const value = checkValue(tx, args.userId, name, setting, given);
    if (value !== tx.state.setting(name)) changed.set(name, value);
  }
  return changed;
}

function checkGroups(tx: Tx, args: UpdateRealmArgs): Map<RealmGroupSettingName, GroupSetting> {
  const changed = new Map<RealmGroupSettingName, GroupSetting>();
  for (const name of keysOf(args.groups)) {
    const update = args.groups[name];
    if (update === undefined) continue;
    const rule: RealmGroupSetting = realmGroupSettings[name];
    if (rule.owner) requireOwner(tx.user(args.userId));
    const value = checkGroupSettingUpdate(tx.state, name, tx.state.groupSetting(name), update, rule);
    if (value !== undefined) changed.set(name, value);
  }
  return changed;
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("Organization must have a name.");
  if (isLonger(trimmed, limits.realmName)) throw badRequest(`name is too long (limit: ${limits.realmName} characters)`);
  if (!isLegible(trimmed)) throw badRequest("Invalid character in the organization's name.");
  return trimmed;
}

const invalid = (name: string, value: unknown) =>
  errors.REQUEST_VARIABLE_INVALID({ var_name: name, bad_value: String(value).slice(0, 100) });

/** One value as it is stored. @throws BAD_REQUEST, REQUEST_VARIABLE_INVALID */
function checkValue(
  tx: Tx,
  userId: UserId,
  name: RealmSettingName,
  setting: RealmSetting,
  value: unknown,
): SettingValue {
  const { kind } = setting;
  if (typeof kind === "object") {
    const isOffered = name !== "video_chat_provider" || offersCalls(tx.state, value);
    const choice = kind.oneOf.find((one) => one === value);
    if (choice === undefined || !isOffered) throw badRequest(`Invalid ${name}`);
    return choice;
  }
  switch (kind) {
    case "boolean":
      if (typeof value !== "boolean") throw invalid(name, value);
      return value;
    case "integer":
      return checkRange(name, setting, value);
    case "days":
      return value === "unlimited" ? -1 : checkRange(name, setting, value);
    case "limit":
      return value === "unlimited" ? null : checkRange(name, setting, value);
    case "language":
      return checkUserSetting("default_language", String(value));
    case "url":
      return value === "default" ? null : checkMeetingUrl(name, String(value), setting.maxLength!);
    case "channel":
      return checkChannel(tx, userId, name, Number(value));
    case "string": {
      const text = String(value);
      if (isLonger(text, setting.maxLength!))
        throw badRequest(`${name} is too long (limit: ${setting.maxLength} characters)`);
      return text;
    }
  }
}

function checkRange(name: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: RealmSetting, value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) throw invalid(name, value);
  return value;
}

/** Whether clients can open meetings under an address. */
export const isMeetingUrl = (value: string, maxLength: number): boolean =>
  value.length <= maxLength && isLine(value) && /^https?:\/\//i.test(value) && URL.canParse(value);

function checkMeetingUrl(name: string, value: string, maxLength: number): string {
  if (!isMeetingUrl(value, maxLength)) throw badRequest(`${name} is not an allowed_type`);
  return value;
}

/** Whether the server is configured for a provider of video calls. */
const offersCalls = (state: RealmState, provider: unknown): boolean =>
  Object.values(callProviders(callServicesOf(state))).some(({ id }) => id === provider);

/** Checks a channel: -1, or one that the caller sees and that is not archived. */
function checkChannel(tx: Tx, userId: UserId, name: string, value: ChannelId): ChannelId {
  if (value === -1) return -1;
  if (value < 0) throw badRequest(`Invalid ${name}`);
  const channel = accessChannel(tx.state, tx.user(userId), value);
  grantChannel(channel, { type: "role.asked" });
  return channel.id;
}

/** Moves the organization to another host, which no other organization has. Only for the server's operator. */
export const moveRealm = command((tx: Tx, { host }: { host: string }) => {
  tx.put("realms", { ...tx.state.row, host });
  return {};
});

/** Brings a deactivated organization back. Only for the server's operator: nobody of it can log in. */
export const reactivateRealm = command((tx: Tx) => {
  if (tx.state.row.is_deactivated) tx.put("realms", { ...tx.state.row, is_deactivated: false });
  return {};
});

/** Deactivates the organization: nobody can use it any more. */
export const deactivateRealm = command((tx: Tx, args: { userId: UserId }) => {
  requireOwner(tx.user(args.userId));
  tx.put("realms", { ...tx.state.row, is_deactivated: true });
  tx.event({ type: "realm", op: "deactivated", realm_id: tx.realmId }, { to: "realm" });
  return {};
});
