/** What makes a bot an outgoing webhook: where it is called, and which messages call it. */
import type { UserId } from "../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import type { RenderedMessage } from "../markdown/render.ts";
import type { RealmState } from "../realm/state/state.ts";
import { outgoingWebhookBot } from "./record.ts";
import type { BotRecord } from "./shapes.ts";

/** Forms of what a service is sent: the API's own, and the one that Slack's outgoing webhooks have. */
export const interfaces = { generic: 1, slack: 2 } as const;

/**
 * The service of an outgoing webhook, kept with the bot's settings. By its `token` the service knows that it is called
 * by this server.
 */
export type BotService = BotRecord["services"][number];

/** undefined: the bot is no outgoing webhook, or has no address. */
export function serviceOf(bot: UserRow): BotService | undefined {
  return bot.bot_type === outgoingWebhookBot ? (bot.settings["service"] as BotService | undefined) : undefined;
}

const maxUrlLength = 2000;

/** @throws BAD_REQUEST for an address that cannot be called */
export function checkServiceUrl(text: string): string {
  const isUrl = text.length <= maxUrlLength && /^https?:\/\//i.test(text) && URL.canParse(text);
  if (!isUrl) throw badRequest("payload_url is not a URL");
  return text;
}

/** @throws BAD_REQUEST */
export function checkInterface(number: number): number {
  if (!Object.values<number>(interfaces).includes(number)) throw badRequest("Invalid interface type");
  return number;
}

/** What a message is judged by. */
interface Calling {
  sender: UserRow;
  channel: ChannelRow | undefined;
  participants: readonly UserId[] | undefined;
  rendered: RenderedMessage;
}

/**
 * Outgoing webhooks that a message calls: mentioned by name in a channel, or in its direct conversation. Bots call
 * none, or two of them would talk for ever.
 */
export function findCalledServices(state: RealmState, { sender, channel, participants, rendered }: Calling): UserId[] {
  const candidates = channel ? rendered.mentionedUserIds : participants!;
  if (sender.is_bot || candidates.length === 0) return [];
  const isCalled = (bot: UserRow | undefined) => bot?.is_active === true && bot.is_bot && serviceOf(bot) !== undefined;
  return candidates.filter((id) => isCalled(state.users.get(id)));
}
