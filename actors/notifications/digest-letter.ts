/** The email with what somebody has missed in a week. */
import type { BusyTopic } from "../../storage/notifications/digests.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { Letter, LetterBlock } from "../email/letter.ts";
import { type LetterWords, languageFor, wordsIn } from "../email/words/words.ts";
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
  const language = languageFor(state, user);
  const words = wordsIn(language);
  const isShown =
    userSetting(user, "message_content_in_email_notifications") === true &&
    state.setting("message_content_allowed_in_email_notifications") === true;
  const left = topics.length - maxShown;
  const blocks: LetterBlock[] = isShown
    ? [
        ...topics.slice(0, maxShown).flatMap((topic) => topicBlocks(state, topic, words)),
        ...(left > 0 ? [{ kind: "text" as const, text: words.digestMore(left) }] : []),
      ]
    : [{ kind: "text", text: words.digestHidden(conversationsIn(words, topics.length)) }];
  return {
    subject: words.digestSubject(name),
    blocks: [...blocks, { kind: "button", label: words.open(name), url: state.url }],
    footer: `${name}\n${state.url}\n${words.digestFooter}`,
    language,
    unsubscribeUrl,
  };
}

function topicBlocks(
  state: RealmState,
  { channel_id, topic, messages, people, last_id }: BusyTopic,
  words: LetterWords,
): LetterBlock[] {
  const { name } = state.knownChannel(channel_id);
  const channel = `channel/${channel_id}-${encodeHashComponent(name.replaceAll(" ", "-"))}`;
  const url = `${state.url}/#narrow/${channel}/topic/${encodeHashComponent(topic)}/near/${last_id}`;
  const text = words.digestBy(
    messages === 1 ? words.oneMessage : words.messages(messages),
    people === 1 ? words.onePerson : words.people(people),
  );
  return [
    { kind: "heading", text: `#${name} > ${topic === "" ? emptyTopicDisplayName : topic}`, url },
    { kind: "text", text },
  ];
}

const conversationsIn = (words: LetterWords, count: number): string =>
  count === 1 ? words.oneConversation : words.conversations(count);
