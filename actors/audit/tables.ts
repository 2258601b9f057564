/** Which rows of the replica are in the audit log, and what a change of theirs is called there. */
import type { ChannelId, UserId } from "../../storage/ids.ts";
import {
  type Change,
  type ChannelRow,
  channelGroupSettings,
  isKeyOf,
  type RealmRow,
  type RemovedRow,
  type StateRows,
  type StateTable,
  type UserGroupRow,
  type UserRow,
  userGroupSettings,
} from "../../storage/rows.ts";
import { identityProvidersKey, providerFacts } from "../identities/organization-providers.ts";
import type { AuditedTable, AuditedTables, AuditFact, AuditType } from "../realm/commit/audit.ts";
import { realmGroupSettings, realmSettings } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { userDefaultsKey } from "../users/settings/setting-values.ts";

type Values = Record<string, unknown>;
type Of<Row> = { readonly [K in keyof Row]?: AuditType };

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const pick = (row: object, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(row, name)]));

/** The columns that differ, by the type that tells of them. */
function changed<Row extends object>(before: Row, after: Row, types: Of<Row>): Omit<AuditFact, "userIds">[] {
  const byType = new Map<AuditType, string[]>();
  for (const [name, type] of Object.entries<AuditType | undefined>(types)) {
    if (!type || isSame(Reflect.get(before, name), Reflect.get(after, name))) continue;
    const names = byType.get(type);
    if (names) names.push(name);
    else byType.set(type, [name]);
  }
  return [...byType].map(([type, names]) => ({ type, before: pick(before, names), after: pick(after, names) }));
}

/** Rows that are told whole when they come, change or go. */
function whole<T extends StateTable>(
  type: AuditType,
  before: (state: RealmState, row: StateRows[T] | RemovedRow<T>) => StateRows[T] | undefined,
  key: readonly string[] = ["id"],
): AuditedTable<T> {
  const told = (row: object | undefined) =>
    row && Object.fromEntries(Object.entries(row).filter(([name]) => name !== "realm_id"));
  return {
    key,
    before,
    facts(old, now) {
      if (isSame(old, now)) return [];
      const [was, is] = [told(old), told(now)];
      return [{ type, ...(was && { before: was }), ...(is && { after: is }) }];
    },
  };
}

const userColumns: Of<UserRow> = {
  delivery_email: "user_email_address_changed",
  has_unconfirmed_email: "user_email_address_changed",
  full_name: "user_full_name_changed",
  role: "user_role_changed",
  bot_owner_id: "user_bot_owner_changed",
  can_create_users: "user_special_permission_changed",
  can_change_user_emails: "user_special_permission_changed",
  is_imported_stub: "user_activated",
};
const newUserColumns = ["delivery_email", "full_name", "role", "is_bot", "bot_type", "bot_owner_id"];

/** What may be told of where a bot's messages go: paths, queries and the token may be secrets. */
function serviceOf({ settings }: UserRow): Values | undefined {
  const { service } = settings;
  if (!service) return undefined;
  const url = URL.parse(service.base_url ?? "");
  return { server: url?.origin ?? null, interface: service.interface ?? null };
}

function ofUser(before: UserRow | undefined, after: UserRow, actorId: UserId | undefined): AuditFact[] {
  if (!before) return [{ type: "user_created", after: pick(after, newUserColumns) }];
  const facts: AuditFact[] = [];
  const isDeleted = after.is_deleted && !before.is_deleted;
  if (isDeleted) facts.push({ type: "user_deleted" });
  else facts.push(...changed(before, after, userColumns));
  if (before.is_active !== after.is_active)
    facts.unshift({ type: after.is_active ? "user_reactivated" : "user_deactivated" });
  // What a deleted account had chosen is not told: it has to go.
  if (isDeleted) return facts;
  const { service: oldService, ...old } = before.settings;
  const { service, ...now } = after.settings;
  if (!isSame(oldService, service)) {
    const [was, is] = [serviceOf(before), serviceOf(after)];
    facts.push({ type: "user_bot_service_changed", ...(was && { before: was }), ...(is && { after: is }) });
  }
  if (actorId !== after.id) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
      (name) => !isSame(old[name], now[name]),
    );
    if (names.length > 0)
      facts.push({ type: "user_setting_changed", before: pick(old, names), after: pick(now, names) });
  }
  return facts;
}

const channelColumns: Of<ChannelRow> = {
  name: "channel_name_changed",
  description: "channel_property_changed",
  invite_only: "channel_property_changed",
  is_web_public: "channel_property_changed",
  history_public_to_subscribers: "channel_property_changed",
  topics_policy: "channel_property_changed",
  folder_id: "channel_property_changed",
  message_retention_days: "channel_message_retention_days_changed",
  ...Object.fromEntries(channelGroupSettings.map((name) => [name, "channel_group_based_setting_changed"])),
};

const groupColumns: Of<UserGroupRow> = {
  name: "user_group_name_changed",
  description: "user_group_description_changed",
  ...Object.fromEntries(userGroupSettings.map((name) => [name, "user_group_group_based_setting_changed"])),
};

function ofRealm(before: RealmRow, after: RealmRow, state: RealmState): AuditFact[] {
  const facts: AuditFact[] = changed(before, after, { name: "realm_property_changed", host: "realm_property_changed" });
  if (before.is_deactivated !== after.is_deactivated)
    facts.push({ type: after.is_deactivated ? "realm_deactivated" : "realm_reactivated" });
  const names = [...new Set([...Object.keys(before.settings), ...Object.keys(after.settings)])];
  const differ = names.filter((name) => !isSame(before.settings[name], after.settings[name]));
  const valuesOf = (settings: Values, of: readonly string[]) =>
    Object.fromEntries(of.map((name) => [name, settings[name] ?? defaultOf(state, name)]));
  const tell = (type: AuditType, of: readonly string[]) => {
    if (of.length > 0) facts.push({ type, before: valuesOf(before.settings, of), after: valuesOf(after.settings, of) });
  };
  tell(
    "realm_property_changed",
    differ.filter((name) => name !== userDefaultsKey && name !== identityProvidersKey),
  );
  tell(
    "realm_default_user_settings_changed",
    differ.filter((name) => name === userDefaultsKey),
  );
  facts.push(...providerFacts(before.settings[identityProvidersKey], after.settings[identityProvidersKey]));
  return facts;
}

function defaultOf(state: RealmState, name: string): unknown {
  if (isKeyOf(realmSettings, name)) return realmSettings[name].default;
  if (!isKeyOf(realmGroupSettings, name)) return null;
  return state.systemGroup(realmGroupSettings[name].default);
}

/** A channel that the same command makes. */
function newChannel(changes: readonly Change[], id: ChannelId): ChannelRow | undefined {
  for (const { table, put } of changes) {
    const row = table === "channels" ? put?.find((channel) => channel.id === id) : undefined;
    if (row) return row;
  }
  return undefined;
}

export const auditedTables: AuditedTables = {
  realms: {
    key: ["id"],
    before: (state) => state.row,
    facts: (before, after, { state }) => (before && after ? ofRealm(before, after, state) : []),
  },
  users: {
    key: ["id"],
    before: (state, { id }) => state.users.get(id),
    facts: (before, after, { actorId }) =>
      after ? ofUser(before, after, actorId).map((fact) => ({ ...fact, userIds: [after.id] })) : [],
  },
  channels: {
    key: ["id"],
    before: (state, { id }) => state.channels.get(id),
    facts(before, after) {
      if (!after) return [];
      const channelId = after.id;
      if (!before) {
        const names = ["name", "description", "invite_only", "is_web_public", "history_public_to_subscribers"];
        return [{ type: "channel_created", channelId, after: pick(after, [...names, ...channelGroupSettings]) }];
      }
      const facts: AuditFact[] = changed(before, after, channelColumns);
      if (before.is_archived !== after.is_archived)
        facts.push({ type: after.is_archived ? "channel_deactivated" : "channel_reactivated" });
      return facts.map((fact) => ({ ...fact, channelId }));
    },
  },
  subscriptions: {
    key: ["user_id", "channel_id"],
    before: (state, { user_id, channel_id }) => state.subscriptions.find(user_id, channel_id),
    facts(before, after, { state, changes }) {
      if (!after) return [];
      const { user_id, channel_id: channelId, is_active } = after;
      if ((before?.is_active ?? false) === is_active) return [];
      // A public channel is open to everybody anyway.
      const channel = state.channels.get(channelId) ?? newChannel(changes, channelId);
      if (channel?.invite_only !== true) return [];
      const type = is_active ? "subscription_created" : "subscription_deactivated";
      return [{ type, channelId, userIds: [user_id], merges: true }];
    },
  },
  user_groups: {
    key: ["id"],
    before: (state, { id }) => state.groups.byId.get(id),
    facts(before, after) {
      if (!after) return [];
      const groupId = after.id;
      if (!before) {
        const names = ["name", "description", ...userGroupSettings];
        return [{ type: "user_group_created", groupId, after: pick(after, names) }];
      }
      const facts: AuditFact[] = changed(before, after, groupColumns);
      if (before.deactivated !== after.deactivated)
        facts.push({ type: after.deactivated ? "user_group_deactivated" : "user_group_reactivated" });
      return facts.map((fact) => ({ ...fact, groupId }));
    },
  },
  user_group_members: {
    key: ["group_id", "user_id"],
    before: (state, { group_id, user_id }) =>
      state.groups.hasDirectMember(group_id, user_id) ? { group_id, user_id, realm_id: state.id } : undefined,
    facts(before, after) {
      const row = after ?? before;
      if (!row || (before && after)) return [];
      const { group_id: groupId, user_id } = row;
      const type = after ? "user_group_direct_user_membership_added" : "user_group_direct_user_membership_removed";
      return [{ type, groupId, userIds: [user_id], merges: true }];
    },
  },
  user_group_subgroups: {
    key: ["group_id", "subgroup_id"],
    before: (state, { group_id, subgroup_id }) =>
      state.groups.hasDirectSubgroup(group_id, subgroup_id) ? { group_id, subgroup_id, realm_id: state.id } : undefined,
    facts(before, after) {
      const row = after ?? before;
      if (!row || (before && after)) return [];
      const { group_id: groupId, subgroup_id } = row;
      return after
        ? [{ type: "user_group_direct_subgroup_membership_added", groupId, after: { subgroup_id } }]
        : [{ type: "user_group_direct_subgroup_membership_removed", groupId, before: { subgroup_id } }];
    },
  },
  realm_domains: whole("realm_domain_changed", (state, { id }) => state.domains.get(id)),
  linkifiers: whole("realm_linkifier_changed", (state, { id }) => state.linkifiers.get(id)),
  playgrounds: whole("realm_playground_changed", (state, { id }) => state.playgrounds.get(id)),
  realm_emoji: whole("realm_emoji_changed", (state, { id }) => state.emoji.get(id)),
  custom_profile_fields: whole("realm_profile_field_changed", (state, { id }) => state.profileFields.get(id)),
  channel_folders: whole("realm_folder_changed", (state, { id }) => state.folders.get(id)),
  default_channels: {
    key: ["channel_id"],
    before: (state, { channel_id }) =>
      state.defaultChannels.has(channel_id) ? { channel_id, realm_id: state.id } : undefined,
    facts(before, after) {
      const row = after ?? before;
      if (!row || (before && after)) return [];
      const isDefault = after !== undefined;
      const channelId = row.channel_id;
      return [
        {
          type: "realm_default_stream_changed",
          channelId,
          before: { is_default: !isDefault },
          after: { is_default: isDefault },
        },
      ];
    },
  },
};
