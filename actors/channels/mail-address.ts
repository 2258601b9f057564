/** The addresses of a channel by which mail becomes messages. https://zulip.com/api/get-stream-email-address */
import { ensureChannelMailAddress } from "../../storage/email/mail-addresses.ts";
import type { ChannelId, UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { channelAddress, newMailToken } from "../email/mail-address.ts";
import { badRequest } from "../errors.ts";
import { accessChannel, canReadContent } from "../realm/access.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";

/**
 * The address of a channel for one person, made when it is first asked for. Empty on a server that receives no mail.
 *
 * @param senderId the account that posts the mail; undefined: the organization's own bot
 * @throws BAD_REQUEST
 */
export async function channelMailAddress(
  { state, database, id, environment }: RealmReader,
  user: UserRow,
  channelId: ChannelId,
  senderId: UserId | undefined,
): Promise<string> {
  const channel = accessChannel(state, user, channelId);
  if (!canReadContent(state, channel, user)) throw badRequest("Invalid channel ID");
  if (senderId !== undefined && !isSenderOf(state, user, senderId)) throw badRequest("Invalid sender ID");
  const pattern = environment.mailInAddress;
  if (pattern === undefined) return "";
  const token = await ensureChannelMailAddress(database.sql, {
    token: newMailToken(),
    realm_id: id,
    channel_id: channel.id,
    creator_id: user.id,
    sender_id: senderId ?? null,
    created_at: environment.clock(),
  });
  return channelAddress(pattern, channel.name, token);
}

/** Whether mail to an address of this person may be posted by this account. */
export function isSenderOf(state: RealmState, creator: UserRow, senderId: UserId): boolean {
  const sender = state.users.get(senderId);
  if (!sender?.is_active) return false;
  return sender.id === creator.id || sender.is_system_bot || sender.bot_owner_id === creator.id;
}
