/**
 * The databases of a node, and which of them serves a host. Each is a home: it has actors, jobs, mail and a place in
 * the cluster of its own, none of which knows that there are others. Where `PARLEY_DATABASES` is not set there is one,
 * and a request costs no look at anything here.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ApiError, errors } from "../../../actors/errors.ts";
import type { Realm } from "../../../actors/realm/realm.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import type { ActorSystem } from "../../../actors/system.ts";
import { firstDatabase } from "../../../storage/directory/database-list.ts";
import type { RealmId } from "../../../storage/ids.ts";
import { type Database, RealmGone } from "../../../storage/postgres.ts";
import { isHere } from "../../../storage/realms.ts";
import { DirectoryCache } from "./directory-cache.ts";

/** One database of a node, and what it serves of it. */
export interface Home {
  readonly name: string;
  readonly database: Database;
  /** Undefined: the database was away since the node started. */
  system: ActorSystem | undefined;
}

/** Names that are remembered: an organization may have as many as a machine has addresses. */
const mostServed = 100_000;
/** For longer no request reads. */
const doubtedForMs = 120_000;
/** Between two looks at whether a move is over. */
const lookEveryMs = 50;

export class Homes {
  readonly #homes: Home[];
  readonly #directory: DirectoryCache;
  /** The only home, where there are no others. */
  readonly #sole: ActorSystem | undefined;
  /** Hosts that were served here, as `bare` has them: one that is gone may have moved a moment ago. */
  readonly #served = new Set<string>();

  /** Organizations that are or were being moved, each until when that is to be thought of. */
  readonly #moving = new Map<RealmId, number>();

  /** @param others databases beside the first, whose systems come when these answer */
  constructor(
    private readonly first: ActorSystem,
    others: readonly Home[] = [],
  ) {
    const { database } = first.environment;
    this.#homes = [{ name: firstDatabase, database, system: first }, ...others];
    this.#sole = others.length === 0 ? first : undefined;
    this.#directory = new DirectoryCache(database);
  }

  get homes(): readonly Home[] {
    return this.#homes;
  }

  /** What all homes have in common: clocks, and what whoever runs the server decides. */
  get environment(): ActorSystem["environment"] {
    return this.first.environment;
  }

  /** Whether organizations may move. */
  get hasSeveral(): boolean {
    return this.#sole === undefined;
  }

  get onlyRealm(): Realm | undefined {
    return this.#sole?.onlyRealm;
  }

  /** The organization served under a `Host` header, if it is loaded and known to be up to date without asking. */
  readyRealm(host: string): Realm | undefined {
    return (this.#sole ?? this.#systemOf(host))?.readyRealm(host);
  }

  /** The same, loaded and up to date. @throws NONEXISTENT_SUBDOMAIN, SERVICE_UNAVAILABLE */
  realmByHost(host: string): Promise<Realm> {
    return this.#sole ? this.#sole.realmByHost(host) : this.#find(host);
  }

  /** An organization, loaded and up to date. Undefined: there is none. @throws SERVICE_UNAVAILABLE */
  async realmById(id: RealmId): Promise<Realm | undefined> {
    if (this.#sole) return this.#sole.realmById(id);
    const holder = () => this.systems.find((system) => system.urlOf(id) !== undefined);
    const deadline = performance.now() + this.environment.limits.commandDeadlineMs;
    for (;;) {
      const found = await holder()?.realmById(id);
      if (found) return found;
      const known = await this.#directory.read(lookEveryMs, () => this.readHosts());
      if (!known.isMoving(id)) return holder()?.realmById(id);
      if (performance.now() > deadline) throw isOnItsWay();
      await delay(lookEveryMs);
    }
  }

  /** Realms loaded on this node. */
  realms(): Realm[] {
    return this.systems.flatMap((system) => system.realms());
  }

  /** Every realm that this node knows of, loaded or not. */
  all(): Realm[] {
    return this.systems.flatMap((system) => system.all());
  }

  /** Whether an organization answers to just this host, wherever it is. @throws StorageUnavailable */
  async hasHost(host: string): Promise<boolean> {
    if (this.#sole) return this.#sole.hasHost(host);
    const known = await this.#directory.readAgain();
    return known.find(host) !== undefined || known.moveOf(host) !== undefined || this.first.hasHost(host);
  }

  /** Reads anew which organizations there are. One database that is away keeps none of the others waiting. */
  async readHosts(): Promise<void> {
    if (this.#sole) return this.#sole.readHosts();
    await Promise.all(
      this.systems.map((system) =>
        system.environment.database.trouble === undefined ? settled(system.readHosts()) : undefined,
      ),
    );
  }

  get systems(): ActorSystem[] {
    return this.#homes.flatMap(({ system }) => system ?? []);
  }

  /** Organizations that are being moved. For a while their answers are looked at again: see `moved.ts`. */
  noteMoving(ids: readonly RealmId[]): void {
    const now = performance.now();
    for (const [id, until] of this.#moving) if (until < now) this.#moving.delete(id);
    for (const id of ids) this.#moving.set(id, now + doubtedForMs);
  }

  /** Whether an organization may be leaving its database at this moment. */
  mayMove({ id }: Pick<Realm, "id">): boolean {
    const until = this.#moving.get(id);
    return until !== undefined && performance.now() < until;
  }

  /**
   * Where an organization is now that was moved to another database during a request. Undefined: it is where it was.
   * @param thrown what became of the request
   * @throws SERVICE_UNAVAILABLE when it is still under way
   */
  async movedTo(realm: ServedRealm, host: string, thrown: unknown): Promise<Realm | undefined> {
    if (this.#sole || !(this.mayMove(realm) || mayBeOfMove(thrown))) return undefined;
    const source = this.#homes.find(({ database }) => database === realm.database);
    // A database that is away is no reason to ask another one.
    if (!source || (await isHere(source.database.sql, realm.id).catch(() => true))) return undefined;
    await source.system?.readHosts();
    const found = await this.#find(host).catch((error: unknown) => {
      if (isNowhere(error)) return undefined;
      throw error;
    });
    return found?.id === realm.id ? found : undefined;
  }

  #systemOf(host: string): ActorSystem | undefined {
    const [, ...others] = this.#homes;
    // The first one has the organization that answers to the server's own name.
    const system =
      others.find((home) => home.system?.knows(host))?.system ?? (this.first.knows(host) ? this.first : undefined);
    if (!system) return undefined;
    if (this.#served.size >= mostServed) this.#served.clear();
    this.#served.add(bare(host));
    return system;
  }

  async #find(host: string): Promise<Realm> {
    const deadline = performance.now() + this.environment.limits.commandDeadlineMs;
    for (;;) {
      const system = this.#systemOf(host);
      try {
        if (system) return await system.realmByHost(host);
      } catch (error) {
        if (!(error instanceof RealmGone) && !isNowhere(error)) throw error;
      }
      // Whoever asks for hosts that never were has everything read once a second.
      const known = await this.#directory.read(this.#served.has(bare(host)) ? lookEveryMs : 1000, () =>
        this.readHosts(),
      );
      if (this.#systemOf(host) && performance.now() < deadline) continue;
      const move = known.moveOf(host);
      if (move === undefined) throw this.#absence(known.find(host)?.database);
      if (performance.now() > deadline) throw isOnItsWay();
      await delay(lookEveryMs);
    }
  }

  /** Why an organization is not served that the directory has in this database. */
  #absence(name: string | undefined): ApiError {
    const home = this.#homes.find((each) => each.name === name);
    if (home && (home.system === undefined || home.database.trouble !== undefined))
      return errors.SERVICE_UNAVAILABLE("The database of this organization cannot be reached right now.");
    return errors.NONEXISTENT_SUBDOMAIN();
  }
}

/** Clients may write a host in many ways. */
const bare = (host: string): string => host.toLowerCase().replace(/:\d+$/, "");

const isOnItsWay = (): ApiError => errors.SERVICE_UNAVAILABLE("The organization is being moved; nothing was done.");

/** Rows that are gone look like a stranger, like something that never was, or like a bug. */
const mayBeOfMove = (thrown: unknown): boolean =>
  thrown !== undefined && (!(thrown instanceof ApiError) || thrown.status === 401 || thrown.status === 404);

const isNowhere = (error: unknown): boolean => error instanceof ApiError && error.code === "NONEXISTENT_SUBDOMAIN";

const settled = (work: Promise<void>): Promise<void> => work.catch(() => {});
