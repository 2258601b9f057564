/** What channels and groups of an archive may be, and who may be in them. */
import { reservedPrefixes } from "../../groups/rules.ts";
import { limits } from "../../realm/state/settings.ts";
import { type Rules, type TableRule, unique } from "./check.ts";
import {
  anyText,
  type Column,
  count,
  flag,
  id,
  label,
  line,
  list,
  name,
  nullable,
  oneOf,
  orElse,
  orNull,
  type Row,
  refused,
  setFlag,
  text,
  time,
} from "./columns.ts";

/** Archiving puts such a prefix before the name, so that a new channel may have it. */
const archivedPrefix = /^[0-9a-f]{7}!DEACTIVATED:/;
const withoutPrefix: Column = (value) => (typeof value === "string" ? value.replace(archivedPrefix, "") : refused);
/** Shared with nothing: a value that is no flag inherits. */
const override = orNull((value) => (typeof value === "boolean" ? value : refused));
const description = (max: number) => orElse(text(max), "");
const days: Column = (value) => (value === -1 ? value : count(value, {}));

const ifAny =
  (column: Column): Column =>
  (value, row) =>
    value === undefined ? undefined : column(value, row);

/** Where there is no name, one is made. */
type Name = (value: unknown, row: Row) => string;

/** A name that no other has, ignoring case: a number is put behind the second. */
function unlikeOthers(read: Name, max: number, isTold: (row: Row) => boolean = () => true): Column {
  const taken = new Set<string>();
  return (value, row) => {
    const wanted = read(value, row);
    let free = wanted;
    for (let number = 2; isTold(row) && taken.has(free.toLowerCase()); number++)
      free = `${[...wanted].slice(0, max - 8).join("")} (${number})`;
    if (isTold(row)) taken.add(free.toLowerCase());
    return free;
  };
}

export const channelRules = (): Rules => ({ ...streamRules(), ...memberRules, ...groupRules(), ...folderRules() });

function groupRules(): Rules {
  const groupName: Name = (value, row) => {
    if (row["is_system_group"] === true) return typeof value === "string" ? value : "";
    const read = name(limits.userGroupName, "group")(value, row);
    return reservedPrefixes.some((prefix) => read.toLowerCase().startsWith(prefix))
      ? `group ${row["usergroup_ptr"] ?? row["id"]}`
      : read;
  };
  // In newer versions groups have their names in a table of its own, and one without a name is a permission's.
  const group = (key: "id" | "usergroup_ptr"): TableRule => ({
    columns: {
      [key]: id,
      is_system_group: setFlag(),
      name: ifAny(unlikeOthers(groupName, limits.userGroupName, (row) => row["is_system_group"] !== true)),
      description: description(limits.userGroupDescription),
      creator: orNull(id),
      date_created: orNull(time),
      deactivated: flag,
    },
    row: unique((row) => String(row[key])),
  });
  return {
    zerver_usergroup: group("id"),
    zerver_namedusergroup: group("usergroup_ptr"),
    zerver_usergroupmembership: { columns: { user_group: id, user_profile: id } },
    zerver_groupgroupmembership: { columns: { supergroup: id, subgroup: id } },
  };
}

function streamRules(): Rules {
  const channelName: Name = (value, row) => name(limits.channelName, "channel")(withoutPrefix(value, row), row);
  return {
    zerver_stream: {
      columns: {
        id,
        deactivated: setFlag(),
        name: unlikeOthers(channelName, limits.channelName, (row) => row["deactivated"] !== true),
        description: description(limits.channelDescription),
        rendered_description: nullable(orElse(anyText, undefined)),
        date_created: orElse(time, 0),
        invite_only: setFlag(),
        // A private channel is not open to everybody, whatever else is said of it.
        is_web_public: (value, row) => value === true && row["invite_only"] !== true,
        history_public_to_subscribers: (value, row) => value !== false || row["invite_only"] !== true,
        message_retention_days: orNull(days),
        creator: nullable(orElse(id, null)),
        stream_post_policy: nullable(orElse(count, 1)),
        folder: orNull(id),
        topics_policy: nullable(orElse(count, 1)),
      },
      row: unique((row) => String(row["id"])),
    },
  };
}

/** Who is where, and what they chose there. */
const memberRules: Rules = {
  zerver_defaultstream: { columns: { stream: id } },
  zerver_recipient: { columns: { id, type: oneOf(1, 2, 3), type_id: id } },
  zerver_subscription: {
    columns: {
      user_profile: id,
      recipient: id,
      active: setFlag(),
      is_muted: setFlag(),
      color: orElse(anyText, ""),
      pin_to_top: setFlag(),
      desktop_notifications: override,
      audible_notifications: override,
      push_notifications: override,
      email_notifications: override,
      wildcard_mentions_notify: override,
    },
  },
  zerver_usertopic: {
    columns: {
      user_profile: id,
      stream: id,
      topic_name: line(limits.topic),
      last_updated: orElse(time, 0),
      visibility_policy: oneOf(1, 2, 3),
    },
  },
  parley_received: { columns: { user_profile: id, stream: id } },
};

/** How channels are put together. */
function folderRules(): Rules {
  return {
    zerver_channelfolder: {
      columns: {
        id,
        is_archived: setFlag(),
        name: unlikeOthers(name(limits.folderName, "folder"), limits.folderName),
        description: description(limits.folderDescription),
        rendered_description: nullable(orElse(anyText, undefined)),
        date_created: orElse(time, 0),
        creator: orNull(id),
        order: orElse(count, 0),
      },
      row: unique((row) => String(row["id"])),
    },
    zerver_defaultstreamgroup: {
      columns: {
        id,
        name: label(limits.channelName),
        description: description(limits.channelDescription),
        streams: list(id),
      },
      row: unique((row) => String(row["name"])),
    },
  };
}
