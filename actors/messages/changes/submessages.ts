/** Parts of widgets: votes, options, tasks. A message's first part, by its sender, says what widget it is. */

import type { MessageId, UserId } from "../../../storage/ids.ts";
import { firstSubmessage, insertSubmessage } from "../../../storage/messages/reactions.ts";
import { ApiError, badRequest } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import { limits } from "../../realm/state/settings.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isObject } from "../../text/json-object.ts";
import { readJsonText } from "../../text/read-json.ts";
import { isLonger } from "../../text/texts.ts";
import { participationPolicies, putTopicPolicies } from "../../topics/changes/visibility-policies.ts";
import { conversationOf, messageAudience } from "../audience.ts";
import { checkedTexts } from "../widgets.ts";
import { accessChangeable } from "./edit.ts";

type Json = Record<string, unknown>;

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown, max: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
/** The most parts of one widget: more than anybody adds by hand. */
const maxParts = 10_000;

/** The forms of a widget's later parts; a check says whether the fields of its type are right. */
const forms: Record<string, Record<string, { fields: (part: Json) => boolean; authorOnly?: string }>> = {
  poll: {
    vote: { fields: (part) => isText(part["key"]) && (part["vote"] === 1 || part["vote"] === -1) },
    new_option: { fields: (part) => isText(part["option"]) && isCount(part["idx"], maxParts) },
    question: {
      fields: (part) => isText(part["question"]),
      authorOnly: "You can't edit a question unless you are the author.",
    },
  },
  todo: {
    new_task: {
      fields: (part) =>
        isCount(part["key"], maxParts) &&
        isText(part["task"]) &&
        isText(part["desc"]) &&
        typeof part["completed"] === "boolean",
    },
    strike: { fields: (part) => isText(part["key"]) },
    new_task_list_title: {
      fields: (part) => isText(part["title"]),
      authorOnly: "You can't edit the task list title unless you are the author.",
    },
  },
};

const own = <T>(table: Record<string, T>, name: unknown): T | undefined =>
  isText(name) && Object.hasOwn(table, name) ? table[name] : undefined;

function parse(content: string): Json {
  let value: unknown;
  try {
    value = readJsonText(content, checkedTexts);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw badRequest("Invalid json for submessage");
  }
  if (!isObject(value)) throw badRequest("Invalid json for submessage");
  return value;
}

export interface SubmessageArgs {
  userId: UserId;
  messageId: MessageId;
  msgType: string;
  /** JSON text. */
  content: string;
}

export const addSubmessage = command(async (tx: Tx, args: SubmessageArgs) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  const message = await accessChangeable(tx, user, args.messageId);
  if (args.msgType !== "widget") throw badRequest("Invalid msg_type");
  if (isLonger(args.content, limits.message)) throw badRequest("content is too long");
  const part = parse(args.content);
  const first = await firstSubmessage(tx.sql, message.id);
  if (message.sender_id !== user.id && first?.sender_id !== message.sender_id)
    throw badRequest("You cannot attach a submessage to this message.");
  if (first) {
    // Both names are users' input, and every object has a "constructor".
    const widget = own(forms, parse(first.content)["widget_type"]);
    const form = widget && own(widget, part["type"]);
    if (widget && !form) throw badRequest("Unknown type for this widget");
    if (form && !form.fields(part)) throw badRequest("Malformed content for this widget");
    if (form?.authorOnly && user.id !== message.sender_id) throw badRequest(form.authorOnly);
  }
  const row = {
    id: await tx.id("object_ids"),
    message_id: message.id,
    sender_id: user.id,
    msg_type: args.msgType,
    content: args.content,
  };
  tx.write((sql) => insertSubmessage(sql, tx.realmId, row));
  const conversation = conversationOf(state, message);
  const { channel } = conversation;
  tx.event(
    {
      type: "submessage",
      msg_type: row.msg_type,
      message_id: row.message_id,
      submessage_id: row.id,
      sender_id: row.sender_id,
      content: row.content,
    },
    await messageAudience(state, tx.sql, conversation, [message.id]),
  );
  if (channel) putTopicPolicies(tx, channel, message.topic, participationPolicies(state, user, channel, message.topic));
  return {};
});
