/** The email with what somebody has missed in a week. */
import type { BusyTopic } from "../../storage/notifications/digests.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { Letter, LetterBlock } from "../email/letter.ts";
import { encodeHashComponent } from "../markdown/channel-links.ts";
import { emptyTopicDisplayName } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { userSetting } from "../users/settings/settings.ts";

/** @param topics not empty, the busiest first @param maxShown of them */
export function digestLetter(
  state: RealmState,
  user: UserRow,
  topics: readonly BusyTopic[],
  maxShown: number,
  unsubscribeUrl: string,
): Letter {
  const { name } = state.row;
  const isShown =
    userSetting(user, "message_content_in_email_notifications") === true &&
    state.setting("message_content_allowed_in_email_notifications") === true;
  const left = topics.length - maxShown;
  const blocks: LetterBlock[] = isShown
    ? [
        ...topics.slice(0, maxShown).flatMap((topic) => topicBlocks(state, topic)),
        ...(left > 0 ? [{ kind: "text" as const, text: `And ${left} more conversations.` }] : []),
      ]
    : [{ kind: "text", text: `There is something new in ${plural(topics.length, "conversation")} of your channels.` }];
  return {
    subject: `What you missed in ${name}`,
    blocks: [...blocks, { kind: "button", label: `Open ${name}`, url: state.url }],
    footer: `${name}\n${state.url}\nYou get this once a week while you are away.`,
    unsubscribeUrl,
  };
}

function topicBlocks(state: RealmState, { channel_id, topic, messages, people, last_id }: BusyTopic): LetterBlock[] {
  const { name } = state.knownChannel(channel_id);
  const channel = `channel/${channel_id}-${encodeHashComponent(name.replaceAll(" ", "-"))}`;
  const url = `${state.url}/#narrow/${channel}/topic/${encodeHashComponent(topic)}/near/${last_id}`;
  const text = `${plural(messages, "message")} by ${people === 1 ? "one person" : `${people} people`}`;
  return [
    { kind: "heading", text: `#${name} > ${topic === "" ? emptyTopicDisplayName : topic}`, url },
    { kind: "text", text },
  ];
}

const plural = (count: number, noun: string): string => (count === 1 ? `one ${noun}` : `${count} ${noun}s`);
