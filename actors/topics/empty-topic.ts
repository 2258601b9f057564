/** The empty topic, and its name for clients that do not know of it. */
import { emptyTopicDisplayName } from "../realm/state/settings.ts";

/**
 * The topic that a client means. A client that does not know of the empty topic sees a name instead, and sends it back
 * in replies and edits. An edit with it must not move the message. Topics are compared ignoring case.
 */
export function meantTopic(word: string): string {
  const topic = word.trim();
  return topic.toLowerCase() === emptyTopicDisplayName ? "" : topic;
}

/**
 * Topics that an operand may mean. Clients that do not know of empty topics send the display name of the empty topic.
 */
export function topicNames(operand: string): string[] {
  const topic = operand.trim();
  return topic.toLowerCase() === emptyTopicDisplayName ? ["", topic] : [topic];
}
