/** Whom a message mentions by name or group, or alerts by a word: only people who receive it. */
import type { UserId } from "../../storage/ids.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import { incomingWebhookBot } from "../bots/record.ts";
import type { RenderedMessage } from "../markdown/render.ts";
import type { RealmState } from "../realm/state/state.ts";

/** Whether a person receives what is sent to a channel, or else to these people. */
export const receives = (
  state: RealmState,
  id: UserId,
  channel: ChannelRow | undefined,
  participants: readonly UserId[] | undefined,
): boolean => (channel ? state.subscriptions.has(id, channel.id) : participants?.includes(id) === true);

/** Users mentioned by name or through a group, ascending. */
export function findMentioned(
  state: RealmState,
  rendered: RenderedMessage,
  channel: ChannelRow | undefined,
  participants: readonly UserId[] | undefined,
): UserId[] {
  if (rendered.mentionedUserIds.length === 0 && rendered.mentionedGroupIds.length === 0) return [];
  const mentioned = new Set(rendered.mentionedUserIds.filter((id) => receives(state, id, channel, participants)));
  if (rendered.mentionedGroupIds.length > 0) {
    for (const id of channel ? state.subscriptions.subscribers(channel.id) : (participants ?? [])) {
      const user = state.users.get(id);
      if (user && rendered.mentionedGroupIds.some((groupId) => state.groups.isMember(groupId, user))) mentioned.add(id);
    }
  }
  return [...mentioned].sort((a, b) => a - b);
}

/**
 * Bots that are mentioned by name in a channel they are not subscribed to, ascending. They receive that one message, in
 * a private channel too, since its sender chose to call them. Bots that only send are left out.
 */
export function findCalledBots(state: RealmState, rendered: RenderedMessage, channel: ChannelRow): UserId[] {
  return rendered.mentionedUserIds
    .filter((id) => {
      const user = state.users.get(id);
      const listens =
        user?.is_bot === true && user.is_active && !user.is_system_bot && user.bot_type !== incomingWebhookBot;
      return listens && !state.subscriptions.has(id, channel.id);
    })
    .sort((a, b) => a - b);
}

/** Users one of whose alert words is in the text, ascending. */
export function findAlerted(
  state: RealmState,
  content: string,
  channel: ChannelRow | undefined,
  participants: readonly UserId[] | undefined,
): UserId[] {
  if (state.alertWordUsers.size === 0) return [];
  const text = content.toLowerCase();
  const alerted: UserId[] = [];
  for (const id of state.alertWordUsers) {
    if (!receives(state, id, channel, participants)) continue;
    if (state.knownUser(id).alert_words.some((word) => hasWord(text, word.toLowerCase()))) alerted.push(id);
  }
  return alerted.sort((a, b) => a - b);
}

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/** Whether `word` stands in `text` by itself, not inside a longer word. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + word.length])) return true;
  }
  return false;
}
