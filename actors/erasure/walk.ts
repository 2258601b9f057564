/**
 * Doing the parts of an erasure, one after the other. What has to be looked for is looked for outside of the writer, a
 * window at a time. A command gets what was found, and looks at that again. So two may walk at once, and any may end.
 */
import { lastOf } from "../../storage/failures.ts";
import type { AttachmentId, MessageId, UserId } from "../../storage/ids.ts";
import { type Erasure, findErasure } from "../../storage/personal/erasures.ts";
import { findNaming, findOwnFiles, findReactedTo } from "../../storage/personal/traces.ts";
import type { JobRealm } from "../realm/served.ts";

/** Messages that are looked through at once: some 50 ms. */
const window = 10_000;
/** Messages that one command changes: each takes some statements. */
const changedAtOnce = 100;

/** @param storedUpload where the bytes of an upload are @returns the erasure, ended */
export async function walkErasure(
  realm: JobRealm,
  userId: UserId,
  storedUpload: (pathId: string) => string,
): Promise<Erasure | undefined> {
  const { sql } = realm.database;
  const begun = await findErasure(sql, realm.id, userId);
  if (!begun || begun.finished_at !== null) return begun;
  while ((await realm.execute("eraseMessages", { personId: userId })).more);
  await walkMentions(realm, begun);
  await walkReactions(realm, begun);
  while ((await realm.execute("eraseVotes", { personId: userId })).more);
  await walkFiles(realm, begun, storedUpload);
  while ((await realm.execute("eraseRows", { personId: userId })).more);
  await realm.execute("endErasure", { personId: userId });
  return findErasure(sql, realm.id, userId);
}

async function walkMentions(realm: JobRealm, { user_id: userId, names, mentions_to }: Erasure): Promise<void> {
  for (let after = mentions_to; ; ) {
    const { ids, held, to } = await findNaming(realm.database.sql, realm.id, { userId, names, after, window });
    if (to === null) return;
    for (let at = 0; at < ids.length; at += changedAtOnce) {
      const some = ids.slice(at, at + changedAtOnce);
      const isLast = at + changedAtOnce >= ids.length;
      const args = { personId: userId, ids: some, held: isLast ? held.length : 0, to: isLast ? to : lastOf(some) };
      await realm.execute("renameMentions", args);
    }
    if (ids.length === 0 && held.length > 0)
      await realm.execute("renameMentions", { personId: userId, ids: [], held: held.length, to });
    after = to;
  }
}

async function walkReactions(realm: JobRealm, { user_id: userId, reactions_to }: Erasure): Promise<void> {
  for (let after: MessageId = reactions_to; ; ) {
    const ids = await findReactedTo(realm.database.sql, realm.id, userId, { after, limit: changedAtOnce });
    if (ids.length === 0) return;
    await realm.execute("eraseReactions", { personId: userId, ids });
    after = lastOf(ids);
  }
}

async function walkFiles(
  realm: JobRealm,
  { user_id: userId, deletes_messages: isNamedToo }: Erasure,
  storedUpload: (pathId: string) => string,
): Promise<void> {
  for (let after: AttachmentId = 0; ; ) {
    const found = await findOwnFiles(realm.database.sql, realm.id, userId, { isNamedToo, after, limit: changedAtOnce });
    if (found.length === 0) return;
    const files = found.map(({ id, path_id }) => ({ id, stored: storedUpload(path_id) }));
    await realm.execute("eraseFiles", { personId: userId, files });
    after = lastOf(found).id;
  }
}
