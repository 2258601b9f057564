/** Accounts as answers carry them. https://zulip.com/api/get-user */

import {
  array,
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
import { passkeyId, sessionId, userId } from "../id-shapes.ts";
import { annotated, described } from "../shape.ts";
import { passwordStrengths } from "./log-ins/policy.ts";
import { requiredOf } from "./second-factors/duty.ts";

/** Values of custom profile fields by the field's id. */
const profileData = record(
  string(),
  object({
    value: described(string(), "The value: a text, or for fields of people a list of their ids."),
    rendered_value: described(optional(string()), "The value as HTML, where it is Markdown."),
  }),
);

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
  date_joined: described(isoDate, "When the account was made, in ISO 8601."),
  is_active: boolean(),
  is_owner: boolean(),
  is_admin: boolean(),
  is_guest: boolean(),
  role,
  is_bot: described(boolean(), "Whether it is a bot's."),
  bot_type: nullable(integer()),
  bot_owner_id: nullable(userId()),
  timezone: string(),
  /** null: the client computes it from the address. */
  avatar_url: nullable(string()),
  avatar_version: described(integer(), "A number that grows when the picture changes."),
  is_imported_stub: described(boolean(), "Whether it came with an import, and nobody has logged in to it yet."),
  is_system_bot: described(optional(literal(true)), "Whether it is a bot of the server's own."),
  is_deleted: described(optional(literal(true)), "Whether it was deleted for good."),
  profile_data: described(optional(profileData), "Values of custom profile fields, by the field's id."),
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
  id: described(sessionId(), "The log-in's id."),
  /** Browser and system, as far as they are known. */
  client: described(string(), "Which browser it is, and on which system, in English."),
  program: described(string(), "Which browser it is, or which program; empty where it does not say."),
  system: described(string(), "On which system it is; empty where that is not known."),
  /** As the browser said; cut. */
  user_agent: described(string(), "What the browser says that it is."),
  ip_address: described(string(), "From where it was seen last."),
  date_created: integer(),
  /** Noted about once an hour. */
  last_seen: described(integer(), "When it was seen last, in UNIX seconds."),
  expires_at: described(integer(), "When the log-in ends, in UNIX seconds."),
  /** Whether the request came by it. */
  is_current: described(boolean(), "Whether it is the one that asks."),
});

/** What further API keys may do, the least first. */
export const keyScopes = ["read", "send", "all"] as const satisfies KeyScope[];

/** A further API key. Times are UNIX seconds. */
export const furtherKeyRecord = object({
  id: described(sessionId(), "The key's id."),
  name: described(string(), "What the person calls it."),
  scope: enums(keyScopes),
  date_created: integer(),
  /** Noted about once an hour; null: never. */
  last_used: described(nullable(integer()), "When it was used last, in UNIX seconds; null: never."),
  /** null: it does not end. */
  expires_at: described(nullable(integer()), "When it ends, in UNIX seconds; null: never."),
});

/** A passkey. Times are UNIX seconds. */
const passkeyRecord = object({
  id: described(passkeyId(), "The passkey's id."),
  name: described(string(), "What its person calls it."),
  date_created: integer(),
  last_used: described(nullable(integer()), "When it was used last, in UNIX seconds; null: never."),
  is_synced: described(boolean(), "Whether its provider copies it to the person's other devices."),
  is_blocked: described(boolean(), "Whether it opens nothing any more, since somebody has a copy of it."),
});

/** A person's second factor. */
export const secondFactorRecord = object({
  state: described(enums(["off", "enrolling", "on"]), "Whether log-ins ask for a second factor; `enrolling`: not yet."),
  since: described(nullable(integer()), "Since when they do, in UNIX seconds; null: they do not."),
  required_from: described(
    nullable(integer()),
    "From when the organization requires one of the person, in UNIX seconds; null: it does not.",
  ),
  recovery_codes_left: described(integer(), "How many recovery codes are left."),
  has_totp: described(boolean(), "Whether codes of an authenticator application are one."),
  has_password: described(boolean(), "Whether the account has a password here, which the second factor is beside."),
  passkeys: described(array(passkeyRecord), "The passkeys, the oldest first."),
});

/** Of whom an organization requires a second factor. */
export const requiredSecondFactor = object({
  of: described(enums(requiredOf), "Of whom: administrators (owners too), all but guests, or everyone."),
  grace_days: described(integer(), "Days until log-ins take one: from the decision, or from somebody's first day."),
  since: described(integer(), "When it was decided, in UNIX seconds."),
});

/** What an organization decided about log-ins. */
export const logInPolicy = object({
  session_days: described(integer(), "Days after which a log-in of a browser ends."),
  idle_minutes: described(nullable(integer()), "Minutes without use after which it ends before; null: it does not."),
  password_min_length: described(integer(), "Characters that a new password must have."),
  password_strength: described(enums(passwordStrengths), "How hard a new password must be to guess."),
  allowed_networks: described(
    array(string()),
    "Addresses, and ranges like `10.1.0.0/16`, from which people come. Empty: from anywhere.",
  ),
});

/** A status. It has only the fields that were set. */
export const userStatus = object({
  status_text: optional(string()),
  emoji_name: optional(string()),
  emoji_code: optional(string()),
  reaction_type: optional(enums(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"])),
  away: optional(literal(true)),
});
