/** The register answer's parts about people: accounts, bots, statuses, profile fields and people's own settings. */

import type { UserRow } from "../../storage/rows.ts";
import { profileFieldRecords } from "../organization/profile-field-record.ts";
import { customProfileFieldTypes } from "../organization/profile-field-values.ts";
import { mutedUserRecords } from "../personal/changes/muted-users.ts";
import { hasStatus, shownStatus, statusUsers } from "../presence/shown-status.ts";
import { apiEmail, canSeeUser, isAdmin, isGuest, isModerator, isOwner } from "../realm/access.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import { knownByChannels } from "../users/known-people.ts";
import { avatarUrl, renderUser, type UserView, unknownUser } from "../users/record.ts";
import { shownUserSettings, userSettingDefaults } from "../users/settings/setting-values.ts";
import type { RegisteredUser } from "../users/shapes.ts";
import { userTexts } from "../users/text.ts";
import type { RegisterFields } from "./answer.ts";
import type { RegisterView } from "./view.ts";

/** The format of accounts that the client wants. */
export function userView(view: RegisterView): UserView {
  return {
    clientGravatar: view.clientGravatar,
    avatarOptional: view.has.has("user_avatar_url_field_optional"),
    includeProfileData: true,
  };
}

/** `realm_user`: everybody the caller may know of, and the caller's own top-level fields. */
export function usersPart({ state }: RealmReader, user: UserRow, view: RegisterView): RegisterFields {
  const people = state.may(user, "can_access_all_users_group")
    ? state.derived(userTexts).lists(state, user, userView(view))
    : knownPeople(state, user, view);
  return { ...people, ...callerFields(state, user) };
}

/** The lists for somebody who may not know of everybody. */
function knownPeople(state: RealmState, user: UserRow, view: RegisterView): RegisterFields {
  const realm_users: RegisteredUser[] = [];
  const realm_non_active_users: RegisteredUser[] = [];
  const cross_realm_bots: RegisteredUser[] = [];
  const known = knownByChannels(state, user);
  for (const person of state.users.values()) {
    if (!person.is_bot && !known.has(person.id)) {
      // Older clients take every id they meet for somebody they know.
      if (!view.has.has("user_list_incomplete")) realm_users.push(unknownUser(state, person.id));
      continue;
    }
    const { is_active, ...record } = renderUser(state, person, user, userView(view));
    (person.is_system_bot ? cross_realm_bots : is_active ? realm_users : realm_non_active_users).push(record);
  }
  return { realm_users, realm_non_active_users, cross_realm_bots };
}

function callerFields(state: RealmState, user: UserRow): RegisterFields {
  // Guests hold no permission that role:everyone could not be given.
  const may = (name: Parameters<RealmState["may"]>[1]) => !isGuest(user) && state.may(user, name);
  const isPublic = may("can_create_public_channel_group");
  const isPrivate = may("can_create_private_channel_group");
  return {
    user_id: user.id,
    email: apiEmail(state, user),
    delivery_email: user.delivery_email,
    full_name: user.full_name,
    avatar_url: avatarUrl(state, user, user),
    avatar_url_medium: avatarUrl(state, user, user, true),
    avatar_source: user.avatar_source,
    is_owner: isOwner(user),
    is_admin: isAdmin(user),
    is_moderator: isModerator(user),
    is_guest: isGuest(user),
    can_create_streams: isPublic || isPrivate,
    can_create_public_streams: isPublic,
    can_create_private_streams: isPrivate,
    can_create_web_public_streams: may("can_create_web_public_channel_group") && state.hasSpectators,
    can_subscribe_other_users: may("can_add_subscribers_group"),
    can_invite_others_to_realm: may("can_invite_users_group"),
  };
}

/** `user_settings`: every setting of the caller, whether they chose it or not. */
export function userSettingsPart(_realm: RealmReader, user: UserRow): RegisterFields {
  return { user_settings: shownUserSettings(user) };
}

/**
 * `update_display_settings`, `update_global_notifications`: the settings outside of any object. Level 439 retired these
 * types, yet zulip-terminal 0.7.0, its newest release, does not start without what they brought. So it is there for
 * those who name them and know no object; of later changes only `user_settings` events tell.
 */
export function flatSettingsPart(_realm: RealmReader, user: UserRow, view: RegisterView): RegisterFields {
  if (view.explicitTypes === null || view.has.has("user_settings_object")) return {};
  return shownUserSettings(user);
}

/** `realm_user_settings_defaults`: what an account begins with. */
export function userSettingsDefaultsPart({ state }: RealmReader): RegisterFields {
  return { realm_user_settings_defaults: userSettingDefaults(state) };
}

/** `user_status`: of active people who have one. */
export function userStatusPart({ state }: RealmReader, user: UserRow): RegisterFields {
  const user_status: Record<string, UserRow["status"]> = {};
  for (const id of state.derived(statusUsers)) {
    const person = state.knownUser(id);
    if (hasStatus(person) && canSeeUser(state, person, user)) user_status[id] = shownStatus(person);
  }
  return { user_status };
}

/** `alert_words`: the caller's. */
export function alertWordsPart(_realm: RealmReader, user: UserRow): RegisterFields {
  return { alert_words: user.alert_words };
}

/** `muted_users`: whom the caller muted. */
export function mutedUsersPart({ state }: RealmReader, user: UserRow): RegisterFields {
  return { muted_users: mutedUserRecords(state.mutedUsers.get(user.id)?.values() ?? []) };
}

/** `custom_profile_fields`, in their order, and the types there are. */
export function profileFieldsPart({ state }: RealmReader): RegisterFields {
  return {
    custom_profile_fields: profileFieldRecords(state.profileFields.values()),
    custom_profile_field_types: customProfileFieldTypes,
  };
}
