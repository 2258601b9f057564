/** Events about accounts, bots, groups and presence. Times are UNIX seconds. */
import type { ChannelId, GroupId, MessageId, ProfileFieldId, UserId } from "../../storage/ids.ts";
import type { UserGroupSetting } from "../../storage/rows.ts";
import type { BotRecord } from "../bots/shapes.ts";
import type { GroupRecord } from "../groups/shapes.ts";
import type { Gravatar, PersonRecord } from "../users/record.ts";

/** The fields of an account that changed, and its id. */
export interface PersonChange {
  user_id: UserId;
  full_name?: string;
  role?: number;
  is_active?: boolean;
  bot_owner_id?: UserId;
  timezone?: string;
  /** As the viewer may see it, beside `timezone`. */
  email?: string;
  /** The address that everybody may see. */
  new_email?: string;
  /** null: it is hidden. Each reader gets only the event that is true for them. */
  delivery_email?: string | null;
  avatar_url?: string | null;
  avatar_url_medium?: string | null;
  avatar_source?: string;
  avatar_version?: number;
  /** Replaces `avatar_url` for readers who may know the address. */
  gravatar?: Gravatar;
  date_joined?: string;
  is_imported_stub?: boolean;
  custom_profile_field?: { id: ProfileFieldId; value: string | null; rendered_value?: string };
}

export type RealmUserEvent =
  | { type: "realm_user"; op: "add"; person: PersonRecord }
  | { type: "realm_user"; op: "update"; person: PersonChange }
  | { type: "realm_user"; op: "remove"; person: { user_id: UserId; full_name: string } };

export type RealmBotEvent =
  | { type: "realm_bot"; op: "add"; bot: BotRecord }
  | { type: "realm_bot"; op: "update"; bot: { user_id: UserId } & Record<string, unknown> }
  | { type: "realm_bot"; op: "delete"; bot: { user_id: UserId } };

export type UserGroupEvent =
  | { type: "user_group"; op: "add"; group: GroupRecord }
  | UserGroupUpdateEvent
  | { type: "user_group"; op: "remove"; group_id: GroupId }
  | ({ type: "user_group"; group_id: GroupId } & (MembersChange | SubgroupsChange));

export interface MembersChange {
  op: "add_members" | "remove_members";
  user_ids: UserId[];
}
export interface SubgroupsChange {
  op: "add_subgroups" | "remove_subgroups";
  direct_subgroup_ids: GroupId[];
}

export interface UserGroupUpdateEvent {
  type: "user_group";
  op: "update";
  group_id: GroupId;
  data: { name?: string; description?: string; deactivated?: boolean } & Partial<Record<UserGroupSetting, unknown>>;
}

export interface PresenceEvent {
  type: "presence";
  user_id: UserId;
  email: string;
  server_timestamp: number;
  /** The older form, by client. */
  presence: Record<string, unknown>;
  active_timestamp: number;
  idle_timestamp: number;
}

/** Only the fields that changed. An empty text or emoji clears the field. */
export interface UserStatusEvent {
  type: "user_status";
  user_id: UserId;
  away?: boolean;
  status_text?: string;
  emoji_name?: string;
  emoji_code?: string;
  reaction_type?: string;
}

interface TypingFields {
  type: "typing";
  op: "start" | "stop";
  sender: { user_id: UserId; email: string };
}

export type TypingEvent = TypingFields &
  (
    | { message_type: "stream"; stream_id: ChannelId; topic: string }
    | { message_type: "direct"; recipients: { user_id: UserId; email: string }[] }
  );

export interface TypingEditMessageEvent {
  type: "typing_edit_message";
  op: "start" | "stop";
  sender_id: UserId;
  message_id: MessageId;
  recipient: { type: "channel"; channel_id: ChannelId; topic: string } | { type: "direct"; user_ids: UserId[] };
}

export type PeopleEvents =
  | RealmUserEvent
  | RealmBotEvent
  | UserGroupEvent
  | PresenceEvent
  | UserStatusEvent
  | TypingEvent
  | TypingEditMessageEvent;
