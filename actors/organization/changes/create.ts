/** Creates an organization: its system groups, its bots, its owner and a first channel. */

import { defined, firstOf } from "../../../storage/failures.ts";
import type { ChannelId, GroupId, RealmId, RecipientId, UserId } from "../../../storage/ids.ts";
import { beginReceiving } from "../../../storage/messages/read-state.ts";
import type { Sql } from "../../../storage/postgres.ts";
import { insertRealm, nextIds } from "../../../storage/realms.ts";
import { type ChannelRow, roles, type UserGroupRow, type UserRow } from "../../../storage/rows.ts";
import { writeChanges } from "../../../storage/tables.ts";
import { appendAudit } from "../../../storage/users/audit-log.ts";
import { insertCredentials } from "../../../storage/users/credentials.ts";
import { generateApiKey } from "../../../storage/users/passwords.ts";
import { defaultChannelGroups } from "../../channels/permission-defaults.ts";
import { type AuditFact, entryOf, type Origin } from "../../realm/commit/audit.ts";
import { botDomainOf } from "../../realm/state/bot-domain.ts";
import { type SystemGroupName, systemGroupDescriptions, systemGroupNames } from "../../realm/state/group-index.ts";
import { pickColor } from "../../subscriptions/colors.ts";
import { newSubscriptionRow } from "../../subscriptions/new-row.ts";
import { newUserRow } from "../../users/new-row.ts";
import { notificationBotName, welcomeBotName } from "../system-bots.ts";
import { writeFirstMessages } from "./first-messages.ts";

export interface NewRealm {
  host: string | null;
  name: string;
  owner: { email: string; fullName: string; passwordHash: string | null };
  /** UNIX seconds. */
  now: number;
  /** Whether to add a first topic, and a welcome from Welcome Bot to the owner. */
  hasFirstMessages: boolean;
  /** For the audit log. */
  from?: Origin;
}

export interface CreatedRealm {
  realmId: RealmId;
  ownerId: UserId;
  ownerApiKey: string;
  /** Name of the first channel, which everybody joins. */
  channel: string;
}

export const firstChannelName = "general";

/** The system groups, which every organization has. @param ids in the order of `systemGroupNames` */
export function systemGroupRows(realmId: RealmId, ids: readonly GroupId[], now: number): UserGroupRow[] {
  const nobody = defined(ids[systemGroupNames.indexOf("role:nobody")], "new id");
  return systemGroupNames.map((name, index) => ({
    id: defined(ids[index], "new id"),
    realm_id: realmId,
    name,
    description: systemGroupDescriptions[name],
    creator_id: null,
    date_created: now,
    is_system_group: true,
    deactivated: false,
    can_add_members_group: nobody,
    can_join_group: nobody,
    can_leave_group: nobody,
    can_manage_group: nobody,
    can_mention_group: nobody,
    can_remove_members_group: nobody,
  }));
}

/** The system bots, which every organization has: the notification bot and Welcome Bot. */
export function systemBotRows(
  realmId: RealmId,
  [notificationBotId, welcomeBotId]: readonly [UserId, UserId],
  domain: string,
  now: number,
): [notificationBot: UserRow, welcomeBot: UserRow] {
  const bot = (id: UserId, full_name: string, address: string) =>
    newUserRow({
      id,
      realm_id: realmId,
      delivery_email: `${address}@${domain}`,
      full_name,
      role: roles.member,
      date_joined: now,
      is_bot: true,
      is_system_bot: true,
      bot_type: 1,
    });
  return [
    bot(notificationBotId, notificationBotName, "notification-bot"),
    bot(welcomeBotId, welcomeBotName, "welcome-bot"),
  ];
}

const newOwnerRow = (realm_id: RealmId, id: UserId, owner: NewRealm["owner"], now: number): UserRow =>
  newUserRow({
    id,
    realm_id,
    delivery_email: owner.email,
    full_name: owner.fullName,
    role: roles.owner,
    date_joined: now,
    can_create_users: true,
    can_change_user_emails: true,
  });

/** The first channel, without who may do what there. */
const firstChannel = (realm_id: RealmId, id: ChannelId, recipient_id: RecipientId, now: number) => ({
  id,
  realm_id,
  recipient_id,
  name: firstChannelName,
  description: "For everyone",
  rendered_description: "<p>For everyone</p>",
  creator_id: null,
  date_created: now,
  invite_only: false,
  is_web_public: false,
  history_public_to_subscribers: true,
  is_archived: false,
  message_retention_days: null,
  topics_policy: "inherit" as const,
  folder_id: null,
  first_message_id: null,
  is_recently_active: true,
  stream_weekly_traffic: null,
});

/** Adds an organization, in the caller's transaction. @throws UniqueViolation when the host is taken */
export async function createRealm(
  sql: Sql,
  { host, name, owner, now, hasFirstMessages, from }: NewRealm,
): Promise<CreatedRealm> {
  const channelId = firstOf(await nextIds(sql, "channel_ids", 1));
  // Announcements of new channels work at once, before an owner chooses a channel for them.
  const settings = { new_stream_announcements_stream_id: channelId };
  const realmId = await insertRealm(sql, { host, name, now, settings });
  const groupIds = await nextIds(sql, "group_ids", systemGroupNames.length);
  const idOf = (group: SystemGroupName) => defined(groupIds[systemGroupNames.indexOf(group)], "group id");
  const groups = systemGroupRows(realmId, groupIds, now);
  const [ownerId, notificationBotId, welcomeBotId] = (await nextIds(sql, "user_ids", 3)) as [UserId, UserId, UserId];
  const ownerRow = newOwnerRow(realmId, ownerId, owner, now);
  const bots = systemBotRows(realmId, [notificationBotId, welcomeBotId], botDomainOf(host ?? ""), now);
  const [, welcomeBot] = bots;
  const users = [ownerRow, ...bots];
  const recipientId = firstOf(await nextIds(sql, "recipient_ids", 1));
  const channel: ChannelRow = {
    ...firstChannel(realmId, channelId, recipientId, now),
    ...defaultChannelGroups(idOf, undefined),
  };
  await writeChanges(sql, [
    { table: "user_groups", put: groups },
    { table: "users", put: users },
    { table: "channels", put: [channel] },
    { table: "default_channels", put: [{ channel_id: channelId, realm_id: realmId }] },
    {
      table: "subscriptions",
      put: [{ ...newSubscriptionRow(realmId, ownerId, channelId), color: pickColor([]) }],
    },
  ]);
  await beginReceiving(sql, realmId, [{ user_id: ownerId, recipient_id: recipientId }], 0);
  const ownerApiKey = generateApiKey();
  await insertCredentials(sql, [
    { user_id: ownerId, realm_id: realmId, api_key: ownerApiKey, password_hash: owner.passwordHash },
    { user_id: notificationBotId, realm_id: realmId, api_key: generateApiKey(), password_hash: null },
    { user_id: welcomeBotId, realm_id: realmId, api_key: generateApiKey(), password_hash: null },
  ]);
  if (hasFirstMessages) {
    const first = await writeFirstMessages(sql, { organization: name, channel, owner: ownerRow, welcomeBot, now });
    await writeChanges(sql, [{ table: "channels", put: [{ ...channel, first_message_id: first }] }]);
  }
  const { delivery_email, full_name, role } = ownerRow;
  const facts: AuditFact[] = [
    { type: "realm_created", after: { name, host } },
    { type: "user_created", userIds: [ownerId], after: { delivery_email, full_name, role } },
  ];
  await appendAudit(
    sql,
    realmId,
    facts.map((fact) => entryOf(fact, {}, from, now)),
  );
  return { realmId, ownerId, ownerApiKey, channel: firstChannelName };
}
