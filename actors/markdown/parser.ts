import MarkdownItParser, { type MarkdownIt } from "markdown-it";
import { addChannelLinks } from "./channel-links.ts";
import { addCode } from "./code.ts";
import { addEmoji } from "./emoji-syntax.ts";
import { addEmoticons } from "./emoticons.ts";
import { addEmphasis } from "./emphasis.ts";
import { addFences } from "./fences.ts";
import { addSearchLimits } from "./limits.ts";
import { addLinks } from "./links.ts";
import { addLists } from "./lists.ts";
import { addInlineMath } from "./math.ts";
import { addMentions } from "./mentions.ts";
import { addParagraphs } from "./paragraphs.ts";
import { escapeText, tokenAt } from "./rendering.ts";
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
  const md = new MarkdownItParser({ html: false, breaks: true });
  // The types of `set` lack this option.
  const unlisted: object = { maxNesting };
  md.set(unlisted);
  md.use(addLinks)
    .use(addMentions)
    .use(addChannelLinks)
    .use(addEmoji)
    .use(addTimestamps)
    .use(addInlineMath)
    .use(addCode)
    .use(addFences)
    .use(addLists)
    .use(addParagraphs)
    .use(addEmphasis)
    .use(addTables)
    .use(addSearchLimits)
    .use(addTextPass)
    .use(addEmoticons);
  md.renderer.rules.text = (tokens, index) => escapeText(tokenAt(tokens, index).content);
  return md;
}
