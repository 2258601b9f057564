/** An email about the messages that a person missed in one conversation. */
import { firstOf } from "../../storage/failures.ts";
import type { UserId } from "../../storage/ids.ts";
import type { MissedMessage } from "../../storage/notifications/missed.ts";
import type { UserRow } from "../../storage/rows.ts";
import { type Letter, type LetterBlock, nameInLetter } from "../email/letter.ts";
import { mailHtml } from "../email/mail-html.ts";
import { timeIn, wordsInHtml, wordsInText } from "../email/shown-words.ts";
import { encodeHashComponent } from "../markdown/channel-links.ts";
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
  const count = messages.length === 1 ? "a message" : `${messages.length} messages`;
  const hasRealmName = userSetting(user, "realm_name_in_email_notifications_policy") === withRealmName;
  const prefix = hasRealmName ? `[${state.row.name}] ` : "";
  const left = messages.length - maxShown;
  const blocks: LetterBlock[] = isShown
    ? [
        { kind: "heading", text: where.name, url },
        ...(left > 0 ? [{ kind: "text" as const, text: `${left} older ones are not shown here.` }] : []),
        ...messages.slice(-maxShown).map((message) => messageBlock(state, user, message)),
      ]
    : [{ kind: "text", text: `You missed ${count}. What is in messages is not sent by email.` }];
  return {
    subject: `${prefix}${isShown ? where.name : `You missed ${count}`}`,
    blocks: [...blocks, { kind: "button", label: `Open in ${state.row.name}`, url: isShown ? url : state.url }],
    footer: `${state.row.name}\n${state.url}\n${answering(ways.replyTo)}`,
    ...(isShown && { fromName: sendersOf(state, user, messages) }),
    ...ways,
  };
}

const answering = (replyTo: string | undefined): string =>
  replyTo === undefined
    ? "Nobody reads answers to this email: write in the conversation."
    : "What you answer to this email, from this address, is posted in the conversation.";

/** Whose messages they are, as mail programs show a sender: "Ada, Bob (Organization)". */
function sendersOf(state: RealmState, user: UserRow, messages: readonly MissedMessage[]): string {
  const names = [...new Set(messages.map(({ sender_id }) => nameInLetter(nameOf(state, user, sender_id))))];
  const more = names.length > maxSenders ? " and others" : "";
  return `${names.slice(0, maxSenders).join(", ")}${more} (${nameInLetter(state.row.name)})`;
}

function messageBlock(state: RealmState, user: UserRow, message: MissedMessage): LetterBlock {
  const sender = nameOf(state, user, message.sender_id);
  // The email does not show the hidden part of a spoiler.
  if (message.rendered_content.includes('class="spoiler-block"'))
    return { kind: "message", sender, text: "(a message with a spoiler)", html: "<i>(a message with a spoiler)</i>" };
  const characters = [...message.content.slice(0, 2 * maxText + 2)];
  const isCut = characters.length > maxText;
  const { timezone } = user;
  const source = isCut ? `${characters.slice(0, maxText).join("")}…` : message.content;
  const text = wordsInText(source, message.rendered_content, timezone);
  const html = mailHtml(wordsInHtml(message.rendered_content, timezone), text, state.url, isCut);
  return { kind: "message", sender: `${sender}, ${timeIn(timezone, message.sent_at)}`, text, html };
}

const nameOf = (state: RealmState, viewer: UserRow, userId: UserId): string => {
  const user = state.users.get(userId);
  return user && canSeeUser(state, user, viewer) ? user.full_name : "Unknown user";
};

/** The name of a conversation, and its address in clients. */
function placeOf(state: RealmState, user: UserRow, message: MissedMessage): { name: string; path: string } {
  const { channel_id, participants, topic } = message;
  if (channel_id === null) {
    const others = (participants ?? []).filter((id) => id !== user.id);
    const names = others.slice(0, 5).map((id) => nameOf(state, user, id));
    const more = others.length > names.length ? ` and ${others.length - names.length} more` : "";
    return { name: `Direct messages with ${names.join(", ")}${more}`, path: `dm/${(participants ?? []).join(",")}` };
  }
  const { name } = state.knownChannel(channel_id);
  const channel = `channel/${channel_id}-${encodeHashComponent(name.replaceAll(" ", "-"))}`;
  return {
    name: `#${name} > ${topic === "" ? emptyTopicDisplayName : topic}`,
    path: `${channel}/topic/${encodeHashComponent(topic)}`,
  };
}
