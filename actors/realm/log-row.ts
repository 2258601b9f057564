/** How an entry of the log is stored and travels between nodes: a position, and the rest as JSON with short names. */
import type { LogRow } from "../../storage/realm-log.ts";
import type { LogEntry } from "./entry.ts";

export const toRow = ({ position, event, audience, changes, span, tick, presence }: LogEntry): LogRow => ({
  position,
  json: JSON.stringify({ c: changes, e: event, a: audience, s: span, t: tick, p: presence }),
});

/** The reverse of what a log row's `entry` holds. */
export function fromRow(position: number, entry: object): LogEntry {
  const {
    c: changes,
    e: event,
    a: audience,
    s: span,
    t: tick,
    p: presence,
  } = entry as {
    c?: LogEntry["changes"];
    e?: LogEntry["event"];
    a?: LogEntry["audience"];
    s?: number;
    t?: true;
    p?: LogEntry["presence"];
  };
  return {
    position,
    ...(changes && { changes }),
    ...(event && { event }),
    ...(audience && { audience }),
    ...(span && { span }),
    ...(tick && { tick }),
    ...(presence && { presence }),
  };
}
