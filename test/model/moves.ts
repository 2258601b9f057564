/** Everything that may happen next in a state. */
import { askAgain, attempt, deliver, endForward, heads, nodeNamed } from "./bus.ts";
import { beginCommit, endTransaction, resolveDoubt, takeCommit } from "./commits.ts";
import { faults } from "./faults.ts";
import { beginTerm, carryOut, endOf, hostOf, replicate } from "./postgres.ts";
import { tell } from "./promises.ts";
import { answerRead, beginRead, endKeeping, isTimed, takeReadAnswer, tick } from "./reads.ts";
import { check, connect, load, takeClaim } from "./realms.ts";
import { catchUp, isLoaded } from "./replica.ts";
import type { Rules } from "./rules.ts";
import type { Node, State } from "./state.ts";

export interface Move {
  name: string;
  /** Changes the state that it is given. */
  run(s: State): void;
}

/** How many ticks a successor waits for reads of the node before it. */
const successorTicks = 2;

/**
 * All moves of a state.
 * @param isCalm nothing goes wrong any more, and what is late is noticed
 */
export function movesOf(s: State, rules: Rules, isCalm = false): Move[] {
  const moves: Move[] = [];
  const add = (name: string, run: (s: State) => void) => void moves.push({ name, run });
  for (const [index, node] of s.nodes.entries()) {
    if (!node.isUp) continue;
    const at = (name: string, run: (s: State, node: Node) => void) =>
      add(`${node.name} ${name}`, (state) => run(state, state.nodes[index]!));
    movesOfNode(s, node, rules, at);
    if (isCalm) calmMovesOf(s, node, rules, at);
  }
  movesOfPostgres(s, rules, add);
  for (const index of heads(s)) {
    const { from, to, kind, way } = s.messages[index]!;
    add(`${to} takes ${kind} of ${from} by ${way}`, (state) => deliver(state, index, false, rules));
  }
  if (isTimed(s, rules)) add("time passes", tick);
  if (!isCalm) faults(s, rules, add);
  // A lease of who does not renew it runs out.
  const holder = s.lease === null ? undefined : nodeNamed(s, s.lease);
  const isRenewed = holder?.candidate === "writing" || holder?.candidate === "claiming";
  if (s.lease !== null && !isRenewed)
    add("the lease runs out", (state) => {
      state.lease = null;
    });
  return moves;
}

type At = (name: string, run: (s: State, node: Node) => void) => void;

function movesOfNode(s: State, node: Node, rules: Rules, at: At): void {
  const host = hostOf(s, node);
  if (node.host === -1 && !node.isCut && s.hosts.some(({ isUp, isPrimary }) => isUp && isPrimary))
    at("connects", (state, one) => connect(state, one, rules));
  const isUnloaded = node.realm === "passivated" || node.realm === "failed";
  if (isUnloaded && host) at("loads", (state, one) => load(state, one, rules));
  if (node.candidate !== "none" && canCheck(s, node)) at("checks", (state, one) => check(state, one, rules));
  const { claim, commit, read, term, doubt } = node;
  if (claim && (claim.isLost || (claim.begun && claim.waits === 0)))
    at("takes its claim", (state, one) => takeClaim(state, one, rules));
  if (term && !commit && node.mailbox.length > 0) at("decides", beginCommit);
  if (commit?.stage === "fenced" && !commit.isLost) at("commits", (_, one) => endTransaction(one));
  if (commit && (commit.isLost || commit.stage === "refused" || commit.stage === "stored"))
    at("takes its commit", (state, one) => takeCommit(state, one, rules));
  if (doubt && host) at("looks its commit up", (state, one) => resolveDoubt(state, one, rules));
  if (read?.answer && (read.hasWaited || s.isRedisAway || read.answer.position <= node.replica.position) && host)
    at("reads", (state, one) => takeReadAnswer(state, one, rules));
  if (node.keeping) at("deletes queues", (state, one) => endKeeping(state, one, rules));
  movesOfRequests(s, node, rules, at);
}

/** A check that would change nothing is left out. */
function canCheck(s: State, node: Node): boolean {
  // Steps of the candidate are under way until the last commit of its term is over.
  if (node.term === null && node.commit) return false;
  if (s.isRedisAway) return node.candidate === "following" && hostOf(s, node) !== undefined;
  if (node.candidate === "writing" || node.candidate === "claiming") {
    const isOverdue = node.candidate === "claiming" && node.claim !== null && (node.isCut || node.claim.isOverdue);
    return s.lease !== node.name || isOverdue;
  }
  if (s.lease !== null && s.lease !== node.name) return node.writer !== s.lease || node.memory.freeChecks > 0;
  return node.candidate === "following" && hostOf(s, node) !== undefined;
}

function movesOfRequests(s: State, node: Node, rules: Rules, at: At): void {
  for (const [index, { at: asked, phase, position }] of s.requests.entries()) {
    if (asked !== node.name) continue;
    const isServed =
      node.term !== null || (node.writer !== null && node.writer !== node.name && node.candidate !== "none");
    if ((phase === "new" || phase === "wait") && isLoaded(node) && isServed)
      at(`tries request ${index}`, (state, one) => attempt(state, one, index, rules));
    const isReached = !isLoaded(node) || position <= node.replica.position;
    if (phase === "reach" && (isReached || hostOf(s, node)))
      at(`answers request ${index}`, (state, one) => {
        if (!isReached) catchUp(one, hostOf(state, one)!);
        const request = state.requests[index]!;
        request.phase = "done";
        tell(state, { position: request.kind === "note" ? 0 : request.position, id: request.id, request: index });
      });
  }
}

function movesOfPostgres(s: State, rules: Rules, add: (name: string, run: (s: State) => void) => void): void {
  for (const [index, node] of s.nodes.entries()) {
    const { claim, commit, read, name } = node;
    if (!hostOf(s, node)) continue;
    if (commit && !commit.isLost && (commit.stage === "asked" || commit.stage === "ending"))
      add(`PostgreSQL carries out ${commit.stage} of ${name}`, (state) => carryOut(state, state.nodes[index]!.commit!));
    if (claim && !claim.begun && !claim.isLost)
      add(`PostgreSQL begins a term of ${name}`, (state) => {
        const asked = state.nodes[index]!.claim!;
        asked.begun = beginTerm(state, asked.to, asked.by, rules) ?? null;
        asked.isLost = asked.begun === null;
        asked.waits = asked.begun?.isReadElsewhere ? successorTicks : 0;
      });
    if (read && !read.answer)
      add(`PostgreSQL tells ${name} the end`, (state) => answerRead(state, state.nodes[index]!));
  }
  for (const [index, { to }] of s.lateCommits.entries())
    if (s.hosts[to]!.isUp)
      add("PostgreSQL carries out a commit that was given up", (state) => {
        const [commit] = state.lateCommits.splice(index, 1);
        carryOut(state, commit!);
      });
  for (const [index, { to }] of s.lateTerms.entries())
    if (s.hosts[to]!.isUp)
      add("PostgreSQL begins a term that was given up", (state) => {
        const [late] = state.lateTerms.splice(index, 1);
        beginTerm(state, late!.to, late!.by, rules);
      });
  const [primary, standby] = [s.hosts.find(({ isPrimary }) => isPrimary)!, s.hosts.find(({ isPrimary }) => !isPrimary)];
  const lags =
    standby?.isUp &&
    primary.isUp &&
    JSON.stringify({ ...standby, isPrimary: true, starts: 0 }) !== JSON.stringify({ ...primary, starts: 0 });
  if (lags && !s.isSynchronous)
    add("the standby catches up", (state) =>
      replicate(
        state,
        state.hosts.findIndex(({ isPrimary }) => isPrimary),
      ),
    );
}

/** What makes late things noticed, and replicas catch up. */
function calmMovesOf(s: State, node: Node, rules: Rules, at: At): void {
  const host = hostOf(s, node);
  if (host && isLoaded(node) && endOf(host) > node.replica.position)
    at("is behind", (state, one) => catchUp(one, hostOf(state, one)!));
  if (node.candidate === "writing" && host && node.term && host.row.epoch > node.term.epoch)
    at("asks for the epoch", (state, one) => beginRead(state, one, rules));
  if (node.isCut && node.candidate === "writing")
    at("gives its commit up", (_state, one) => {
      if (one.commit) one.commit.isLost = true;
    });
  for (const { id, to } of node.forwards) {
    const isUnderWay = s.messages.some((one) =>
      one.kind === "answer" ? one.id === id && one.to === node.name : one.kind === "command" && one.from === node.name,
    );
    if (isUnderWay) continue;
    const peer = nodeNamed(s, to);
    if (!peer || peer.isCut)
      at("gives a command up", (state, one) => endForward(state, one, id, "overdue", { kind: "unknown" }, rules));
    else
      at("asks again", (state, one) =>
        askAgain(state, one, one.forwards.find((each) => each.id === id)!, "late", rules),
      );
  }
  if (node.isCut && node.claim && !node.claim.isLost && node.candidate !== "claiming")
    at("gives its claim up", (_, one) => {
      one.claim!.isLost = true;
    });
}
