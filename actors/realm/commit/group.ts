/**
 * Changes of one kind that many people make. All that wait are decided on one query, and committed by one statement.
 * Only the writer changes what the query reads, and it commits nothing in between. If another node has become the
 * writer, the statement is fenced.
 */
import type { RealmId } from "../../../storage/ids.ts";
import type { Database } from "../../../storage/postgres.ts";
import type { LogRow, WriterTerm } from "../../../storage/realm-log.ts";
import type { Entry } from "../entry.ts";
import type { RealmState } from "../state/state.ts";

/** What one of them does. */
export interface Decision<Write, Reply> {
  entries: Entry[];
  writes: Write[];
  reply: Reply;
}

/** A kind of change. */
export interface Group<Args, Fact, Write, Reply> {
  /** Reads what has to be known of all of them, by one statement. */
  ask(database: Database, realmId: RealmId, all: readonly Args[]): Promise<Fact>;
  /** @throws ApiError the refusal of this one */
  decide(state: RealmState, args: Args, fact: Fact): Decision<Write, Reply>;
  /** One statement. @throws WriterFenced */
  commit(database: Database, term: WriterTerm, writes: readonly Write[], rows: LogRow[], now: number): Promise<void>;
}

/** A change of some kind, which only its kind knows. */
export interface Grouped {
  readonly kind: object;
  /** Its share of a commit. */
  readonly size: number;
  /** Decides it and others of its kind. The result of a refused one is an error. */
  decideAll(
    database: Database,
    state: RealmState,
    all: readonly Grouped[],
  ): Promise<(Decision<unknown, unknown> | { refusal: unknown })[]>;
  commit(database: Database, term: WriterTerm, writes: readonly unknown[], rows: LogRow[], now: number): Promise<void>;
}

class Member<Args, Fact, Write, Reply> implements Grouped {
  constructor(
    readonly kind: Group<Args, Fact, Write, Reply>,
    readonly args: Args,
    readonly size: number,
  ) {}

  async decideAll(database: Database, state: RealmState, all: readonly Grouped[]) {
    const members = all as readonly Member<Args, Fact, Write, Reply>[];
    const fact = await this.kind.ask(
      database,
      state.id,
      members.map(({ args }) => args),
    );
    return members.map(({ args }) => {
      try {
        return this.kind.decide(state, args, fact);
      } catch (refusal) {
        return { refusal };
      }
    });
  }

  commit(database: Database, term: WriterTerm, writes: readonly unknown[], rows: LogRow[], now: number) {
    return this.kind.commit(database, term, writes as readonly Write[], rows, now);
  }
}

/** @param size of what it asks for and writes, beside others' */
export const grouped = <Args, Fact, Write, Reply>(
  group: Group<Args, Fact, Write, Reply>,
  args: Args,
  size: number,
): Grouped => new Member(group, args, size);
