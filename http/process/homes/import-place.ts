/** Which database an import brings its organization into. */
import { firstDatabase } from "../../../storage/directory/database-list.ts";
import { listIn, makeElsewhere } from "../../../storage/directory/directory.ts";
import type { RealmId } from "../../../storage/ids.ts";
import type { Database, Sql } from "../../../storage/postgres.ts";
import { findImport } from "../../../storage/transfer/imports.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";
import { openNamed, withEach } from "./command-storage.ts";

export interface ImportPlace {
  database: Database;
  /** The host that an unfinished import has given the organization. Undefined: none was begun. */
  begunHost: string | null | undefined;
  /** Stores the new organization, and where it is. @throws UniqueViolation when somebody has the host */
  create<T extends { realmId: RealmId }>(host: string | null, make: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * @param source identifies the archive
 * @param asked the database's name; undefined: where the import was begun, else the first
 */
export async function openImportPlace(
  first: RunningStorage,
  config: Config,
  { source, asked }: { source: string; asked: string | undefined },
): Promise<ImportPlace> {
  const name = asked ?? (await placeOfBegun(first, config, source)) ?? firstDatabase;
  const storage = await openNamed(first, config, name);
  const close = () => (storage === first ? Promise.resolve() : storage.close());
  try {
    const { database } = storage;
    const begun = await findImport(database.sql, source);
    // It may have been killed before the directory had it.
    if (begun && begun.host !== null && name !== firstDatabase)
      await listIn(first.database.sql, { host: begun.host, database: name, realm_id: begun.realm_id });
    return {
      database,
      begunHost: begun?.host,
      create(host, make) {
        if (name === firstDatabase) return database.transaction(make);
        if (host === null) throw hostIsMissing();
        return makeElsewhere(first.database, { host, database: name, other: database }, make);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export const hostIsMissing = () => new Error("--host is missing: several organizations are told apart by their host.");

/** One that cannot be reached is left out: a host that an import there has taken is given to no other. */
async function placeOfBegun(first: RunningStorage, config: Config, source: string): Promise<string | undefined> {
  const has = async ({ database }: RunningStorage, name: string) =>
    (await findImport(database.sql, source)) ? name : undefined;
  const places = await withEach(first, config, has, () => {});
  return places.find((place) => place !== undefined);
}
