/** What the Markdown renderer may know of a realm: what the author may. */
import type { UserRow } from "../../storage/rows.ts";
import { type MarkdownContext, renderMarkdown } from "../markdown/render.ts";
import { findMatches, newSearchBudget } from "../organization/linkifier-pattern.ts";
import { canSeeChannel, canSeeUser, everybodyKnowsAll } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";

/**
 * For one message.
 *
 * @param author links may name channels that they see, and mentions people whom they may know of. Undefined: links may
 * name public channels, and mentions people if everybody may know of everybody
 */
export function markdownContext(state: RealmState, author: UserRow | undefined): MarkdownContext {
  const visible = (channel: Parameters<typeof canSeeChannel>[1] | undefined) =>
    channel && (author ? canSeeChannel(state, channel, author) : !channel.invite_only) ? channel : undefined;
  const isKnown = (user: UserRow) =>
    author ? author.is_system_bot || canSeeUser(state, user, author) : user.is_bot || everybodyKnowsAll(state);
  const budget = newSearchBudget();
  return {
    realmUrl: state.url,
    findUsersByName: (name) =>
      state.usersByName(name).filter((user) => (user.is_active || !user.is_deleted) && isKnown(user)),
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
    linkify: (text) => (state.linkifiers.size === 0 ? [] : findMatches(state.compiledLinkifiers(), text, budget)),
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
    codePlaygroundDefaultLanguage: state.setting("default_code_block_language") as string,
  };
}

/** HTML of a text without an author: a channel's description, a profile field. */
export function renderPlain(state: RealmState, source: string): string {
  return source === "" ? "" : renderMarkdown(source, markdownContext(state, undefined)).html;
}
