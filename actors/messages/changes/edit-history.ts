/**
 * What a message's edit history may hold. Everybody who reads the message gets it, so it is bounded. HTML can be
 * rendered again, so it is kept only if it is short.
 */
import type { MessageId } from "../../../storage/ids.ts";
import type { MessageAccess } from "../../../storage/messages/access.ts";
import { badRequest } from "../../errors.ts";

/** UTF-16 units of all earlier texts of a message: a hundred of the longest, or thousands of a line. */
const maxHistoryUnits = 1_000_000;
/** UTF-16 units of HTML that is kept beside an earlier text. */
const maxKeptHtmlUnits = 4_000;

/**
 * What the history keeps of a message's content when it is replaced.
 *
 * @throws BAD_REQUEST when it holds too much already
 */
export function keptOf(message: MessageAccess): {
  id: MessageId;
  prev_content: string;
  prev_rendered_content?: string;
} {
  let units = message.content.length;
  for (const { prev_content = "", prev_rendered_content = "" } of message.edit_history ?? [])
    units += prev_content.length + prev_rendered_content.length;
  if (units > maxHistoryUnits)
    throw badRequest(
      `This message cannot be edited any more: its history holds at most ${maxHistoryUnits} characters. Send a new message.`,
    );
  return {
    id: message.id,
    prev_content: message.content,
    ...(message.rendered_content.length <= maxKeptHtmlUnits && { prev_rendered_content: message.rendered_content }),
  };
}
