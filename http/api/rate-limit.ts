/**
 * Rate limits by the generic cell rate algorithm. One number per key says when the key's bucket will be full again. So
 * `limit` requests fit into any `windowSecs`, and an unused key costs nothing.
 */
import { createHash } from "node:crypto";
import type { Charge, RateBuckets } from "../../storage/cluster/rate-buckets.ts";
import { defined } from "../../storage/failures.ts";
import type { RealmId } from "../../storage/ids.ts";
import { networksOf } from "../server/addresses.ts";

export interface Rate {
  limit: number;
  windowSecs: number;
}

export interface Allowance {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** When the whole limit is available again, UNIX seconds. */
  resetAt: number;
  /** Seconds until the next request would be allowed; 0 when this one is. */
  retryAfterSecs: number;
}

/**
 * What is limited, and the default limits. Requests: of an account, and of an address without an account. Wrong
 * passwords: of a name. Refused API keys: from an address, and for the account that the caller names.
 */
export const rates = {
  api_by_user: { limit: 200, windowSecs: 60 },
  /** All bots of one owner together, beside the limit of each. */
  api_by_bots_of_owner: { limit: 600, windowSecs: 60 },
  api_by_ip: { limit: 100, windowSecs: 60 },
  /** Requests by which one directory provisions accounts. Entra wants 25 a second. */
  api_by_scim_token: { limit: 1500, windowSecs: 60 },
  /** Wrong passwords for one name: from one network, and from everywhere together. */
  authenticate_by_username: { limit: 5, windowSecs: 1800 },
  authenticate_by_username_anywhere: { limit: 100, windowSecs: 1800 },
  refused_key_by_ip: { limit: 60, windowSecs: 60 },
  refused_key_by_user: { limit: 60, windowSecs: 60 },
  change_email: { limit: 2, windowSecs: 3600 },
  /** Links by which people join with an address of their choice. A whole office may ask from one network. */
  join_by_address: { limit: 3, windowSecs: 3600 },
  join_by_ip: { limit: 200, windowSecs: 3600 },
  /** Links for a new password: under one name, and from one address. */
  reset_password_by_username: { limit: 3, windowSecs: 3600 },
  reset_password_by_ip: { limit: 20, windowSecs: 3600 },
  /** Mail that becomes messages: of all of an organization, and by one address. It also ends loops. */
  mail_in_by_realm: { limit: 600, windowSecs: 3600 },
  mail_in_by_address: { limit: 60, windowSecs: 600 },
  /** Summaries that a language model is asked for: by one person, and by all of an organization. */
  summaries_by_user: { limit: 20, windowSecs: 3600 },
  summaries_by_realm: { limit: 300, windowSecs: 3600 },
  /** Times that a provider of GIFs is asked: by one person, and by all of an organization. */
  gifs_by_user: { limit: 60, windowSecs: 300 },
  gifs_by_realm: { limit: 2000, windowSecs: 3600 },
} as const satisfies Record<string, Rate>;
export type RateName = keyof typeof rates;
export type Rates = Readonly<Record<RateName, Rate>>;

const defaults: Rates = rates;

/** A machine that asks an organization for something. */
export interface AddressKey {
  realmId: RealmId;
  address: string;
}

/**
 * Whose bucket it is: a machine's where the name says so, else the id of an account, or a text. A text may be anything
 * that a caller sends, so only its hash is kept.
 */
export type KeyOf<N extends RateName> = N extends `${string}_by_ip` ? AddressKey : number | string;

/** A site with an IPv6 /48 may do as much as so many of its /64s. Each is one customer's where carriers share a /48. */
const siteTimes = 10;

/** A bucket, and what one request takes from it, in seconds in which it regains that. */
interface Bucket extends Rate {
  id: string;
  costSecs: number;
}

/** A node that cannot reach the shared buckets counts for itself, and tries again after this long. */
const unreachableSecs = 1;
/** How long a request waits to learn what the other nodes counted. */
const shareTimeoutMs = 250;
/** Within this time a node reports to the others what it took without asking. */
const reportAfterMs = 50;

/** Buckets to which something is to be given back once the others can be reached. */
const maxGivenBack = 10_000;

/** The most buckets that a node keeps. */
const maxBuckets = 500_000;

/**
 * When each bucket is full again, in seconds. A bucket that was not used for the longest window is full, and forgotten.
 * Of more than `max` the half that was not used for longest is forgotten. Nothing is ever searched.
 */
class Buckets {
  #fresh = new Map<string, number>();
  #older = new Map<string, number>();
  #turnedAt = 0;

  constructor(
    private readonly max: number,
    private readonly longestSecs: number,
  ) {}

  get size(): number {
    return this.#fresh.size + this.#older.size;
  }

  fullAt(bucket: string): number {
    return this.#fresh.get(bucket) ?? this.#older.get(bucket) ?? 0;
  }

  set(bucket: string, fullAt: number, now: number): void {
    this.#fresh.set(bucket, fullAt);
    if (this.#fresh.size < this.max / 2 && now - this.#turnedAt < this.longestSecs) return;
    this.#older = this.#fresh;
    this.#fresh = new Map();
    this.#turnedAt = now;
  }
}

/**
 * Counts what is taken from each bucket. With shared buckets all nodes count together: `takeShared` asks them, and
 * `take` uses what this node heard last, and reports afterwards.
 */
export class RateLimiter {
  readonly #buckets: Buckets;
  /** Taken without asking and not reported yet: bucket → seconds. */
  #owed = new Map<string, { windowSecs: number; costSecs: number }>();
  #reporting: NodeJS.Timeout | undefined;
  #unreachableUntil = 0;

  constructor(
    private readonly shared: RateBuckets | undefined = undefined,
    private readonly clock: () => number = () => Date.now() / 1000,
    private readonly rates: Rates = defaults,
    max = maxBuckets,
  ) {
    this.#buckets = new Buckets(max, Math.max(...Object.values(rates).map(({ windowSecs }) => windowSecs)));
  }

  /** Buckets that are kept. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one from the key's bucket, or says when one will be available. */
  take<N extends RateName>(name: N, key: KeyOf<N>): Allowance {
    const { own, around } = this.#bucketsOf(name, key);
    const allowance = this.#take(own);
    return around && allowance.isAllowed ? tighter(allowance, this.#take(around)) : allowance;
  }

  /** The same, by what all nodes have counted. If they cannot be asked it uses this node's count, without waiting. */
  takeShared<N extends RateName>(name: N, key: KeyOf<N>): Allowance | Promise<Allowance> {
    const { own, around } = this.#bucketsOf(name, key);
    const taken = this.#takeShared(own);
    if (!around) return taken;
    // In this order: one machine that is refused takes nothing from the others of its site.
    const both = async () => {
      const allowance = await taken;
      return allowance.isAllowed ? tighter(allowance, await this.#takeShared(around)) : allowance;
    };
    return both();
  }

  /** How many could be taken, as far as this node knows, and when the next one can. */
  look<N extends RateName>(name: N, key: KeyOf<N>): Allowance {
    const now = this.clock();
    const { own, around } = this.#bucketsOf(name, key);
    const look = (bucket: Bucket) => {
      const fullAt = Math.max(now, this.#buckets.fullAt(bucket.id));
      return allowanceOf(bucket, holdsOne(bucket, fullAt, now), fullAt, now);
    };
    return around ? tighter(look(own), look(around)) : look(own);
  }

  /**
   * Gives one back that should not count after all, as for a log-in that succeeded. Once it resolves the other nodes
   * know of it, if they can be reached: a quick program's next request may come to any of them.
   */
  async giveBack<N extends RateName>(name: N, key: KeyOf<N>): Promise<void> {
    const { own, around } = this.#bucketsOf(name, key);
    for (const bucket of around ? [own, around] : [own]) {
      this.#buckets.set(bucket.id, this.#buckets.fullAt(bucket.id) - bucket.costSecs, this.clock());
      this.#owe(bucket, -bucket.costSecs);
    }
    await this.#report();
  }

  /** Reports what is not yet reported, and ends. */
  async close(): Promise<void> {
    await this.#report();
    clearTimeout(this.#reporting);
  }

  /** What a key takes from: one bucket, or for IPv6 those of the two networks around it. */
  #bucketsOf<N extends RateName>(name: N, key: KeyOf<N>): { own: Bucket; around?: Bucket } {
    const { limit, windowSecs } = this.rates[name];
    const bucket = (text: number | string, times = 1): Bucket => ({
      id: bucketOf(name, text),
      limit: limit * times,
      windowSecs,
      costSecs: windowSecs / (limit * times),
    });
    if (typeof key !== "object") return { own: bucket(key) };
    const [network, site] = networksOf(key.address);
    const own = bucket(`${key.realmId}:${network}`);
    return site === undefined ? { own } : { own, around: bucket(`${key.realmId}:${site}`, siteTimes) };
  }

  #take(bucket: Bucket): Allowance {
    const now = this.clock();
    const fullAt = Math.max(now, this.#buckets.fullAt(bucket.id));
    const isAllowed = holdsOne(bucket, fullAt, now);
    const next = isAllowed ? fullAt + bucket.costSecs : fullAt;
    if (isAllowed) {
      this.#buckets.set(bucket.id, next, now);
      this.#owe(bucket, bucket.costSecs);
    }
    return allowanceOf(bucket, isAllowed, next, now);
  }

  #takeShared(bucket: Bucket): Allowance | Promise<Allowance> {
    if (!this.shared || this.clock() < this.#unreachableUntil) return this.#take(bucket);
    return this.#ask(this.shared, bucket);
  }

  async #ask(shared: RateBuckets, bucket: Bucket): Promise<Allowance> {
    const now = this.clock();
    const { id, costSecs, windowSecs } = bucket;
    const asked = shared.take([{ bucket: id, costSecs, windowSecs, isOwed: false }]);
    try {
      const [charged] = await inTime(asked);
      const { isAllowed, fullInSecs } = defined(charged, "answer for the bucket");
      this.#buckets.set(id, now + fullInSecs, now);
      return allowanceOf(bucket, isAllowed, now + fullInSecs, now);
    } catch {
      this.#unreachableUntil = now + unreachableSecs;
      // It is counted here. What the others count after all would be counted twice.
      asked.then(
        ([late]) => late?.isAllowed && this.#owe(bucket, -costSecs),
        () => {},
      );
      return this.#take(bucket);
    }
  }

  #owe({ id, windowSecs }: Pick<Bucket, "id" | "windowSecs">, costSecs: number): void {
    if (!this.shared) return;
    const owed = this.#owed.get(id);
    if (owed) owed.costSecs += costSecs;
    else this.#owed.set(id, { windowSecs, costSecs });
    const awayMs = Math.max(0, this.#unreachableUntil - this.clock()) * 1000;
    this.#reporting ??= setTimeout(() => void this.#report(), reportAfterMs + awayMs).unref();
  }

  /**
   * What was taken while the others could not be asked they do not learn of: each node counts for itself then. What is
   * given back they may have taken before, and get later: nobody is locked out for what they did right.
   */
  #keepGivenBack(charges: readonly Charge[]): void {
    for (const { bucket: id, windowSecs, costSecs } of charges)
      if (costSecs < 0 && this.#owed.size < maxGivenBack)
        this.#owe({ id, windowSecs }, Math.max(costSecs, -windowSecs));
  }

  async #report(): Promise<void> {
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
    const owed = this.#owed;
    this.#owed = new Map();
    const now = this.clock();
    if (!this.shared || owed.size === 0) return;
    const charges = [...owed].map(([bucket, of]) => ({ bucket, ...of, isOwed: true }));
    if (now < this.#unreachableUntil) return this.#keepGivenBack(charges);
    const asked = this.shared.take(charges);
    try {
      const charged = await inTime(asked);
      for (const [index, { bucket }] of charges.entries()) {
        // What was taken since then is added to it.
        const since = this.#owed.get(bucket)?.costSecs ?? 0;
        this.#buckets.set(bucket, now + defined(charged[index], "charge").fullInSecs + since, now);
      }
    } catch {
      this.#unreachableUntil = now + unreachableSecs;
      // What is late may have been counted all the same.
      asked.catch(() => this.#keepGivenBack(charges));
    }
  }
}

/** Of two budgets that a request is taken from, the one that is tighter. */
export function tighter(one: Allowance, other: Allowance): Allowance {
  if (one.isAllowed !== other.isAllowed) return one.isAllowed ? other : one;
  return other.remaining < one.remaining ? other : one;
}

function holdsOne({ costSecs, windowSecs }: Bucket, fullAt: number, now: number): boolean {
  return fullAt + costSecs - now <= windowSecs + 1e-9;
}

/** @param fullAt when the bucket is full again, after what was taken */
function allowanceOf(bucket: Bucket, isAllowed: boolean, fullAt: number, now: number): Allowance {
  const { limit, windowSecs, costSecs } = bucket;
  return {
    isAllowed,
    limit,
    remaining: Math.max(0, Math.floor((windowSecs - (fullAt - now)) / costSecs + 1e-6)),
    resetAt: Math.ceil(fullAt),
    retryAfterSecs: isAllowed ? 0 : fullAt + costSecs - windowSecs - now,
  };
}

/**
 * The name of a bucket: short, whatever the key. It has 128 bits of SHA-256, so nobody can find a second text with it.
 */
function bucketOf(name: RateName, key: number | string): string {
  if (typeof key === "number") return `${name}:${key}`;
  return `${name}:${createHash("sha256").update(key).digest("base64url").slice(0, 22)}`;
}

async function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    // After a pause of this process an answer that has come is read first.
    timer = setTimeout(() => setImmediate(reject, new Error("the shared buckets did not answer")), shareTimeoutMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
