/**
 * Deletes what has expired, little by little: messages of channels, direct messages, earlier texts, unused files, and
 * rows of the audit log.
 * A batch is a command of its own, and others' come between. A run that ends early, by its bound or with its node, goes
 * on in the next one: what is over is found by an index, whatever was done before.
 */
import { lastOf } from "../../storage/failures.ts";
import type { AttachmentId, RecipientId } from "../../storage/ids.ts";
import {
  findExpired,
  findRealmsWithExpired,
  findUnusedFiles,
  type RetentionPlace,
} from "../../storage/messages/retention.ts";
import type { Job } from "../realm/job.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { JobRealm } from "../realm/served.ts";
import { auditLogExpiry, channelExpiry, directExpiry, earlierTextExpiry, unusedFileExpiry } from "./policy.ts";

/** What is kept is kept for days, so ten minutes more do not matter. */
const everySecs = 600;
/** Passivated organizations take turns within that time, in groups by their ids. */
const slotSecs = 5;
const slots = everySecs / slotSecs;
/** The most batches of a kind in one run. A backlog of years takes many runs. */
const maxBatches = 200;
const filesOfBatch = 100;

export const retentionJob: Job = {
  name: "delete what is kept no longer",
  everySecs,
  async run(realm, now) {
    await expireChannels(realm, now);
    const { state } = realm;
    if (directExpiry(state, now) !== undefined)
      await batches(async () => (await realm.execute("expireDirectMessages", {})).more);
    if (earlierTextExpiry(state, now) !== undefined)
      await walk<RetentionPlace>(async (after) => (await realm.execute("expireEarlierTexts", { after })).next);
    await expireUnusedFiles(realm, now);
    if (auditLogExpiry(state, now) === undefined) return;
    await realm.execute("shortenAuditLog", {});
    await batches(async () => (await realm.execute("dropShortenedAudit", {})).more);
  },
  findWaiting(sql, now) {
    const slot = Math.floor(now / slotSecs);
    // Each has two turns in a row: a node may look a second late.
    return findRealmsWithExpired(sql, now, { slots, of: [slot % slots, (slot + slots - 1) % slots] });
  },
};

/** Does batches until there is none left, or the run has had enough. */
async function batches(batch: () => Promise<boolean>): Promise<void> {
  for (let count = 0; count < maxBatches; count++) if (!(await batch())) return;
}

/** Batches that each begin where the one before ended: what is held stays, and is not looked at again and again. */
async function walk<P>(batch: (after: P | null) => Promise<P | null>): Promise<void> {
  let after: P | null = null;
  await batches(async () => {
    after = await batch(after);
    return after !== null;
  });
}

async function expireChannels(realm: JobRealm, now: number): Promise<void> {
  let count = 0;
  for (const recipientId of await findDueChannels(realm, now)) {
    for (let more = true; more; count++) {
      if (count === maxBatches) return;
      more = (await realm.execute("expireMessages", { recipientId })).more;
    }
  }
}

/** Reads which files are over, as only the job knows where their bytes are. */
async function expireUnusedFiles(realm: JobRealm, now: number): Promise<void> {
  const { id, state, database, environment } = realm;
  const before = unusedFileExpiry(state, now);
  const { storedFiles } = environment;
  if (before === undefined || !storedFiles) return;
  await walk<RetentionPlace<AttachmentId>>(async (after) => {
    const found = await findUnusedFiles(database.sql, id, { before, after, limit: filesOfBatch });
    const files = found
      .filter(({ is_named }) => !is_named)
      .map((file) => ({ id: file.id, stored: storedFiles.storedUpload(file.path_id) }));
    if (files.length > 0) await realm.execute("expireFiles", { files });
    return found.length === filesOfBatch ? lastOf(found) : null;
  });
}

/** Channels with something to delete. */
function findDueChannels({ state, database }: RealmReader, now: number): Promise<RecipientId[]> {
  const expiries = [...state.channels.values()].flatMap((channel) => {
    const before = channelExpiry(state, channel, now);
    if (before === undefined || channel.first_message_id === null) return [];
    return [{ recipientId: channel.recipient_id, before }];
  });
  return findExpired(database.sql, expiries);
}
