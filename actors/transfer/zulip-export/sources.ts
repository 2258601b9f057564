/** What the parts of an export are written from. */
import type { GroupId, Id, RealmId, UserId } from "../../../storage/ids.ts";
import type { Sql } from "../../../storage/postgres.ts";
import type { GroupSetting } from "../../../storage/rows.ts";
import type { JsonTablesWriter } from "../../../storage/transfer/json-tables.ts";
import type { Recipients } from "./recipients.ts";
import type { ExportScope } from "./scope.ts";

export interface ExportSources {
  /** A snapshot of the database, which only this export uses. */
  sql: Sql;
  realmId: RealmId;
  /** Address of the organization, without a slash at its end. */
  url: string;
  scope: ExportScope;
  recipients: Recipients;
  clients: Clients;
  groups: GroupReferences;
  /** Files of pictures of linked pages that messages of the export show. */
  previews: Set<string>;
}

export type TableWriter = Pick<JsonTablesWriter, "table">;

/** Programs that messages were sent by: a table of names. */
export class Clients {
  readonly #ids = new Map<string, Id<"client">>();

  idOf(name: string): Id<"client"> {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#ids.set(name, this.#ids.size + 1);
    return this.#ids.size;
  }

  *rows(): Generator<{ id: Id<"client">; name: string }> {
    for (const [name, id] of this.#ids) yield { id, name };
  }
}

interface AnonymousGroup {
  id: GroupId;
  members: readonly UserId[];
  subgroups: readonly GroupId[];
}

/** Values of settings that groups hold. A list of people and groups is a group without a name there. */
export class GroupReferences {
  readonly anonymous: AnonymousGroup[] = [];
  #next: GroupId;

  /** @param next above the ids of all groups with a name */
  constructor(next: GroupId) {
    this.#next = next;
  }

  idOf(value: GroupSetting): GroupId {
    if (typeof value === "number") return value;
    const id = this.#next++;
    this.anonymous.push({ id, members: value.direct_members, subgroups: value.direct_subgroups });
    return id;
  }
}

/** Rows of which some are left out, each made another one. */
export async function* mapRows<From, To>(
  rows: AsyncIterable<From>,
  map: (row: From) => To | readonly To[] | undefined,
): AsyncGenerator<To> {
  for await (const row of rows) {
    const made = map(row);
    if (Array.isArray(made)) yield* made as To[];
    else if (made !== undefined) yield made as To;
  }
}

/** The same with a number to each, from 1. */
export async function* numbered<Row extends object>(rows: AsyncIterable<Row>): AsyncGenerator<Row & { id: Id<"row"> }> {
  let id: Id<"row"> = 0;
  for await (const row of rows) yield { ...row, id: ++id };
}
