/** Tables of the organization itself: its settings, groups, emoji, linkifiers and the like. */
import { defined, upTo } from "../../../storage/failures.ts";
import type { GroupId, RealmId } from "../../../storage/ids.ts";
import type { Sql } from "../../../storage/postgres.ts";
import { isKeyOf, type RealmRow, type Role, roles, userGroupSettings } from "../../../storage/rows.ts";
import { readRows } from "../../../storage/transfer/export-rows.ts";
import { type SystemGroupName, systemGroupNames } from "../../realm/state/group-index.ts";
import {
  realmGroupSettingNames,
  realmGroupSettings,
  realmSettingNames,
  realmSettings,
} from "../../realm/state/settings.ts";
import { userDefaultsKey } from "../../users/settings/setting-values.ts";
import { settingCode } from "../zulip/coded-settings.ts";
import { channelSettings } from "../zulip/organization.ts";
import { userSettingColumns } from "./people-tables.ts";
import { type ExportSources, mapRows, numbered, type TableWriter } from "./sources.ts";

/** Increased when what an import makes of an export's own tables changes. */
export const exportVersion = 1;

const secondsPerDay = 86_400;
/** Whom Zulip keeps in which system group; the others contain these. */
const groupsByRole: Readonly<Record<Role, SystemGroupName>> = {
  [roles.owner]: "role:owners",
  [roles.administrator]: "role:administrators",
  [roles.moderator]: "role:moderators",
  [roles.member]: "role:members",
  [roles.guest]: "role:everyone",
};

async function realmOf({ sql, realmId }: ExportSources): Promise<RealmRow> {
  let realm: RealmRow | undefined;
  for await (const row of readRows(sql, "realms", realmId)) realm = row;
  return defined(realm, "such organization");
}

export async function writeOrganization(out: TableWriter, sources: ExportSources): Promise<void> {
  const { sql, realmId } = sources;
  const systemGroups = await readSystemGroups(sql, realmId);
  const realm = await realmOf(sources);
  await out.table("parley_export", [{ version: exportVersion, url: sources.url }]);
  await out.table("zerver_realm", [
    realmRow(realm, sources, (name) => defined(systemGroups.get(name), "system group")),
  ]);
  await out.table("zerver_realmauthenticationmethod", [{ id: 1, realm: realmId, name: "Email" }]);
  const defaults = realm.settings[userDefaultsKey] ?? {};
  await out.table("zerver_realmuserdefault", [{ id: 1, realm: realmId, ...userSettingColumns(defaults) }]);
  await writeLists(out, sources);
  const groups = realm.settings.default_stream_groups ?? [];
  await out.table(
    "zerver_defaultstreamgroup",
    groups.map(({ id, name, description, streams }) => ({ id, realm: realmId, name, description, streams })),
  );
}

/** What an organization has several of, each in a table of its own. */
async function writeLists(out: TableWriter, { sql, realmId, scope }: ExportSources): Promise<void> {
  const rows = <Table extends Parameters<typeof readRows>[1]>(table: Table) => readRows(sql, table, realmId);
  await out.table(
    "zerver_realmdomain",
    mapRows(rows("realm_domains"), ({ id, domain, allow_subdomains }) => ({
      id,
      realm: realmId,
      domain,
      allow_subdomains,
    })),
  );
  await out.table(
    "zerver_realmfilter",
    mapRows(rows("linkifiers"), ({ realm_id, ...row }) => ({ realm: realm_id, ...row })),
  );
  await out.table(
    "zerver_realmplayground",
    mapRows(rows("playgrounds"), ({ realm_id, ...row }) => ({ realm: realm_id, ...row })),
  );
  await out.table(
    "zerver_customprofilefield",
    mapRows(rows("custom_profile_fields"), ({ realm_id, type, ...row }) => ({
      realm: realm_id,
      field_type: type,
      ...row,
    })),
  );
  await out.table(
    "zerver_realmemoji",
    mapRows(rows("realm_emoji"), ({ realm_id, author_id, ...row }) => ({ realm: realm_id, author: author_id, ...row })),
  );
  await out.table(
    "zerver_channelfolder",
    mapRows(rows("channel_folders"), ({ realm_id, creator_id, ...row }) => ({
      realm: realm_id,
      creator: creator_id,
      ...row,
    })),
  );
  await out.table(
    "zerver_defaultstream",
    numbered(
      mapRows(rows("default_channels"), ({ channel_id }) =>
        scope.hasChannel(channel_id) ? { stream: channel_id, realm: realmId } : undefined,
      ),
    ),
  );
}

function realmRow(
  row: RealmRow,
  { groups }: ExportSources,
  systemGroup: (name: SystemGroupName) => GroupId,
): Record<string, unknown> {
  const columns: Record<string, unknown> = {
    id: row.id,
    name: row.name,
    string_id: upTo(row.host ?? "", ".").replace(/:\d+$/, ""),
    date_created: row.date_created,
    deactivated: false,
    uuid: row.uuid,
  };
  for (const name of realmSettingNames)
    columns[name] = settingCode(name, row.settings[name] ?? realmSettings[name].default);
  for (const [column, name] of Object.entries(channelSettings)) {
    const id = Number(columns[name] ?? -1);
    delete columns[name];
    columns[column] = id === -1 ? null : id;
  }
  for (const name of realmGroupSettingNames)
    columns[name] = groups.idOf((row.settings[name] as GroupId) ?? systemGroup(realmGroupSettings[name].default));
  for (const [kind, source] of [
    ["icon", "G"],
    ["logo", "D"],
    ["night_logo", "D"],
  ] as const) {
    columns[`${kind}_source`] = row.settings[`${kind}_file`] === undefined ? source : "U";
    columns[`${kind}_version`] = 1;
  }
  return columns;
}

/** Comes after every table whose rows name groups. */
export async function writeGroups(out: TableWriter, sources: ExportSources): Promise<void> {
  const { sql, realmId, groups } = sources;
  await out.table(
    "zerver_namedusergroup",
    mapRows(readRows(sql, "user_groups", realmId), ({ id, realm_id, creator_id, ...row }) => {
      const settings = userGroupSettings.map((name) => [name, groups.idOf(row[name])]);
      const own = { usergroup_ptr: id, realm: realm_id, realm_for_sharding: realm_id, creator: creator_id };
      return { ...own, ...row, ...Object.fromEntries(settings) };
    }),
  );
  await out.table("zerver_usergroup", unnamedRows(sources));
  await out.table("zerver_usergroupmembership", numbered(members(sources)));
  await out.table("zerver_groupgroupmembership", numbered(subgroups(sources)));
}

/** Every group has a row here, with a name or without. */
async function* unnamedRows({ sql, realmId, groups }: ExportSources): AsyncGenerator<object> {
  for await (const { id } of readRows(sql, "user_groups", realmId)) yield { id, realm: realmId };
  for (const { id } of groups.anonymous) yield { id, realm: realmId };
}

async function* members(sources: ExportSources) {
  const { sql, realmId, groups } = sources;
  for await (const { group_id, user_id } of readRows(sql, "user_group_members", realmId))
    yield { user_group: group_id, user_profile: user_id };
  yield* membersByRole(sources);
  for (const { id, members: people } of groups.anonymous)
    for (const user_profile of people) yield { user_group: id, user_profile };
}

/** Here roles alone decide who is in a system group. Zulip has rows for it, and reads them. */
async function* membersByRole({ sql, realmId }: ExportSources) {
  const systemGroups = await readSystemGroups(sql, realmId);
  let waitingDays = 0;
  for await (const { settings } of readRows(sql, "realms", realmId))
    waitingDays = Number(settings["waiting_period_threshold"] ?? realmSettings.waiting_period_threshold.default);
  const fullSince = Date.now() / 1000 - waitingDays * secondsPerDay;
  for await (const { id, role, date_joined, is_system_bot } of readRows(sql, "users", realmId)) {
    const name = isKeyOf(groupsByRole, role) ? groupsByRole[role] : undefined;
    if (is_system_bot || name === undefined) continue;
    yield { user_group: defined(systemGroups.get(name), "system group"), user_profile: id };
    if (name === "role:members" && date_joined <= fullSince)
      yield { user_group: defined(systemGroups.get("role:fullmembers"), "system group"), user_profile: id };
  }
}

async function* subgroups({ sql, realmId, groups }: ExportSources) {
  for await (const { group_id, subgroup_id } of readRows(sql, "user_group_subgroups", realmId))
    yield { supergroup: group_id, subgroup: subgroup_id };
  const systemGroups = await readSystemGroups(sql, realmId);
  for (const [place, name] of systemGroupNames.entries()) {
    const inner = systemGroupNames[place - 1];
    if (inner !== undefined && name !== "role:nobody")
      yield {
        supergroup: defined(systemGroups.get(name), "system group"),
        subgroup: defined(systemGroups.get(inner), "system group"),
      };
  }
  for (const { id, subgroups: ids } of groups.anonymous) for (const subgroup of ids) yield { supergroup: id, subgroup };
}

async function readSystemGroups(sql: Sql, realmId: RealmId): Promise<Map<string, GroupId>> {
  const systemGroups = new Map<string, GroupId>();
  for await (const { id, name, is_system_group } of readRows(sql, "user_groups", realmId))
    if (is_system_group) systemGroups.set(name, id);
  return systemGroups;
}
