/** Tables of channels, of who is in them and how, and of conversations. */
import type { ChannelId, RecipientId, UserId } from "../../../storage/ids.ts";
import { channelGroupSettings, type SubscriptionRow } from "../../../storage/rows.ts";
import { readRows } from "../../../storage/transfer/export-rows.ts";
import { formatColor } from "../../subscriptions/colors.ts";
import { topicsPolicies } from "../zulip/coded-settings.ts";
import { conversationHash, recipientTypes } from "./recipients.ts";
import { type ExportSources, mapRows, numbered, type TableWriter } from "./sources.ts";

/** Of a subscription whose owner keeps how they have set it. */
const usual = {
  color: 0xc2c2c2,
  is_muted: false,
  pin_to_top: false,
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
} satisfies Partial<SubscriptionRow>;

export async function writeChannels(out: TableWriter, sources: ExportSources): Promise<void> {
  const { sql, realmId, scope, groups } = sources;
  await out.table(
    "zerver_stream",
    mapRows(readRows(sql, "channels", realmId), (row) => {
      if (!scope.hasChannel(row.id)) return undefined;
      const settings = channelGroupSettings.map((name) => [name, groups.idOf(row[name])]);
      return {
        id: row.id,
        realm: realmId,
        name: row.name,
        description: row.description,
        rendered_description: row.rendered_description,
        date_created: row.date_created,
        deactivated: row.is_archived,
        invite_only: row.invite_only,
        history_public_to_subscribers: row.history_public_to_subscribers,
        is_web_public: row.is_web_public,
        message_retention_days: row.message_retention_days,
        recipient: row.recipient_id,
        creator: row.creator_id,
        folder: row.folder_id,
        topics_policy: topicsPolicies[row.topics_policy],
        ...Object.fromEntries(settings),
      };
    }),
  );
  await out.table("zerver_recipient", recipientRows(sources));
  await out.table(
    "zerver_huddle",
    mapRows(conversations(sources), ({ recipient_id, user_ids }) => ({
      id: recipient_id,
      recipient: recipient_id,
      huddle_hash: conversationHash(user_ids),
      group_size: user_ids.length,
    })),
  );
  await out.table("zerver_subscription", numbered(subscriptionRows(sources)));
}

/** Conversations of three people and more. */
async function* conversations({ sql, realmId, scope, recipients }: ExportSources) {
  for await (const row of readRows(sql, "direct_conversations", realmId))
    if (row.user_ids.length > 2 && scope.hasConversation(row.recipient_id)) yield row;
  yield* recipients.unwritten();
}

async function* recipientRows(sources: ExportSources): AsyncGenerator<object> {
  const { sql, realmId, scope, recipients } = sources;
  for await (const { id, recipient_id } of readRows(sql, "channels", realmId))
    if (scope.hasChannel(id)) yield { id: recipient_id, type: recipientTypes.channel, type_id: id };
  for await (const { recipient_id } of conversations(sources))
    yield { id: recipient_id, type: recipientTypes.group, type_id: recipient_id };
  for await (const { id, is_system_bot } of readRows(sql, "users", realmId))
    if (!is_system_bot) yield { id: recipients.person(id), type: recipientTypes.person, type_id: id };
}

async function* subscriptionRows(sources: ExportSources): AsyncGenerator<object> {
  const { sql, realmId, scope, recipients } = sources;
  const channelRecipients = new Map<ChannelId, RecipientId>();
  for await (const { id, recipient_id } of readRows(sql, "channels", realmId)) channelRecipients.set(id, recipient_id);
  const active = new Set<UserId>();
  for await (const { id, is_active } of readRows(sql, "users", realmId)) if (is_active) active.add(id);
  for await (const row of readRows(sql, "subscriptions", realmId)) {
    if (!scope.hasChannel(row.channel_id)) continue;
    const { realm_id, user_id, channel_id, is_active, ...chosen } = row;
    const isOwn = scope.hasPrivateDataOf(user_id);
    // That somebody was there once is known to them alone.
    if (!isOwn && !is_active) continue;
    const { color, ...settings } = isOwn ? chosen : usual;
    yield {
      user_profile: user_id,
      recipient: channelRecipients.get(channel_id),
      active: is_active,
      is_user_active: active.has(user_id),
      color: formatColor(color),
      ...settings,
    };
  }
  const member = (user_profile: UserId, recipient: RecipientId | null) => ({
    user_profile,
    recipient,
    active: true,
    is_user_active: active.has(user_profile),
    ...usual,
    color: formatColor(usual.color),
  });
  for await (const { id, is_system_bot } of readRows(sql, "users", realmId))
    if (!is_system_bot) yield member(id, recipients.person(id));
  for await (const { recipient_id, user_ids } of conversations(sources))
    for (const id of user_ids) yield member(id, recipient_id);
}
