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
