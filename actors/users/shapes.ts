/** Accounts as answers carry them. https://zulip.com/api/get-user */
import {
  boolean,
  enums,
  type Infer,
  integer,
  literal,
  nullable,
  object,
  optional,
  pattern,
  record,
  refine,
  string,
} from "superstruct";
import { roles } from "../../storage/rows.ts";
import type { KeyScope } from "../../storage/users/sessions.ts";
import { sessionId, userId } from "../id-shapes.ts";
import { annotated } from "../shape.ts";

/** Values of custom profile fields by the field's id. */
const profileData = record(string(), object({ value: string(), rendered_value: optional(string()) }));

/** ISO 8601 with an offset. */
const isoDate = pattern(string(), /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/);
const roleNumbers: readonly number[] = Object.values(roles);
const role = annotated(
  refine(integer(), "role", (value) => roleNumbers.includes(value)),
  { enum: roleNumbers },
);

export const userFields = {
  user_id: userId(),
  email: string(),
  delivery_email: nullable(string()),
  full_name: string(),
  date_joined: isoDate,
  is_active: boolean(),
  is_owner: boolean(),
  is_admin: boolean(),
  is_guest: boolean(),
  role,
  is_bot: boolean(),
  bot_type: nullable(integer()),
  bot_owner_id: nullable(userId()),
  timezone: string(),
  /** null: the client computes it from the address. */
  avatar_url: nullable(string()),
  avatar_version: integer(),
  is_imported_stub: boolean(),
  is_system_bot: optional(literal(true)),
  is_deleted: optional(literal(true)),
  profile_data: optional(profileData),
};
export const userRecord = object(userFields);
export type UserRecord = Infer<typeof userRecord>;

/** The address of a picture for those who may know the e-mail address. */
export interface Gravatar {
  avatar_url: string;
  avatar_url_medium: string;
}

/** An account as the log carries it: with its address, and the Gravatar for those who may know that. */
export type PersonRecord = UserRecord & { avatar_url_medium: string; avatar_source: string; gravatar?: Gravatar };

/** An account in a register answer. One without `avatar_url` has it at `/avatar/{id}`. */
export const listedUser = object({ ...userFields, avatar_url: optional(nullable(string())) });
export type ListedUser = Infer<typeof listedUser>;

/** A register answer has lists of active accounts, of deactivated ones, and of the server's bots. */
const { is_active: _, ...registeredFields } = listedUser.schema;
export const registeredUser = object(registeredFields);
export type RegisteredUser = Infer<typeof registeredUser>;

const { is_system_bot: _bot, is_deleted: _deleted, ...placeholderFields } = registeredFields;
const placeholderUser = object({ ...placeholderFields, avatar_url: string(), profile_data: profileData });
/** The placeholder for somebody whom the reader may not know of. */
export type PlaceholderUser = Infer<typeof placeholderUser>;

/** A browser in which a person is logged in. Times are UNIX seconds. */
export const sessionRecord = object({
  id: sessionId(),
  /** Browser and system, as far as they are known. */
  client: string(),
  /** As the browser said; cut. */
  user_agent: string(),
  ip_address: string(),
  date_created: integer(),
  /** Noted about once an hour. */
  last_seen: integer(),
  expires_at: integer(),
  /** Whether the request came by it. */
  is_current: boolean(),
});

/** What further API keys may do, the least first. */
export const keyScopes = ["read", "send", "all"] as const satisfies KeyScope[];

/** A further API key. Times are UNIX seconds. */
export const furtherKeyRecord = object({
  id: sessionId(),
  name: string(),
  scope: enums(keyScopes),
  date_created: integer(),
  /** Noted about once an hour; null: never. */
  last_used: nullable(integer()),
  /** null: it does not end. */
  expires_at: nullable(integer()),
});

/** A status. It has only the fields that were set. */
export const userStatus = object({
  status_text: optional(string()),
  emoji_name: optional(string()),
  emoji_code: optional(string()),
  reaction_type: optional(enums(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"])),
  away: optional(literal(true)),
});
