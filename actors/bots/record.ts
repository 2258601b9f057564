/** A bot as its managers see it: an entry of `realm_bots`, and the object of `realm_bot` events. */
import type { ChannelId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { canSeeChannel } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";
import { avatarUrl } from "../users/record.ts";
import type { BotRecord } from "./shapes.ts";

declare module "../../storage/rows.ts" {
  interface UserChoices {
    default_sending_stream?: ChannelId;
    default_events_register_stream?: ChannelId;
  }
}

/** `bot_type` of an incoming webhook: a bot that only sends. */
export const incomingWebhookBot = 2;
/** `bot_type` of an outgoing webhook: a bot whose service is called. */
export const outgoingWebhookBot = 3;

/**
 * The record has no key: see `findBotKey` in `actors/users/changes/api-keys.ts`. It names no channel that `viewer` may
 * not know of. Undefined: an administrator, who may know of each.
 */
export function renderBot(state: RealmState, bot: UserRow, viewer: UserRow | undefined): BotRecord {
  const channelName = (key: "default_sending_stream" | "default_events_register_stream") => {
    const channel = state.channels.get(bot.settings[key] ?? -1);
    return channel && (!viewer || canSeeChannel(state, channel, viewer)) ? channel.name : null;
  };
  const service = bot.bot_type === outgoingWebhookBot && bot.settings.service;
  return {
    user_id: bot.id,
    email: bot.delivery_email,
    full_name: bot.full_name,
    bot_type: bot.bot_type,
    is_active: bot.is_active,
    default_sending_stream: channelName("default_sending_stream"),
    default_events_register_stream: channelName("default_events_register_stream"),
    default_all_public_streams: bot.settings["default_all_public_streams"] === true,
    avatar_url: avatarUrl(state, bot, bot),
    owner_id: bot.bot_owner_id,
    services: service ? [service] : [],
  };
}
