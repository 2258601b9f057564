/** Tables of accounts, and of what people keep for themselves. */
import type { ChannelId, RecipientId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { readRows } from "../../../storage/transfer/export-rows.ts";
import { editedKey } from "../../users/settings/setting-values.ts";
import { type UserSetting, userSetting, userSettings } from "../../users/settings/settings.ts";
import { settingCode } from "../zulip/coded-settings.ts";
import { type ExportSources, mapRows, numbered, type TableWriter } from "./sources.ts";

/** Who sees an address: everybody, and nobody. */
const [toEverybody, toNobody] = [1, 4];
const deliveryTypes = { later: 1, reminder: 2 } as const;

/** All settings, with their values. */
export function userSettingColumns(chosen: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<UserSetting>(userSettings))
    columns[name] = settingCode(name, chosen[name] ?? setting.default);
  return columns;
}

export async function writePeople(out: TableWriter, sources: ExportSources): Promise<void> {
  const { sql, realmId, scope, recipients } = sources;
  const people = () => readRows(sql, "users", realmId);
  const ownOf = (id: UserId) => scope.hasPrivateDataOf(id);
  await out.table(
    "zerver_userprofile",
    mapRows(people(), (user) => (user.is_system_bot ? undefined : userRow(user, sources))),
  );
  await out.table("zerver_userprofile_mirrordummy", []);
  await out.table(
    "zerver_userprofile_crossrealm",
    mapRows(people(), ({ id, is_system_bot, delivery_email }) =>
      is_system_bot ? { id, email: delivery_email, recipient_id: recipients.person(id) } : undefined,
    ),
  );
  await out.table(
    "parley_userprofile",
    mapRows(people(), (user) => (user.is_system_bot ? undefined : ownColumns(user, ownOf(user.id)))),
  );
  await writeBelongings(out, sources);
}

/** What belongs to accounts, in tables of its own. */
async function writeBelongings(out: TableWriter, { sql, realmId, scope }: ExportSources): Promise<void> {
  const people = () => readRows(sql, "users", realmId);
  await out.table(
    "zerver_service",
    numbered(
      mapRows(people(), (bot) => {
        const { service } = bot.settings;
        if (service === undefined) return undefined;
        const { base_url, interface: form } = service;
        // The token is the bot's secret: an import makes another.
        return { user_profile: bot.id, name: bot.full_name, base_url, interface: form, token: "" };
      }),
    ),
  );
  await out.table(
    "zerver_userstatus",
    numbered(
      mapRows(people(), ({ id, status }) => {
        if (Object.keys(status).length === 0) return undefined;
        const none = { status_text: "", emoji_name: "", emoji_code: "", reaction_type: "unicode_emoji" };
        return { ...none, ...status, user_profile: id };
      }),
    ),
  );
  await out.table(
    "zerver_customprofilefieldvalue",
    numbered(
      mapRows(people(), ({ id, profile_data }) =>
        Object.entries(profile_data).map(([field, value]) => ({
          user_profile: id,
          field: Number(field),
          value,
          rendered_value: null,
        })),
      ),
    ),
  );
  await out.table(
    "zerver_alertword",
    numbered(
      mapRows(people(), ({ id, alert_words }) =>
        scope.hasPrivateDataOf(id)
          ? alert_words.map((word) => ({ realm: realmId, user_profile: id, word }))
          : undefined,
      ),
    ),
  );
}

function userRow(user: UserRow, { scope, recipients, realmId, url }: ExportSources): object {
  const { settings } = user;
  const isOwn = scope.hasPrivateDataOf(user.id);
  const visibility = userSetting(user, "email_address_visibility");
  const madeUp = `user${user.id}@${new URL(url).hostname}`;
  const channelOrNull = (key: string) => {
    const id = settings[key];
    return typeof id !== "number" || id < 0 || !scope.hasChannel(id) ? null : id;
  };
  return {
    id: user.id,
    realm: realmId,
    // Whoever hid their address from administrators did not give it to them by this either.
    delivery_email: isOwn || user.is_bot || visibility !== toNobody ? user.delivery_email : madeUp,
    email: visibility === toEverybody ? user.delivery_email : madeUp,
    full_name: user.full_name,
    role: user.role,
    is_active: user.is_active,
    is_staff: false,
    is_bot: user.is_bot,
    bot_type: user.bot_type,
    bot_owner: user.bot_owner_id,
    is_mirror_dummy: user.is_imported_stub,
    long_term_idle: false,
    last_active_message_id: null,
    date_joined: user.date_joined,
    last_login: user.first_login_at,
    timezone: user.timezone,
    avatar_source: user.avatar_source,
    avatar_version: user.avatar_version,
    recipient: recipients.person(user.id),
    can_create_users: user.can_create_users,
    can_change_user_emails: user.can_change_user_emails,
    default_sending_stream: channelOrNull("default_sending_stream"),
    default_events_register_stream: channelOrNull("default_events_register_stream"),
    default_all_public_streams: settings["default_all_public_streams"] === true,
    ...userSettingColumns(isOwn || user.is_bot ? settings : { email_address_visibility: visibility }),
  };
}

/** What Zulip's table has no columns for, of those that differ from most. */
function ownColumns(user: UserRow, isOwn: boolean): object | undefined {
  const edited = user.settings[editedKey];
  const columns = {
    ...(user.is_deleted && { is_deleted: true }),
    ...(user.has_unconfirmed_email && { has_unconfirmed_email: true }),
    ...(isOwn && edited !== undefined && { edited_settings: edited }),
  };
  return Object.keys(columns).length === 0 ? undefined : { id: user.id, ...columns };
}

/** Tables that only PostgreSQL holds, of people whose own data is in the export. */
export async function writePersonal(out: TableWriter, sources: ExportSources): Promise<void> {
  const channelRecipients = new Map<ChannelId, RecipientId>();
  for await (const { id, recipient_id } of readRows(sources.sql, "channels", sources.realmId))
    channelRecipients.set(id, recipient_id);
  await writeUnsent(out, sources, channelRecipients);
  await writeNoted(out, sources, channelRecipients);
}

type ChannelRecipients = ReadonlyMap<ChannelId, RecipientId>;

/** What people keep for themselves, and what they wrote and have not sent. */
async function writeUnsent(out: TableWriter, sources: ExportSources, channels: ChannelRecipients): Promise<void> {
  const { sql, realmId, scope, recipients, clients } = sources;
  const ownOf = (id: UserId) => scope.hasPrivateDataOf(id);
  const target = (writer: UserId, type: string, to: number | readonly number[]): RecipientId | null => {
    const ids = typeof to === "number" ? [to] : to;
    return type === "stream" ? (channels.get(ids[0] ?? 0) ?? null) : recipients.ofPeople(writer, ids);
  };
  await out.table(
    "zerver_draft",
    mapRows(readRows(sql, "drafts", realmId), ({ id, user_id, type, to, topic, content, timestamp }) =>
      ownOf(user_id)
        ? { id, user_profile: user_id, recipient: target(user_id, type, to), topic, content, last_edit_time: timestamp }
        : undefined,
    ),
  );
  await out.table(
    "zerver_savedsnippet",
    mapRows(readRows(sql, "saved_snippets", realmId), ({ id, user_id, title, content, date_created }) =>
      ownOf(user_id) ? { id, realm: realmId, user_profile: user_id, title, content, date_created } : undefined,
    ),
  );
  await out.table(
    "zerver_navigationview",
    numbered(
      mapRows(readRows(sql, "navigation_views", realmId), ({ user_id, fragment, is_pinned, name }) =>
        ownOf(user_id) ? { user: user_id, fragment, is_pinned, name } : undefined,
      ),
    ),
  );
  await out.table(
    "zerver_scheduledmessage",
    mapRows(readRows(sql, "scheduled_messages", realmId), (row) =>
      ownOf(row.user_id)
        ? {
            id: row.id,
            realm: realmId,
            sender: row.user_id,
            recipient: target(row.user_id, row.type, row.to),
            stream: row.type === "stream" ? row.to : null,
            subject: row.topic,
            content: row.content,
            rendered_content: row.rendered_content,
            sending_client: clients.idOf(row.client),
            scheduled_timestamp: row.scheduled_delivery_timestamp,
            read_by_sender: row.read_by_sender,
            delivered: false,
            failed: row.failed,
            delivery_type: row.reminder_target_message_id === null ? deliveryTypes.later : deliveryTypes.reminder,
            reminder_target_message_id: row.reminder_target_message_id,
            reminder_note: row.note,
          }
        : undefined,
    ),
  );
}

/** What the server has noted of people and bots, and what they chose of topics and others. */
async function writeNoted(out: TableWriter, sources: ExportSources, channels: ChannelRecipients): Promise<void> {
  const { sql, realmId, scope } = sources;
  const ownOf = (id: UserId) => scope.hasPrivateDataOf(id);
  await out.table(
    "zerver_onboardingstep",
    numbered(
      mapRows(readRows(sql, "onboarding_steps", realmId), ({ user_id, name }) =>
        ownOf(user_id) ? { user: user_id, onboarding_step: name } : undefined,
      ),
    ),
  );
  await out.table(
    "zerver_botstoragedata",
    numbered(
      mapRows(readRows(sql, "bot_storage", realmId), ({ user_id, key, value }) =>
        ownOf(user_id) ? { bot_profile: user_id, key, value } : undefined,
      ),
    ),
  );
  await out.table(
    "zerver_userpresence",
    numbered(
      mapRows(readRows(sql, "presence", realmId), ({ user_id, active_at, idle_at }) =>
        ownOf(user_id)
          ? { realm: realmId, user_profile: user_id, last_active_time: active_at, last_connected_time: idle_at }
          : undefined,
      ),
    ),
  );
  await out.table(
    "zerver_muteduser",
    numbered(
      mapRows(readRows(sql, "muted_users", realmId), ({ user_id, muted_user_id, date_muted }) =>
        ownOf(user_id) ? { user_profile: user_id, muted_user: muted_user_id, date_muted } : undefined,
      ),
    ),
  );
  await out.table(
    "zerver_usertopic",
    numbered(
      mapRows(readRows(sql, "user_topics", realmId), (row) =>
        ownOf(row.user_id) && scope.hasChannel(row.channel_id)
          ? {
              user_profile: row.user_id,
              stream: row.channel_id,
              recipient: channels.get(row.channel_id),
              topic_name: row.topic_name,
              last_updated: row.last_updated,
              visibility_policy: row.visibility_policy,
            }
          : undefined,
      ),
    ),
  );
}
