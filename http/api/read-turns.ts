/**
 * Reads of one caller that are under way at the same time. Of more than a few the rest wait, so that nobody's searches
 * take all connections to PostgreSQL.
 */
import { errors } from "../../actors/errors.ts";
import { defined } from "../../storage/failures.ts";

/** An account by its id, anybody else by their address. */
export type ReadCaller = number | string;

/** Reads of one caller that wait: programs may well ask for some hundred things at once. */
const maxWaiting = 1000;

interface Line {
  underWay: number;
  waiting: (() => void)[];
}

export class ReadTurns {
  readonly #lines = new Map<ReadCaller, Line>();

  /** @param maxUnderWay of one caller */
  constructor(private readonly maxUnderWay: number) {}

  /**
   * Undefined: begin at once. Else when to begin. Either way `release` follows, once.
   * @throws RATE_LIMIT_HIT when very many wait already, and nothing is to be released
   */
  take(caller: ReadCaller): Promise<void> | undefined {
    const line = this.#lines.get(caller);
    if (!line) {
      this.#lines.set(caller, { underWay: 1, waiting: [] });
      return undefined;
    }
    if (line.underWay < this.maxUnderWay) {
      line.underWay++;
      return undefined;
    }
    if (line.waiting.length >= maxWaiting) throw errors.RATE_LIMIT_HIT({ "retry-after": 1 });
    return new Promise((resolve) => line.waiting.push(resolve));
  }

  release(caller: ReadCaller): void {
    const line = defined(this.#lines.get(caller), "line");
    const next = line.waiting.shift();
    if (next) next();
    else if (--line.underWay === 0) this.#lines.delete(caller);
  }
}
