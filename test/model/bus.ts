/** Messages between nodes, forwarded commands, and what whoever waits is told. */
import type { ForwardEvent } from "../../actors/cluster/forwarded-command.ts";
import type { MessageNature } from "../../storage/cluster/bus.ts";
import { hostOf } from "./postgres.ts";
import { apply, catchUp, isLoaded } from "./replica.ts";
import type { Rules } from "./rules.ts";
import type { Answer, Item, Message, Node, State } from "./state.ts";

export const nodeNamed = (s: State, name: string): Node | undefined =>
  s.nodes.find((node) => node.name === name && node.isUp);

type Content<Kind extends Message["kind"]> = Omit<Extract<Message, { kind: Kind }>, "from" | "to" | "way" | "number">;
type Sent = Content<"command"> | Content<"answer">;

/** Sends by the ways that the rules name. @returns whether somebody is there to get it */
function send(s: State, node: Node, to: string, content: Sent, nature: MessageNature, rules: Rules): boolean {
  const state = rules.peerState({ isConnected: !s.isRedisAway, isDoubted: false, lackedAt: undefined }, 0);
  const isThere = nodeNamed(s, to) !== undefined;
  for (const action of rules.stepWay(state, { type: "send", nature })) {
    const way = action === "publish" ? "redis" : "mail";
    // Mail goes by PostgreSQL.
    if (!isThere || (way === "mail" && !hostOf(s, node))) continue;
    s.messages.push({ from: node.name, to, way, number: ++node.sent, ...content });
  }
  return isThere || s.isRedisAway;
}

/** Tells whoever waits for a command what became of it. */
export function settle(s: State, node: Node, { request, from }: Item, answer: Answer, rules: Rules, id = 0): void {
  const asked = s.requests[request]!;
  if (answer.kind === "done") asked.id = id;
  if (from === null) {
    // The process may have died since.
    if (asked.at === node.name && asked.phase === "here") finish(s, request, answer);
    return;
  }
  const taken = node.taken.find((one) => one.from === from.node && one.id === from.id)!;
  taken.answer = answer;
  send(s, node, from.node, { kind: "answer", id: from.id, answer }, taken.isAgain ? "repeat" : "answer", rules);
}

function finish(s: State, request: number, answer: Answer): void {
  const asked = s.requests[request]!;
  if (answer.kind === "done") {
    asked.phase = "reach";
    asked.position = answer.position;
  } else asked.phase = answer.kind === "notBegun" ? "wait" : "unknown";
}

/** A client's request is tried: here, or at the writer. */
export function attempt(s: State, node: Node, request: number, rules: Rules): void {
  const asked = s.requests[request]!;
  if (node.term) {
    asked.phase = "here";
    node.mailbox.push({ request, from: null });
    return;
  }
  const id = node.nextForward++;
  const forward = { id, request, to: node.writer!, state: "sent" as const };
  const command = { kind: "command" as const, id, request, seen: node.replica.position, isAgain: false };
  if (!send(s, node, forward.to, command, "plain", rules)) return;
  asked.phase = "away";
  node.forwards.push(forward);
}

export function askAgain(
  s: State,
  node: Node,
  forward: Node["forwards"][number],
  event: ForwardEvent,
  rules: Rules,
): void {
  const { state, asksAgain } = rules.stepForward(forward.state, event);
  forward.state = state;
  const { id, request, to } = forward;
  const command = { kind: "command" as const, id, request, seen: node.replica.position, isAgain: true };
  if (asksAgain) send(s, node, to, command, "repeat", rules);
}

export function endForward(s: State, node: Node, id: number, event: ForwardEvent, answer: Answer, rules: Rules): void {
  const forward = node.forwards.find((one) => one.id === id);
  if (!forward) return;
  const { state } = rules.stepForward(forward.state, event);
  forward.state = state;
  if (state === "sent" || state === "again") return;
  node.forwards = node.forwards.filter((one) => one !== forward);
  finish(s, forward.request, answer);
}

/** The oldest message of each sender to each node by each way: a connection keeps the order. */
export function heads({ messages }: State): number[] {
  const seen = new Set<string>();
  return messages.flatMap(({ from, to, way }, index) => {
    const key = `${from} ${to} ${way}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [index];
  });
}

/** @param isCopied the message comes once more */
export function deliver(s: State, index: number, isCopied: boolean, rules: Rules): void {
  const message = s.messages[index]!;
  if (!isCopied) s.messages.splice(index, 1);
  const node = nodeNamed(s, message.to);
  if (!node) return;
  if (message.way !== "stream") {
    const key = `${message.from} ${message.way}`;
    if (!rules.accepts(node.heard[key] ?? 0, message.number)) return;
    node.heard[key] = message.number;
  }
  if (message.kind === "command") takeCommand(s, node, message, rules);
  else if (message.kind === "batch") takeBatch(s, node, message, rules);
  else {
    const { kind } = message.answer;
    endForward(s, node, message.id, kind === "unknown" ? "refused" : kind, message.answer, rules);
  }
}

function takeCommand(s: State, node: Node, message: Extract<Message, { kind: "command" }>, rules: Rules): void {
  const { from, id, request, isAgain, seen } = message;
  const outcome = rules.takes(node.taken, from, id);
  if (outcome === "old") return;
  const known = node.taken.find((one) => one.from === from && one.id === id);
  if (outcome === "known" && known) {
    known.isAgain ||= isAgain;
    if (isAgain && known.answer) send(s, node, from, { kind: "answer", id, answer: known.answer }, "repeat", rules);
    return;
  }
  const taken = { from, id, answer: null as Answer | null, isAgain };
  node.taken.push(taken);
  // A writer that knows less than the node that asks decides nothing.
  if (node.term && isLoaded(node) && seen <= node.replica.position) {
    node.mailbox.push({ request, from: { node: from, id } });
    return;
  }
  taken.answer = { kind: "notBegun" };
  send(s, node, from, { kind: "answer", id, answer: taken.answer }, isAgain ? "repeat" : "answer", rules);
}

/** The writer's log, as `log-stream.ts` takes it in. */
function takeBatch(s: State, node: Node, batch: Extract<Message, { kind: "batch" }>, rules: Rules): void {
  if (!isLoaded(node)) return;
  const { previous, entries, timeline } = batch;
  const { replica } = node;
  const verdict = rules.judgeBatch(replica.timeline, timeline);
  if (verdict === "pass over") return;
  if (verdict === "mix") replica.isMixed = true;
  if (previous > replica.position) {
    const host = hostOf(s, node);
    if (!host) return;
    catchUp(node, host);
    replica.position = Math.max(replica.position, previous);
  }
  apply(node, entries);
}
