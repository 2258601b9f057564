/**
 * Custom profile fields: what may be defined as a field, and what may be its value.
 *
 * Every value is stored and sent as a string. A list of users is the JSON text of an array of ids.
 *
 * | Type | Name             | `field_data`                      | Value                                    |
 * | 1    | SHORT_TEXT       |                                   | at most 50 code points, rendered         |
 * | 2    | LONG_TEXT        |                                   | at most 500 code points, rendered        |
 * | 3    | SELECT           | option → `{text, order}`          | the key of an option                     |
 * | 4    | DATE             |                                   | a day that exists, `YYYY-MM-DD`          |
 * | 5    | URL              |                                   | an http or https URL                     |
 * | 6    | USER             |                                   | ids of users that may be named           |
 * | 7    | EXTERNAL_ACCOUNT | `{subtype}` or with `url_pattern` | a user name, at most 50 code points      |
 * | 8    | PRONOUNS         |                                   | at most 50 code points                   |
 *
 * https://zulip.com/api/create-custom-profile-field
 */

import { defined } from "../../storage/failures.ts";
import type { UserId } from "../../storage/ids.ts";
import { isLine } from "../text/texts.ts";

/** Types of custom profile fields: the `custom_profile_field_types` of a register response. */
export const customProfileFieldTypes = {
  SHORT_TEXT: { id: 1, name: "Text (short)" },
  LONG_TEXT: { id: 2, name: "Text (long)" },
  SELECT: { id: 3, name: "List of options" },
  DATE: { id: 4, name: "Date" },
  URL: { id: 5, name: "Link" },
  USER: { id: 6, name: "Users" },
  EXTERNAL_ACCOUNT: { id: 7, name: "External account" },
  PRONOUNS: { id: 8, name: "Pronouns" },
} as const;

/** An external site where people may have accounts. */
export interface ExternalAccount {
  name: string;
  text: string;
  hint: string;
  /** `%(username)s` stands for the user name. */
  url_pattern: string;
}

/** Sites that need no `url_pattern` of the organization: `realm_default_external_accounts` of a register response. */
export const defaultExternalAccounts: Readonly<Record<string, ExternalAccount>> = {
  twitter: { name: "X username", text: "X", hint: "Without the @", url_pattern: "https://x.com/%(username)s" },
  github: { name: "GitHub username", text: "GitHub", hint: "", url_pattern: "https://github.com/%(username)s" },
  gitlab: { name: "GitLab username", text: "GitLab", hint: "", url_pattern: "https://gitlab.com/%(username)s" },
  linkedin: {
    name: "LinkedIn profile",
    text: "LinkedIn",
    hint: "",
    url_pattern: "https://www.linkedin.com/in/%(username)s",
  },
  mastodon: {
    name: "Mastodon username",
    text: "Mastodon",
    // mastodon.social shows accounts of other servers under their full name.
    hint: "Such as name@server",
    url_pattern: "https://mastodon.social/@%(username)s",
  },
};

const types = customProfileFieldTypes;

const maxNameLength = 40;
const maxHintLength = 80;
/** https://zulip.com/help/custom-profile-fields */
const maxShortTextLength = 50;
/** The limit of Zulip's server for long texts. */
const maxLongTextLength = 500;
/** Code points of a URL and of a URL pattern. */
const maxUrlLength = 2_000;
/** Ids in one value: enough for a person's managers or mentors. */
const maxUsers = 200;
/** Options of a list: people still read a menu of this length. */
const maxOptions = 200;
/** Code points of an option's key and of its text. */
const maxOptionLength = 200;

/** Subtype of an external account with the organization's own `url_pattern`. */
const customSubtype = "custom";
const usernamePlaceholder = "%(username)s";

/** A field as an administrator sends it. `field_data` is the parsed JSON, or undefined when it is missing. */
export interface ProfileFieldDefinition {
  field_type: number;
  name: string;
  hint: string;
  field_data?: unknown;
}

/** A checked definition. */
export interface CheckedProfileField {
  field_type: number;
  name: string;
  hint: string;
  /** Canonical JSON text; `""` for types that have none. */
  field_data: string;
}

/** Whether values of this type are Markdown and have a `rendered_value`. */
export function hasRenderedValue(fieldType: number): boolean {
  return fieldType === types.SHORT_TEXT.id || fieldType === types.LONG_TEXT.id;
}

/**
 * Checks the definition of a field. Returns the field, with `name` and `hint` trimmed, or an error message. A field for
 * a default external account takes its missing name and hint from that account. `field_data` is ignored for types that
 * have none.
 */
export function checkProfileField(definition: ProfileFieldDefinition): CheckedProfileField | string {
  const data = checkFieldData(definition.field_type, definition.field_data);
  if (typeof data === "string") return data;
  const name = definition.name.trim() || (data.account?.name ?? "");
  const hint = definition.hint.trim() || (data.account?.hint ?? "");
  if (name === "") return "Label cannot be blank.";
  if (lengthOf(name) > maxNameLength) return `Label is too long (limit: ${maxNameLength} characters).`;
  if (lengthOf(hint) > maxHintLength) return `Hint is too long (limit: ${maxHintLength} characters).`;
  if (!isLine(name) || !isLine(hint)) return "Invalid character in label or hint.";
  return { field_type: definition.field_type, name, hint, field_data: data.json };
}

interface CheckedFieldData {
  json: string;
  account?: ExternalAccount;
}

function checkFieldData(fieldType: number, data: unknown): CheckedFieldData | string {
  if (fieldType === types.SELECT.id) return checkOptions(data);
  if (fieldType === types.EXTERNAL_ACCOUNT.id) return checkExternalAccount(data);
  const known = Object.values(types).some(({ id }) => id === fieldType);
  return known ? { json: "" } : "Invalid field type.";
}

function checkOptions(data: unknown): CheckedFieldData | string {
  if (!isRecord(data) || Object.keys(data).length === 0) return "Field must have at least one choice.";
  const entries = Object.entries(data);
  if (entries.length > maxOptions) return `Field has too many choices (limit: ${maxOptions}).`;
  const texts = new Set<string>();
  const options: [string, { text: string; order: string }][] = [];
  for (const [key, option] of entries) {
    if (key.trim() === "" || lengthOf(key) > maxOptionLength || hasNull(key))
      return "Field has a choice with a bad key.";
    if (!isRecord(option)) return `Choice “${key}” must be an object with text and order.`;
    const { text, order, ...rest } = option;
    if (typeof text !== "string" || text.trim() === "") return `Choice “${key}” has no text.`;
    if (lengthOf(text) > maxOptionLength) return `Text of a choice is too long (limit: ${maxOptionLength} characters).`;
    if (hasNull(text)) return "Text of a choice cannot contain null characters.";
    if (!isOrder(order)) return `Choice “${key}” has no valid order.`;
    if (Object.keys(rest).length > 0) return `Choice “${key}” has an unknown property.`;
    if (texts.has(text.trim())) return "Field must not have duplicate choices.";
    texts.add(text.trim());
    options.push([key, { text: text.trim(), order: String(order) }]);
  }
  return { json: JSON.stringify(Object.fromEntries(options)) };
}

function isOrder(order: unknown): order is string | number {
  return (
    (typeof order === "string" && /^[0-9]{1,9}$/.test(order)) || (Number.isSafeInteger(order) && Number(order) >= 0)
  );
}

function checkExternalAccount(data: unknown): CheckedFieldData | string {
  if (!isRecord(data) || typeof data["subtype"] !== "string") return "External account must have a subtype.";
  const { subtype, url_pattern: pattern } = data;
  if (Object.keys(data).some((key) => key !== "subtype" && key !== "url_pattern")) {
    return "External account has an unknown property.";
  }
  if (subtype !== customSubtype) {
    if (!Object.hasOwn(defaultExternalAccounts, subtype)) return "Invalid external account type.";
    return {
      json: JSON.stringify({ subtype }),
      account: defined(defaultExternalAccounts[subtype], "default external account"),
    };
  }
  if (typeof pattern !== "string") return "Custom external account must define a URL pattern.";
  if (pattern.split(usernamePlaceholder).length !== 2) {
    return `URL pattern must contain “${usernamePlaceholder}” exactly once.`;
  }
  if (!isWebUrl(pattern.replace(usernamePlaceholder, "username"))) return "URL pattern is not a URL.";
  return { json: JSON.stringify({ subtype, url_pattern: pattern }) };
}

/** The choices of a stored field by their keys; none where what is stored is no JSON. */
export function choicesOf(fieldData: string): object {
  try {
    const choices: unknown = JSON.parse(fieldData);
    return isRecord(choices) ? choices : {};
  } catch {
    return {};
  }
}

/** What {@link checkProfileValue} needs of the organization. */
export interface ProfileValueContext {
  /** Whether a user-list field may name this user. */
  mayName(userId: UserId): boolean;
}

/** The part of a stored field that decides about its values. */
export interface ProfileFieldOfValue {
  name: string;
  field_type: number;
  /** JSON text, as {@link checkProfileField} returns it. */
  field_data: string;
}

/**
 * Checks a value for a field. Returns the string to store, or an error message. `null` is not a value: the caller
 * removes values.
 */
export function checkProfileValue(
  field: ProfileFieldOfValue,
  value: unknown,
  context: ProfileValueContext,
): { value: string } | string {
  if (field.field_type === types.USER.id) return checkUsers(field, value, context);
  if (typeof value !== "string") return `${field.name} is not a string.`;
  if (hasNull(value)) return `${field.name} cannot contain null characters.`;
  const problem = checkText(field, value);
  return problem ?? { value };
}

function checkText(field: ProfileFieldOfValue, value: string): string | undefined {
  const limit = (characters: number) =>
    lengthOf(value) > characters ? `${field.name} is too long (limit: ${characters} characters).` : undefined;
  switch (field.field_type) {
    case types.SHORT_TEXT.id:
    case types.PRONOUNS.id:
    case types.EXTERNAL_ACCOUNT.id:
      return limit(maxShortTextLength);
    case types.LONG_TEXT.id:
      return limit(maxLongTextLength);
    case types.SELECT.id:
      return Object.hasOwn(choicesOf(field.field_data), value)
        ? undefined
        : `“${shorten(value)}” is not a valid choice for “${field.name}”.`;
    case types.DATE.id:
      return isDay(value) ? undefined : `${field.name} is not a date.`;
    case types.URL.id:
      return isWebUrl(value) ? undefined : `${field.name} is not a URL.`;
    default:
      return "Invalid field type.";
  }
}

function checkUsers(
  field: ProfileFieldOfValue,
  value: unknown,
  context: ProfileValueContext,
): { value: string } | string {
  if (!Array.isArray(value)) return "User IDs must be given as a list.";
  if (value.length > maxUsers) return `${field.name} has too many users (limit: ${maxUsers}).`;
  const userIds = new Set<UserId>();
  const list: readonly unknown[] = value;
  for (const userId of list) {
    if (typeof userId !== "number" || !Number.isSafeInteger(userId)) return "User IDs must be integers.";
    if (!context.mayName(userId)) return `Invalid user ID: ${userId}`;
    userIds.add(userId);
  }
  return { value: JSON.stringify([...userIds]) };
}

/** Whether the text is an existing day as `YYYY-MM-DD`, from year 1 on. */
function isDay(text: string): boolean {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  // A day that does not exist becomes one of another month. Date.UTC would read years below 100 as 19xx.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Whether the text is an http or https URL. Clients make it a link, so other schemes are not safe. */
function isWebUrl(text: string): boolean {
  if (lengthOf(text) > maxUrlLength || !/^https?:\/\/[^\s\u0000-\u001f]+$/i.test(text)) return false;
  return URL.canParse(text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Length in code points, the unit of every limit here. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** PostgreSQL cannot store this one character in a text. */
function hasNull(text: string): boolean {
  return text.includes("\0");
}

function shorten(text: string): string {
  return text.length > 50 ? `${text.slice(0, 50)}…` : text;
}
