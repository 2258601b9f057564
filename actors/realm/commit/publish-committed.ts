/** What follows a commit on the node that writes: the other nodes are told, and its own clients have the events. */
import type { LogPosition } from "../../../storage/ids.ts";
import type { LogRow } from "../../../storage/realm-log.ts";
import { preciseNow } from "../../tracing.ts";
import type { Membership } from "../coordination.ts";
import type { RealmEnvironment } from "../environment.ts";

/**
 * Publishes a batch, and tells metrics and traces when its events were written to clients. Queues are answered at the
 * end of the tick in which their entries are applied: it is called in that tick, after that.
 *
 * @param traces spans of the commit
 */
export function publishCommitted(
  { metrics, tracer }: Pick<RealmEnvironment, "metrics" | "tracer">,
  membership: Membership | undefined,
  previous: LogPosition,
  rows: readonly LogRow[],
  traces: readonly string[],
): void {
  const committedAt = preciseNow();
  membership?.publish(previous, rows, traces);
  setImmediate(() => {
    metrics.deliveredAfter((preciseNow() - committedAt) / 1000);
    for (const trace of traces) tracer?.within(trace, "deliver", "internal", committedAt)?.end();
  });
}
