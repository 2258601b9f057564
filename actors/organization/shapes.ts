/** Emoji, linkifiers, playgrounds, domains and profile fields as answers carry them. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literal,
  nullable,
  object,
  optional,
  record,
  refine,
  string,
} from "superstruct";
import { either } from "../either.ts";
import { groupSettingValue } from "../groups/shapes.ts";
import { byId, linkifierId, playgroundId, profileFieldId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

/** https://zulip.com/api/get-custom-emoji */
export const emoji = object({
  id: described(string(), "The emoji's id."),
  name: described(string(), "The emoji's name."),
  source_url: described(string(), "Where its picture is."),
  still_url: described(
    nullable(string()),
    "Where a picture of it is that does not move; null where it does not move anyway.",
  ),
  deactivated: described(boolean(), "Whether it can no longer be used; what was written with it keeps it."),
  author_id: described(nullable(userId()), "Who added it."),
});
export type EmojiRecord = Infer<typeof emoji>;
export const emojiById = refine(byId(emoji), "emoji by id", (map) =>
  Object.entries(map).every(([key, { id }]) => key === id),
);

/** https://zulip.com/api/get-linkifiers */
export const linkifier = object({
  id: described(linkifierId(), "The linkifier's id."),
  pattern: string(),
  url_template: string(),
  example_input: nullable(string()),
  reverse_template: nullable(string()),
  alternative_url_templates: array(string()),
});
export type LinkifierRecord = Infer<typeof linkifier>;

/** https://zulip.com/api/add-code-playground */
export const playground = object({
  id: described(playgroundId(), "The playground's id."),
  name: described(string(), "The playground's name."),
  pygments_language: string(),
  url_template: described(string(), "Where the code is run: an address with `{code}`, by RFC 6570."),
});
export type PlaygroundRecord = Infer<typeof playground>;

export const domain = object({ domain: string(), allow_subdomains: boolean() });
export type DomainRecord = Infer<typeof domain>;

/** https://zulip.com/api/get-custom-profile-fields */
export const profileField = object({
  id: described(profileFieldId(), "The field's id."),
  type: described(integer(), "The kind of field, by its number."),
  name: described(string(), "The field's name."),
  hint: string(),
  field_data: string(),
  order: described(integer(), "Its place among the fields."),
  required: boolean(),
  editable_by_user: boolean(),
  /** Missing means no. */
  display_in_profile_summary: optional(literal(true)),
  use_for_user_matching: boolean(),
});
export type ProfileFieldRecord = Infer<typeof profileField>;

/** The value of a setting of the organization. */
export const realmSettingValue = nullable(either(boolean(), integer(), string()));
export type ShownRealmSetting = Infer<typeof realmSettingValue>;
/** Ways to log in, by name. */
export const authenticationMethods = record(
  string(),
  object({
    enabled: described(boolean(), "Whether it is open."),
    available: described(boolean(), "Whether it can be chosen."),
  }),
);
export type AuthenticationMethods = Infer<typeof authenticationMethods>;
/** The value of a setting, of a permission, or the ways to log in. */
export const changedRealmValue = nullable(either(boolean(), string(), groupSettingValue, authenticationMethods));
export type ChangedRealmValue = Infer<typeof changedRealmValue>;
