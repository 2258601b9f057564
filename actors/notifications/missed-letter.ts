/** An email about the messages that a person missed in one conversation. */
import { firstOf } from "../../storage/failures.ts";
import type { UserId } from "../../storage/ids.ts";
import type { MissedMessage } from "../../storage/notifications/missed.ts";
import type { UserRow } from "../../storage/rows.ts";
import { type Letter, type LetterBlock, nameInLetter } from "../email/letter.ts";
import { mailHtml } from "../email/mail-html.ts";
import { timeIn, wordsInHtml, wordsInText } from "../email/shown-words.ts";
import { languageFor, wordsIn } from "../email/words/words.ts";
import { encodeHashComponent } from "../markdown/channel-links.ts";
import { escapeHtml } from "../markdown/rendering.ts";
import { canSeeUser } from "../realm/access.ts";
import { emptyTopicDisplayName } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { userSetting } from "../users/settings/settings.ts";

/** Messages shown in one email, the newest, and code points of each. */
const maxShown = 20;
const maxText = 2000;
const withRealmName = 2;
/** Names in an email's From. */
const maxSenders = 3;

/** @param messages not empty, ascending, all in one conversation */
export function missedLetter(
  state: RealmState,
  user: UserRow,
  messages: readonly MissedMessage[],
  ways: Pick<Letter, "unsubscribeUrl" | "replyTo" | "thread">,
): Letter {
  const where = placeOf(state, user, firstOf(messages));
  const url = `${state.url}/#narrow/${where.path}/near/${firstOf(messages).id}`;
  const isShown =
    userSetting(user, "message_content_in_email_notifications") === true &&
    state.setting("message_content_allowed_in_email_notifications") === true;
  const language = languageFor(state, user);
  const words = wordsIn(language);
  const missed = messages.length === 1 ? words.missedOne : words.missed(messages.length);
  const hasRealmName = userSetting(user, "realm_name_in_email_notifications_policy") === withRealmName;
  const prefix = hasRealmName ? `[${state.row.name}] ` : "";
  const left = messages.length - maxShown;
  const blocks: LetterBlock[] = isShown
    ? [
        { kind: "heading", text: where.name, url },
        ...(left > 0 ? [{ kind: "text" as const, text: words.olderOnes(left) }] : []),
        ...messages.slice(-maxShown).map((message) => messageBlock(state, user, message)),
      ]
    : [{ kind: "text", text: `${missed}. ${words.notSent}` }];
  return {
    subject: `${prefix}${isShown ? where.name : missed}`,
    blocks: [...blocks, { kind: "button", label: words.open(state.row.name), url: isShown ? url : state.url }],
    footer: `${state.row.name}\n${state.url}\n${ways.replyTo === undefined ? words.noAnswers : words.answers}`,
    language,
    ...(isShown && { fromName: sendersOf(state, user, messages) }),
    ...ways,
  };
}

/** Whose messages they are, as mail programs show a sender: "Ada, Bob (Organization)". */
function sendersOf(state: RealmState, user: UserRow, messages: readonly MissedMessage[]): string {
  const names = [...new Set(messages.map(({ sender_id }) => nameInLetter(nameOf(state, user, sender_id))))];
  const shown = names.slice(0, maxSenders).join(", ");
  const senders = names.length > maxSenders ? wordsIn(languageFor(state, user)).andOthers(shown) : shown;
  return `${senders} (${nameInLetter(state.row.name)})`;
}

function messageBlock(state: RealmState, user: UserRow, message: MissedMessage): LetterBlock {
  const sender = nameOf(state, user, message.sender_id);
  const language = languageFor(state, user);
  // The email does not show the hidden part of a spoiler.
  if (message.rendered_content.includes('class="spoiler-block"'))
    return { kind: "message", sender, ...hidden(wordsIn(language).spoiler) };
  const characters = [...message.content.slice(0, 2 * maxText + 2)];
  const isCut = characters.length > maxText;
  const { timezone } = user;
  const source = isCut ? `${characters.slice(0, maxText).join("")}…` : message.content;
  const text = wordsInText(source, message.rendered_content, timezone, language);
  const html = mailHtml(wordsInHtml(message.rendered_content, timezone, language), text, state.url, isCut);
  return { kind: "message", sender: `${sender}, ${timeIn(timezone, message.sent_at, language)}`, text, html };
}

const hidden = (text: string) => ({ text, html: `<i>${escapeHtml(text)}</i>` });

const nameOf = (state: RealmState, viewer: UserRow, userId: UserId): string => {
  const user = state.users.get(userId);
  return user && canSeeUser(state, user, viewer) ? user.full_name : wordsIn(languageFor(state, viewer)).unknownUser;
};

/** The name of a conversation, and its address in clients. */
function placeOf(state: RealmState, user: UserRow, message: MissedMessage): { name: string; path: string } {
  const { channel_id, participants, topic } = message;
  if (channel_id === null) {
    const others = (participants ?? []).filter((id) => id !== user.id);
    const names = others.slice(0, 5).map((id) => nameOf(state, user, id));
    const words = wordsIn(languageFor(state, user));
    const shown = names.join(", ");
    const more = others.length - names.length;
    return {
      name: words.directMessages(more > 0 ? words.andMore(shown, more) : shown),
      path: `dm/${(participants ?? []).join(",")}`,
    };
  }
  const { name } = state.knownChannel(channel_id);
  const channel = `channel/${channel_id}-${encodeHashComponent(name.replaceAll(" ", "-"))}`;
  return {
    name: `#${name} > ${topic === "" ? emptyTopicDisplayName : topic}`,
    path: `${channel}/topic/${encodeHashComponent(topic)}`,
  };
}
