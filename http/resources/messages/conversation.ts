/** What is summarized: the newest messages that a narrow finds for one reader. */

import type { NarrowTerm } from "../../../actors/events/registration.ts";
import { fetchAround } from "../../../actors/narrow/fetch-messages.ts";
import type { RealmReader } from "../../../actors/realm/reader.ts";
import type { Said } from "../../../actors/summaries/prompts.ts";
import { beginning } from "../../../actors/text/texts.ts";
import type { UserRow } from "../../../storage/rows.ts";

/** Messages of one summary, as at Zulip. */
const maxMessages = 100;
/** Characters of one message, and of all of a summary: about ten thousand tokens. */
const maxMessageLength = 2_000;
const maxLength = 40_000;

/** A message as the API tells it, as far as it is used here. */
interface ApiMessage {
  sender_full_name: string;
  content: string;
  display_recipient: string | { full_name: string }[];
  subject: string;
}

/** The newest messages that the reader may read, oldest first. @throws BAD_NARROW */
export async function readConversation(
  realm: RealmReader,
  reader: UserRow,
  terms: readonly NarrowTerm[],
): Promise<Said[]> {
  const range = { anchor: "newest", includeAnchor: true, numBefore: maxMessages, numAfter: 0 } as const;
  const view = { clientGravatar: true, applyMarkdown: false, allowEmptyTopicName: false };
  const { messages } = await fetchAround(realm, reader, terms, range, view);
  const text = messages.pieces.map((piece) => (typeof piece === "string" ? piece : Buffer.from(piece).toString()));
  const found: readonly ApiMessage[] = JSON.parse(text.join(""));
  const said = found.map(saidOf);
  let length = 0;
  const tooOld = said.findLastIndex(({ content }) => (length += content.length) > maxLength);
  return said.slice(tooOld + 1);
}

function saidOf({ sender_full_name: sender, content, display_recipient: recipient, subject }: ApiMessage): Said {
  const place =
    typeof recipient === "string"
      ? `#${recipient} > ${subject}`
      : recipient.map(({ full_name }) => full_name).join(", ");
  return { sender, place, content: beginning(content, maxMessageLength) };
}
