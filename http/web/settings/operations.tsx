/** How the organization runs, for its owners: nodes, and what waits to be sent. */
import { useApp } from "../model/app.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { fullTime } from "../views/parts/dates.ts";
import { Refusal, Rows, Section } from "./fields.tsx";
import { s } from "./texts.ts";

interface Answer {
  nodes: { name: string; is_writer: boolean; lag_ms: number; queues: number }[];
  outgoing: { queue: string; waiting: number; retried: number; oldest: number | null }[];
  upload_bytes: number;
}

export function Operations() {
  const app = useApp();
  return (
    <Section title={s.operations} hint={s.operationsHint}>
      {app.permissions.isOwner ? <Shown /> : <Refusal isShown text={s.ownersSee} />}
    </Section>
  );
}

function Shown() {
  const { answer, error, again } = useAnswer<Answer>("/realm/operations");
  if (error !== undefined) return <p class="refusal">{error}</p>;
  if (!answer) return null;
  return (
    <>
      <Rows
        items={answer.nodes}
        row={({ name, is_writer, lag_ms, queues }) => (
          <span>
            {name} <span class="soft">{is_writer ? s.nodeWrites(queues) : s.nodeFollows(queues, lag_ms)}</span>
          </span>
        )}
      />
      <Rows items={answer.outgoing} row={(one) => <Outgoing {...one} again={again} />} />
      <p class="soft">{s.uploadsTake(Math.ceil(answer.upload_bytes / 2 ** 20))}</p>
      <button type="button" class="button quiet" onClick={again}>
        {s.lookAgain}
      </button>
    </>
  );
}

function Outgoing({ queue, waiting, retried, oldest, again }: Answer["outgoing"][number] & { again(): void }) {
  const app = useApp();
  const retry = async () => {
    if (await app.actions.try("POST", "/realm/operations/retry", { queue })) again();
  };
  return (
    <>
      <span>
        {s.outgoing[queue]} <span class="soft">{s.waiting(waiting, retried)}</span>{" "}
        {oldest !== null && <span class="soft">{s.waitsSince(fullTime(oldest))}</span>}
      </span>
      <button type="button" class="button small quiet" disabled={retried === 0} onClick={() => void retry()}>
        {s.tryAgain}
      </button>
    </>
  );
}
