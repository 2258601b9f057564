import type { MarkdownIt, RendererRule, StateInline } from "markdown-it";
import type { GroupId, UserId } from "../../storage/ids.ts";
import { escapeHtml, isAtWordStart, metaOf, type Rendering, renderingOf } from "./rendering.ts";

/**
 * Mentions: `@**Full Name**`, `@**Full Name|12**`, `@**|12**`, `@*group*` and the wildcards. Each has a silent form,
 * `@_**…**`. An ambiguous name mentions nobody: notifying the wrong person is worse than asking the sender for `|id`.
 * Mentions are recorded when they are rendered. So text that does not reach the HTML, such as an image's description,
 * mentions nobody. Source: zulip.com/api/message-formatting, Mentions and silent mentions.
 */
type Mention =
  | { kind: "user"; id: UserId; name: string; silent: boolean }
  | { kind: "group"; id: GroupId; name: string; silent: boolean }
  | { kind: "channelWildcard" | "topicWildcard"; name: string; silent: boolean };

/** Longest name, in UTF-16 units: 100 code points, `|` and an id. It limits the scan after each `@`. */
const maxNameUnits = 220;
const mentionPattern = new RegExp(
  `@(_?)(?:\\*\\*([^*\\n]{1,${maxNameUnits}})\\*\\*|\\*([^*\\n]{1,${maxNameUnits}})\\*)`,
  "y",
);
const nameWithIdPattern = /^(.*)\|(\d{1,10})$/;

const channelWildcards = new Set(["all", "everyone", "channel", "stream"]);
const topicWildcard = "topic";

/** The names that mentions of system groups show. Source: zulip.com/api/group-setting-values, System groups. */
const systemGroupDisplayNames = new Map([
  ["role:internet", "Everyone on the internet"],
  ["role:everyone", "Everyone including guests"],
  ["role:members", "Everyone except guests"],
  ["role:fullmembers", "Full members"],
  ["role:moderators", "Moderators"],
  ["role:administrators", "Administrators"],
  ["role:owners", "Owners"],
  ["role:nobody", "Nobody"],
]);

/** Adds mention syntax to a parser. */
export function addMentions(md: MarkdownIt): void {
  md.inline.ruler.before("escape", "mention", parseMention);
  md.renderer.rules.mention = renderMention;
}

function parseMention(state: StateInline, silentParse: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x40 /* @ */ || !isAtWordStart(state.src, state.pos)) return false;
  mentionPattern.lastIndex = state.pos;
  const match = mentionPattern.exec(state.src);
  if (match === null || mentionPattern.lastIndex > state.posMax) return false;
  const rendering = renderingOf(state.env);
  const silent = match[1] === "_" || rendering.quoteDepth > 0;
  const mention =
    match[2] === undefined
      ? findGroup(match[3] ?? "", silent, rendering)
      : findUserOrWildcard(match[2], silent, rendering);
  if (mention === undefined) return false;
  if (!silentParse) state.push("mention", "span", 0).meta = { mention };
  state.pos += match[0].length;
  return true;
}

function findUserOrWildcard(name: string, silent: boolean, { context }: Rendering): Mention | undefined {
  if (channelWildcards.has(name)) return { kind: "channelWildcard", name, silent };
  if (name === topicWildcard) return { kind: "topicWildcard", name, silent };
  const withId = nameWithIdPattern.exec(name);
  if (withId !== null) {
    const [, fullName = "", id] = withId;
    const user = context.findUser(Number(id));
    if (user === undefined || (fullName !== "" && !isSameName(fullName, user.full_name))) return undefined;
    return { kind: "user", id: user.id, name: user.full_name, silent };
  }
  const namesakes = context.findUsersByName(name);
  // Of several people of one name it is one, as at Zulip: clients write the id where they know of that.
  const meant = namesakes.findLast((user) => user.full_name === name) ?? namesakes.at(-1);
  return meant && { kind: "user", id: meant.id, name: meant.full_name, silent };
}

function findGroup(name: string, silent: boolean, { context }: Rendering): Mention | undefined {
  const group = context.findGroupByName(name);
  return group && { kind: "group", id: group.id, name: systemGroupDisplayNames.get(group.name) ?? group.name, silent };
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

const renderMention: RendererRule = (tokens, index, _options, env) => {
  const mention = metaOf<Mention>(tokens, index, "mention");
  noteMention(mention, renderingOf(env));
  const silentClass = mention.silent ? " silent" : "";
  const text = escapeHtml(mention.silent ? mention.name : `@${mention.name}`);
  switch (mention.kind) {
    case "user":
      return `<span class="user-mention${silentClass}" data-user-id="${mention.id}">${text}</span>`;
    case "group":
      return `<span class="user-group-mention${silentClass}" data-user-group-id="${mention.id}">${text}</span>`;
    case "channelWildcard":
      return `<span class="user-mention channel-wildcard-mention${silentClass}" data-user-id="*">${text}</span>`;
    case "topicWildcard":
      return `<span class="topic-mention${silentClass}">${text}</span>`;
  }
};

function noteMention(mention: Mention, rendering: Rendering): void {
  if (mention.silent) {
    if (mention.kind === "user") rendering.silentlyMentionedUserIds.add(mention.id);
  } else if (mention.kind === "user") rendering.mentionedUserIds.add(mention.id);
  else if (mention.kind === "group") rendering.mentionedGroupIds.add(mention.id);
  else if (mention.kind === "channelWildcard") rendering.mentionsChannelWildcard = true;
  else rendering.mentionsTopicWildcard = true;
}
