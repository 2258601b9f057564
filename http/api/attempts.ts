/**
 * Attempts to authenticate. Failures are counted by address and by account, and logged, one line each, for programs
 * such as fail2ban.
 *
 * Only failures count, so that many clients that return at once, perhaps from one address, are not delayed. Looking up
 * an unknown key costs a query. For one address no more keys are looked up at a time than may still fail, and the
 * others wait. So wrong keys cost no more queries than the limit, however many come at once.
 */
import type { Logger } from "pino";
import { ApiError, errors } from "../../actors/errors.ts";
import { lastOf } from "../../storage/failures.ts";
import type { RealmId } from "../../storage/ids.ts";
import { networksOf } from "../server/addresses.ts";
import type { Exchange } from "../server/exchange.ts";
import type { Allowance, RateLimiter } from "./rate-limit.ts";

/** Who tries to authenticate, and as whom. */
export interface Attempt {
  exchange: Exchange;
  realmId: RealmId;
  /** Name or address that the caller gives. Empty if there is none. */
  account: string;
}

/** Refusals in a minute that a node tells an organization's audit log of: nobody fills it by guessing. */
const maxAuditedPerMinute = 120;

/** Characters kept of the account that a caller names. No email address is longer. */
const maxAccountLength = 254;

/** What a refused key takes from. */
interface AttemptBuckets {
  look(): Allowance[];
  take(): Promise<void>;
}

interface LookUps {
  /** Requests that look a key up, or wait to do so. */
  here: number;
  underWay: number;
  waiting: (() => void)[];
}

export class Attempts {
  /** By network, only while there are look-ups. */
  readonly #lookUps = new Map<string, LookUps>();

  /** Refusals of the minute that were told to audit logs. */
  readonly #audited = new Map<RealmId, number>();
  #auditedMinute = 0;

  constructor(
    private readonly limiter: RateLimiter,
    private readonly log: Logger,
    private readonly metrics: { logInRefused(by: "password" | "api_key"): void },
    private readonly settings: { hasRateLimits: boolean; trustedProxies: number },
  ) {}

  /** Finds the account of a key. @throws RATE_LIMIT_HIT, without a query, after many keys were refused */
  async byKey<T>(attempt: Attempt, lookUp: () => Promise<T>): Promise<T> {
    const address = this.#addressOf(attempt);
    if (!this.settings.hasRateLimits) return this.#lookUp(attempt, address, undefined, lookUp);
    const buckets = this.#bucketsOf(attempt, address);
    // By the widest network that has a bucket, so that none is taken from twice at once.
    const network = lastOf(networksOf(address));
    const lookUps = this.#lookUps.get(network) ?? { here: 0, underWay: 0, waiting: [] };
    this.#lookUps.set(network, lookUps);
    lookUps.here++;
    try {
      await this.#turn(lookUps, buckets);
      try {
        return await this.#lookUp(attempt, address, buckets, lookUp);
      } finally {
        lookUps.underWay--;
      }
    } finally {
      lookUps.waiting.shift()?.();
      if (--lookUps.here === 0) this.#lookUps.delete(network);
    }
  }

  /** Counts and logs a wrong password. */
  loginFailed(attempt: Attempt, error: Error): void {
    this.#tell(attempt, this.#addressOf(attempt), "log-in refused", error);
    this.metrics.logInRefused("password");
  }

  /** Whether an audit log is told of one more refusal in this minute. @param now UNIX seconds */
  isAudited(realmId: RealmId, now: number): boolean {
    const minute = Math.floor(now / 60);
    if (minute !== this.#auditedMinute) this.#audited.clear();
    this.#auditedMinute = minute;
    const told = this.#audited.get(realmId) ?? 0;
    this.#audited.set(realmId, told + 1);
    return told < maxAuditedPerMinute;
  }

  /**
   * Waits while as many keys of this address are being looked up as may be refused. Then counts one more.
   * @throws RATE_LIMIT_HIT
   */
  async #turn(lookUps: LookUps, buckets: AttemptBuckets): Promise<void> {
    for (;;) {
      const allowances = buckets.look();
      const refused = allowances.find(({ isAllowed }) => !isAllowed);
      if (refused) throw errors.RATE_LIMIT_HIT({ "retry-after": refused.retryAfterSecs });
      if (lookUps.underWay < Math.min(...allowances.map(({ remaining }) => remaining))) {
        // Counted synchronously: requests that begin in the same turn must see it.
        lookUps.underWay++;
        return;
      }
      await new Promise<void>((resolve) => lookUps.waiting.push(resolve));
    }
  }

  async #lookUp<T>(
    attempt: Attempt,
    address: string,
    buckets: AttemptBuckets | undefined,
    lookUp: () => Promise<T>,
  ): Promise<T> {
    try {
      return await lookUp();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        await buckets?.take();
        this.#tell(attempt, address, "API key refused", error);
        this.metrics.logInRefused("api_key");
      }
      throw error;
    }
  }

  #bucketsOf({ realmId, account }: Attempt, address: string): AttemptBuckets {
    const { limiter } = this;
    const name = account === "" ? undefined : `${realmId}:${account.toLowerCase()}`;
    return {
      look: () => [
        limiter.look("refused_key_by_ip", { realmId, address }),
        ...(name === undefined ? [] : [limiter.look("refused_key_by_user", name)]),
      ],
      async take() {
        await limiter.takeShared("refused_key_by_ip", { realmId, address });
        if (name !== undefined) await limiter.takeShared("refused_key_by_user", name);
      },
    };
  }

  #addressOf({ exchange }: Attempt): string {
    return exchange.remoteAddress(this.settings.trustedProxies);
  }

  #tell({ exchange, realmId, account }: Attempt, address: string, what: string, error: Error): void {
    const shown = account.slice(0, maxAccountLength);
    this.log.warn({ realm: realmId, address, account: shown, request: exchange.id, reason: error.message }, what);
  }
}
