/** Imports channels, subscriptions, and people's policies for topics. */
import { defined } from "../../../storage/failures.ts";
import type { GroupId, RecipientId } from "../../../storage/ids.ts";
import {
  type ChannelRow,
  channelGroupSettings,
  type GroupSetting,
  type SubscriptionRow,
  type UserTopicRow,
} from "../../../storage/rows.ts";
import { channelGroupDefaults, defaultChannelGroups } from "../../channels/permission-defaults.ts";
import type { SystemGroupName } from "../../realm/state/group-index.ts";
import { parseColor } from "../../subscriptions/colors.ts";
import { topicsPolicyOf } from "./coded-settings.ts";
import type { ZulipExport } from "./export.ts";
import type { IdMaps } from "./ids.ts";
import { isAllowed } from "./organization.ts";
import {
  auditEvents,
  type ChannelTable,
  type OldChannelId,
  type OldGroupId,
  type OldRecipientId,
  type OldUserId,
} from "./tables.ts";

/** Groups that may post, by the policies of older versions. */
const postPolicies: Readonly<Record<number, SystemGroupName>> = {
  2: "role:administrators",
  3: "role:fullmembers",
  4: "role:moderators",
};
const usualColor = 0xc2c2c2;

export interface ChannelSources {
  from: ZulipExport;
  ids: IdMaps;
  recipients: ReadonlyMap<OldChannelId, RecipientId>;
  systemGroup(name: SystemGroupName): GroupId;
  groupSetting(id: OldGroupId): GroupSetting | undefined;
  renderDescription(row: ChannelTable): string;
}

export function channelRows({ from, ids, ...sources }: ChannelSources): ChannelRow[] {
  const creators = new Map<OldChannelId, OldUserId>();
  for (const { event_type, acting_user, modified_stream } of from.rows("zerver_realmauditlog"))
    if (event_type === auditEvents.channelCreated && acting_user !== null && modified_stream !== null)
      creators.set(modified_stream, acting_user);
  return from.rows("zerver_stream").map((row): ChannelRow => {
    const creator = row.creator ?? creators.get(row.id);
    const creatorId = creator === undefined ? undefined : ids.users.get(creator);
    return {
      id: defined(ids.channels.get(row.id), "channel"),
      realm_id: ids.realm,
      recipient_id: defined(sources.recipients.get(row.id), "recipient"),
      name: row.name,
      description: row.description,
      rendered_description: sources.renderDescription(row),
      creator_id: creatorId ?? null,
      date_created: Math.floor(row.date_created),
      invite_only: row.invite_only,
      is_web_public: row.is_web_public,
      history_public_to_subscribers: row.history_public_to_subscribers,
      is_archived: row.deactivated,
      message_retention_days: row.message_retention_days,
      topics_policy: topicsPolicyOf(row.topics_policy),
      folder_id: row.folder == null ? null : (ids.folders.get(row.folder) ?? null),
      first_message_id: null,
      is_recently_active: true,
      stream_weekly_traffic: null,
      ...defaultChannelGroups(sources.systemGroup, creatorId),
      ...chosenGroups(row, sources),
    };
  });
}

function chosenGroups(row: ChannelTable, { systemGroup, groupSetting }: Omit<ChannelSources, "from" | "ids">) {
  const chosen: Partial<Record<(typeof channelGroupSettings)[number], GroupSetting>> = {};
  const writers = postPolicies[row.stream_post_policy ?? 1];
  if (writers !== undefined) chosen.can_send_message_group = systemGroup(writers);
  for (const name of channelGroupSettings) {
    const old = row[name];
    const value = typeof old === "number" ? groupSetting(old) : undefined;
    if (value !== undefined && isAllowed(value, { nobody: true, ...channelGroupDefaults[name] }, systemGroup))
      chosen[name] = value;
  }
  // Not everybody can see which topics there are.
  if (!row.history_public_to_subscribers) chosen.can_create_topic_group = systemGroup("role:everyone");
  return chosen;
}

/**
 * People who left an archived channel by themselves: `<old user>:<old channel>`. Archiving ended all subscriptions
 * there, but subscribers still find what they received. Here the others stay subscribed.
 */
function leavers(from: ZulipExport): Set<string> {
  const left = new Set<string>();
  for (const { event_type, modified_user, modified_stream } of from.rows("zerver_realmauditlog")) {
    const key = `${modified_user}:${modified_stream}`;
    if (event_type === auditEvents.unsubscribed) left.add(key);
    else if (event_type === auditEvents.subscribed || event_type === auditEvents.resubscribed) left.delete(key);
  }
  return left;
}

export function subscriptionRows(from: ZulipExport, ids: IdMaps): SubscriptionRow[] {
  // Our own exports tell who has left: here nobody leaves a channel by its end.
  const archived = new Set(
    from.rows("zerver_stream").flatMap(({ id, deactivated }) => (deactivated && !from.isOurs ? id : [])),
  );
  const left = leavers(from);
  const channelOf = new Map<OldRecipientId, OldChannelId>();
  for (const { id, type, type_id } of from.rows("zerver_recipient")) if (type === 2) channelOf.set(id, type_id);
  return from.rows("zerver_subscription").flatMap((row): SubscriptionRow[] => {
    const channel = channelOf.get(row.recipient) ?? 0;
    const channel_id = ids.channels.get(channel);
    const user_id = ids.users.get(row.user_profile);
    if (channel_id === undefined || user_id === undefined) return [];
    return [
      {
        user_id,
        channel_id,
        realm_id: ids.realm,
        is_active: row.active || (archived.has(channel) && !left.has(`${row.user_profile}:${channel}`)),
        color: parseColor(row.color) ?? usualColor,
        is_muted: row.is_muted,
        pin_to_top: row.pin_to_top,
        desktop_notifications: row.desktop_notifications,
        audible_notifications: row.audible_notifications,
        push_notifications: row.push_notifications,
        email_notifications: row.email_notifications,
        wildcard_mentions_notify: row.wildcard_mentions_notify,
      },
    ];
  });
}

export function topicRows(from: ZulipExport, ids: IdMaps): UserTopicRow[] {
  return from.rows("zerver_usertopic").flatMap((row): UserTopicRow[] => {
    const channel_id = ids.channels.get(row.stream);
    const user_id = ids.users.get(row.user_profile);
    if (channel_id === undefined || user_id === undefined) return [];
    return [
      {
        user_id,
        channel_id,
        topic_key: row.topic_name.toLowerCase(),
        realm_id: ids.realm,
        topic_name: row.topic_name,
        last_updated: Math.floor(row.last_updated),
        visibility_policy: row.visibility_policy,
      },
    ];
  });
}
