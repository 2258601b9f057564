/**
 * One node forwards a command to another, which does it at most once (`taken-commands.ts`). When no answer comes, the
 * other node is asked again by mail. That may bring no answer either, or the other node may no longer be the writer.
 * Then nobody can say whether the command was done, and the caller is told so.
 */

import type { Bus } from "../../storage/cluster/bus.ts";
import { CoordinationUnavailable } from "../../storage/cluster/lease.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import { ApiError, errors } from "../errors.ts";
import type { ForwardOutcome } from "../metrics.ts";
import { NotBegun } from "../realm/commit/work.ts";
import type { ForwardedCommand } from "../realm/coordination.ts";
import type { NodeMessage } from "./node-messages.ts";

interface Awaited {
  to: string;
  realmId: RealmId;
  command: ForwardedCommand;
  /** When it was sent, or asked for again, by `performance.now()`. */
  askedAt: number;
  /** How long its answer may take while Redis is in doubt. */
  patienceMs: number;
  isAskedAgain: boolean;
  resolve(outcome: { reply: unknown; position: LogPosition }): void;
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
  async send(
    to: string,
    realmId: RealmId,
    command: ForwardedCommand,
    deadlineMs: number,
  ): Promise<{ reply: unknown; position: LogPosition }> {
    if (this.#awaited.size >= maxUnderWay)
      throw errors.SERVICE_UNAVAILABLE("The organization is busy; nothing was done.");
    const id = this.#nextId++;
    const outcome = new Promise<{ reply: unknown; position: LogPosition }>((resolve, reject) => {
      const timer = this.#giveUpAfter(id, deadlineMs);
      const now = performance.now();
      // A command that goes by mail from the start is in no doubt.
      const patienceMs = this.bus.isConnected ? doubtMs : askAgainMs;
      const times = { startedAt: now, askedAt: now, patienceMs };
      this.#awaited.set(id, { to, realmId, command, resolve, reject, timer, ...times, isAskedAgain: false });
    });
    this.#looking ??= setTimeout(() => this.#look(), doubtMs);
    // The answer may come before Redis confirms that the command was sent.
    outcome.catch(() => {});
    this.bus.send(to, { kind: "command", id, realm: realmId, ...command } satisfies NodeMessage).then(
      (isThere) => {
        if (!isThere) this.#neverLeft(id);
      },
      (error: unknown) => {
        if (error instanceof CoordinationUnavailable && error.isCertain) this.#neverLeft(id);
        else this.#askAgain(id);
      },
    );
    return outcome;
  }

  /** Takes an answer. One that nobody awaits any more is ignored. */
  receive(message: Extract<NodeMessage, { kind: "done" | "refused" }>): void {
    const awaited = this.#settle(message.id, message.kind === "done" ? "done" : message.error ? "refused" : "notBegun");
    if (!awaited) return;
    if (message.kind === "done") awaited.resolve({ reply: message.reply, position: message.position });
    else if (!message.error) awaited.reject(new NotBegun());
    else
      awaited.reject(
        new ApiError(message.error.status, message.error.code, message.error.message, message.error.extra),
      );
  }

  /** The realm has a new writer. Commands sent to the one before are answered soon or not at all. */
  writerChanged(realmId: RealmId, writer: string): void {
    for (const [id, awaited] of this.#awaited) {
      if (awaited.realmId !== realmId || awaited.to === writer) continue;
      clearTimeout(awaited.timer);
      awaited.timer = this.#giveUpAfter(id, lastAnswersMs);
      this.#askAgain(id);
    }
  }

  /** The command itself did not leave. Where it was asked for again, the other node may have it nevertheless. */
  #neverLeft(id: number): void {
    if (this.#awaited.get(id)?.isAskedAgain === false) this.#settle(id, "notBegun")?.reject(new NotBegun());
  }

  /** Asks again for what is late. */
  #look(): void {
    const now = performance.now();
    for (const [id, { askedAt, patienceMs }] of this.#awaited) {
      const waitedMs = now - askedAt;
      if (waitedMs >= askAgainMs || (waitedMs >= patienceMs && !this.bus.isConnected)) this.#askAgain(id);
    }
    this.#looking = this.#awaited.size > 0 ? setTimeout(() => this.#look(), doubtMs) : undefined;
  }

  #askAgain(id: number): void {
    const awaited = this.#awaited.get(id);
    if (!awaited) return;
    awaited.askedAt = performance.now();
    awaited.patienceMs = askAgainMs;
    awaited.isAskedAgain = true;
    // If this gets lost too it is asked for once more, until the deadline.
    const { to, realmId: realm, command } = awaited;
    this.bus.send(to, { kind: "again", id, realm, ...command } satisfies NodeMessage, "repeat").catch(() => {});
  }

  #giveUpAfter(id: number, ms: number, partsLeft = parts): NodeJS.Timeout {
    return setTimeout(() => {
      const awaited = this.#awaited.get(id);
      if (awaited && partsLeft > 1) awaited.timer = this.#giveUpAfter(id, ms, partsLeft - 1);
      else this.#settle(id, "unknown")?.reject(unknownOutcome());
    }, ms / parts);
  }

  #settle(id: number, outcome: ForwardOutcome): Awaited | undefined {
    const awaited = this.#awaited.get(id);
    if (!awaited) return undefined;
    this.#awaited.delete(id);
    clearTimeout(awaited.timer);
    this.ended(outcome, (performance.now() - awaited.startedAt) / 1000);
    return awaited;
  }
}

const unknownOutcome = (): ApiError =>
  errors.SERVICE_UNAVAILABLE(
    "The node that writes this organization went away while it had this request: it may or may not have been done.",
  );
