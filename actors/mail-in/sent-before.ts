/** Whether somebody has sent a message already, before anything is done for sending it. */
import type { UserId } from "../../storage/ids.ts";
import { localQueue, readSendsFrom } from "../../storage/realm-log.ts";
import type { RealmReader } from "../realm/reader.ts";

/** The newest sends that are looked at. */
const maxSends = 1000;

/** Only a hint: `sendMessage` itself sees to it that what has the same id is sent once. */
export async function wasSent(
  { database, id }: RealmReader,
  userId: UserId,
  local: { queue_id: string; local_id: string },
): Promise<boolean> {
  const sends = await readSendsFrom(database.sql, id, localQueue(userId, local.queue_id), maxSends);
  return sends.some(({ localId }) => localId === local.local_id);
}
