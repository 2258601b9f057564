/** Events about accounts, bots, groups and presence. Times are UNIX seconds. */
import { array, boolean, enums, literal, nullable, number, object, optional, refine, string } from "superstruct";
import type { UserId } from "../../storage/ids.ts";
import { bot } from "../bots/shapes.ts";
import { either } from "../either.ts";
import { userGroup } from "../groups/shapes.ts";
import { byId, channelId, groupId, messageId, profileFieldId, userId } from "../id-shapes.ts";
import { clientPresence, modernPresence, type PresenceRecord } from "../presence/shapes.ts";
import { described, partially } from "../shape.ts";
import { type Gravatar, type PersonRecord, userFields, userRecord, userStatus } from "../users/shapes.ts";
import { declare, logged, sentTo, type ValuesOfVariant } from "./declare.ts";

/** What may change of an account, with what is told beside it. */
const personChanges = [
  { full_name: userFields.full_name },
  { role: userFields.role },
  { is_active: boolean() },
  { bot_owner_id: userId() },
  /** `email` is as the viewer may see it. */
  { timezone: string(), email: optional(string()) },
  /** The address that everybody may see. */
  { new_email: described(string(), "The address that everybody may see.") },
  /** null: it is hidden. Each reader gets only the event that is true for them. */
  { delivery_email: nullable(string()) },
  { date_joined: userFields.date_joined },
  {
    is_imported_stub: userFields.is_imported_stub,
  },
  {
    custom_profile_field: described(
      object({
        id: described(profileFieldId(), "The field's id."),
        value: described(nullable(string()), "What the person filled in; null: nothing."),
        rendered_value: described(optional(string()), "The same as HTML, if the field takes Markdown."),
      }),
      "What the person filled into a field of the profile.",
    ),
  },
] as const;
const avatarChange = {
  avatar_url: nullable(string()),
  avatar_url_medium: described(nullable(string()), "Where the larger picture is; null as for `avatar_url`."),
  avatar_source: described(
    string(),
    "Where the picture is from: `G` Gravatar, `U` an upload, `J` drawn by the server.",
  ),
  avatar_version: userFields.avatar_version,
};
/** `gravatar` replaces `avatar_url` for readers who may know the address. */
type AvatarChange = ValuesOfVariant<typeof avatarChange> & { gravatar?: Gravatar };
export type PersonChange = ValuesOfVariant<(typeof personChanges)[number]> | AvatarChange;

export type RealmUserEvent = { type: "realm_user" } & (
  | { op: "add"; person: PersonRecord }
  | { op: "update"; person: { user_id: UserId } & PersonChange }
  | { op: "remove"; person: { user_id: UserId; full_name: string } }
);

const changedPerson = <const F extends object>(change: F) => ({
  op: literal("update"),
  person: object({ user_id: userId(), ...change }),
});

const { user_id: _, ...botFields } = bot.schema;

const {
  id: _id,
  members: _members,
  direct_subgroup_ids,
  is_system_group: _is,
  creator_id: _creator,
  date_created: _date,
  ...groupFields
} = userGroup.schema;
const membersChange = { op: enums(["add_members", "remove_members"]), user_ids: array(userId()) };
const subgroupsChange = { op: enums(["add_subgroups", "remove_subgroups"]), direct_subgroup_ids };
export type MembersChange = ValuesOfVariant<typeof membersChange>;
export type SubgroupsChange = ValuesOfVariant<typeof subgroupsChange>;

const groupChanges = [
  { op: literal("add"), group: userGroup },
  { op: literal("update"), group_id: groupId(), data: object(partially(groupFields)) },
  { group_id: groupId(), ...membersChange },
  { group_id: groupId(), ...subgroupsChange },
] as const;

const presence = {
  user_id: userId(),
  server_timestamp: number(),
  presence: object({ website: described(clientPresence, "Of all the clients of the user.") }),
};

export type PresenceEvent = { type: "presence" } & PresenceRecord;

const typist = object({ user_id: userId(), email: string() });
const recipients = refine(
  array(typist),
  "each once",
  (list) => new Set(list.map(({ user_id }) => user_id)).size === list.length,
);
const place = "Whether the message is in a channel or a direct conversation.";
const typing = { op: enums(["start", "stop"]), sender: typist };

export const peopleEvents = declare({
  realm_user: {
    state: "replicated",
    logged: logged<RealmUserEvent>(),
    sent: [
      { op: literal("add"), person: userRecord },
      ...personChanges.map(changedPerson),
      changedPerson(avatarChange),
      { op: literal("remove"), person: object({ user_id: userId(), full_name: string() }) },
    ],
  },
  realm_bot: {
    state: { list: "realm_bot" },
    sent: [
      { op: literal("add"), bot },
      { op: literal("update"), bot: object({ user_id: userId(), ...partially(botFields) }) },
      { op: literal("delete"), bot: object({ user_id: userId() }) },
    ],
  },
  user_group: {
    state: "replicated",
    logged: logged<{ type: "user_group" } & ValuesOfVariant<(typeof groupChanges)[number]>>(),
    sent: [
      ...groupChanges,
      sentTo({ lacks: "include_deactivated_groups" }, { op: literal("remove"), group_id: groupId() }),
    ],
  },
  presence: {
    state: "replicated",
    logged: logged<PresenceEvent>(),
    sent: [
      sentTo({ has: "simplified_presence_events" }, { presences: byId(modernPresence) }),
      sentTo({ lacks: "simplified_presence_events", slimPresence: true }, presence),
      sentTo({ lacks: "simplified_presence_events", slimPresence: false }, { ...presence, email: string() }),
    ],
  },
  /** Only the fields that changed. An empty text or emoji clears the field. */
  user_status: {
    state: "replicated",
    sent: [
      {
        user_id: userId(),
        ...userStatus.schema,
        away: optional(boolean()),
        reaction_type: optional(enums(["unicode_emoji", "realm_emoji", "zulip_extra_emoji", ""])),
      },
    ],
  },
  typing: {
    state: "replicated",
    sent: [
      { ...typing, message_type: literal("direct"), recipients },
      sentTo(
        { has: "stream_typing_notifications" },
        { ...typing, message_type: literal("stream"), stream_id: channelId(), topic: string() },
      ),
    ],
  },
  typing_edit_message: {
    state: "replicated",
    sent: [
      {
        op: typing.op,
        sender_id: described(userId(), "Who edits."),
        message_id: messageId(),
        recipient: either(
          object({
            type: described(literal("channel"), place),
            channel_id: described(channelId(), "The channel's id."),
            topic: described(string(), "The topic."),
          }),
          object({ type: described(literal("direct"), place), user_ids: described(array(userId()), "Its people.") }),
        ),
      },
    ],
  },
});
