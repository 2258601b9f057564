/** What may go wrong, and what is tried, as often as the state's budget lets it. */
import { deliver, heads, nodeNamed } from "./bus.ts";
import { crash, hostOf, newest, promote } from "./postgres.ts";
import { beginKeeping, beginRead, saveQueue, setClock } from "./reads.ts";
import { stepCandidate } from "./realms.ts";
import { isLoaded } from "./replica.ts";
import type { Rules } from "./rules.ts";
import { type Budget, type Node, newNode, type State } from "./state.ts";

type Add = (name: string, run: (s: State) => void) => void;
const hourSecs = 3600;

export function faults(s: State, rules: Rules, add: Add): void {
  const spend = (what: keyof Budget, name: string, run: (s: State) => void) =>
    add(name, (state) => {
      state.left[what]--;
      run(state);
    });
  for (const [index, node] of s.nodes.entries()) {
    const at = (what: keyof Budget, name: string, run: (s: State, node: Node) => void) => {
      if (s.left[what] > 0) spend(what, `${node.name} ${name}`, (state) => run(state, state.nodes[index]!));
    };
    if (node.isUp) faultsOfNode(s, node, rules, at);
    else at("start", "is started again", start);
  }
  faultsOfHosts(s, spend);
  if (s.left.lose > 0)
    for (const index of heads(s))
      spend("lose", `${s.messages[index]!.kind} is lost`, (state) => void state.messages.splice(index, 1));
  if (s.left.double > 0)
    for (const index of heads(s))
      spend("double", `${s.messages[index]!.kind} comes twice`, (state) => deliver(state, index, true, rules));
  if (s.left.lapse > 0 && s.lease !== null && nodeNamed(s, s.lease))
    spend("lapse", "the lease runs out early", (state) => {
      state.lease = null;
    });
  if (s.left.redis > 0) spend("redis", s.isRedisAway ? "Redis is back" : "Redis goes away", turnRedis);
}

export function turnRedis(s: State): void {
  s.isRedisAway = !s.isRedisAway;
  s.lease = null;
  if (s.isRedisAway) s.messages = s.messages.filter(({ way }) => way === "mail");
}

function faultsOfNode(
  s: State,
  node: Node,
  rules: Rules,
  at: (what: keyof Budget, name: string, run: (s: State, node: Node) => void) => void,
): void {
  const { claim } = node;
  at("die", "dies", die);
  if (node.host !== -1) at("reset", "loses its connections", reset);
  if (!node.isCut)
    at("hang", "gets no more answers", (_, one) => {
      one.isCut = true;
    });
  if (claim && !claim.isOverdue && !claim.isLost)
    at("late", "has waited for long", (_, one) => {
      one.claim!.isOverdue = true;
    });
  if (node.candidate === "writing" || node.candidate === "claiming")
    at("handover", "hands over", (state, one) => stepCandidate(state, one, { type: "handover" }, rules));
  if (isLoaded(node) && !node.read && (hostOf(s, node) || node.term))
    at("read", "is asked to read", (state, one) => beginRead(state, one, rules));
  if (!node.keeping) at("keep", "begins its housekeeping", (_, one) => beginKeeping(one, rules));
  for (const aheadSecs of [-hourSecs, 0, hourSecs])
    if (node.ahead !== aheadSecs)
      at("clock", `has its clock set to ${aheadSecs}`, (_, one) => setClock(one, aheadSecs));
  if (s.left.keep > 0) at("clock", "saves the queue's poll", saveQueue);
}

/** What it had asked for PostgreSQL may still do, or never. */
function abandon(s: State, node: Node): void {
  const { commit, claim } = node;
  if (commit && !commit.isLost && (commit.stage === "asked" || commit.stage === "ending"))
    s.lateCommits.push(structuredClone(commit));
  if (claim && !claim.isLost && !claim.begun) s.lateTerms.push({ to: claim.to, by: claim.by });
}

function die(s: State, node: Node): void {
  abandon(s, node);
  for (const request of s.requests) if (request.at === node.name && request.phase !== "done") request.phase = "unknown";
  // An answer that is under way may still come.
  Object.assign(node, { ...newNode(node.name), isUp: false, ahead: node.ahead });
}

function start(_: State, node: Node): void {
  const [letter, number] = [node.name[0], Number(node.name.slice(1))];
  Object.assign(node, { ...newNode(`${letter}${number + 1}`), ahead: node.ahead });
}

function reset(s: State, node: Node): void {
  abandon(s, node);
  node.host = -1;
  if (node.commit) node.commit.isLost = true;
  if (node.claim && node.claim.waits === 0) node.claim.isLost = true;
  if (node.read && !node.read.answer) node.read = null;
}

function faultsOfHosts(s: State, spend: (what: keyof Budget, name: string, run: (s: State) => void) => void): void {
  for (const [index, host] of s.hosts.entries()) {
    const other = s.hosts[1 - index];
    const isKnown = s.nodes.every(({ isUp, known }) => !isUp || known === newest(s).timeline);
    // A node that has never heard of the new one, and finds the old one alone, cannot know better.
    const misleads = !isKnown && other?.isUp === true && other.isPrimary && other.timeline < host.timeline;
    if (host.isUp && host.isPrimary && s.left.crash > 0 && !misleads)
      spend("crash", `PostgreSQL ${index} dies`, (state) => crash(state, index));
    const isReplaced = other?.isPrimary === true && other.timeline > host.timeline;
    const what = isReplaced ? "comeBack" : "start";
    if (!host.isUp && s.left[what] > 0 && (!isReplaced || isKnown || other.isUp))
      spend(what, `PostgreSQL ${index} comes back`, (state) => {
        const one = state.hosts[index]!;
        one.isUp = true;
        one.starts++;
      });
    if (host.isUp && !host.isPrimary && other && !other.isUp && s.left.promote > 0)
      spend("promote", `PostgreSQL ${index} is promoted`, (state) => promote(state, index));
  }
}
