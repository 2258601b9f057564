import MarkdownItParser, { type MarkdownIt } from "markdown-it";
import { addChannelLinks } from "./channel-links.ts";
import { addCodeBlocks } from "./code.ts";
import { addEmoji } from "./emoji-syntax.ts";
import { addContainerFences } from "./fences.ts";
import { addSearchLimits } from "./limits.ts";
import { addLinks } from "./links.ts";
import { addInlineMath } from "./math.ts";
import { addMentions } from "./mentions.ts";
import { addTables } from "./tables.ts";
import { addTextPass } from "./text-pass.ts";
import { addTimestamps } from "./timestamps.ts";

/**
 * Nested blocks and inline elements. markdown-it leaves out what is nested deeper; it bounds both the time that hostile
 * text takes and the recursion in clients.
 */
const maxNesting = 50;

/**
 * The parser for all messages. It is configured once and then only read: what belongs to one message travels in `env`.
 * Of markdown-it this is line 14: 15 does the same, but is compiled in a way that takes it two to three times as long.
 */
export const parser: MarkdownIt = buildParser();

function buildParser(): MarkdownIt {
  const md = new MarkdownItParser({ html: false, linkify: true, breaks: true });
  // Its types know only what the presets leave open.
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
    .use(addTextPass);
  md.renderer.rules.s_open = () => "<del>";
  md.renderer.rules.s_close = () => "</del>";
  return md;
}
