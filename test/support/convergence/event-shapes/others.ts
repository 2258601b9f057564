/**
 * Shapes of the events about users, the organization, and what belongs to one user. https://zulip.com/api/get-events
 */
import { any, array, define, enums, nullable, number, object, optional, record, type } from "superstruct";
import type { EventShape } from "./messages.ts";
import {
  BOT_FIELDS,
  bool,
  byId,
  clientPresence,
  domain,
  emoji,
  emojiMap,
  exactly,
  type Fields,
  int,
  linkifier,
  listOf,
  modernPresence,
  playground,
  profileField,
  str,
  user,
  value,
} from "./objects.ts";

/** What else comes with the one changed field of a person. */
const PERSON_CHANGES: Readonly<Record<string, Fields>> = {
  full_name: { full_name: str },
  avatar_version: {
    avatar_url: nullable(str),
    avatar_url_medium: nullable(str),
    avatar_source: str,
    avatar_version: int,
  },
  timezone: { timezone: str, email: optional(str) },
  role: { role: enums([100, 200, 300, 400, 600]) },
  bot_owner_id: { bot_owner_id: int },
  delivery_email: { delivery_email: nullable(str) },
  new_email: { new_email: str },
  is_active: { is_active: bool },
  custom_profile_field: {
    custom_profile_field: object({ id: int, value: nullable(str), rendered_value: optional(str) }),
  },
  is_imported_stub: { is_imported_stub: bool },
  date_joined: { date_joined: str },
};

const updateUser: EventShape = (event) => {
  const person = (event["person"] ?? {}) as Record<string, unknown>;
  const change = Object.keys(PERSON_CHANGES).find((field) => field in person) ?? "full_name";
  return { person: exactly({ user_id: int, ...PERSON_CHANGES[change] }) };
};

const presence: EventShape = (_event, profile): Fields => {
  if (profile.capabilities.has("simplified_presence_events")) return { presences: byId(modernPresence) };
  return {
    user_id: int,
    ...(!profile.slimPresence && { email: str }),
    server_timestamp: number(),
    presence: exactly({ website: clientPresence }),
  };
};

/** Any value at all, null included. */
const present = define("value", (given) => given !== undefined);

const bot = (): Fields => ({ bot: exactly({ user_id: int, ...BOT_FIELDS }) });
const realmDomain = (): Fields => ({ realm_domain: domain });

const attachment = object({
  id: int,
  name: str,
  path_id: str,
  size: int,
  create_time: int,
  messages: array(object({ id: int, date_sent: int })),
  message_ids: array(int),
});

/** Shapes of the events about users, by `type` or `type/op`. */
export const userShapes: Readonly<Record<string, EventShape>> = {
  "realm_user/add": (_event, profile) => ({ person: user(profile, "event") }),
  "realm_user/remove": () => ({ person: object({ user_id: int, full_name: str }) }),
  "realm_user/update": updateUser,
  presence,
  user_status: () => ({
    user_id: int,
    status_text: optional(str),
    emoji_name: optional(str),
    emoji_code: optional(str),
    reaction_type: optional(str),
    away: optional(bool),
  }),
};

/** Shapes of the events about the organization and its server, by `type` or `type/op`. */
export const realmShapes: Readonly<Record<string, EventShape>> = {
  // The type of the value is that of the field in the register answer, which the comparison checks.
  "realm/update": () => ({ property: str, value: present }),
  "realm/update_dict": () => ({
    property: enums(["default", "icon", "logo", "night_logo"]),
    data: record(str, any()),
  }),
  "realm/deactivated": () => ({ realm_id: int }),
  "realm_emoji/update": () => ({ realm_emoji: emojiMap }),
  "realm_emoji/add": () => ({ emoji }),
  "realm_emoji/update_one": () => ({ emoji_id: str, data: object({ deactivated: optional(bool) }) }),
  realm_linkifiers: () => ({ realm_linkifiers: listOf(linkifier) }),
  realm_playgrounds: () => ({ realm_playgrounds: listOf(playground) }),
  "realm_domains/add": realmDomain,
  "realm_domains/change": realmDomain,
  "realm_domains/remove": () => ({ domain: str }),
  custom_profile_fields: () => ({ fields: listOf(profileField) }),
  "realm_bot/add": bot,
  "realm_bot/update": bot,
  "realm_bot/delete": () => ({ bot: object({ user_id: int }) }),
  "realm_user_settings_defaults/update": () => ({ property: str, value }),
  "attachment/add": () => ({ attachment, upload_space_used: int }),
  "attachment/update": () => ({ attachment, upload_space_used: int }),
  "attachment/remove": () => ({ attachment: object({ id: int }), upload_space_used: int }),
  realm_export: () => ({ exports: array(type({ id: int })) }),
  realm_export_consent: () => ({ user_id: int, consented: bool }),
  invites_changed: () => ({}),
  restart: () => ({
    zulip_version: str,
    zulip_merge_base: str,
    zulip_feature_level: int,
    server_generation: int,
  }),
  web_reload_client: () => ({ immediate: bool }),
  heartbeat: () => ({}),
};
