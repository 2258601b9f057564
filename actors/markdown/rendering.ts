import MarkdownIt, { type Env, type StateBlock, type Token } from "markdown-it";
import { defined } from "../../storage/failures.ts";
import type { ChannelId, GroupId, UserId } from "../../storage/ids.ts";
import type { Picture } from "../../storage/messages/attachments.ts";

/** The kind of an upload. `image` is false when it is not a picture, and null when nobody has checked. */
export interface Media {
  content_type: string;
  image: Picture | false | null;
}

/** The address at which readers fetch what another site has. Undefined when nothing of other sites is shown. */
export type ExternalContent = (url: string) => string | undefined;

/** What rendering one message needs of the realm. Every function answers from memory and has no effect. */
export interface MarkdownContext {
  /** The realm's absolute address, without a trailing slash. */
  realmUrl: string;
  /** Users with this full name, ignoring case. Of several the last is meant. */
  findUsersByName(fullName: string): readonly { id: UserId; full_name: string }[];
  findUser(id: UserId): { id: UserId; full_name: string } | undefined;
  /** Named groups and system groups that may be mentioned. */
  findGroupByName(name: string): { id: GroupId; name: string } | undefined;
  /** Only channels that the sender may see. */
  findChannelByName(name: string): { id: ChannelId; name: string } | undefined;
  findChannel(id: ChannelId): { id: ChannelId; name: string } | undefined;
  /** Linkifier matches in a text, in order and without overlaps, as UTF-16 offsets. */
  linkify(text: string): { start: number; end: number; url: string; text: string }[];
  findRealmEmoji(name: string): { id: string; name: string; source_url: string } | undefined;
  /** An upload, by the part after `/user_uploads/`. Undefined when it may not be shown. */
  findUpload(pathId: string): Media | undefined;
  /** Whether emoticons become emoji, as the author's `translate_emoticons` says. */
  translatesEmoticons?: boolean;
  /** Where readers fetch pictures, films and sound of other sites. */
  externalContent: ExternalContent;
  /** The realm's `default_code_block_language`; "" for none. */
  codePlaygroundDefaultLanguage: string;
}

/** The HTML of one message, and its facts for notifications, flags and searches. */
export interface RenderedMessage {
  html: string;
  mentionedUserIds: UserId[];
  silentlyMentionedUserIds?: UserId[];
  mentionedGroupIds: GroupId[];
  mentionsChannelWildcard: boolean;
  mentionsTopicWildcard: boolean;
  hasLink: boolean;
  hasImage: boolean;
  hasAttachment: boolean;
  /** The part after `/user_uploads/` of every upload that the message links to. */
  attachmentPathIds: string[];
  isMeMessage: boolean;
}

/** The state of rendering one message. It is made for that message, and each rule gets it in markdown-it's `env`. */
export interface Rendering {
  readonly context: MarkdownContext;
  readonly mentionedUserIds: Set<UserId>;
  readonly silentlyMentionedUserIds: Set<UserId>;
  readonly mentionedGroupIds: Set<GroupId>;
  readonly attachmentPathIds: Set<string>;
  mentionsChannelWildcard: boolean;
  mentionsTopicWildcard: boolean;
  hasLink: boolean;
  hasImage: boolean;
  /** Block quotes around the inline text being parsed. */
  quoteDepth: number;
  /** UTF-16 units of HTML made by formulas, emoji, linkifiers and highlighted code. */
  decorationUnits: number;
  /** Formulas given to KaTeX, and the UTF-16 units of HTML that it returned, shown or not. */
  formulas: number;
  formulaHtmlUnits: number;
  /** UTF-16 units of code given to the highlighter, plus the fixed cost of each block. */
  highlightedUnits: number;
  /** UTF-16 units that the parser may have searched for ends of link labels. */
  labelSearchUnits: number;
}

/** A fresh state for one message. */
export function newRendering(context: MarkdownContext): Rendering {
  return {
    context,
    mentionedUserIds: new Set(),
    silentlyMentionedUserIds: new Set(),
    mentionedGroupIds: new Set(),
    attachmentPathIds: new Set(),
    mentionsChannelWildcard: false,
    mentionsTopicWildcard: false,
    hasLink: false,
    hasImage: false,
    quoteDepth: 0,
    decorationUnits: 0,
    formulas: 0,
    formulaHtmlUnits: 0,
    highlightedUnits: 0,
    labelSearchUnits: 0,
  };
}

declare module "markdown-it" {
  interface Env {
    rendering?: Rendering;
  }
}

/** The state that `renderMarkdown` put into markdown-it's `env`. */
export const renderingOf = (env: Env | undefined): Rendering => defined(env?.rendering, "state of rendering");

/** Escapes `&`, `<` and `>`. The result is safe in an element. */
export const escapeText = (text: string): string =>
  /[&<>]/.test(text)
    ? text.replace(/[&<>]/g, (sign) => (sign === "&" ? "&amp;" : sign === "<" ? "&lt;" : "&gt;"))
    : text;

/** Escapes `&`, `<`, `>` and `"`. The result is safe in an element and in a double-quoted attribute. */
export const escapeHtml: (text: string) => string = new MarkdownIt("zero").utils.escapeHtml;

/** What was given to `escapeHtml`. */
export const unescapeHtml = (html: string): string =>
  html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/**
 * Whether a mention (`@**`) or a channel link (`#**`) may begin at `position`. It may at the start of the text, and
 * after white space, an opening quote, a bracket or a slash. So `user@**host**` and `a#**b**` stay ordinary text.
 */
export function isAtWordStart(text: string, position: number): boolean {
  return position === 0 || /[\s'"([{/<]/.test(text.charAt(position - 1));
}

export const lineStart = ({ bMarks }: StateBlock, line: number): number => bMarks[line] ?? 0;
/** Where the text of a line begins, behind its white space. */
export const textStart = ({ bMarks, tShift }: StateBlock, line: number): number =>
  (bMarks[line] ?? 0) + (tShift[line] ?? 0);
export const lineEnd = ({ eMarks }: StateBlock, line: number): number => eMarks[line] ?? 0;
/** Columns of white space before the text of a line. */
export const columnsOf = ({ sCount }: StateBlock, line: number): number => sCount[line] ?? 0;
/** The same, within the block around it. */
export const indentOf = ({ sCount, blkIndent }: StateBlock, line: number): number => (sCount[line] ?? 0) - blkIndent;

/** A token that a rule of the renderer is asked about, or one beside it. */
export const tokenAt = (tokens: readonly Token[], index: number): Token => defined(tokens[index], "token");

/** What a rule of the parser has left for the rule of the renderer. */
export const metaOf = <Meta>(tokens: readonly Token[], index: number, key: string): Meta =>
  tokenAt(tokens, index).meta?.[key] as Meta;
