/** A node's realm and its candidacy: what the shells do when the machines say so (`realm.ts`, `candidate.ts`). */
import { backOffChecks, claimMs, type Judged, otherNodeIn } from "../../actors/cluster/claim.ts";
import type { CandidateEvent } from "../../actors/cluster/machine.ts";
import type { RealmMachineEvent } from "../../actors/realm/machine.ts";
import type { Lack } from "../../storage/log/promotions.ts";
import { askAgain, settle } from "./bus.ts";
import { endOf, endTerm, findLoss, hostOf, takeIdBlock } from "./postgres.ts";
import { catchUp } from "./replica.ts";
import type { Rules } from "./rules.ts";
import { type Claim, type Node, noReplica, type Postgres, type Replica, type State } from "./state.ts";

export function stepRealm(s: State, node: Node, event: RealmMachineEvent, rules: Rules): void {
  const { state, actions } = rules.stepRealm(node.realm, event);
  node.realm = state;
  for (const action of actions) {
    if (action === "endTerm") endWriting(s, node, rules);
    if (action === "setAside") node.aside = node.replica;
    if (action === "drop" || action === "setAside") drop(s, node, rules);
  }
}

/** The commit under way goes on, and the term ends behind it. */
function endWriting(s: State, node: Node, rules: Rules): void {
  const { term } = node;
  node.term = null;
  node.confirmedAt = null;
  for (const item of node.mailbox.splice(0)) settle(s, node, item, { kind: "notBegun" }, rules);
  if (term && !node.commit && hostOf(s, node)) endTerm(s, node.host, term.epoch);
}

function drop(s: State, node: Node, rules: Rules): void {
  node.load++;
  node.replica = noReplica();
  node.read = null;
  if (node.candidate !== "none") stepCandidate(s, node, { type: "left" }, rules);
  node.candidate = "none";
  if (node.claim && !node.claim.begun && !node.claim.isLost) s.lateTerms.push({ to: node.claim.to, by: node.claim.by });
  node.claim = null;
  setWriter(s, node, null, rules);
}

/** Reads the realm from PostgreSQL, and joins. */
export function load(s: State, node: Node, rules: Rules): void {
  const host = hostOf(s, node)!;
  stepRealm(s, node, { type: "used" }, rules);
  node.load++;
  node.replica = keptOf(node, host, rules) ?? loadedFrom(host);
  node.replica.timeline = node.known;
  node.aside = null;
  if (node.before) node.before.stored = 0;
  stepRealm(s, node, { type: "loaded" }, rules);
  node.candidate = "following";
  node.memory = { freeChecks: 0, backOff: 0, vacantChecks: 0, epoch: 0 };
}

/** The replica that was set aside, as far as the log goes now. Undefined: PostgreSQL lacks something of it. */
function keptOf({ aside }: Node, host: Postgres, rules: Rules): Replica | undefined {
  const isThere = host.log.some(({ position }) => position === aside?.stored);
  if (!aside || !rules.keeps(aside, isThere)) return undefined;
  catchUp({ replica: aside }, host);
  return aside;
}

const loadedFrom = (host: Postgres): Replica => ({
  ...{ ...noReplica(), position: endOf(host), stored: endOf(host) },
  seen: host.log.map(({ request }) => request),
});

/** PostgreSQL may lack what is known here. */
export function mayLack(s: State, node: Node, lack: Lack, rules: Rules): void {
  const { told = 0, stored = 0 } = node.before ?? {};
  const replica = node.aside ?? node.replica;
  const isLost = node.before?.lack === "lost";
  node.before = {
    ...{ told: Math.max(told, replica.position), stored: Math.max(stored, replica.stored) },
    lack: isLost ? "lost" : lack,
  };
  if (node.realm === "passivated" || node.realm === "failed") return;
  stepRealm(s, node, { type: lack === "promoted" ? "doubted" : "failed" }, rules);
}

/** Connects to the first host that may be used, as `storage/connection/hosts.ts` does. */
export function connect(s: State, node: Node, rules: Rules): void {
  const met = s.hosts.map(({ timeline, isPrimary }) => ({
    ...{ system: "1", timeline: isPrimary ? timeline : undefined, isStandby: !isPrimary, isReadOnly: !isPrimary },
  }));
  const answers = (index: number) => s.hosts[index]!.isUp && s.hosts[index]!.isPrimary;
  const knows = () => (node.known === 0 ? undefined : { ...met[0]!, timeline: node.known, isStandby: false });
  // Whoever has no connection asks all hosts.
  for (const [index, one] of met.entries()) {
    if (!answers(index) || rules.judge(knows(), one) !== "adopt") continue;
    if (node.known !== 0) mayLack(s, node, "promoted", rules);
    node.known = one.timeline!;
  }
  for (const [index, one] of met.entries()) {
    if (!answers(index)) continue;
    const verdict = rules.judge(knows(), one);
    if (verdict === "refuse") continue;
    node.host = index;
    if (verdict === "adopt" && node.known !== 0) mayLack(s, node, "promoted", rules);
    if (verdict === "adopt") node.known = one.timeline!;
    return;
  }
}

export function setWriter(s: State, node: Node, writer: string | null, rules: Rules): void {
  if (writer === node.writer) return;
  node.writer = writer;
  if (writer === null) return;
  for (const forward of node.forwards) if (forward.to !== writer) askAgain(s, node, forward, "writer.changed", rules);
}

export function stepCandidate(s: State, node: Node, event: CandidateEvent, rules: Rules): void {
  if (node.candidate === "none") return;
  const { state, actions } = rules.stepCandidate(node.candidate, event);
  node.candidate = state;
  for (const action of actions) {
    if (action === "beginTerm" || action === "beginVacantTerm") {
      setWriter(s, node, node.name, rules);
      const after = action === "beginVacantTerm" ? node.memory.epoch : undefined;
      const by = { servesReads: true, node: node.name, after, told: node.before?.told, lack: node.before?.lack };
      node.claim = { to: node.host, by, load: node.load, begun: null, waits: 0, isOverdue: false, isLost: false };
      if (!hostOf(s, node) && !node.isCut) node.claim.isLost = true;
    } else if (action === "endTerm") stepRealm(s, node, { type: "lease.lost" }, rules);
    else {
      setWriter(s, node, null, rules);
      if (s.lease === node.name && !s.isRedisAway) s.lease = null;
    }
  }
}

/** What PostgreSQL said about a claim, or that it said nothing. */
export function takeClaim(s: State, node: Node, rules: Rules): void {
  const claim = node.claim!;
  node.claim = null;
  if (becomeWriter(s, node, claim, rules)) {
    stepCandidate(s, node, { type: "term.begun" }, rules);
    return;
  }
  node.memory = { ...node.memory, backOff: backOffChecks };
  stepCandidate(s, node, { type: "term.failed" }, rules);
}

/** @returns whether the term begins */
function becomeWriter(s: State, node: Node, { begun, isLost, load: wantedLoad }: Claim, rules: Rules): boolean {
  const host = hostOf(s, node);
  const isWanted = wantedLoad === node.load && (node.realm === "following" || node.realm === "idle");
  if (isLost || !begun || !host || !isWanted) return false;
  catchUp(node, host);
  if (findLoss(host, node.replica.stored) !== undefined) {
    mayLack(s, node, "lost", rules);
    return false;
  }
  node.replica.position = Math.max(node.replica.position, begun.position);
  const nextId = takeIdBlock(s, node.host);
  node.term = { epoch: begun.epoch, next: node.replica.position + 1, nextId, predecessor: 0 };
  node.before = null;
  stepRealm(s, node, { type: "lease.won" }, rules);
  return true;
}

const remember = <Verdict>(node: Node, { verdict, memory }: Judged<Verdict>): Verdict => {
  node.memory = memory;
  return verdict;
};

/** A check of the lease. */
export function check(s: State, node: Node, rules: Rules): void {
  if (s.isRedisAway) {
    checkTerm(s, node, rules);
    return;
  }
  const isHeldElsewhere = s.lease !== null && s.lease !== node.name;
  if (node.candidate === "writing" || node.candidate === "claiming") {
    if (!isHeldElsewhere) s.lease = node.name;
    else setWriter(s, node, s.lease, rules);
    const isOverdue = node.claim !== null && (node.isCut || node.claim.isOverdue);
    const claimingMs = node.candidate === "claiming" ? (isOverdue ? claimMs + 1 : 0) : undefined;
    const event = remember(node, rules.judgeRenewal(node.memory, { isHeld: !isHeldElsewhere, claimingMs }));
    if (event) stepCandidate(s, node, { type: event }, rules);
    return;
  }
  const preferred = s.nodes.find((one) => one.isUp && !(one.name === node.writer && one !== node));
  const isClaimUnderWay = node.candidate !== "following";
  const facts = { isHeldElsewhere, isClaimUnderWay, isDraining: false, isPreferred: preferred === node };
  const verdict = remember(node, rules.judgeLease(node.memory, facts));
  if (verdict === "follow") setWriter(s, node, s.lease, rules);
  if (verdict !== "claim") return;
  s.lease = node.name;
  stepCandidate(s, node, { type: "lease.granted" }, rules);
}

/** While no lease can be asked for. */
function checkTerm(s: State, node: Node, rules: Rules): void {
  const host = hostOf(s, node);
  if (node.candidate !== "following" || !host) return;
  catchUp(node, host);
  const { row: term } = host;
  const other = otherNodeIn(term, node.name);
  if (other) setWriter(s, node, other, rules);
  const peer = s.nodes.find(({ name, isUp }) => name === other && isUp);
  const isDisowned = peer !== undefined && peer.candidate !== "writing" && peer.candidate !== "claiming";
  const facts = { term, nodeId: node.name, isDisowned, isGone: !peer || peer.isCut, isDraining: false };
  const verdict = remember(node, rules.judgeTerm(node.memory, facts));
  if (verdict === "claim") stepCandidate(s, node, { type: "term.vacant" }, rules);
}
