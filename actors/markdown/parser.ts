import MarkdownItParser, { type MarkdownIt } from "markdown-it";
import { addChannelLinks } from "./channel-links.ts";
import { addCodeBlocks } from "./code.ts";
import { addEmoji } from "./emoji-syntax.ts";
import { addEmoticons } from "./emoticons.ts";
import { addContainerFences } from "./fences.ts";
import { addSearchLimits } from "./limits.ts";
import { addLinks } from "./links.ts";
import { addInlineMath } from "./math.ts";
import { addMentions } from "./mentions.ts";
import { addTables } from "./tables.ts";
import { addTextPass } from "./text-pass.ts";
import { addTimestamps } from "./timestamps.ts";

/**
 * Levels of nested blocks and inline elements. markdown-it leaves out deeper ones. This limits the time for hostile
 * text and the recursion in clients.
 */
const maxNesting = 50;

/**
 * The parser of all messages. It is configured once and never changes; the state of one message is in `env`. This is
 * version 14 of markdown-it: version 15 does the same, but its compiled form takes two to three times as long.
 */
export const parser: MarkdownIt = buildParser();

function buildParser(): MarkdownIt {
  const md = new MarkdownItParser({ html: false, linkify: true, breaks: true });
  // The types of `set` lack this option.
  md.set({ maxNesting } as object);
  md.use(addLinks)
    .use(addMentions)
    .use(addChannelLinks)
    .use(addEmoji)
    .use(addTimestamps)
    .use(addInlineMath)
    .use(addCodeBlocks)
    .use(addContainerFences)
    .use(addTables)
    .use(addSearchLimits)
    .use(addTextPass)
    .use(addEmoticons);
  md.renderer.rules.s_open = () => "<del>";
  md.renderer.rules.s_close = () => "</del>";
  return md;
}
