/** Who and what is in an export: all, what is public, or that and what belongs to people who agreed. */
import type { ChannelId, RealmId, RecipientId, UserId } from "../../../storage/ids.ts";
import type { Sql } from "../../../storage/postgres.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { type MessageScope, readRows } from "../../../storage/transfer/export-rows.ts";
import { userSetting } from "../../users/settings/settings.ts";

/** As the API names them. https://zulip.com/api/export-realm */
export const exportTypes = ["public", "full_with_consent", "full_without_consent"] as const;
export type ExportType = (typeof exportTypes)[number];

export const consents = (user: UserRow): boolean => userSetting(user, "allow_private_data_export") === true;

export interface ExportScope {
  /** Whether what this person keeps for themselves is in it. */
  hasPrivateDataOf(userId: UserId): boolean;
  /** Whose it is; undefined: everybody's. */
  people: readonly UserId[] | undefined;
  hasChannel(id: ChannelId): boolean;
  hasConversation(recipientId: RecipientId): boolean;
  /** undefined: all. */
  messages: MessageScope | undefined;
}

const everything: ExportScope = {
  hasPrivateDataOf: () => true,
  people: undefined,
  hasChannel: () => true,
  hasConversation: () => true,
  messages: undefined,
};

/**
 * It has the private channels that somebody who agreed is in, whole where new subscribers may read what was said
 * before. Elsewhere, and where that person has left, it has what they received. Of direct conversations those that they
 * are in.
 */
export async function scopeOf(sql: Sql, realmId: RealmId, type: ExportType): Promise<ExportScope> {
  if (type === "full_without_consent") return everything;
  const agreed = type === "full_with_consent" ? await findAgreed(sql, realmId) : new Set<UserId>();
  const [inside, outside] = [new Set<ChannelId>(), new Set<ChannelId>()];
  for await (const { user_id, channel_id, is_active } of readRows(sql, "subscriptions", realmId))
    if (agreed.has(user_id)) (is_active ? inside : outside).add(channel_id);
  const channels = new Set<ChannelId>();
  const [whole, received]: [RecipientId[], RecipientId[]] = [[], []];
  for await (const channel of readRows(sql, "channels", realmId)) {
    const { id, recipient_id } = channel;
    if (isPublic(channel) || (inside.has(id) && channel.history_public_to_subscribers)) whole.push(recipient_id);
    else if (inside.has(id) || outside.has(id)) received.push(recipient_id);
    else continue;
    channels.add(id);
  }
  const conversations = new Set<RecipientId>();
  for await (const { recipient_id, user_ids } of readRows(sql, "direct_conversations", realmId))
    if (user_ids.some((id) => agreed.has(id))) conversations.add(recipient_id);
  whole.push(...conversations);
  return {
    hasPrivateDataOf: (id) => agreed.has(id),
    people: [...agreed],
    hasChannel: (id) => channels.has(id),
    hasConversation: (id) => conversations.has(id),
    messages: { whole: whole, received: received, people: [...agreed] },
  };
}

const isPublic = ({ invite_only }: ChannelRow): boolean => !invite_only;

/** People who agreed, and their bots. */
async function findAgreed(sql: Sql, realmId: RealmId): Promise<Set<UserId>> {
  const agreed = new Set<UserId>();
  const owners = new Map<UserId, UserId | null>();
  for await (const user of readRows(sql, "users", realmId)) {
    if (user.is_bot) owners.set(user.id, user.bot_owner_id);
    else if (!user.is_deleted && consents(user)) agreed.add(user.id);
  }
  for (const [bot, owner] of owners) if (owner !== null && agreed.has(owner)) agreed.add(bot);
  return agreed;
}
