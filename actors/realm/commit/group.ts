/**
 * Changes of one kind that many people make: all that wait are decided on one question to PostgreSQL, and committed by
 * one statement. Nobody but the writer changes what the answer told, and it commits nothing in between; should another
 * node have become the writer, the statement finds that out.
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
  /** What has to be known of all of them: one statement. */
  ask(database: Database, realmId: RealmId, all: readonly Args[]): Promise<Fact>;
  /** @throws ApiError what this one is refused for */
  decide(state: RealmState, args: Args, fact: Fact): Decision<Write, Reply>;
  /** One statement. @throws WriterFenced */
  commit(database: Database, term: WriterTerm, writes: readonly Write[], rows: LogRow[], now: number): Promise<void>;
}

/** A change of some kind, which only its kind knows. */
export interface Grouped {
  readonly kind: object;
  /** How much of a commit it takes. */
  readonly size: number;
  /** Decides it and others of its kind. What is refused is an error in its place. */
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
