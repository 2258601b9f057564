/** Sending messages. */
import { enums, optional } from "superstruct";
import { badRequest, errors } from "../../../actors/errors.ts";
import { messageId } from "../../../actors/id-shapes.ts";
import { accessUserByEmail, canReach } from "../../../actors/realm/access.ts";
import { limits } from "../../../actors/realm/state/settings.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";
import { described } from "../../../actors/shape.ts";
import { readJsonText } from "../../../actors/text/read-json.ts";
import type { ChannelId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { bool, cutText, oneOf, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { queueIdParam } from "../events/events.ts";

/** Clients whose own messages count as read by the sender. https://zulip.com/api/send-message */
const interactiveClients = new Set([
  "zulipmobile",
  "zulipterminal",
  "zulipelectron",
  "zulipdesktop",
  "zulipandroid",
  "zulipios",
  "android",
  "ios",
  "website",
  "snipe",
]);
/** Whether a person sees what they send with this client. */
export const isInteractive = (client: string): boolean =>
  interactiveClients.has(client.toLowerCase()) || client.toLowerCase().includes("desktop app");

/** Longest `local_id`. It is kept for a while, so that a repeated send is not stored twice. */
const maxLocalIdLength = 200;
/** Room for a thousand addresses. */
const maxRecipientsLength = 300_000;

/** Sends a message to a channel or to people. https://zulip.com/api/send-message */
export const sendMessage = route({
  doc: "https://zulip.com/api/send-message",
  summary: "Sends a message to a channel or to people.",
  auth: anyAccount,
  isUnaudited: true,
  allowsIncomingWebhooks: true,
  params: {
    type: oneOf("stream", "channel", "private", "direct").describe(
      "`channel` or `direct`; `stream` and `private` are older names.",
    ),
    to: text()
      .atMost(maxRecipientsLength)
      .optional()
      .describe("For a channel its name or id; for people a list of their ids or addresses."),
    content: cutText().describe("The text, in Markdown. More than 10,000 characters are cut."),
    topic: cutText()
      .alias("subject")
      .optional()
      .describe("The topic, of channel messages only. More than 60 characters are cut."),
    local_id: text({ maxLength: maxLocalIdLength })
      .optional()
      .describe("The client's own name for the message, which the event in the queue `queue_id` brings back."),
    queue_id: queueIdParam().optional(),
    read_by_sender: bool().optional(),
    widget_content: text({ maxLength: limits.message }).optional().describe("A widget instead of plain text, as JSON."),
  },
  returns: {
    id: described(messageId(), "The new message's id."),
    automatic_new_visibility_policy: described(
      optional(enums([2, 3])),
      "Whether sending made the caller unmute (2) or follow (3) the topic.",
    ),
  },
  async handle({ realm, user, params, client }) {
    const { state } = realm;
    const isChannel = params.type === "stream" || params.type === "channel";
    const reply = await realm.execute("sendMessage", {
      userId: user.id,
      to: isChannel
        ? { channelId: findChannel(state, user, params.to ?? defaultChannel(user)), topic: params.topic ?? "" }
        : { userIds: findPeople(state, user, required(params.to)) },
      content: params.content,
      client,
      readBySender: params.read_by_sender ?? isInteractive(client),
      local:
        params.local_id !== undefined && params.queue_id !== undefined
          ? { queue_id: params.queue_id, local_id: params.local_id }
          : undefined,
      widgetContent: params.widget_content,
    });
    return { ...reply };
  },
});

/**
 * The default channel of a bot: its `default_sending_stream`.
 * @throws REQUEST_VARIABLE_MISSING
 */
function defaultChannel(user: UserRow): string {
  const channelId = user.settings["default_sending_stream"];
  return required(typeof channelId === "number" ? String(channelId) : undefined);
}

function required(to: string | undefined): string {
  if (to === undefined) throw errors.REQUEST_VARIABLE_MISSING({ var_name: "to" });
  return to;
}

/** Parses a value as JSON. What is not JSON is the text itself. */
function parseLoosely(raw: string): unknown {
  try {
    return readJsonText(raw);
  } catch (error) {
    if (error instanceof SyntaxError) return raw;
    throw error;
  }
}

/** Decodes `to` of a channel message: a name or an id, which may be in a list of one. @throws STREAM_DOES_NOT_EXIST */
export function findChannel(state: RealmState, user: UserRow, to: string): ChannelId {
  let value = parseLoosely(to);
  if (Array.isArray(value)) {
    if (value.length !== 1) throw badRequest("Expected exactly one channel");
    value = value[0];
  }
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value) || !state.channels.has(value))
      throw errors.STREAM_DOES_NOT_EXIST({ stream_id: value });
    return value;
  }
  if (typeof value !== "string") throw badRequest("Invalid data type for channel");
  const channel = state.channelByName(value.trim());
  // The error is the same for a channel that does not exist and one that the user cannot see.
  if (!channel || !canReach(state, channel, user)) throw errors.STREAM_DOES_NOT_EXIST({ stream: value });
  return channel.id;
}

/** Decodes `to` of a direct message: ids or addresses, as a JSON list or separated by commas. @throws BAD_REQUEST */
function findPeople(state: RealmState, user: UserRow, to: string): UserId[] {
  let value = parseLoosely(to);
  if (typeof value === "string")
    value = value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  if (typeof value === "number") value = [value];
  if (!Array.isArray(value)) throw badRequest("Invalid data type for recipients");
  if (value.length === 0) throw badRequest("Message must have recipients");
  if (value.length > 1000) throw badRequest("Too many recipients");
  if (new Set(value.map((person) => typeof person)).size > 1)
    throw badRequest("Recipient lists may contain emails or user IDs, but not both.");
  return value.map((person) => {
    if (typeof person === "number") {
      const found = state.users.get(person);
      if (!found) throw badRequest(`Invalid user ID ${person}`);
      return found.id;
    }
    if (typeof person !== "string") throw badRequest("Invalid data type for recipients");
    try {
      return accessUserByEmail(state, user, person).id;
    } catch {
      throw badRequest(`Invalid email '${person}'`);
    }
  });
}
