/** What the Markdown renderer may know of a realm: what the author may. */
import type { UserRow } from "../../storage/rows.ts";
import { type MarkdownContext, type RenderedMessage, renderMarkdown } from "../markdown/render.ts";
import type { ExternalContent, Media } from "../markdown/rendering.ts";
import { canSeeChannel, canSeeUser, everybodyKnowsAll } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";
import { userSetting } from "../users/settings/settings.ts";
import { compiledLinkifiers, findMatches, newSearchBudget } from "./linkifier-pattern.ts";

declare module "../realm/state/state.ts" {
  interface ServerChoices {
    /** Where readers fetch pictures and films of other sites; undefined: messages show none. */
    externalContent?: ExternalContent | undefined;
  }
}

const nothing: ExternalContent = () => undefined;
const noUploads: ReadonlyMap<string, Media> = new Map();

/**
 * For one message.
 *
 * @param author links may name channels that they see, and mentions people whom they may know of. Undefined: links may
 * name public channels, and mentions people if everybody may know of everybody
 */
export function markdownContext(
  state: RealmState,
  author: UserRow | undefined,
  uploads: ReadonlyMap<string, Media> = noUploads,
): MarkdownContext {
  const visible = (channel: Parameters<typeof canSeeChannel>[1] | undefined) =>
    channel && (author ? canSeeChannel(state, channel, author) : !channel.invite_only) ? channel : undefined;
  const isKnown = (user: UserRow) =>
    author ? author.is_system_bot || canSeeUser(state, user, author) : user.is_bot || everybodyKnowsAll(state);
  const budget = newSearchBudget();
  return {
    realmUrl: state.url,
    findUsersByName: (name) =>
      state
        .usersByName(name)
        .filter((user) => (user.is_active || !user.is_deleted) && isKnown(user))
        .sort((a, b) => Number(a.is_active) - Number(b.is_active) || a.id - b.id),
    findUser: (id) => {
      const user = state.users.get(id);
      return user && isKnown(user) ? user : undefined;
    },
    findGroupByName: (name) => {
      const group = state.groups.findByName(name);
      return group && !group.deactivated ? group : undefined;
    },
    findChannelByName: (name) => visible(state.channelByName(name)),
    findChannel: (id) => visible(state.channels.get(id)),
    linkify: (text) =>
      state.linkifiers.size === 0 ? [] : findMatches(state.derived(compiledLinkifiers), text, budget),
    findRealmEmoji: (name) => {
      for (const emoji of state.emoji.values()) {
        if (emoji.name === name && !emoji.deactivated) {
          return {
            id: String(emoji.id),
            name,
            source_url: `/user_avatars/${state.id}/emoji/images/${emoji.file_name}`,
          };
        }
      }
      return undefined;
    },
    findUpload: (pathId) => uploads.get(pathId),
    translatesEmoticons: author !== undefined && userSetting(author, "translate_emoticons") === true,
    // A text that is no message shows nothing of other sites.
    externalContent:
      author && state.setting("inline_image_preview") ? (state.server.externalContent ?? nothing) : nothing,
    codePlaygroundDefaultLanguage: state.setting("default_code_block_language"),
  };
}

/**
 * HTML of a message with what it shows of uploads, where the organization wants that. A text that links to none is
 * rendered once and asks nothing.
 *
 * @param findMedia what uploads at these paths are
 */
export async function renderMessage(
  state: RealmState,
  author: UserRow | undefined,
  content: string,
  findMedia: (pathIds: string[]) => Promise<ReadonlyMap<string, Media>>,
): Promise<RenderedMessage> {
  const rendered = renderMarkdown(content, markdownContext(state, author));
  if (rendered.attachmentPathIds.length === 0 || !state.setting("inline_image_preview")) return rendered;
  const uploads = await findMedia(rendered.attachmentPathIds);
  return uploads.size === 0 ? rendered : renderMarkdown(content, markdownContext(state, author, uploads));
}

/** HTML of a text without an author: a channel's description, a profile field. */
export function renderPlain(state: RealmState, source: string): string {
  return source === "" ? "" : renderMarkdown(source, markdownContext(state, undefined)).html;
}
