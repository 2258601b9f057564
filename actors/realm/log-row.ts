/** How an entry of the log is stored and travels between nodes: a position, and the rest as JSON with short names. */
import { type LogRow, localQueue } from "../../storage/realm-log.ts";
import type { LogEntry } from "./entry.ts";

/** What is stored of an entry. Sets the entry's `bytes`. */
export function toRow(entry: LogEntry): LogRow {
  const { position, event, audience, changes, span, tick, presence, endedSessions, reread, isUnstored } = entry;
  const json = JSON.stringify({
    c: changes,
    e: event,
    a: audience,
    s: span,
    t: tick,
    p: presence,
    l: endedSessions,
    r: reread,
    u: isUnstored,
  });
  entry.bytes = json.length;
  const { local, message } = event?.type === "message" ? event : {};
  return { position, json, ...(local && message && { sentFrom: localQueue(message.sender_id, local.queue_id) }) };
}

/** The reverse. */
export function fromRow({ position, json }: LogRow): LogEntry {
  const {
    c: changes,
    e: event,
    a: audience,
    s: span,
    t: tick,
    p: presence,
    l: endedSessions,
    r: reread,
    u: isUnstored,
  }: {
    c?: LogEntry["changes"];
    e?: LogEntry["event"];
    a?: LogEntry["audience"];
    s?: number;
    t?: true;
    p?: LogEntry["presence"];
    l?: LogEntry["endedSessions"];
    r?: LogEntry["reread"];
    u?: true;
  } = JSON.parse(json);
  return {
    position,
    bytes: json.length,
    changes,
    event,
    audience,
    span,
    tick,
    presence,
    endedSessions,
    reread,
    isUnstored,
  };
}
