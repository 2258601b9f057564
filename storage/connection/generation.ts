/**
 * Which PostgreSQL a connection leads to. After a failover the one that was replaced may come back, as a primary, under
 * the address that it always had. It knows nothing of what was stored since. A promotion begins a new timeline of the
 * same system, so both are told apart by two numbers.
 *
 * | Rule | A connection leads to                         | It is                                                     |
 * | GN1  | another system than the known one             | refused                                                   |
 * | GN2  | a standby                                     | used for what a standby is good for; it teaches nothing   |
 * | GN3  | a primary while none is known                 | used, and known from now on                               |
 * | GN4  | an older timeline than the known one          | refused                                                   |
 * | GN5  | a newer one                                   | used, and known; connections to the older one are closed  |
 * | GN6  | the known one                                 | used                                                      |
 *
 * A number that PostgreSQL does not tell this account differs from none. What is known is forgotten with the process:
 * whoever moves to another system on purpose restarts the server.
 */

/** What a PostgreSQL says of itself before a connection to it is used. */
export interface Generation {
  /** The number that `initdb` gave it, which its standbys share. */
  system: string | undefined;
  /** Counts promotions. A standby's is not asked for: it lags. */
  timeline: number | undefined;
  isStandby: boolean;
  isReadOnly: boolean;
}

export type Verdict = "use" | "adopt" | "refuse";

/** What becomes of a connection to `met`. */
export function judge(known: Generation | undefined, met: Generation): Verdict {
  if (differ(known?.system, met.system)) return "refuse";
  if (met.isStandby) return "use";
  if (known === undefined) return "adopt";
  if (!differ(known.timeline, met.timeline)) return "use";
  return met.timeline! < known.timeline! ? "refuse" : "adopt";
}

const differ = <T>(one: T | undefined, other: T | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other;

/** A sentence is logged again after so long, and a host that was refused is looked at again. */
const tellAgainMs = 60_000;

/** A connection that can be ended. */
interface Ending {
  destroy(): void;
}

/** What this process knows of its PostgreSQL, and who was refused. All connections of a database share one. */
export class Generations {
  #known: Generation | undefined;
  /** Connections to the known one, and to standbys. */
  readonly #inUse = new Set<Ending>();
  readonly #refused = new Map<string, number>();
  readonly #toldAt = new Map<string, number>();
  readonly #onPromoted: (() => void)[] = [];
  /** Connections that were closed unused. */
  refusals = 0;

  /** @param warn is told in a sentence what an operator should know, each at most once a minute */
  constructor(private readonly warn: (sentence: string) => void = () => {}) {}

  /** Whether the right one is known and connected to. Otherwise another may have been promoted unheard. */
  get isInUse(): boolean {
    return this.#known !== undefined && this.#inUse.size > 0;
  }

  /** The one that is right, as far as it tells. */
  get known(): Generation | undefined {
    return this.#known;
  }

  /**
   * Makes known the newest of several that answer, in their order. The first may be one that was replaced, and may be
   * the known one.
   * @returns the host of the one that is right, if it answers
   */
  survey(met: readonly (readonly [host: string, met: Generation])[]): string | undefined {
    let newest: (typeof met)[number] | undefined;
    let right: string | undefined;
    for (const one of met) {
      if (one[1].isStandby) continue;
      const verdict = judge(newest?.[1] ?? this.#known, one[1]);
      if (verdict === "adopt") newest = one;
      if (verdict !== "refuse") right = one[0];
    }
    if (newest !== undefined) this.#adopt(...newest);
    return right;
  }

  /** Whether the connection may be used, which begins then. */
  admits(host: string, met: Generation, connection: Ending): boolean {
    const verdict = judge(this.#known, met);
    if (verdict === "refuse") {
      this.refusals++;
      this.#refused.set(host, performance.now());
      this.tell(`${replacedAt(host)}; it is not used`);
      return false;
    }
    this.#refused.delete(host);
    if (verdict === "adopt") this.#adopt(host, met);
    this.#inUse.add(connection);
    return true;
  }

  #adopt(host: string, met: Generation): void {
    // A pool that were mixed would read of one and write to the other.
    const older = [...this.#inUse];
    this.#inUse.clear();
    for (const one of older) one.destroy();
    const before = this.#known;
    this.#known = { ...met, system: met.system ?? before?.system };
    if (before === undefined) return;
    this.tell(`PostgreSQL at ${host} was promoted: timeline ${met.timeline} follows ${before.timeline}`);
    for (const heard of this.#onPromoted) heard();
  }

  /** Calls `heard` when a newer primary is known, before any connection to it is used. */
  onPromoted(heard: () => void): void {
    this.#onPromoted.push(heard);
  }

  /** A connection has ended. */
  ended(connection: Ending): void {
    this.#inUse.delete(connection);
  }

  /** Where a PostgreSQL answered lately that was refused, in words. */
  get replaced(): string | undefined {
    for (const [host, at] of this.#refused) if (performance.now() - at < 2 * tellAgainMs) return replacedAt(host);
    return undefined;
  }

  /** Hosts that were refused and are to be looked at again. */
  toLookAt(): string[] {
    const due = [...this.#refused].filter(([, at]) => performance.now() - at >= tellAgainMs);
    // Until it answers it does not answer.
    for (const [host] of due) this.#refused.delete(host);
    return due.map(([host]) => host);
  }

  tell(sentence: string): void {
    const now = performance.now();
    if (now - (this.#toldAt.get(sentence) ?? Number.NEGATIVE_INFINITY) < tellAgainMs) return;
    this.#toldAt.set(sentence, now);
    this.warn(sentence);
  }
}

const replacedAt = (host: string): string => `a PostgreSQL that was replaced answers at ${host}`;
