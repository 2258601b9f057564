/** What an organization of an archive may be, and what it may have made for itself. */
import { ApiError } from "../../errors.ts";
import { extraEmojiByName } from "../../markdown/emoji.ts";
import { checkDomain, maxDomains } from "../../organization/changes/domains.ts";
import { checkEmojiName } from "../../organization/changes/emoji.ts";
import { checkLinkifierRule, maxLinkifiers } from "../../organization/changes/linkifiers.ts";
import { checkPlayground, maxPlaygrounds } from "../../organization/changes/playgrounds.ts";
import { maxFields, maxInSummary } from "../../organization/changes/profile-fields.ts";
import { checkProfileField, customProfileFieldTypes } from "../../organization/profile-field-values.ts";
import { limits } from "../../realm/state/settings.ts";
import { jsonObject } from "../../text/json-object.ts";
import { all, atMost, type Rules, unique } from "./check.ts";
import {
  anyText,
  type Column,
  checked,
  count,
  flag,
  id,
  line,
  list,
  messageId,
  name,
  nullable,
  nullableTextIn,
  oneOf,
  orElse,
  orNull,
  type Row,
  refused,
  setFlag,
  text,
  textIn,
  time,
} from "./columns.ts";

const maxClientName = 30;
const maxFileName = 255;
/** A name of a row in what an operator is told. */
const quoted = (value: unknown): string => `"${String(value).slice(0, 60)}"`;

/** Columns that a check of the API's returns for the row. The row is left out where the check throws. */
const asChecked =
  (label: string, check: (row: Row) => object) =>
  (row: Row): string | undefined => {
    try {
      Object.assign(row, check(row));
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return `${quoted(row[label])}: ${error.message}`;
      throw error;
    }
  };

const linkifier = (row: Row): object =>
  checkLinkifierRule({
    pattern: textIn(row, "pattern"),
    // Older versions had Python's placeholders.
    url_template:
      nullableTextIn(row, "url_template") ?? textIn(row, "url_format_string").replace(/%\((\w+)\)s/g, "{$1}"),
    example_input: nullableTextIn(row, "example_input"),
    reverse_template: nullableTextIn(row, "reverse_template"),
    alternative_url_templates: [row["alternative_url_templates"]].flat().map(String),
  });

const playground = (row: Row): object =>
  checkPlayground({
    name: textIn(row, "name"),
    language: textIn(row, "pygments_language"),
    // Older versions put the code behind an address.
    urlTemplate: nullableTextIn(row, "url_template") ?? `${row["url_prefix"]}{code}`,
  });

/** A field as the API's check returns it; a list of options and the like come as JSON in a text. */
function profileField(row: Row): string | undefined {
  let data: unknown;
  try {
    data = row["field_data"] === "" ? undefined : JSON.parse(textIn(row, "field_data"));
  } catch {
    return `${quoted(row["name"])}: its choices are no JSON`;
  }
  const field = checkProfileField({
    field_type: Number(row["field_type"]),
    name: textIn(row, "name"),
    hint: textIn(row, "hint"),
    field_data: data,
  });
  if (typeof field === "string") return `${quoted(row["name"])}: ${field}`;
  Object.assign(row, field);
  return undefined;
}

/** Only so many are shown in the summary, and no lists of people. */
function inSummary(): (row: Row) => undefined {
  let shown = 0;
  return (row) => {
    const isPeople = row["field_type"] === customProfileFieldTypes.USER.id;
    if (row["display_in_profile_summary"] === true && (isPeople || ++shown > maxInSummary))
      row["display_in_profile_summary"] = false;
    return undefined;
  };
}

/** An active emoji has a name that no other has. */
function emojiName(): Column {
  const taken = new Set<string>();
  return (value, row) => {
    let read = checked(checkEmojiName)(value, row);
    if (read === refused || (row["deactivated"] !== true && taken.has(read))) read = `emoji_${row["id"]}`;
    if (row["deactivated"] !== true) taken.add(read);
    return read;
  };
}

export const organizationRules = (): Rules => ({ ...identityRules(), ...textRules(), ...profileRules(), ...ownRules });

/** What the organization is called, and who is of it. */
function identityRules(): Rules {
  return {
    zerver_realm: {
      columns: { id, name: name(limits.realmName, "Organization"), date_created: orElse(time, 0) },
    },
    zerver_realmdomain: {
      columns: { domain: checked(checkDomain), allow_subdomains: setFlag() },
      row: all(
        unique((row) => textIn(row, "domain")),
        atMost(maxDomains),
      ),
    },
    zerver_realmemoji: {
      columns: {
        id,
        deactivated: setFlag(),
        name: emojiName(),
        file_name: orElse(line(maxFileName), ""),
        author: orNull(id),
      },
      row: unique((row) => String(row["id"])),
    },
  };
}

/** What becomes of texts. */
function textRules(): Rules {
  return {
    zerver_realmfilter: {
      columns: {
        id,
        pattern: anyText,
        url_template: nullable(anyText),
        url_format_string: nullable(anyText),
        order: nullable(orElse(count, null)),
        example_input: orNull(anyText),
        reverse_template: orNull(anyText),
        alternative_url_templates: list(anyText),
      },
      row: all(
        asChecked("pattern", linkifier),
        unique((row) => textIn(row, "pattern")),
        atMost(maxLinkifiers),
      ),
    },
    zerver_realmplayground: {
      columns: {
        id,
        name: anyText,
        pygments_language: anyText,
        url_template: nullable(anyText),
        url_prefix: nullable(anyText),
      },
      row: all(
        asChecked("name", playground),
        unique((row) => JSON.stringify([row["name"], row["pygments_language"]])),
        atMost(maxPlaygrounds),
      ),
    },
  };
}

function profileRules(): Rules {
  return {
    zerver_customprofilefield: {
      columns: {
        id,
        field_type: count,
        name: line(limits.fullName),
        hint: orElse(line(limits.fullName), ""),
        order: orElse(count, 0),
        field_data: orElse(anyText, ""),
        display_in_profile_summary: flag,
        required: flag,
        editable_by_user: flag,
        use_for_user_matching: flag,
      },
      row: all(
        unique((row) => String(row["id"])),
        profileField,
        unique((row) => String(row["name"]).toLowerCase()),
        atMost(maxFields),
        inSummary(),
      ),
    },
    zerver_customprofilefieldvalue: { columns: { user_profile: id, field: id, value: anyText } },
  };
}

/** What the other server kept for itself. */
const ownRules: Rules = {
  zerver_client: { columns: { id, name: orElse(line(maxClientName), "Unspecified") } },
  zerver_realmauditlog: {
    columns: {
      event_type: count,
      acting_user: orNull(id),
      modified_stream: orNull(id),
      modified_user: orNull(id),
    },
  },
  zerver_realmuserdefault: { columns: {} },
  parley_export: { columns: { url: anyText } },
};

/** The code of an emoji: the id of one of the organization's own, a name, or code points, also of emoji to come. */
export const emojiCode: Column = (value, row) => {
  if (typeof value !== "string") return refused;
  if (row["reaction_type"] === "realm_emoji") return /^\d{1,10}$/.test(value) ? value : refused;
  if (row["reaction_type"] === "zulip_extra_emoji") return extraEmojiByName(value) === undefined ? refused : value;
  return /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,9}$/.test(value) ? value : refused;
};

const people: Column = (value, row) => (value === undefined ? undefined : list(id)(value, row));

/** Of tables that may have millions of rows. */
export const rulesOfMany = {
  zerver_reaction: {
    columns: {
      id: messageId,
      user_profile: id,
      message: messageId,
      emoji_name: line(60),
      reaction_type: oneOf("unicode_emoji", "realm_emoji", "zulip_extra_emoji"),
      emoji_code: emojiCode,
    },
  },
  zerver_submessage: {
    columns: {
      id: messageId,
      message: messageId,
      sender: id,
      msg_type: oneOf("widget"),
      content: (value) =>
        typeof value === "string" && value.length <= limits.message && isObject(value) ? value : refused,
    },
  },
  zerver_attachment: {
    columns: {
      id,
      file_name: orElse(line(maxFileName), "file"),
      path_id: (value) => (typeof value === "string" && value !== "" ? line(1000)(value, {}) : refused),
      owner: id,
      create_time: orElse(time, 0),
      size: orElse(messageId, 0),
      content_type: orNull(line(200)),
      messages: list(messageId),
    },
  },
  parley_message: {
    columns: {
      id: messageId,
      is_me_message: flag,
      channel_wildcard: flag,
      topic_wildcard: flag,
      mentioned: people,
      topic_participants: people,
      alerted: people,
      read_by_sender: flag,
      not_received: people,
    },
  },
  zerver_message: {
    columns: {
      id: messageId,
      sender: id,
      recipient: id,
      subject: orElse(line(limits.topic), ""),
      content: text(limits.message),
      rendered_content: orNull(anyText),
      date_sent: time,
      sending_client: orElse(id, 0),
      last_edit_time: orNull(time),
      edit_history: orNull(anyText),
      has_attachment: setFlag(),
      has_image: setFlag(),
      has_link: setFlag(),
    },
  },
} satisfies Rules;

const isObject = (json: string): boolean => jsonObject(json) !== undefined;
