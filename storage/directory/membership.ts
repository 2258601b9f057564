/**
 * A database becomes one of a server's. The directory knows it by a name and gives it a class of ids: of every
 * sequence the first database has the ids 0, 16, 32 …, and the next one 1, 17, 33 … (modulo 16). So an organization
 * keeps its ids wherever it moves, and ids stay small.
 */
import { onlyRow } from "../failures.ts";
import { readServerKeys, type ServerKeys } from "../notifications/browsers.ts";
import type { Database, Sql } from "../postgres.ts";
import { maxDatabases } from "./database-list.ts";

/** A database belongs to another server, or goes by another name. Nothing was done. */
export class WrongDatabase extends Error {
  override name = "WrongDatabase";
}

const alignmentLock = 7_275_539_918;

/**
 * Makes both sides know each other, at every start. The tables of both are up to date.
 * @throws WrongDatabase, StorageUnavailable
 */
export async function joinDirectory(
  first: Database,
  other: Database,
  name: string,
  makeKeys: () => ServerKeys,
): Promise<void> {
  const { id, idClass } = await first.transaction(async (sql) => {
    await alignIds(sql, 0);
    await sql`insert into directory_identity select where not exists (select from directory_identity)`;
    const identity = onlyRow(await sql<{ id: string }[]>`select id from directory_identity`);
    return { id: identity.id, idClass: await idClassOf(sql, name) };
  });
  await other.transaction(async (sql) => {
    await alignmentLocked(sql);
    const [member] = await sql<{ directory_id: string; name: string }[]>`
      select directory_id, name from directory_membership`;
    if (member && (member.directory_id !== id || member.name !== name))
      throw new WrongDatabase(
        `PARLEY_DATABASES: the database called ${name} is another server's, or goes by the name ${member.name}.`,
      );
    if (!member) {
      const { count } = onlyRow(await sql<{ count: number }[]>`select count(*) as count from realms`);
      if (count > 0)
        throw new WrongDatabase(
          `PARLEY_DATABASES: ${name} has organizations of a server of its own; name an empty one.`,
        );
      await sql`insert into directory_membership (directory_id, name) values (${id}::uuid, ${name})`;
    }
    await alignIds(sql, idClass);
  });
  await shareServerKeys(first, other, makeKeys);
}

async function idClassOf(sql: Sql, name: string): Promise<number> {
  await alignmentLocked(sql);
  const known = await sql<{ id_class: number }[]>`select id_class from directory_databases where name = ${name}`;
  if (known[0]) return known[0].id_class;
  const taken = await sql<{ id_class: number }[]>`select id_class from directory_databases`;
  const free = Array.from({ length: maxDatabases - 1 }, (_, index) => index + 1).find(
    (idClass) => !taken.some((row) => row.id_class === idClass),
  );
  if (free === undefined) throw new WrongDatabase(`The directory has ${maxDatabases} databases already.`);
  await sql`insert into directory_databases (name, id_class) values (${name}, ${free})`;
  return free;
}

async function alignmentLocked(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${alignmentLock}::bigint)`;
}

/** Message ids come in blocks; of the other sequences each number is one id. */
const stepOf = (name: string): number => (name === "message_id_blocks" ? 1000 : 1);

interface Sequence {
  name: string;
  increment: number;
}

const sequencesOf = (sql: Sql) => sql<Sequence[]>`
  select c.relname::text as name, s.seqincrement as increment
  from pg_sequence s join pg_class c on c.oid = s.seqrelid
  where c.relnamespace = current_schema()::regnamespace and c.relpersistence = 'p'`;

/** Has every sequence go on in steps that leave room for the other databases. Does nothing where they do already. */
export async function alignIds(sql: Sql, idClass: number): Promise<void> {
  await alignmentLocked(sql);
  for (const { name, increment } of await sequencesOf(sql)) {
    const step = stepOf(name);
    if (increment === step * maxDatabases) continue;
    const { next } = onlyRow(await sql<{ next: number }[]>`select nextval(${name}::text::regclass) as next`);
    const stride = step * maxDatabases;
    // The first one at or above the next that is of this class. Sequences begin at 1.
    const start = Math.ceil(next / stride) * stride + idClass * step + 1;
    // Unsafe: names and limits of sequences are no parameters; these are numbers and a name of the migrations.
    await sql.unsafe(`alter sequence "${name}" increment by ${stride} restart with ${start}`);
  }
}

/** What the sequences have given out so far, by name. */
export async function readIdEnds(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ name: string; end: number | null }[]>`
    select sequencename::text as name, last_value as end from pg_sequences where schemaname = current_schema()`;
  return new Map(rows.flatMap(({ name, end }) => (end === null ? [] : [[name, end] as const])));
}

/** Has the sequences go on above what another database has given out, in their own class. */
export async function passIds(sql: Sql, ends: ReadonlyMap<string, number>): Promise<void> {
  await alignmentLocked(sql);
  const own = await sequencesOf(sql);
  for (const { name, increment } of own) {
    const end = ends.get(name) ?? 0;
    const { next } = onlyRow(await sql<{ next: number }[]>`select nextval(${name}::text::regclass) as next`);
    const steps = Math.ceil((end - next) / increment);
    if (steps > 0) await sql`select setval(${name}::text::regclass, ${next + steps * increment}::bigint)`;
  }
}

/**
 * Browsers registered with the key that the server has, and phones with a service that knows it: both are the same
 * wherever an organization is.
 */
async function shareServerKeys(first: Database, other: Database, make: () => ServerKeys): Promise<void> {
  const keys = await readServerKeys(first.sql, make);
  await readServerKeys(other.sql, () => keys);
  const [service] = await first.sql<{ json: string }[]>`select row_to_json(s)::text as json from push_service s`;
  if (service)
    await other.sql`
      insert into push_service select * from json_populate_record(null::push_service, ${service.json}::text::json)
      on conflict (is_only) do nothing`;
}
