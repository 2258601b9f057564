/**
 * Bytes of request bodies in memory at once: for this process, and for each caller, so that nobody takes all of it.
 * They are counted as they arrive, and given back when their request has ended.
 */
import { ApiError, errors } from "../../actors/errors.ts";
import type { UserId } from "../../storage/ids.ts";

export interface BodyLimits {
  /** Bytes of all bodies. */
  total: number;
  /** Bytes of the bodies from one address, and of one account. */
  perCaller: number;
}

/** Up to this size a body counts only toward the total. Most are far smaller, and finding out an address costs time. */
const freeBytes = 64 * 1024;
const retryAfterSecs = 5;
const mib = (bytes: number): number => Math.floor(bytes / (1024 * 1024));

export class BodyBudget {
  #total = 0;
  readonly #byCaller = new Map<string, number>();

  constructor(readonly limits: BodyLimits) {}

  /** Bytes in memory now. */
  get bytes(): number {
    return this.#total;
  }

  /** The share of one request. @param callerOf whose it is, which is asked for only if the body is large */
  open(callerOf: () => string): BodyShare {
    return new BodyShare(this, callerOf);
  }

  /** @throws SERVICE_UNAVAILABLE */
  take(bytes: number): void {
    if (this.#total + bytes > this.limits.total)
      throw errors.SERVICE_UNAVAILABLE(
        `The server is receiving as much as it can: at most ${mib(this.limits.total)} MiB at once. Try again soon.`,
      );
    this.#total += bytes;
  }

  /** @throws RATE_LIMIT_HIT */
  takeFor(caller: string, bytes: number): void {
    const taken = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (taken > this.limits.perCaller)
      throw new ApiError(
        429,
        "RATE_LIMIT_HIT",
        `You are sending too much at once: at most ${mib(this.limits.perCaller)} MiB. Wait for other uploads to end.`,
        { "retry-after": retryAfterSecs },
      );
    this.#byCaller.set(caller, taken);
  }

  giveBack(bytes: number): void {
    this.#total -= bytes;
  }

  giveBackFor(caller: string, bytes: number): void {
    const left = (this.#byCaller.get(caller) ?? 0) - bytes;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
  }
}

/** What one request has taken. */
export class BodyShare {
  #bytes = 0;
  /** Caller → bytes taken in their name. */
  readonly #callers = new Map<string, number>();
  #isOver = false;

  constructor(
    private readonly budget: BodyBudget,
    private readonly callerOf: () => string,
  ) {}

  /** Counts bytes that have arrived. @throws SERVICE_UNAVAILABLE, RATE_LIMIT_HIT when they may not be kept */
  take(bytes: number): void {
    // Bytes that come after the answer are not kept, and there is no error.
    if (this.#isOver) throw errors.SERVICE_UNAVAILABLE("The request is over.");
    this.budget.take(bytes);
    this.#bytes += bytes;
    if (this.#bytes > freeBytes && this.#callers.size === 0) this.#callers.set(this.callerOf(), 0);
    for (const caller of this.#callers.keys()) this.#level(caller);
  }

  /** Gives back bytes that are in memory no more. */
  giveBack(bytes: number): void {
    if (this.#isOver) return;
    this.budget.giveBack(bytes);
    this.#bytes -= bytes;
    for (const caller of this.#callers.keys()) this.#level(caller);
  }

  /** Counts them for an account too, once it is known. @throws RATE_LIMIT_HIT */
  claim(accountId: UserId): void {
    if (this.#isOver || this.#bytes <= freeBytes) return;
    const caller = `account:${accountId}`;
    this.#callers.set(caller, this.#callers.get(caller) ?? 0);
    this.#level(caller);
  }

  #level(caller: string): void {
    const more = this.#bytes - this.#callers.get(caller)!;
    if (more < 0) this.budget.giveBackFor(caller, -more);
    else this.budget.takeFor(caller, more);
    this.#callers.set(caller, this.#bytes);
  }

  /** Gives everything back. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.budget.giveBack(this.#bytes);
    for (const [caller, bytes] of this.#callers) this.budget.giveBackFor(caller, bytes);
  }
}
