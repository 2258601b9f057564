/** What people and bots of an archive may be, and what they keep. */
import { roleNumbers } from "../../../storage/rows.ts";
import { checkServiceUrl, interfaces } from "../../bots/services.ts";
import { maxAlertWords } from "../../personal/changes/alert-words.ts";
import { checkFragment } from "../../personal/changes/navigation-views.ts";
import { limits } from "../../realm/state/settings.ts";
import { unfitInNames } from "../../users/changes/accounts.ts";
import { checkEmail } from "../../users/changes/address.ts";
import { canonicalTimezone } from "../../users/settings/timezone.ts";
import { all, atMost, type Rules, type TableRule, unique } from "./check.ts";
import {
  anyText,
  checked,
  count,
  flag,
  id,
  label,
  line,
  list,
  messageId,
  name,
  oneOf,
  orElse,
  orNull,
  type Row,
  refused,
  setFlag,
  text,
  time,
} from "./columns.ts";
import { emojiCode } from "./organization-rules.ts";

/** The types of bots that there are here and at Zulip. */
const botTypes = oneOf(1, 2, 3, 4);
/** An account keeps its messages under an address that nobody has. https://www.rfc-editor.org/rfc/rfc2606 */
const noAddress = (row: Row): string => `user${row["id"]}@import.invalid`;
/** The server's own bots have these. */
const ownBots = /^(?:notification|welcome)-bot@/i;
const maxStepName = 200;
/** An index holds it. */
const maxStorageKey = 500;
const maxStorageValue = 10_000_000;

/** @param isDeleted accounts that our own exports tell are gone may share an address */
export const peopleRules = (isDeleted: (id: unknown) => boolean): Rules => ({
  ...accountRules(isDeleted),
  ...shownRules(),
  ...botRules,
  ...keptRules,
});

function accountRules(isDeleted: (id: unknown) => boolean): Rules {
  const addresses = new Set<string>();
  const address = (value: unknown, row: Row): unknown => {
    const read = checked(checkEmail)(value, row);
    if (read === refused || ownBots.test(read)) return refused;
    const key = read.toLowerCase();
    if (isDeleted(row["id"])) return read;
    if (addresses.has(key)) return refused;
    addresses.add(key);
    return read;
  };
  const account: TableRule = {
    columns: {
      id,
      delivery_email: orElse(address, noAddress),
      email: orElse(anyText, ""),
      full_name: name(limits.fullName, "User", unfitInNames),
      role: orElse(oneOf(...roleNumbers), 400),
      is_active: setFlag(),
      is_bot: setFlag(),
      bot_type: (value, row) => (row["is_bot"] === true ? orElse(botTypes, 1)(value, row) : value),
      bot_owner: orNull(id),
      is_mirror_dummy: setFlag(),
      date_joined: orElse(time, 0),
      last_login: orNull(time),
      timezone: orElse((value) => (value === "" ? "" : (canonicalTimezone(value) ?? refused)), ""),
      avatar_source: orElse(oneOf("G", "J", "U"), "G"),
      avatar_version: orElse(count, 1),
      recipient: orNull(id),
      can_create_users: flag,
    },
    row: unique((row) => String(row["id"])),
  };
  return {
    zerver_userprofile: account,
    zerver_userprofile_mirrordummy: account,
    zerver_userprofile_crossrealm: { columns: { id, email: anyText, recipient_id: id } },
    parley_userprofile: {
      columns: {
        id,
        is_deleted: flag,
        has_unconfirmed_email: flag,
        edited_settings: (value, row) => (value === undefined ? undefined : list(anyText)(value, row)),
      },
    },
  };
}

/** What people told of themselves, and what of others. */
function shownRules(): Rules {
  return {
    zerver_alertword: {
      columns: { user_profile: id, word: label(limits.alertWord) },
      row: all(
        unique((row) => `${row["user_profile"]} ${String(row["word"]).toLowerCase()}`),
        atMostOfEach(maxAlertWords),
      ),
    },
    zerver_muteduser: {
      columns: { user_profile: id, muted_user: id, date_muted: orElse(time, 0) },
      row: (row) => (row["user_profile"] === row["muted_user"] ? "nobody mutes themselves" : undefined),
    },
    zerver_userstatus: {
      columns: {
        user_profile: id,
        status_text: orElse(line(limits.statusText), ""),
        emoji_name: orElse(line(limits.statusText), ""),
        emoji_code: orElse(line(limits.statusText), ""),
        reaction_type: orElse(oneOf("unicode_emoji", "realm_emoji", "zulip_extra_emoji"), "unicode_emoji"),
      },
      row: (row) => {
        // A status without its emoji is one still.
        if (emojiCode(row["emoji_code"], row) === refused) row["emoji_name"] = "";
        return undefined;
      },
    },
    zerver_userpresence: {
      columns: { user_profile: id, last_connected_time: orNull(time), last_active_time: orNull(time) },
    },
    zerver_onboardingstep: { columns: { user: id, onboarding_step: label(maxStepName) } },
  };
}

/** What bots keep, and who answers for them. */
const botRules: Rules = {
  zerver_botstoragedata: {
    columns: {
      bot_profile: id,
      key: (value) => (typeof value === "string" && [...value].length <= maxStorageKey ? value : refused),
      value: text(maxStorageValue),
    },
  },
  zerver_service: {
    columns: {
      user_profile: id,
      base_url: checked(checkServiceUrl),
      interface: oneOf(...Object.values<number>(interfaces)),
    },
  },
};

/** What people keep for themselves, and what they wrote and have not sent. */
const keptRules: Rules = {
  zerver_draft: {
    columns: {
      id,
      user_profile: id,
      recipient: orNull(id),
      topic: orElse(line(limits.topic), ""),
      content: text(limits.message),
      last_edit_time: orElse(time, 0),
    },
  },
  zerver_savedsnippet: {
    columns: {
      id,
      user_profile: id,
      title: label(limits.snippetTitle),
      content: text(limits.snippetContent),
      date_created: orElse(time, 0),
    },
  },
  zerver_navigationview: {
    columns: { user: id, fragment: checked(checkFragment), is_pinned: setFlag(), name: orNull(label(100)) },
  },
  zerver_scheduledmessage: {
    columns: {
      id,
      sender: id,
      recipient: id,
      subject: orElse(line(limits.topic), ""),
      content: text(limits.message),
      rendered_content: orNull(anyText),
      sending_client: orElse(id, 0),
      scheduled_timestamp: time,
      read_by_sender: flag,
      delivered: setFlag(),
      failed: setFlag(),
      delivery_type: oneOf(1, 2),
      reminder_target_message_id: orNull(messageId),
      reminder_note: orNull(line(limits.reminderNote)),
    },
  },
};

function atMostOfEach(max: number): (row: Row) => string | undefined {
  const rows = new Map<unknown, () => string | undefined>();
  return (row) => {
    const person = row["user_profile"];
    const rule = rows.get(person) ?? atMost(max);
    rows.set(person, rule);
    return rule();
  };
}
