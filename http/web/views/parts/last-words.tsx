/** What was said last in a conversation, on one line, and how long ago. */

import type { MessageId } from "../../../client/types.ts";
import { useApp } from "../../model/app.ts";
import { plainWords } from "../../model/lists/plain-words.ts";
import { t } from "../../texts.ts";
import { agoShort, fullTime } from "./dates.ts";

const maxLength = 160;

export function LastWords({ id }: { id: MessageId | undefined }) {
  const { words, people, ui, me } = useApp();
  // What was opened is shown first.
  const last = id !== undefined && ui.isSettled.value ? words.of(id) : undefined;
  if (!last) return <span class="last-words soft">&nbsp;</span>;
  const isMuted = people.muted.value.has(last.senderId);
  const name = last.senderId === me ? t.you : people.name(last.senderId);
  return (
    <span class="last-words soft">
      {isMuted ? (
        t.mutedPerson
      ) : (
        <>
          <bdi>{name}</bdi>: <bdi>{plainWords(last.content).slice(0, maxLength)}</bdi>
        </>
      )}
    </span>
  );
}

/** How long ago, kept up to date. @param at UNIX seconds */
export function Ago({ at }: { at: number }) {
  void useApp().ui.minute.value;
  return (
    <time class="soft" title={fullTime(at)} dateTime={new Date(at * 1000).toISOString()}>
      {agoShort(at)}
    </time>
  );
}

/** Of the newest unread message, as soon as it is known. */
export function AgoOf({ id }: { id: MessageId | undefined }) {
  const { words, ui } = useApp();
  const last = id !== undefined && ui.isSettled.value ? words.of(id) : undefined;
  return last ? <Ago at={last.at} /> : null;
}
