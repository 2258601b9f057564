/**
 * Bytes of large answers that wait for their clients, of this process and of each caller. So nobody has the server keep
 * more by asking much and reading little. What an answer shares with others' is not counted.
 */
import { ApiError, errors } from "../../actors/errors.ts";

export interface AnswerLimits {
  /** Bytes of all answers. */
  total: number;
  /** Bytes of the answers to one account, or to one address without. */
  perCaller: number;
}

const retryAfterSecs = 5;
const mib = (bytes: number): number => Math.floor(bytes / (1024 * 1024));

export class AnswerBudget {
  #total = 0;
  readonly #byCaller = new Map<string, number>();

  constructor(readonly limits: AnswerLimits) {}

  /** Bytes that wait now. */
  get bytes(): number {
    return this.#total;
  }

  /**
   * Takes the bytes of an answer; whoever has none waiting gets one of any size.
   *
   * @returns gives them back, once, however often it is called
   * @throws RATE_LIMIT_HIT, SERVICE_UNAVAILABLE
   */
  take(caller: string, bytes: number): () => void {
    const { total, perCaller } = this.limits;
    const own = this.#byCaller.get(caller) ?? 0;
    if (own > 0 && own + bytes > perCaller)
      throw new ApiError(
        429,
        "RATE_LIMIT_HIT",
        `Too much of what you asked for waits to be read: at most ${mib(perCaller)} MiB. Read those answers first.`,
        { "retry-after": retryAfterSecs },
      );
    if (this.#total > 0 && this.#total + bytes > total)
      throw errors.SERVICE_UNAVAILABLE(
        `The server is answering as much as it can: at most ${mib(total)} MiB at once. Try again soon.`,
      );
    this.#total += bytes;
    this.#byCaller.set(caller, own + bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#total -= bytes;
      const left = this.#byCaller.get(caller)! - bytes;
      if (left > 0) this.#byCaller.set(caller, left);
      else this.#byCaller.delete(caller);
    };
  }
}
