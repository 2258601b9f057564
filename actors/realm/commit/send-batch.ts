/** Sends that wait. They are decided at once and stored by one statement. */
import { commitSends, type LogRow } from "../../../storage/realm-log.ts";
import { toRow } from "../log-row.ts";
import { type Moment, thisMoment } from "../read-lease.ts";
import { type Batch, type BatchContext, type Decided, type Failure, maxCommitBytes } from "./batch.ts";
import { maxSends } from "./reserves.ts";
import { type FastSend, isRepeated, type Pending } from "./work.ts";

export class SendBatch implements Batch {
  done: Decided[] = [];
  rows: LogRow[] = [];
  readonly wasAsked = true;
  fencedAt: Moment | undefined;

  constructor(private readonly context: BatchContext) {}

  get changes(): boolean {
    return this.rows.length > 0;
  }

  async store(): Promise<void> {
    const { database, term, reserves, now, timely } = this.context;
    const sends = this.#decide();
    if (sends.length === 0) return;
    this.done = sends.map(({ pending, send }) => ({
      pending,
      reply: send.reply,
      entries: [reserves.place(send.entry)],
    }));
    this.rows = this.done.flatMap(({ entries }) => entries.map(toRow));
    const messages = sends.map(({ send }) => send.message);
    this.fencedAt = thisMoment();
    await timely(commitSends(database, term, messages, this.rows, now));
  }

  failed(cause: unknown): Failure {
    return { cause, undecided: [] };
  }

  /** Decides sends, beginning with the first. */
  #decide(): { pending: Pending; send: FastSend<unknown> }[] {
    const { waiting, state, reserves, now } = this.context;
    const sends: { pending: Pending; send: FastSend<unknown> }[] = [];
    const keys = new Set<string>();
    let taken = 0;
    let bytes = 0;
    for (const pending of waiting.sends) {
      if (taken === maxSends || bytes >= maxCommitBytes || isRepeated(keys, pending.work)) break;
      taken++;
      try {
        const send = pending.work.fast?.(state, () => reserves.takeId(), now);
        if (!send) {
          // It changes more than a message. It becomes the head of the next commands, before the sends after it.
          waiting.commands.unshift(pending);
          break;
        }
        sends.push({ pending, send });
        bytes += send.message.rendered_content.length;
      } catch (error) {
        pending.reject(error);
      }
    }
    waiting.sends.splice(0, taken);
    return sends;
  }
}
