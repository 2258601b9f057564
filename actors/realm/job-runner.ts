/** Starts the jobs of realms when they are due, and wakes realms that sleep while one of theirs is. */
import type { RealmActor, RealmEnvironment } from "./actor.ts";
import type { Job } from "./jobs.ts";

/** How often sleeping realms are looked for: so much later than asked may be what a sleeping realm has to do. */
const wakeEverySecs = 5;

export class JobRunner {
  /** When each job of a realm ran last; kept with the realm. */
  readonly #lastRuns = new WeakMap<RealmActor, Map<Job, number>>();
  readonly #running = new WeakMap<RealmActor, Set<Job>>();
  #lookedAt = 0;
  #isStopped = false;

  constructor(
    private readonly jobs: readonly Job[],
    private readonly environment: RealmEnvironment,
  ) {}

  /** Starts what is due in a realm; called about once a second. */
  tick(realm: RealmActor, now: number): void {
    if (!realm.isWriter || this.#isStopped) return;
    const lastRuns = this.#lastRuns.get(realm) ?? new Map<Job, number>();
    const running = this.#running.get(realm) ?? new Set<Job>();
    this.#lastRuns.set(realm, lastRuns);
    this.#running.set(realm, running);
    for (const job of this.jobs) {
      if (running.has(job) || now - (lastRuns.get(job) ?? 0) < job.everySecs) continue;
      lastRuns.set(job, now);
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

  /** Loads the realms among `sleeping` for which something is due. */
  async wake(sleeping: ReadonlyMap<number, RealmActor>, now: number): Promise<void> {
    if (sleeping.size === 0 || now - this.#lookedAt < wakeEverySecs || this.#isStopped) return;
    this.#lookedAt = now;
    const waiting = await Promise.all(
      this.jobs.map((job) => job.findWaiting?.(this.environment.database.sql, now) ?? []),
    );
    for (const id of new Set(waiting.flat())) await sleeping.get(id)?.activate();
  }

  /** Starts nothing more. */
  stop(): void {
    this.#isStopped = true;
  }
}
