/** The edit history of a message. */

import type { HistoryEntry, Message } from "../../../client/types.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Dialog } from "../frame/layers.tsx";
import { Content } from "../messages/content.tsx";
import { fullTime } from "../parts/dates.ts";
import { useAnswer } from "./use-answer.ts";

export function EditHistory({ message }: { message: Message }) {
  const app = useApp();
  const path = `/messages/${message.id}/history`;
  const { answer, error } = useAnswer<{ message_history: HistoryEntry[] }>(path, { allow_empty_topic_name: true });
  return (
    <Dialog title={t.editHistory} wide>
      {error && <p role="alert">{error}</p>}
      {!answer && !error && <p>{t.loading}</p>}
      <ol class="history">
        {answer?.message_history.toReversed().map((entry) => (
          <li key={entry.timestamp}>
            <p class="soft">
              {entry.user_id === null ? "" : app.people.name(entry.user_id)} · {fullTime(entry.timestamp)}
            </p>
            {entry.prev_topic !== undefined && (
              <p>
                <del>{entry.prev_topic || t.generalChat}</del> → <ins>{entry.topic || t.generalChat}</ins>
              </p>
            )}
            {entry.stream !== undefined && entry.prev_stream !== undefined && (
              <p>
                <del>#{app.channels.name(entry.prev_stream)}</del> → <ins>#{app.channels.name(entry.stream)}</ins>
              </p>
            )}
            <Content html={entry.content_html_diff ?? entry.rendered_content} />
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
