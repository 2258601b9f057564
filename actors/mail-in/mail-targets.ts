/** What mail becomes a message: the account that sends it, and where it goes, by the address that it came to. */
import { findChannelMailAddress, findConversationOf, findReplyAddress } from "../../storage/email/mail-addresses.ts";
import type { RealmId, UserId } from "../../storage/ids.ts";
import { isSenderOf } from "../channels/mail-address.ts";
import { type MailOptions, type MailTarget, readMailAddress } from "../email/mail-address.ts";
import { hashToken } from "../email/one-time-token.ts";
import { badRequest } from "../errors.ts";
import { systemBot } from "../messages/changes/system-messages.ts";
import type { SendMessageArgs } from "../messages/prepared.ts";
import { checkCanPost } from "../realm/access.ts";
import type { RealmEnvironment } from "../realm/environment.ts";
import type { RealmReader } from "../realm/reader.ts";

/** What is asked of a mail. `count` is how many From headers it has. */
interface MailHead {
  from: { address: string; count: number };
  topic: string;
}

export interface AimedMail {
  userId: UserId;
  to: SendMessageArgs["to"];
  /** Undefined: an answer of a person. */
  options: MailOptions | undefined;
}

/** An address that there is. */
export interface MailAddress {
  realmId: RealmId;
  /** For counting. */
  key: string;
  isReply: boolean;
  /** @throws ApiError when the account may not send it */
  aim(realm: RealmReader, mail: MailHead): Promise<AimedMail>;
}

type Environment = Pick<RealmEnvironment, "database" | "clock" | "mailInAddress">;

export async function findMailAddress(environment: Environment, address: string): Promise<MailAddress | undefined> {
  const target = readMailAddress(environment.mailInAddress ?? "", address);
  if (target === undefined) return undefined;
  return target.kind === "channel" ? findChannel(environment, target) : findReply(environment, target.token);
}

async function findChannel(
  { database }: Environment,
  { token, options }: Extract<MailTarget, { kind: "channel" }>,
): Promise<MailAddress | undefined> {
  const row = await findChannelMailAddress(database.sql, token);
  if (!row) return undefined;
  return {
    realmId: row.realm_id,
    key: token,
    isReply: false,
    async aim({ state }, { topic }) {
      const creator = state.users.get(row.creator_id);
      const channel = state.channels.get(row.channel_id);
      const userId = row.sender_id ?? systemBot(state, "notification").id;
      if (!channel || !creator?.is_active || !isSenderOf(state, creator, userId))
        throw badRequest("This address is good no more.");
      // The organization's own bot may post anywhere: whoever asked for the address must be allowed to.
      checkCanPost(state, channel, creator);
      return { userId, to: { channelId: channel.id, topic }, options };
    },
  };
}

async function findReply({ database, clock }: Environment, token: string): Promise<MailAddress | undefined> {
  const row = await findReplyAddress(database.sql, hashToken(token), clock());
  if (!row) return undefined;
  return {
    realmId: row.realm_id,
    key: `reply:${row.user_id}`,
    isReply: true,
    async aim({ state, id }, { from }) {
      const user = state.users.get(row.user_id);
      if (!user?.is_active) throw badRequest("Account is deactivated");
      // Whoever was shown the email knows the address as well.
      if (from.count !== 1 || from.address.toLowerCase() !== user.delivery_email.toLowerCase())
        throw badRequest("Answer from the address to which the email was sent.");
      const where = await findConversationOf(database.sql, id, row.message_id);
      if (!where) throw badRequest("The message that this answers was deleted.");
      const { channel_id, topic, participants } = where;
      const to = channel_id === null ? { userIds: participants ?? [] } : { channelId: channel_id, topic };
      return { userId: user.id, to, options: undefined };
    },
  };
}
