/** What the product promises, of every state. */
import { hasRequest, newest } from "./postgres.ts";
import type { Node, Postgres, State } from "./state.ts";

/** A promise is broken. */
export class Broken extends Error {
  override name = "Broken";
}

/** Somebody is told of a request. @throws Broken when its position or id was told of another one */
export function tell(s: State, entry: State["told"][number]): void {
  const { position, id, request } = entry;
  for (const other of s.told) {
    if (other.request === request) continue;
    if (position > 0 && other.position === position) throw new Broken(`position ${position} was told twice`);
    if (id > 0 && other.id === id) throw new Broken(`message id ${id} was told twice`);
  }
  if (s.told.some((one) => one.request === request)) return;
  s.told.push(entry);
  s.told.sort((one, other) => one.request - other.request);
}

/** @throws Broken */
export function checkPromises(s: State): void {
  for (const host of s.hosts) checkLog(host);
  const kept = newest(s);
  for (const { request } of s.told) {
    // What a standby lacked that nobody waited for is lost, as is known.
    const mayBeLost = !s.isSynchronous && s.lost.includes(request);
    if (!mayBeLost && !hasRequest(kept, request)) throw new Broken(`request ${request} was acknowledged and is lost`);
  }
  if (s.queueSeenAt === null) throw new Broken("a queue that is polled was collected");
}

function checkLog({ log, notes }: Postgres): void {
  const writers = new Map<number, string>();
  const done = new Set<number>(notes);
  if (done.size < notes.length) throw new Broken("a request was done twice");
  let last = 0;
  const ids = new Set<number>();
  for (const { position, request, id, epoch, by } of log) {
    if (position <= last) throw new Broken(`position ${position} was given after ${last}`);
    last = position;
    if (done.has(request)) throw new Broken(`request ${request} was done twice`);
    done.add(request);
    if (id > 0 && ids.has(id)) throw new Broken(`message id ${id} was given twice`);
    ids.add(id);
    if ((writers.get(epoch) ?? by) !== by)
      throw new Broken(`${by} and ${writers.get(epoch)} both wrote in epoch ${epoch}`);
    writers.set(epoch, by);
  }
}

/** @throws Broken when the read lacks what somebody was told of before it began */
export function endRead(s: State, { name, replica, known }: Node, told: readonly number[]): void {
  const kept = newest(s);
  // Whoever knows of the promotion shows nothing that it lost.
  for (const request of known === kept.timeline ? replica.seen : [])
    if (!hasRequest(kept, request)) throw new Broken(`a read at ${name} shows request ${request}, which is lost`);
  for (const request of told) {
    if (replica.seen.includes(request) || s.lost.includes(request)) continue;
    if (hasRequest(kept, request))
      throw new Broken(`a read at ${name} lacks request ${request}, which was told before`);
  }
  for (const { position, id, request } of kept.log)
    if (replica.seen.includes(request)) tell(s, { position, id, request });
}

/** The commit is over and applied that was all that a read may have lacked. */
export function endWaitingRead(s: State, node: Node): void {
  if (!node.read?.waitsForCommit) return;
  const { told } = node.read;
  node.read = null;
  endRead(s, node, told);
}
