/**
 * What a node remembers of a realm for a noun, beside the replica. The noun declares it, and `actors/nouns.ts` lists
 * it. A realm loads all memories with itself, tells them of each entry, and gives each out by its declaration:
 * `memoryOf(realm, presenceMemory)`.
 */
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { Database } from "../../storage/postgres.ts";
import type { Entry, LogEntry } from "./entry.ts";
import type { RealmEnvironment } from "./environment.ts";
import type { RecentLog } from "./recent.ts";
import type { RealmState } from "./state/state.ts";

/** The realm that a memory is of. */
export interface MemoryRealm {
  readonly id: RealmId;
  readonly state: RealmState;
  readonly database: Database;
  readonly environment: RealmEnvironment;
  /** The newest part of the log. */
  readonly recent: RecentLog;
  /** The newest log position applied here. */
  readonly position: LogPosition;
  readonly isWriter: boolean;
  /** Publishes an event that is not stored. */
  publish(entry: Entry): void;
  /** Says that a queue came back here. The node that held it lets it go. */
  claim(queueId: string, claim: number): void;
  /** Whether a client may have been told of an event at this position, by any node. */
  mayBeDelivered(position: LogPosition): Promise<boolean>;
  /** Resolves when this node has applied whatever the log holds up to `position`. */
  reached(position: LogPosition): Promise<void>;
}

/** All but `name` and `load` where a memory wants it. `Left` is what the next load gets of this one. */
export interface Memory<M, Left = unknown> {
  /** For an error that names it. */
  readonly name: string;
  /** Makes it, once the replica is loaded. @param left what the load before left, if there was one */
  load(realm: MemoryRealm, left: Left | undefined): M | Promise<M>;
  /** Called with an entry before the replica has it. */
  foresee?(memory: M, entry: LogEntry): void;
  /** Called with an entry when the replica has it. */
  apply?(memory: M, entry: LogEntry): void;
  /** Called with an entry that the replica passed over, since it came again or late. */
  applyLate?(memory: M, entry: LogEntry): void;
  /** Called with an entry that this node committed, when every memory has it. */
  committed?(memory: M, entry: LogEntry): void;
  /** Decides, on the writer, which entries are published for one that is not stored. Undefined: the entry itself. */
  decide?(memory: M, entry: Entry): readonly Entry[] | undefined;
  /** This node begins to write. Facts that it knew while another node wrote may have changed. */
  termBegins?(memory: M): void;
  /** Another node has revived this queue. */
  claimed?(memory: M, queueId: string, claim: number): void;
  /** How many clients it waits for. A realm with any stays loaded. */
  clients?(memory: M): number;
  /** Called about once a second. @param now UNIX seconds */
  sweep?(memory: M, now: number): void;
  /** Nobody has used the realm for a while: drops what can be made again. */
  forget?(memory: M): void;
  /** The node stops: stores what is not stored yet. */
  stop?(memory: M): Promise<void>;
  /** The realm is dropped. Returns what PostgreSQL does not have yet. */
  close?(memory: M): Left | undefined;
}

export const defineMemory = <M, Left = undefined>(declaration: Memory<M, Left>): Memory<M, Left> => declaration;

/** What memories left to the next load. */
export type CarriedOver = ReadonlyMap<Memory<unknown>, unknown>;

interface HasMemories {
  readonly memories: Memories;
}

/** What this node remembers of a realm for a noun. @throws SERVICE_UNAVAILABLE while the realm is not loaded */
export const memoryOf = <M>(realm: HasMemories, declaration: Memory<M>): M => realm.memories.of(declaration);

type Told = (entry: LogEntry) => void;

/** The memories of one load of a realm. */
export class Memories {
  readonly #held = new Map<Memory<unknown>, unknown>();
  // The functions that are called for each entry are listed once.
  readonly #foreseeing: Told[] = [];
  readonly #applying: Told[] = [];
  readonly #committing: Told[] = [];

  /** Loads them one after another, in the order in which they are declared. */
  async load(declared: readonly Memory<unknown>[], realm: MemoryRealm, left: CarriedOver | undefined): Promise<void> {
    for (const declaration of declared) {
      const memory = await declaration.load(realm, left?.get(declaration));
      this.#held.set(declaration, memory);
      const { foresee, apply, committed } = declaration;
      if (foresee) this.#foreseeing.push((entry) => foresee(memory, entry));
      if (apply) this.#applying.push((entry) => apply(memory, entry));
      if (committed) this.#committing.push((entry) => committed(memory, entry));
    }
  }

  of<M>(declaration: Memory<M>): M {
    const memory = this.#held.get(declaration) as M | undefined;
    if (memory === undefined) throw new Error(`No realm has the memory "${declaration.name}".`);
    return memory;
  }

  foresee(entry: LogEntry): void {
    for (const tell of this.#foreseeing) tell(entry);
  }

  apply(entry: LogEntry): void {
    for (const tell of this.#applying) tell(entry);
  }

  committed(entry: LogEntry): void {
    for (const tell of this.#committing) tell(entry);
  }

  applyLate(entry: LogEntry): void {
    for (const [declaration, memory] of this.#held) declaration.applyLate?.(memory, entry);
  }

  /** What is published for an entry that is not stored. */
  decide(entry: Entry): readonly Entry[] {
    for (const [declaration, memory] of this.#held) {
      const decided = declaration.decide?.(memory, entry);
      if (decided) return decided;
    }
    return [entry];
  }

  termBegins(): void {
    for (const [declaration, memory] of this.#held) declaration.termBegins?.(memory);
  }

  claimed(queueId: string, claim: number): void {
    for (const [declaration, memory] of this.#held) declaration.claimed?.(memory, queueId, claim);
  }

  clients(): number {
    let clients = 0;
    for (const [declaration, memory] of this.#held) clients += declaration.clients?.(memory) ?? 0;
    return clients;
  }

  sweep(now: number): void {
    for (const [declaration, memory] of this.#held) declaration.sweep?.(memory, now);
  }

  forget(): void {
    for (const [declaration, memory] of this.#held) declaration.forget?.(memory);
  }

  /** The last one first, as the others hear of what it does. */
  async stop(): Promise<void> {
    for (const [declaration, memory] of [...this.#held].reverse()) await declaration.stop?.(memory);
  }

  close(): CarriedOver {
    const left = new Map<Memory<unknown>, unknown>();
    for (const [declaration, memory] of [...this.#held].reverse()) {
      const rest = declaration.close?.(memory);
      if (rest !== undefined) left.set(declaration, rest);
    }
    return left;
  }
}
