import MarkdownIt from "markdown-it";
import type { ChannelId, GroupId, UserId } from "../../storage/ids.ts";
import type { Picture } from "../../storage/messages/attachments.ts";

/** What an upload is. `image` false: no picture; null: nobody has looked. */
export interface Media {
  content_type: string;
  image: Picture | false | null;
}

/** What rendering one message may ask about the realm. Every function answers from memory and has no effect. */
export interface MarkdownContext {
  /** The realm's absolute address, without a slash at the end. */
  realmUrl: string;
  /** Users with this full name, ignoring case; more than one if the name is ambiguous. */
  findUsersByName(fullName: string): readonly { id: UserId; full_name: string }[];
  findUser(id: UserId): { id: UserId; full_name: string } | undefined;
  /** Named and system groups that may be mentioned. */
  findGroupByName(name: string): { id: GroupId; name: string } | undefined;
  /** Only channels that the sender may know of. */
  findChannelByName(name: string): { id: ChannelId; name: string } | undefined;
  findChannel(id: ChannelId): { id: ChannelId; name: string } | undefined;
  /** Linkifier matches in a piece of text: UTF-16 offsets, in order, not overlapping. */
  linkify(text: string): { start: number; end: number; url: string; text: string }[];
  findRealmEmoji(name: string): { id: string; name: string; source_url: string } | undefined;
  /** An upload, by the part after `/user_uploads/`; undefined: it is not to be shown. */
  findUpload(pathId: string): Media | undefined;
  /** The realm's `default_code_block_language`; "" is none. */
  codePlaygroundDefaultLanguage: string;
}

/** The HTML of one message, and the facts about it that decide notifications, flags and searches. */
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

/**
 * The state of rendering one message: it is made for that message, handed to each rule in markdown-it's `env`, and
 * dropped.
 */
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
  /** Block quotes around the inline text that is being parsed. */
  quoteDepth: number;
  /** UTF-16 units of HTML that formulas, emoji, linkifiers and highlighted code have made. */
  decorationUnits: number;
  /** Formulas given to KaTeX, and the UTF-16 units of HTML that came back, shown or not. */
  formulas: number;
  formulaHtmlUnits: number;
  /** UTF-16 units of code given to the highlighter, and those that stand for its fixed cost per block. */
  highlightedUnits: number;
  /** UTF-16 units that the parser may have looked through for the ends of link labels. */
  labelSearchUnits: number;
  /** Lines that the parser may have looked through for the ends of block quotes. */
  quoteSearchLines: number;
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
    quoteSearchLines: 0,
  };
}

/** The state that `renderMarkdown` put into markdown-it's `env`. */
export function renderingOf(env: { rendering: Rendering }): Rendering {
  return env.rendering;
}

/** Escapes `&`, `<`, `>` and `"`, so that the text is inert in an element and in a double-quoted attribute. */
export const escapeHtml: (text: string) => string = new MarkdownIt("zero").utils.escapeHtml;

/**
 * Whether the character before `position` lets a mention (`@**`) or a channel link (`#**`) begin there: the start of
 * the text, white space, or an opening quote, bracket or slash. It keeps `user@**host**` and `a#**b**` ordinary text.
 */
export function isAtWordStart(text: string, position: number): boolean {
  return position === 0 || /[\s'"([{/<]/.test(text[position - 1]!);
}
