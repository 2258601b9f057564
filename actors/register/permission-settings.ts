/**
 * `server_supported_permission_settings`: which groups each permission may be given to, so that clients offer only
 * those. Built from the tables that the checks use. https://zulip.com/api/register-queue
 */
import { channelGroupDefaults } from "../channels/permission-defaults.ts";
import { userGroupDefaults } from "../groups/rules.ts";
import { type RealmGroupSetting, realmGroupSettings } from "../realm/state/settings.ts";

interface PermissionSetting {
  require_system_group: boolean;
  allow_internet_group: boolean;
  allow_nobody_group: boolean;
  allow_everyone_group: boolean;
  default_group_name: string;
  default_for_system_groups: string | null;
  allowed_system_groups: string[];
}

function ofRealm(setting: RealmGroupSetting): PermissionSetting {
  return {
    require_system_group: setting.only !== undefined,
    allow_internet_group: false,
    allow_nobody_group: setting.nobody,
    allow_everyone_group: setting.everyone,
    default_group_name: setting.default,
    default_for_system_groups: null,
    allowed_system_groups: [...(setting.only ?? [])],
  };
}

function simple(
  name: string,
  { everyone, forSystemGroups = null }: { everyone: boolean; forSystemGroups?: string | null },
): PermissionSetting {
  return {
    require_system_group: false,
    allow_internet_group: false,
    allow_nobody_group: true,
    allow_everyone_group: everyone,
    default_group_name: name,
    default_for_system_groups: forSystemGroups,
    allowed_system_groups: [],
  };
}

export const supportedPermissionSettings = {
  realm: Object.fromEntries(Object.entries(realmGroupSettings).map(([name, setting]) => [name, ofRealm(setting)])),
  stream: Object.fromEntries(
    Object.entries(channelGroupDefaults).map(([name, { default: group, everyone }]) => [
      name,
      simple(group, { everyone }),
    ]),
  ),
  group: Object.fromEntries(
    Object.entries(userGroupDefaults).map(([name, { default: group, everyone }]) => [
      name,
      simple(group, { everyone, forSystemGroups: "role:nobody" }),
    ]),
  ),
};
