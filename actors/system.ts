/** All realms of this node: found by host, activated when used, passivated when not, swept once a second. */

import { defined } from "../storage/failures.ts";
import type { RealmId } from "../storage/ids.ts";
import { RealmGone } from "../storage/postgres.ts";
import { findHosts, realmsChannel } from "../storage/realms.ts";
import { errors } from "./errors.ts";
import { eventQueues } from "./event-queue/memory.ts";
import { housekeep } from "./housekeeping.ts";
import { JobRunner } from "./job-runner.ts";
import { nouns } from "./nouns.ts";
import type { RealmEnvironment } from "./realm/environment.ts";
import { memoryOf } from "./realm/memory.ts";
import { Realm } from "./realm/realm.ts";
import { SharedWork } from "./realm/shared-work.ts";

/** Organizations that are added, moved to another host or deleted meanwhile are known as such within this time. */
const readHostsEverySecs = 5;
const housekeepingSecs = 3600;

/** Names by which a machine calls itself. */
const loopbackPattern = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export class ActorSystem {
  readonly #realms = new Map<RealmId, Realm>();
  /** Host → realm id; `null` is the realm that answers to any host. */
  #hosts = new Map<string | null, RealmId>();
  #isAlone = false;
  #lastHousekeeping = 0;
  #sweeper: NodeJS.Timeout | undefined;
  #hostsReadAt = 0;
  readonly #readingHosts = new SharedWork(() => this.#readHosts());
  readonly #jobs: JobRunner;

  constructor(readonly environment: RealmEnvironment) {
    this.#jobs = new JobRunner(
      nouns.jobs.filter((job) => job.isOn?.(environment) ?? true),
      environment,
    );
  }

  /** Reads which organizations there are and begins to sweep. */
  async start(): Promise<void> {
    this.environment.database.onPromoted(() => this.#promoted());
    const { database, log } = this.environment;
    database.listen(realmsChannel, () => {
      void this.readHosts().catch((error: unknown) => log.warn({ err: error }, "organizations were not read"));
    });
    await this.readHosts();
    const tick = () => {
      this.#sweep();
      this.#sweeper = setTimeout(tick, 1000 - (Date.now() % 1000));
    };
    this.#sweeper = setTimeout(tick, 1000);
  }

  #promoted(): void {
    const realms = this.realms().length;
    this.environment.log.error({ realms }, "PostgreSQL was promoted; every organization is checked against it");
    for (const realm of this.all()) realm.mayLack("promoted");
  }

  /** Realms loaded on this node. */
  realms(): Realm[] {
    return [...this.#realms.values()].filter((realm) => realm.loaded !== undefined);
  }

  /** Every realm that this node knows of, loaded or not. */
  all(): Realm[] {
    return [...this.#realms.values()];
  }

  /** The organization that answers to any host, if it is ready. Then the host need not be looked at. */
  get onlyRealm(): Realm | undefined {
    return this.#isAlone ? this.#ready(this.#hosts.get(null)) : undefined;
  }

  /** The address of an organization that this node knows of. */
  urlOf(realmId: RealmId): string | undefined {
    const realm = this.#realms.get(realmId);
    return realm && this.environment.urlOf(realm.host);
  }

  /** Whether an organization answers to just this host. @throws StorageUnavailable */
  async hasHost(host: string): Promise<boolean> {
    await this.readHosts();
    return this.#hosts.has(host);
  }

  /** Whether an organization answers to a `Host` header, as far as was last read. */
  knows(host: string): boolean {
    return this.#find(host) !== undefined;
  }

  /** The organization served under a `Host` header, if it is loaded and known to be up to date without asking. */
  readyRealm(host: string): Realm | undefined {
    const realm = this.onlyRealm ?? this.#ready(this.#find(host));
    return realm?.holdsReadLease ? realm : undefined;
  }

  #ready(id: RealmId | undefined): Realm | undefined {
    const realm = id === undefined ? undefined : this.#realms.get(id);
    if (!realm?.isReady) return undefined;
    realm.touch();
    return realm;
  }

  /** Resolves when what was stored before this call is known. However many ask, one read is under way at a time. */
  readHosts(): Promise<void> {
    return this.#readingHosts.run();
  }

  async #readHosts(): Promise<void> {
    const rows = await findHosts(this.environment.database.sql);
    // Not before: whoever asks for a new one meanwhile waits for it.
    this.#hostsReadAt = this.environment.steady();
    this.#hosts = new Map(rows.map((row) => [row.host, row.id]));
    // A lone organization answers to any host.
    const [first] = rows;
    this.#isAlone = first?.isAlone === true && !this.environment.hasNeighbours;
    if (first && this.#isAlone) this.#hosts.set(null, first.id);
    const hosts = new Map(rows.map((row) => [row.id, row.host]));
    for (const [id, realm] of this.#realms) if (hosts.get(id) !== realm.host) this.#retire(id, realm);
    for (const [id, host] of hosts)
      if (!this.#realms.has(id)) this.#realms.set(id, new Realm(id, host, this.environment, nouns));
  }

  /** An organization was deleted, or has another host, which its addresses are made of: it is loaded anew. */
  #retire(id: RealmId, realm: Realm): void {
    this.#realms.delete(id);
    realm
      .stop(true)
      .catch((error: unknown) => this.environment.log.warn({ realm: id, err: error }, "an organization was let go"));
  }

  /**
   * The organization served under a `Host` header, loaded and up to date.
   *
   * @throws NONEXISTENT_SUBDOMAIN, SERVICE_UNAVAILABLE
   */
  async realmByHost(host: string): Promise<Realm> {
    let id = this.#find(host);
    if (id === undefined && this.environment.steady() - this.#hostsReadAt > 1) {
      await this.readHosts();
      id = this.#find(host);
    }
    if (id === undefined) throw errors.NONEXISTENT_SUBDOMAIN();
    const realm = defined(this.#realms.get(id), "realm");
    try {
      if (!this.#ready(id)) await realm.activate();
      await realm.current();
      return realm;
    } catch (error) {
      if (!(error instanceof RealmGone)) throw error;
      // Another one may have its host now.
      await this.readHosts();
      if (this.#realms.get(id) === realm) throw error;
      return this.realmByHost(host);
    }
  }

  /** An organization, loaded and up to date. Undefined: there is none. @throws SERVICE_UNAVAILABLE */
  async realmById(id: RealmId): Promise<Realm | undefined> {
    if (!this.#realms.has(id)) await this.readHosts();
    const realm = this.#realms.get(id);
    if (!realm) return undefined;
    if (!this.#ready(id)) await realm.activate();
    await realm.current();
    return realm;
  }

  /** Loads an organization that this node is asked to write. */
  async activateById(id: RealmId): Promise<void> {
    if (!this.#realms.has(id)) await this.readHosts();
    await this.#realms.get(id)?.activate();
  }

  /**
   * Hands leases over and answers parked polls. Requests that come now are still served, with other nodes as writers.
   */
  async drain(): Promise<void> {
    this.#jobs.stop();
    await this.environment.coordination.drain();
    for (const { replica } of this.all()) if (replica) memoryOf(replica, eventQueues).drain();
  }

  /** Ends what is left, and stores what is only in memory. */
  async stop(): Promise<void> {
    clearTimeout(this.#sweeper);
    const held = this.all().filter(({ replica }) => replica !== undefined);
    await Promise.all(held.map((realm) => realm.stop()));
  }

  #find(host: string): RealmId | undefined {
    const name = host.toLowerCase();
    const bare = name.replace(/:\d+$/, "");
    return (
      this.#hosts.get(name) ?? this.#hosts.get(bare) ?? (this.#isFallback(bare) ? this.#hosts.get(null) : undefined)
    );
  }

  /**
   * Whether an organization without a host of its own answers to a name. Alone it answers to any. Beside others it does
   * to the server's own and to those by which a machine calls itself. So no name leads to an organization that nobody
   * meant by it.
   */
  #isFallback(name: string): boolean {
    return this.#isAlone || loopbackPattern.test(name) || name === new URL(this.environment.urlOf(null)).hostname;
  }

  #sweep(): void {
    const now = this.environment.clock();
    const steady = this.environment.steady();
    for (const realm of this.realms()) {
      realm.sweep(steady);
      if (!realm.loaded) continue;
      this.#sweepQueues(realm, steady);
      this.#jobs.tick(realm, now, steady);
      void memoryOf(realm, eventQueues)
        .flush()
        .catch((error: unknown) =>
          this.environment.log.warn({ realm: realm.id, err: error }, "queues were not written down"),
        );
    }
    const asleep = [...this.#realms].filter(([, realm]) => realm.status === "passivated" || realm.status === "failed");
    void this.#jobs
      .tickWaiting(this.#realms, now, steady)
      .catch((error: unknown) => this.environment.log.warn({ err: error }, "jobs were not started"));
    void this.#jobs
      .wake(new Map(asleep), now, steady)
      .catch((error: unknown) => this.environment.log.warn({ err: error }, "realms with work were not woken"));
    if (steady - this.#hostsReadAt >= readHostsEverySecs) {
      void this.readHosts().catch((error: unknown) =>
        this.environment.log.warn({ err: error }, "organizations were not read"),
      );
    }
    if (steady - this.#lastHousekeeping >= housekeepingSecs) {
      this.#lastHousekeeping = steady;
      void housekeep(this.environment).catch((error: unknown) =>
        this.environment.log.warn({ err: error }, "housekeeping failed"),
      );
    }
  }

  /** Sweeps a slice at a time, so that requests come between. */
  #sweepQueues(realm: Realm, now: number): void {
    if ((realm.loaded && memoryOf(realm.loaded, eventQueues))?.sweep(now) === false)
      setImmediate(() => this.#sweepQueues(realm, now));
  }
}
