/**
 * Shapes of the events about users, the organization, and what belongs to one user. https://zulip.com/api/get-events
 */
import { array, define, enums, nullable, number, object, optional } from "superstruct";
import type { EventShape } from "./messages.ts";
import {
  BOT_FIELDS,
  bool,
  byId,
  clientPresence,
  domain,
  exactly,
  type Fields,
  int,
  modernPresence,
  str,
  user,
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
const _present = define("value", (given) => given !== undefined);

const bot = (): Fields => ({ bot: exactly({ user_id: int, ...BOT_FIELDS }) });
const _realmDomain = (): Fields => ({ realm_domain: domain });

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
  "realm_bot/add": bot,
  "realm_bot/update": bot,
  "realm_bot/delete": () => ({ bot: object({ user_id: int }) }),
  "attachment/add": () => ({ attachment, upload_space_used: int }),
  "attachment/update": () => ({ attachment, upload_space_used: int }),
  "attachment/remove": () => ({ attachment: object({ id: int }), upload_space_used: int }),
};
