/** What is stored of a text and a topic as people type them. */
import { badRequest } from "../errors.ts";
import { limits } from "../realm/state/settings.ts";
import { isLine, isLonger, storable } from "../text/texts.ts";
import { meantTopic } from "../topics/empty-topic.ts";

/** Ends a message that was cut. */
export const truncationNotice = "\n[message truncated]";

/**
 * What is stored of the typed text. People cannot send half of a surrogate pair, but services that a bot asks can.
 *
 * @throws BAD_REQUEST when nothing is left
 */
export function normalizeContent(content: string): string {
  const text = content.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
  if (text === "") throw badRequest("Message must not be empty");
  if (text.includes("\0")) throw badRequest("Message must not contain null bytes");
  return truncate(storable(text), limits.message, truncationNotice);
}

/** Shortens to `max` code points, ending in `mark`. */
export function truncate(text: string, max: number, mark: string): string {
  if (!isLonger(text, max)) return text;
  // No code point has more than two code units.
  return [...text.slice(0, 2 * max)].slice(0, max - mark.length).join("") + mark;
}

/** The topic as stored. `(no topic)` is the old name of the empty one. @throws BAD_REQUEST unless it is one line */
export function normalizeTopic(word: string): string {
  if (!isLine(meantTopic(word))) throw badRequest("Invalid character in topic!");
  return knownTopic(word);
}

/** `normalizeTopic` of a topic that there is, which may be older than the rule. */
export function knownTopic(word: string): string {
  const topic = meantTopic(word);
  return topic === "(no topic)" ? "" : truncate(topic, limits.topic, "...");
}
