/** Opens the databases beside the first. One that is away is opened when it answers, and keeps no start waiting. */

import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { makeServerKeys } from "../../../actors/push/web-push.ts";
import { checkSessions } from "../../../storage/connection/own-sessions.ts";
import { joinDirectory } from "../../../storage/directory/membership.ts";
import { messageOf } from "../../../storage/failures.ts";
import { migrate } from "../../../storage/migrate.ts";
import {
  connect,
  type Database,
  type DatabaseOptions,
  StorageUnavailable,
  translate,
} from "../../../storage/postgres.ts";
import { rollPartitions } from "../../../storage/realm-log.ts";
import type { SecretKey } from "../../../storage/secret-key.ts";
import { checkSecretKey } from "../../../storage/users/credentials.ts";
import type { Config } from "../config.ts";
import type { Home } from "./homes.ts";

/** Between two attempts to open a database that is away. */
const retryMs = 1000;
/** How long a start waits for the others. */
const startPatienceMs = 3000;

/** The databases that `PARLEY_DATABASES` names, or some of them, with pools like the first one's. */
export function otherHomes(
  config: Config,
  options: Omit<DatabaseOptions, "maxConnections" | "statementTimeoutMs"> & { readTimeoutMs?: number | undefined },
  secretKey: SecretKey,
  names: readonly string[] = [...(config.databases?.keys() ?? [])],
): Home[] {
  const { readTimeoutMs, ...rest } = options;
  const named = [...(config.databases ?? [])].filter(([name]) => names.includes(name));
  return named.map(([name, url]) => ({
    name,
    system: undefined,
    database: connect(url, {
      ...rest,
      maxConnections: config.maxConnections,
      patienceMs: config.commandDeadlineMs / 2,
      statementTimeoutMs: readTimeoutMs,
      areStandbysRequired: config.databaseSynchronous === "required",
      secretKey,
    }),
  }));
}

/** Brings the tables of another database up to date, and makes it and the directory know each other. */
export async function prepareHome(first: Database, { name, database }: Pick<Home, "name" | "database">): Promise<void> {
  await checkSessions(database);
  await migrate(database);
  await checkSecretKey(database.sql);
  await rollPartitions(database, Math.floor(Date.now() / 1000));
  await joinDirectory(first, database, name, makeServerKeys);
}

/**
 * Opens all of them. Resolves when all are open, or after a moment. Returns how to end those that are.
 * @throws for a database that cannot be used whenever it answers
 */
export async function openHomes(
  { database, log }: { database: Database; log: Logger },
  others: readonly Home[],
  start: (home: Home) => Promise<() => Promise<void>>,
): Promise<() => Promise<void>> {
  const ended = new AbortController();
  const stops: (() => Promise<void>)[] = [];
  const open = async (home: Home): Promise<void> => {
    for (let isTold = false; !ended.signal.aborted; ) {
      try {
        await prepareHome(database, home);
        const stop = await start(home);
        if (ended.signal.aborted) await stop();
        else stops.push(stop);
        return;
      } catch (error) {
        if (!(translate(error) instanceof StorageUnavailable)) throw error;
        if (!isTold)
          log.error(
            { database: home.name, reason: messageOf(error) },
            "a database is away; its organizations are not served",
          );
        isTold = true;
        await delay(retryMs, undefined, { signal: ended.signal, ref: false }).catch(() => {});
      }
    }
  };
  const opening = Promise.all(
    others.map((home) =>
      open(home).catch((error: unknown) => {
        log.error({ database: home.name, err: error }, "a database cannot be used");
        throw error;
      }),
    ),
  );
  // Whoever starts hears of it; later it is in the log.
  opening.catch(() => {});
  let patience: NodeJS.Timeout | undefined;
  await Promise.race([opening, new Promise<void>((resolve) => (patience = setTimeout(resolve, startPatienceMs)))]);
  clearTimeout(patience);
  return async () => {
    ended.abort();
    await Promise.all(stops.map((stop) => stop()));
  };
}
