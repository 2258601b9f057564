/** What is done once an hour: tables lose the rows that nobody needs any more, and the log gets its next days. */
import { deleteExpiredReplyAddresses } from "../storage/email/mail-addresses.ts";
import { deleteExpiredLinks } from "../storage/email/one-time-links.ts";
import { deleteExpiredQueues, deleteSurplusQueues, readClock } from "../storage/event-queues.ts";
import { rollPartitions } from "../storage/realm-log.ts";
import { deleteExpiredScimTokens } from "../storage/scim.ts";
import { sealPlainKeys } from "../storage/users/credentials.ts";
import { deleteExpiredSessions } from "../storage/users/sessions.ts";
import { deleteExpiredTokens } from "../storage/users/spent-tokens.ts";
import type { RealmEnvironment } from "./realm/environment.ts";

type Kept = Pick<RealmEnvironment, "database" | "clock" | "steadySince"> & {
  limits: Pick<RealmEnvironment["limits"], "maxQueuesPerUser">;
};

export async function housekeep({ database, clock, steadySince, limits }: Kept): Promise<void> {
  await rollPartitions(database, clock());
  // While this waits for PostgreSQL, the clock may be set.
  await deleteExpiredQueues(database.sql, readClock({ clock, steadySince }));
  await deleteSurplusQueues(database.sql, limits.maxQueuesPerUser);
  await deleteExpiredSessions(database.sql, clock());
  await deleteExpiredScimTokens(database.sql, clock());
  await deleteExpiredLinks(database.sql, clock());
  await deleteExpiredReplyAddresses(database.sql, clock());
  await deleteExpiredTokens(database.sql, clock());
  await sealPlainKeys(database);
}
