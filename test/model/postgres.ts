/**
 * PostgreSQL, as the model has it: what the few statements of `storage/realm-log.ts`, `realms.ts` and
 * `log/commit-fate.ts` do, each at once. `conforms.test.ts` compares them with the real ones.
 */
import { lostIds } from "../../storage/log/lost-ids.ts";
import { type BegunBy, type BegunTerm, TermOutrun } from "../../storage/log/next-term.ts";
import { writtenUnder } from "../../storage/log/promotions.ts";
import type { Rules } from "./rules.ts";
import type { Commit, Node, Postgres, State } from "./state.ts";

export const idsPerBlock = 1000;

/** The newest timeline: what it has is kept. */
export const newest = (s: State): Postgres =>
  s.hosts.reduce((best, host) => (host.isPrimary && host.timeline > best.timeline ? host : best));

export const hasRequest = ({ log, notes }: Postgres, request: number): boolean =>
  log.some((entry) => entry.request === request) || notes.includes(request);

export const endOf = ({ log }: Postgres): number => log.at(-1)?.position ?? 0;

/** The host that a node's statement goes to. Undefined: it gets none. */
export function hostOf(s: State, node: Node): Postgres | undefined {
  const host = s.hosts[node.host];
  return node.isUp && !node.isCut && host?.isUp ? host : undefined;
}

/** A standby that is waited for has what is committed before anybody hears of it. */
export function replicate(s: State, from: number): void {
  const [primary, standby] = [s.hosts[from]!, s.hosts[1 - from]];
  if (!standby || standby.isPrimary || !standby.isUp || !primary.isPrimary) return;
  const { isUp, isPrimary, starts } = standby;
  s.hosts[1 - from] = { ...structuredClone(primary), isUp, isPrimary, starts };
}

const afterChange = (s: State, host: number): void => {
  if (s.isSynchronous) replicate(s, host);
};

function holdsFence({ row, log }: Postgres, { entry, predecessor }: Commit): boolean {
  return row.epoch === entry.epoch && (predecessor === 0 || log.some(({ position }) => position === predecessor));
}

/** PostgreSQL gets to a statement of a commit. */
export function carryOut(s: State, commit: Commit): void {
  const host = s.hosts[commit.to]!;
  const { kind, entry, item } = commit;
  if (commit.stage === "asked" && !holdsFence(host, commit)) commit.stage = "refused";
  else if (commit.stage === "asked" && kind !== "send") {
    entry.xid = host.nextXid++;
    commit.starts = host.starts;
    commit.stage = "fenced";
  } else {
    if (kind === "note") host.notes.push(item.request);
    else host.log.push({ ...entry });
    if (kind !== "send") host.committed.push(entry.xid);
    commit.stage = "stored";
    afterChange(s, commit.to);
  }
}

/** Whoever takes the realm's row alone ends the sessions that hold it shared. */
function endSessions(s: State, to: number): void {
  const holds = (commit: Commit | null) =>
    commit?.to === to && (commit.stage === "fenced" || commit.stage === "ending");
  for (const { commit } of s.nodes) if (commit && holds(commit)) commit.isLost = true;
  s.lateCommits = s.lateCommits.filter((commit) => !holds(commit));
}

/** @returns undefined when another term has begun meanwhile */
export function beginTerm(s: State, to: number, by: BegunBy, rules: Rules): BegunTerm | undefined {
  const host = s.hosts[to]!;
  try {
    const answering = { system: "1", timeline: host.timeline };
    const { row, begun } = rules.nextTerm(host.row, { ...by, answering });
    endSessions(s, to);
    host.row = row;
    const blocks = rules.blocksLost(host.ids, answering, begun.isLossKnown ? "lost" : undefined);
    host.nextIdBlock += blocks * lostIds.messageIdBlocks;
    host.ids = writtenUnder(host.ids, answering);
    afterChange(s, to);
    return begun;
  } catch (error) {
    if (error instanceof TermOutrun) return undefined;
    throw error;
  }
}

export function endTerm(s: State, to: number, epoch: number): void {
  const { row } = s.hosts[to]!;
  if (row.epoch === epoch) row.isServed = false;
  afterChange(s, to);
}

export function takeIdBlock(s: State, to: number): number {
  const host = s.hosts[to]!;
  const first = ++host.nextIdBlock * idsPerBlock;
  afterChange(s, to);
  return first;
}

/** Closes the epoch of a commit without an answer, and tells its fate. */
export function lookUp(s: State, to: number, { commit, epoch }: NonNullable<Node["doubt"]>, rules: Rules) {
  const host = s.hosts[to]!;
  endSessions(s, to);
  if (host.row.epoch === epoch) host.row = { ...host.row, epoch: epoch + 1, isServed: false };
  afterChange(s, to);
  const { entry, kind, stage, starts } = commit;
  const logged = host.log.find(({ position }) => position === entry.position);
  if (kind === "send") return logged !== undefined;
  // It was not asked to commit.
  if (stage === "asked" || stage === "fenced") return false;
  if (kind === "command") return rules.fateOf({ isLogged: logged?.xid === entry.xid });
  const isCommitted = host.committed.includes(entry.xid);
  const status = entry.xid >= host.nextXid ? "forgotten" : isCommitted ? "committed" : "aborted";
  return rules.fateOf({ status, wasRestarted: host.starts > starts });
}

/** The position up to which the log is whole, if what was seen stored is gone. See `findLoss`. */
export function findLoss({ log }: Postgres, seen: number): number | undefined {
  if (log.some(({ position }) => position === seen)) return undefined;
  return log.filter(({ position }) => position < seen).at(-1)?.position;
}

/** Its sessions end. Ids of transactions that left nothing on the disk are given again. */
export function crash(s: State, index: number): void {
  const host = s.hosts[index]!;
  host.isUp = false;
  host.nextXid = Math.max(0, ...host.committed) + 1;
  for (const node of s.nodes) {
    if (node.host === index) node.host = -1;
    if (node.commit?.to === index) node.commit.isLost = true;
    if (node.claim?.to === index && !node.claim.begun) node.claim.isLost = true;
    if (node.read?.to === index && !node.read.answer) node.read = null;
  }
  s.lateCommits = s.lateCommits.filter(({ to }) => to !== index);
  s.lateTerms = s.lateTerms.filter(({ to }) => to !== index);
}

/** The standby takes over. What it lacks is lost. */
export function promote(s: State, index: number): void {
  const [host, before] = [s.hosts[index]!, s.hosts[1 - index]!];
  host.isPrimary = true;
  host.timeline = before.timeline + 1;
  for (const request of s.requests.keys())
    if (hasRequest(before, request) && !hasRequest(host, request)) s.lost.push(request);
}
