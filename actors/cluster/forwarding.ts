/**
 * One node forwards a command to another, which does it at most once (`taken-commands.ts`). When no answer comes, the
 * other node is asked again by mail. That may bring no answer either, or the other node may no longer be the writer.
 * Then nobody can say whether the command was done, and the caller is told so. `forwarded-command.ts` has the rules.
 */

import type { Bus } from "../../storage/cluster/bus.ts";
import { CoordinationUnavailable } from "../../storage/cluster/lease.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import { ApiError, errors } from "../errors.ts";
import type { ForwardOutcome } from "../metrics.ts";
import { NotBegun } from "../realm/commit/work.ts";
import type { ForwardedCommand } from "../realm/coordination.ts";
import { type ForwardEvent, type ForwardState, stepForward } from "./forwarded-command.ts";
import type { NodeMessage } from "./node-messages.ts";

interface Outcome {
  reply: unknown;
  position: LogPosition;
}

interface Awaited {
  to: string;
  realmId: RealmId;
  command: ForwardedCommand;
  /** When it was sent, or asked for again, by `performance.now()`. */
  askedAt: number;
  /** How long its answer may take while Redis is in doubt. */
  patienceMs: number;
  state: ForwardState;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
  startedAt: number;
}

/**
 * The most commands under way. More are refused: the writer is not keeping up, and callers would only wait.
 */
const maxUnderWay = 10_000;
/**
 * A writer answers before it hands over, but news of its successor may overtake the answers. A writer that was cut from
 * Redis is asked again.
 */
const lastAnswersMs = 1000;
/** Time is counted in so many parts. A process that was starved thus reads the answers that came meanwhile first. */
const parts = 5;
/** How long a working writer may take to answer before it is asked again. */
const askAgainMs = 1000;
/** The same while Redis is silent or gone: it may have lost the command or the answer. */
const doubtMs = 100;

export class Forwarding {
  readonly #awaited = new Map<number, Awaited>();
  #nextId = 1;
  #looking: NodeJS.Timeout | undefined;

  /** @param ended told of each command what became of it, and after how many seconds */
  constructor(
    private readonly bus: Bus,
    private readonly ended: (outcome: ForwardOutcome, seconds: number) => void = () => {},
  ) {}

  get underWay(): number {
    return this.#awaited.size;
  }

  /** @throws NotBegun, SERVICE_UNAVAILABLE, or what the command was refused for */
  async send(to: string, realmId: RealmId, command: ForwardedCommand, deadlineMs: number): Promise<Outcome> {
    if (this.#awaited.size >= maxUnderWay)
      throw errors.SERVICE_UNAVAILABLE("The organization is busy; nothing was done.");
    const id = this.#nextId++;
    const outcome = new Promise<Outcome>((resolve, reject) => {
      const timer = this.#giveUpAfter(id, deadlineMs);
      const now = performance.now();
      // A command that goes by mail from the start is in no doubt.
      const patienceMs = this.bus.isConnected ? doubtMs : askAgainMs;
      const times = { startedAt: now, askedAt: now, patienceMs };
      this.#awaited.set(id, { to, realmId, command, resolve, reject, timer, ...times, state: "sent" });
    });
    this.#looking ??= setTimeout(() => this.#look(), doubtMs);
    // The answer may come before Redis confirms that the command was sent.
    outcome.catch(() => {});
    this.bus.send(to, { kind: "command", id, realm: realmId, ...command } satisfies NodeMessage).then(
      (isThere) => {
        if (!isThere) this.#step(id, "unsent");
      },
      (error: unknown) =>
        this.#step(id, error instanceof CoordinationUnavailable && error.isCertain ? "unsent" : "doubted"),
    );
    return outcome;
  }

  /** Takes an answer. One that nobody awaits any more is ignored. */
  receive(message: Extract<NodeMessage, { kind: "done" | "refused" }>): void {
    if (message.kind === "done") this.#step(message.id, "done", message);
    else if (!message.error) this.#step(message.id, "notBegun");
    else {
      const { status, code, message: text, extra } = message.error;
      this.#step(message.id, "refused", new ApiError(status, code, text, extra));
    }
  }

  /** The realm has a new writer. Commands sent to the one before are answered soon or not at all. */
  writerChanged(realmId: RealmId, writer: string): void {
    for (const [id, awaited] of this.#awaited) {
      if (awaited.realmId !== realmId || awaited.to === writer) continue;
      clearTimeout(awaited.timer);
      awaited.timer = this.#giveUpAfter(id, lastAnswersMs);
      this.#step(id, "writer.changed");
    }
  }

  /** Asks again for what is late. */
  #look(): void {
    const now = performance.now();
    for (const [id, { askedAt, patienceMs }] of this.#awaited) {
      const waitedMs = now - askedAt;
      if (waitedMs >= askAgainMs || (waitedMs >= patienceMs && !this.bus.isConnected)) this.#step(id, "late");
    }
    this.#looking = this.#awaited.size > 0 ? setTimeout(() => this.#look(), doubtMs) : undefined;
  }

  /** @param answer what the other node answered, if it did */
  #step(id: number, event: ForwardEvent, answer?: Outcome | ApiError): void {
    const awaited = this.#awaited.get(id);
    if (!awaited) return;
    const { state, asksAgain } = stepForward(awaited.state, event);
    awaited.state = state;
    if (asksAgain) this.#askAgain(id, awaited);
    if (state === "sent" || state === "again") return;
    this.#awaited.delete(id);
    clearTimeout(awaited.timer);
    this.ended(state, (performance.now() - awaited.startedAt) / 1000);
    if (state === "notBegun") awaited.reject(new NotBegun());
    else if (answer === undefined || answer instanceof ApiError) awaited.reject(answer ?? unknownOutcome());
    else awaited.resolve({ reply: answer.reply, position: answer.position });
  }

  #askAgain(id: number, awaited: Awaited): void {
    awaited.askedAt = performance.now();
    awaited.patienceMs = askAgainMs;
    // If this gets lost too it is asked for once more, until the deadline.
    const { to, realmId: realm, command } = awaited;
    this.bus.send(to, { kind: "again", id, realm, ...command } satisfies NodeMessage, "repeat").catch(() => {});
  }

  #giveUpAfter(id: number, ms: number, partsLeft = parts): NodeJS.Timeout {
    return setTimeout(() => {
      const awaited = this.#awaited.get(id);
      if (awaited && partsLeft > 1) awaited.timer = this.#giveUpAfter(id, ms, partsLeft - 1);
      else this.#step(id, "overdue");
    }, ms / parts);
  }
}

const unknownOutcome = (): ApiError =>
  errors.SERVICE_UNAVAILABLE(
    "The node that writes this organization went away while it had this request: it may or may not have been done.",
  );
