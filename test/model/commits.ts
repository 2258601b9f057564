/** The writer's commits, from their decision to what their callers are told (`writer.ts`, `in-doubt.ts`). */
import { settle } from "./bus.ts";
import { endTerm, hostOf, lookUp } from "./postgres.ts";
import { endWaitingRead } from "./promises.ts";
import { stepCandidate, stepRealm } from "./realms.ts";
import { apply, isLoaded } from "./replica.ts";
import type { Rules } from "./rules.ts";
import { type Commit, type Node, now, type State } from "./state.ts";

/** Decides what waits for longest. */
export function beginCommit(s: State, node: Node): void {
  const term = node.term!;
  const item = node.mailbox.shift()!;
  const { kind } = s.requests[item.request]!;
  const [position, id] = [kind === "note" ? 0 : term.next++, kind === "send" ? term.nextId++ : 0];
  const entry = { position, request: item.request, id, epoch: term.epoch, by: node.name, xid: 0 };
  const { predecessor } = term;
  const isLost = hostOf(s, node) === undefined;
  const sending = { stage: "asked" as const, sentAt: now, isSlow: false, isLost };
  node.commit = { item, kind, to: node.host, entry, predecessor, starts: 0, ...sending };
}

/** The fence holds: what is to be stored is sent. */
export function endTransaction(node: Node): void {
  Object.assign(node.commit!, { stage: "ending", sentAt: now });
}

/** PostgreSQL has answered, or never will. */
export function takeCommit(s: State, node: Node, rules: Rules): void {
  const commit = node.commit!;
  node.commit = null;
  const isOver = node.term === null;
  if (commit.isLost) {
    node.doubt = { commit, epoch: commit.entry.epoch };
    if (!isOver) stepRealm(s, node, { type: "doubted" }, rules);
    return;
  }
  if (commit.stage === "refused") {
    settle(s, node, commit.item, { kind: "notBegun" }, rules);
    if (!isOver) fenced(s, node, rules);
    return;
  }
  takeStored(s, node, commit, rules);
  if (isOver && hostOf(s, node)) endTerm(s, node.host, commit.entry.epoch);
}

function takeStored(s: State, node: Node, { entry, item, kind, sentAt }: Commit, rules: Rules): void {
  const previous = node.replica.position;
  if (node.term?.epoch === entry.epoch && !(node.confirmedAt && node.confirmedAt.monotonicMs > sentAt.monotonicMs))
    node.confirmedAt = sentAt;
  if (kind !== "note" && isLoaded(node)) {
    apply(node, [entry]);
    if (node.term) node.term.predecessor = entry.position;
    publish(s, node, previous, entry);
  }
  const position = kind === "note" ? node.replica.position : entry.position;
  if (isLoaded(node)) endWaitingRead(s, node);
  settle(s, node, item, { kind: "done", position }, rules, entry.id);
}

function publish(s: State, node: Node, previous: number, entry: Commit["entry"]): void {
  if (s.isRedisAway) return;
  for (const other of s.nodes) {
    if (other === node || !other.isUp || other.candidate === "none") continue;
    const batch = { kind: "batch" as const, previous, entries: [entry], timeline: node.replica.timeline };
    s.messages.push({ from: node.name, to: other.name, way: "stream", number: ++node.sent, ...batch });
  }
}

/** Another node has begun a term. */
export function fenced(s: State, node: Node, rules: Rules): void {
  stepRealm(s, node, { type: "lease.lost" }, rules);
  stepCandidate(s, node, { type: "fenced" }, rules);
}

/** Tells whoever waits for a commit without an answer what became of it. */
export function resolveDoubt(s: State, node: Node, rules: Rules): void {
  const doubt = node.doubt!;
  node.doubt = null;
  const isStored = lookUp(s, node.host, doubt, rules);
  const { entry, item, kind } = doubt.commit;
  const position = kind === "note" ? node.replica.position : entry.position;
  if (isStored === undefined) settle(s, node, item, { kind: "unknown" }, rules);
  else settle(s, node, item, isStored ? { kind: "done", position } : { kind: "notBegun" }, rules, entry.id);
}
