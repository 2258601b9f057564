/** Starts the jobs of realms when they are due, and loads a passivated realm when one of its jobs is due. */

import type { RealmId } from "../storage/ids.ts";
import type { RealmEnvironment } from "./realm/environment.ts";
import type { Job } from "./realm/job.ts";
import type { JobRealm } from "./realm/served.ts";

/** How often passivated realms are looked at, and so how late their jobs may be. */
const wakeEverySecs = 5;
/** How often the next due time is read again, although no event has changed it. */
const lookAgainSecs = 60;

/** A realm whose jobs are run. */
export interface RunnableRealm extends JobRealm {
  readonly isWriter: boolean;
  activate(): Promise<void>;
  /** The place in the log of the newest event of these types that this node knows of; 0: none. */
  newestOf(types: readonly string[]): number;
}

export class JobRunner {
  /** When each job of a realm ran last; kept with the realm. */
  readonly #lastRuns = new WeakMap<RunnableRealm, Map<Job, number>>();
  readonly #running = new WeakMap<RunnableRealm, Set<Job>>();
  /** When it was last asked for which realms there is something to do. */
  readonly #lastAsked = new Map<Job, number>();
  /** Until when nothing is due, as far as is known, and what was known of the realms when that was read. */
  readonly #quiet = new Map<Job, { until: number; news: string }>();
  /** When each job last looked outside for realms that sleep. */
  readonly #lookedOutside = new Map<Job, number>();
  #lookedAt = 0;
  #isStopped = false;

  constructor(
    private readonly jobs: readonly Job[],
    private readonly environment: RealmEnvironment,
  ) {}

  /**
   * Starts what is due in a realm; called about once a second.
   *
   * @param now UNIX seconds, for the jobs
   * @param steady the same by a clock that nobody sets, for the time between two runs
   */
  tick(realm: RunnableRealm, now: number, steady = now): void {
    for (const job of this.jobs) if (!job.onlyWaiting) this.#start(job, realm, now, steady);
  }

  /** Starts the jobs that ask first, in the realms that have something to do; called about once a second. */
  async tickWaiting(realms: ReadonlyMap<RealmId, RunnableRealm>, now: number, steady = now): Promise<void> {
    for (const job of this.jobs) {
      if (!job.onlyWaiting || !job.findWaiting || this.#isStopped) continue;
      if (steady - (this.#lastAsked.get(job) ?? 0) < job.everySecs) continue;
      const news = newsOf(job, realms);
      const quiet = this.#quiet.get(job);
      if (quiet && now < quiet.until && quiet.news === news) continue;
      this.#lastAsked.set(job, steady);
      const { sql } = this.environment.database;
      // This comes first: what happens between the two questions changes the news.
      const next = await job.next?.at(sql, now);
      if (next !== undefined) {
        this.#quiet.set(job, { until: Math.min(next ?? Number.POSITIVE_INFINITY, now + lookAgainSecs), news });
        if (next === null || next > now) continue;
      }
      for (const id of await job.findWaiting(sql, now)) {
        const realm = realms.get(id);
        if (realm) this.#start(job, realm, now, steady);
      }
    }
  }

  /** Loads the realms among `sleeping` for which something is due. */
  async wake(sleeping: ReadonlyMap<RealmId, RunnableRealm>, now: number, steady = now): Promise<void> {
    if (sleeping.size === 0 || steady - this.#lookedAt < wakeEverySecs || this.#isStopped) return;
    this.#lookedAt = steady;
    for (const job of this.jobs) if (job.findAsleep) void this.#lookOutside(job, sleeping, steady);
    const waiting = await Promise.all(
      this.jobs.map((job) => job.findWaiting?.(this.environment.database.sql, now) ?? []),
    );
    await this.#activate(new Set(waiting.flat()), sleeping);
  }

  /** Loads the realms for which a job finds something outside. What answers slowly keeps no other job waiting. */
  async #lookOutside(job: Job, sleeping: ReadonlyMap<RealmId, RunnableRealm>, steady: number): Promise<void> {
    const last = this.#lookedOutside.get(job);
    if (last !== undefined && steady - last < job.everySecs) return;
    this.#lookedOutside.set(job, steady);
    try {
      await this.#activate(await job.findAsleep!(this.environment, [...sleeping.keys()]), sleeping);
    } catch (error) {
      this.environment.log.warn({ job: job.name, err: error }, "a job did not find what waits for it");
    }
  }

  async #activate(ids: Iterable<RealmId>, sleeping: ReadonlyMap<RealmId, RunnableRealm>): Promise<void> {
    for (const id of ids) {
      if (this.#isStopped) return;
      try {
        await sleeping.get(id)?.activate();
      } catch (error) {
        // The others must not wait for one that cannot be loaded.
        this.environment.log.warn({ realm: id, err: error }, "a realm with work was not woken");
      }
    }
  }

  /** Starts nothing more. */
  stop(): void {
    this.#isStopped = true;
  }

  #start(job: Job, realm: RunnableRealm, now: number, steady: number): void {
    if (!realm.isWriter || this.#isStopped) return;
    const lastRuns = this.#lastRuns.get(realm) ?? new Map<Job, number>();
    const running = this.#running.get(realm) ?? new Set<Job>();
    this.#lastRuns.set(realm, lastRuns);
    this.#running.set(realm, running);
    if (running.has(job) || steady - (lastRuns.get(job) ?? 0) < job.everySecs) return;
    lastRuns.set(job, steady);
    running.add(job);
    void job
      .run(realm, now)
      .catch((error: unknown) => {
        if (!this.#isStopped)
          this.environment.log.warn({ realm: realm.id, job: job.name, err: error }, "job failed; it runs again");
      })
      .finally(() => running.delete(job));
  }
}

/** Differs when this node writes other realms than before, or an event came that changes when the job is due. */
function newsOf({ next }: Job, realms: ReadonlyMap<RealmId, RunnableRealm>): string {
  if (!next) return "";
  let news = "";
  for (const [id, realm] of realms) if (realm.isWriter) news += `${id}:${realm.newestOf(next.changedBy)},`;
  return news;
}
