/**
 * Requests to outgoing webhooks, and the meaning of their answers. https://zulip.com/api/outgoing-webhook-payload,
 * https://zulip.com/api/outgoing-webhooks
 */
import type { UserId } from "../../../storage/ids.ts";
import type { StoredMessage } from "../../../storage/messages/messages.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { wireMessage } from "../../messages/wire-message.ts";
import type { RealmState } from "../../realm/state/state.ts";
import { isObject } from "../../text/json-object.ts";
import { avatarUrl } from "../../users/record.ts";
import { type BotService, interfaces } from "../services.ts";

export interface ServiceCall {
  bot: UserRow;
  service: BotService;
  message: StoredMessage;
  /** Everyone in a direct conversation, ascending. Undefined in a channel. */
  participants: readonly UserId[] | undefined;
}

/** Content type and text of the request's body. Undefined when the service's format cannot express this message. */
export function servicePayload(
  state: RealmState,
  { bot, service, message, participants }: ServiceCall,
): { contentType: string; body: string } | undefined {
  const sender = state.knownUser(message.sender_id);
  const trigger = participants ? "direct_message" : "mention";
  if (service.interface === interfaces.slack) {
    const channel = message.channel_id === null ? undefined : state.channels.get(message.channel_id);
    if (!channel) return undefined;
    const fields = {
      token: service.token,
      team_id: `T${state.id}`,
      team_domain: state.host,
      channel_id: `C${channel.id}`,
      channel_name: channel.name,
      thread_ts: String(message.sent_at),
      timestamp: String(message.sent_at),
      user_id: `U${sender.id}`,
      user_name: sender.full_name,
      text: message.content,
      trigger_word: trigger,
      service_id: String(bot.id),
    };
    return { contentType: "application/x-www-form-urlencoded", body: new URLSearchParams(fields).toString() };
  }
  const { gravatar: _, hidden_gravatar: __, ...wire } = wireMessage(state, message, sender, participants);
  const body = {
    bot_email: bot.delivery_email,
    bot_full_name: bot.full_name,
    data: message.content,
    trigger,
    token: service.token,
    message: { ...wire, avatar_url: avatarUrl(state, sender, bot), reactions: [], submessages: [] },
  };
  return { contentType: "application/json", body: JSON.stringify(body) };
}

/** The answer of a service. Without `content` nothing is posted. */
export interface ServiceReply {
  content?: string | undefined;
  widgetContent?: string | undefined;
}

/** @returns a text, the end of a sentence, when the answer cannot be understood */
export function readServiceReply(service: Pick<BotService, "interface">, text: string): ServiceReply | string {
  if (text.trim() === "") return {};
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return "its answer is no JSON";
  }
  // Some libraries answer an empty text for "no reply".
  if (answer === "") return {};
  if (!isObject(answer)) return "its answer is no JSON object";
  const fields = answer;
  if (fields["response_not_required"] === true) return {};
  const content =
    service.interface === interfaces.slack ? fields["text"] : (fields["content"] ?? fields["response_string"]);
  if (content === undefined || content === null || content === "") return {};
  if (typeof content !== "string") return "what it answered is no text";
  if (content.trim() === "") return {};
  const widget = fields["widget_content"];
  return { content, widgetContent: typeof widget === "string" ? widget : undefined };
}
