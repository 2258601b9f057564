/** Has a command of the command line work on the database that has the organization it is about. */
import { firstDatabase } from "../../../storage/directory/database-list.ts";
import { readDirectory } from "../../../storage/directory/directory.ts";
import type { AdminResult } from "../admin.ts";
import { commandTable } from "../commands/table.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";
import { openNamed, withEach } from "./command-storage.ts";

/** The name of the database that has the organization under a host; the first where nobody says. */
async function databaseOf(first: RunningStorage, config: Config, host: string | undefined): Promise<string> {
  if (config.databases === undefined) return firstDatabase;
  const elsewhere = await readDirectory(first.database.sql);
  if (host === undefined) {
    if (elsewhere.length === 0) return firstDatabase;
    throw new Error(`--realm is missing: there are organizations in several databases (parley realm list).`);
  }
  return elsewhere.find((entry) => entry.host === host.toLowerCase())?.database ?? firstDatabase;
}

/**
 * Runs a command on the database that has what it is about.
 * @param host of the organization, if somebody said
 * @param action undefined: all that is done is to bring the tables of every database up to date
 */
export async function runOn(
  first: RunningStorage,
  config: Config,
  {
    command,
    host,
    action,
  }: {
    command: string;
    host: string | undefined;
    action?: ((storage: RunningStorage) => Promise<AdminResult>) | undefined;
  },
): Promise<AdminResult> {
  if (!action) {
    await withEach(first, config, async () => {});
    return { text: "The tables are up to date.", data: { migrated: true } };
  }
  if (commandTable.get(command)?.isOfServer) return action(first);
  const own = await openNamed(first, config, await databaseOf(first, config, host));
  try {
    return await action(own);
  } finally {
    if (own !== first) await own.close();
  }
}
