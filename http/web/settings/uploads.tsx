/** The person's own uploaded files. */
import { useApp } from "../model/app.ts";
import { t } from "../texts.ts";
import { useLiveAnswer } from "../views/dialogs/use-answer.ts";
import { fullTime } from "../views/parts/dates.ts";
import { sizeWords } from "../views/parts/file-words.ts";
import { DangerousAction, Rows, Section } from "./fields.tsx";
import { s } from "./texts.ts";

/** https://zulip.com/api/get-attachments */
interface Upload {
  id: number;
  name: string;
  path_id: string;
  size: number;
  create_time: number;
  messages: readonly { id: number; date_sent: number }[];
}

export function Uploads() {
  const app = useApp();
  const { answer, again } = useLiveAnswer<{ attachments: Upload[] }>("/attachments", "attachment");
  const remove = async (id: number) => {
    await app.actions.try("DELETE", `/attachments/${id}`);
    again();
  };
  const newestFirst = [...(answer?.attachments ?? [])].sort((one, other) => other.create_time - one.create_time);
  return (
    <Section title={s.uploads} hint={s.uploadsHint}>
      {answer && (
        <Rows
          items={newestFirst}
          row={(upload) => (
            <>
              <span class="upload">
                <a href={`/user_uploads/${upload.path_id}`} target="_blank" rel="noopener" dir="auto">
                  {upload.name}
                </a>{" "}
                <span class="soft">{sizeWords(upload.size)}</span>
                <UsedIn messages={upload.messages} />
              </span>
              <DangerousAction
                label={s.deleteFile}
                action={t.delete}
                text={upload.name}
                run={() => void remove(upload.id)}
              />
            </>
          )}
        />
      )}
    </Section>
  );
}

/** Links to the messages with a file. */
function UsedIn({ messages }: { messages: Upload["messages"] }) {
  const app = useApp();
  if (messages.length === 0) return <p class="soft">{s.unused}</p>;
  return (
    <>
      {messages.map(({ id, date_sent }) => (
        <p key={id} class="soft">
          {s.usedIn} <a href={app.route.link([{ operator: "id", operand: id }])}>{fullTime(date_sent / 1000)}</a>
        </p>
      ))}
    </>
  );
}
