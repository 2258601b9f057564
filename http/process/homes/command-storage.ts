/** Which database a command of the command line works on: the one that has the organization it is about. */
import { firstDatabase } from "../../../storage/directory/database-list.ts";
import { defined } from "../../../storage/failures.ts";
import { type Database, StorageUnavailable, translate } from "../../../storage/postgres.ts";
import { readSecretKey } from "../../../storage/secret-key.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";
import { otherHomes, prepareHome } from "./open-homes.ts";

/** Opens one of `PARLEY_DATABASES`, its tables up to date; or the first itself. @throws Error for another name */
export async function openNamed(first: RunningStorage, config: Config, name: string): Promise<RunningStorage> {
  if (name === firstDatabase) return first;
  const all = otherHomes(config, {}, await readSecretKey(config), [name]);
  const home = all[0];
  if (!home) {
    const names = [firstDatabase, ...(config.databases?.keys() ?? [])];
    throw new Error(`There is no database ${name}: --database is one of ${names.join(", ")}.`);
  }
  const close = () => home.database.close();
  try {
    await prepareHome(first.database, home);
    return {
      database: home.database,
      first: first.database,
      url: defined(config.databases?.get(name), "database of this name"),
      dataDir: first.dataDir,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Has `body` look at each database in turn, the first one first.
 * @param onAway called for one that cannot be reached, which is then left out; without it that is an error
 */
export async function withEach<T>(
  first: RunningStorage,
  config: Config,
  body: (storage: RunningStorage, name: string) => Promise<T>,
  onAway?: (name: string) => void,
): Promise<T[]> {
  const done: T[] = [await body(first, firstDatabase)];
  for (const name of config.databases?.keys() ?? []) {
    try {
      const storage = await openNamed(first, config, name);
      await body(storage, name)
        .then((value) => done.push(value))
        .finally(() => storage.close());
    } catch (error) {
      if (!onAway || !(translate(error) instanceof StorageUnavailable)) throw error;
      onAway(name);
    }
  }
  return done;
}

/** The first database, which has the directory. */
export const firstOf = ({ first, database }: RunningStorage): Database => first ?? database;
