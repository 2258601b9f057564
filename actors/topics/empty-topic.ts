/** What clients call the empty topic. */
import { emptyTopicDisplayName } from "../organization/settings.ts";

/**
 * The topic that a client means. One that does not know of the empty topic is shown a name in its place and sends that
 * name back: to answer there, and with every edit, which must not move the message. Like all topics it is compared
 * ignoring case.
 */
export function meantTopic(word: string): string {
  const topic = word.trim();
  return topic.toLowerCase() === emptyTopicDisplayName ? "" : topic;
}
