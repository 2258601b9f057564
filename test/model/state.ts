/** A state of the model. Plain data, so that it can be copied, told from others, and printed. */
import type { ClaimMemory } from "../../actors/cluster/claim.ts";
import { noMemory } from "../../actors/cluster/claim.ts";
import type { ForwardState } from "../../actors/cluster/forwarded-command.ts";
import type { CandidateState } from "../../actors/cluster/machine.ts";
import type { RealmMachineState } from "../../actors/realm/machine.ts";
import type { Moment } from "../../actors/realm/read-lease.ts";
import type { Run } from "../../http/process/steady-clock.ts";
import type { BegunBy, BegunTerm, TermRow } from "../../storage/log/next-term.ts";
import type { Lack, WrittenUnder } from "../../storage/log/promotions.ts";

/** An entry of the log: what a request became, and who committed it under which epoch. */
export interface Entry {
  position: number;
  request: number;
  /** Of its message. 0: it is none. */
  id: number;
  epoch: number;
  by: string;
  /** Of its transaction. 0: it is a single statement. */
  xid: number;
}

export interface Postgres {
  isUp: boolean;
  isPrimary: boolean;
  timeline: number;
  /** How often it has started. */
  starts: number;
  row: TermRow;
  /** Under which ids were last looked after. */
  ids: WrittenUnder;
  log: Entry[];
  /** Requests that were stored and have nothing for the log. */
  notes: number[];
  nextIdBlock: number;
  nextXid: number;
  committed: number[];
}

/** A request at the writer, and the node that forwarded it. Null: the writer's own. */
export interface Item {
  request: number;
  from: { node: string; id: number } | null;
}

/**
 * A send is one statement. A command is two, the fence and the rest. So is a note, which has nothing for the log.
 */
export type RequestKind = "send" | "command" | "note";

export interface Commit {
  item: Item;
  kind: RequestKind;
  /** `to`: the host that was asked. */
  to: number;
  stage: "asked" | "fenced" | "ending" | "stored" | "refused";
  entry: Entry;
  /** The position of the commit before it. 0: the term's first. */
  predecessor: number;
  /** Starts of PostgreSQL when the transaction began. */
  starts: number;
  /** Whether it has lasted long enough for others to have read it. */
  isSlow: boolean;
  /** When its last statements were sent. */
  sentAt: Moment;
  /** Its node gave it up. */
  isLost: boolean;
}

export interface Claim {
  to: number;
  by: BegunBy;
  /** The load that it is for. */
  load: number;
  begun: BegunTerm | null;
  /** Ticks until no node answers reads under the epoch before. */
  waits: number;
  isOverdue: boolean;
  isLost: boolean;
}

export interface Read {
  /** Requests that somebody had been told of when it began. */
  told: number[];
  askedAt: Moment;
  to: number;
  answer: { position: number; epoch: number } | null;
  /** The stream was waited for. */
  hasWaited: boolean;
  /** It lacks nothing once the commit under way is over. */
  waitsForCommit: boolean;
}

export interface Replica {
  position: number;
  stored: number;
  seen: number[];
  /** Of the log that it was made of. */
  timeline: number;
  isMixed: boolean;
}

export const noReplica = (): Replica => ({ position: 0, stored: 0, seen: [], timeline: 0, isMixed: false });

export interface Node {
  /** Its name among nodes: another one for each process. */
  name: string;
  isUp: boolean;
  /** PostgreSQL does not answer it any more. */
  isCut: boolean;
  /** The host that it is connected to. -1: none. */
  host: number;
  /** The timeline that it knows. 0: none. */
  known: number;
  realm: RealmMachineState;
  /** Counts loads. */
  load: number;
  candidate: CandidateState | "none";
  memory: ClaimMemory;
  /** The node that writes, as far as is known. */
  writer: string | null;
  claim: Claim | null;
  term: { epoch: number; next: number; nextId: number; predecessor: number } | null;
  /** Since when its epoch was known to be the newest. Moments are ages, below zero. */
  confirmedAt: Moment | null;
  commit: Commit | null;
  /** A commit without an answer, whose fate is asked for. */
  doubt: { commit: Commit; epoch: number } | null;
  mailbox: Item[];
  replica: Replica;
  /** One that may go on. */
  aside: Replica | null;
  before: { told: number; stored: number; lack: Lack } | null;
  forwards: { id: number; request: number; to: string; state: ForwardState }[];
  nextForward: number;
  taken: { from: string; id: number; answer: Answer | null; isAgain: boolean }[];
  read: Read | null;
  /** Numbers of the last message sent, and of the last heard of each sender by each way. */
  sent: number;
  heard: Record<string, number>;
  /** How far its clock was set ahead, in seconds, and what it knows of that. */
  ahead: number;
  run: Run;
  /** Its clock when its housekeeping began. */
  keeping: { now: number; since: number } | null;
}

export type Answer = { kind: "done"; position: number } | { kind: "notBegun" } | { kind: "unknown" };

export type Message = { from: string; to: string; way: "redis" | "mail" | "stream"; number: number } & (
  | { kind: "command"; id: number; request: number; seen: number; isAgain: boolean }
  | { kind: "answer"; id: number; answer: Answer }
  | { kind: "batch"; previous: number; entries: Entry[]; timeline: number }
);

export interface Request {
  /** The process that its client asked. */
  at: string;
  kind: RequestKind;
  phase: "new" | "wait" | "here" | "away" | "reach" | "done" | "unknown";
  position: number;
  id: number;
}

/** How often each thing may still go wrong, or be tried. */
export interface Budget {
  die: number;
  start: number;
  lose: number;
  double: number;
  lapse: number;
  late: number;
  redis: number;
  reset: number;
  hang: number;
  crash: number;
  promote: number;
  comeBack: number;
  clock: number;
  keep: number;
  read: number;
  handover: number;
}

export interface State {
  hosts: Postgres[];
  isSynchronous: boolean;
  nodes: Node[];
  requests: Request[];
  messages: Message[];
  /** What was given up, and PostgreSQL may still get to. */
  lateCommits: Commit[];
  lateTerms: { to: number; by: BegunBy }[];
  /** The node that holds the lease in Redis. */
  lease: string | null;
  isRedisAway: boolean;
  /** What somebody was told of. */
  told: { position: number; id: number; request: number }[];
  /** Requests that a promotion lost. */
  lost: number[];
  /** When the queue's last poll is in its row, in seconds of the clock of whoever saved it. Null: it was deleted. */
  queueSeenAt: number | null;
  left: Budget;
}

export const startedAt = 1_000_000;
/** Nodes have been up for so long. */
/** Moments are ages, below zero. */
export const now: Moment = { monotonicMs: 0, wallMs: 0 };
export const upSecs = 7200;
export const noBudget: Budget = {
  ...{ die: 0, start: 0, lose: 0, double: 0, lapse: 0, late: 0, redis: 0, reset: 0, hang: 0, crash: 0, promote: 0 },
  ...{ comeBack: 0, clock: 0, keep: 0, read: 0, handover: 0 },
};

export function newNode(name: string): Node {
  return {
    ...{ name, isUp: true, isCut: false, host: -1, known: 0, realm: "passivated", load: 0, candidate: "none" },
    ...{ memory: noMemory, writer: null, claim: null, term: null, confirmedAt: null, commit: null, doubt: null },
    ...{ mailbox: [], replica: noReplica(), aside: null, before: null, forwards: [], nextForward: 1 },
    ...{ taken: [], read: null, sent: 0, heard: {}, ahead: 0, keeping: null },
    run: { ahead: startedAt - upSecs, since: startedAt - upSecs },
  };
}

const newPostgres = (isPrimary: boolean): Postgres => ({
  ...{ isUp: true, isPrimary, timeline: 1, starts: 1, log: [], notes: [], nextIdBlock: 0, nextXid: 1, committed: [] },
  row: { epoch: 0, reserved: 0, isServed: false, node: null, system: null, timeline: null },
  ids: { system: null, timeline: null },
});

export interface World {
  nodes: number;
  /** Undefined: there is no standby. */
  standby?: "synchronous" | "behind";
  /** The node that each request is asked at, and what it is. */
  requests: readonly (readonly [node: number, kind: RequestKind])[];
  faults: Partial<Budget>;
}

export function firstState({ nodes, standby, requests, faults }: World): State {
  const names = Array.from({ length: nodes }, (_, index) => `${"ABC"[index]}1`);
  return {
    hosts: standby ? [newPostgres(true), newPostgres(false)] : [newPostgres(true)],
    isSynchronous: standby === "synchronous",
    nodes: names.map(newNode),
    requests: requests.map(([node, kind]) => ({ at: names[node]!, kind, phase: "new", position: 0, id: 0 })),
    ...{ messages: [], lateCommits: [], lateTerms: [], lease: null, isRedisAway: false, told: [], lost: [] },
    queueSeenAt: startedAt,
    left: { ...noBudget, ...faults },
  };
}
