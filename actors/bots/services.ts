/** The services of outgoing webhooks: their addresses, and the messages that trigger them. */
import type { UserId } from "../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import type { RenderedMessage } from "../markdown/render.ts";
import type { RealmState } from "../realm/state/state.ts";
import { outgoingWebhookBot } from "./record.ts";
import type { BotRecord } from "./shapes.ts";

/** Formats of the requests: the Zulip API's own, and that of Slack's outgoing webhooks. */
export const interfaces = { generic: 1, slack: 2 } as const;

/**
 * The service of an outgoing webhook, stored in the bot's settings. Its `token` proves to the service that this server
 * calls.
 */
export type BotService = BotRecord["services"][number];

declare module "../../storage/rows.ts" {
  interface UserChoices {
    service?: BotService;
  }
}

/** Undefined when the bot is no outgoing webhook, or has no address. */
export function serviceOf(bot: UserRow): BotService | undefined {
  return bot.bot_type === outgoingWebhookBot ? bot.settings.service : undefined;
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

/** The parts of a message that decide which bots it triggers. */
interface Calling {
  sender: UserRow;
  channel: ChannelRow | undefined;
  participants: readonly UserId[] | undefined;
  rendered: RenderedMessage;
}

/**
 * Outgoing webhooks that a message triggers: those it mentions by name in a channel, or those in its direct
 * conversation. Messages of bots trigger none, so that two bots do not answer each other for ever.
 */
export function findCalledServices(state: RealmState, { sender, channel, participants, rendered }: Calling): UserId[] {
  const candidates = channel ? rendered.mentionedUserIds : (participants ?? []);
  if (sender.is_bot || candidates.length === 0) return [];
  const isCalled = (bot: UserRow | undefined) => bot?.is_active === true && bot.is_bot && serviceOf(bot) !== undefined;
  return candidates.filter((id) => isCalled(state.users.get(id)));
}
