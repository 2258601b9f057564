/**
 * Dropping what edited messages said before. An edit stays known, with its time and its author where it also moved the
 * message; its text is gone. A message under a legal hold keeps everything. Clients are told nothing: they see the
 * shorter history when they fetch the message or its history next.
 */
import { lastOf } from "../../storage/failures.ts";
import { dropEarlierTexts, findEarlierTexts, type RetentionPlace } from "../../storage/messages/retention.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { earlierTextExpiry } from "./policy.ts";

/** Messages of one batch: a history may have a megabyte. */
const batch = 200;

/** Drops one batch of expired texts. Replies where the next one begins; null: there is none. */
export const expireEarlierTexts = command(
  async (tx: Tx, { after }: { after: RetentionPlace | null }): Promise<{ next: RetentionPlace | null }> => {
    const before = earlierTextExpiry(tx.state, tx.now);
    if (before === undefined) return { next: null };
    const found = await findEarlierTexts(tx.sql, tx.realmId, { before, after, limit: batch });
    const ids = found.filter(({ is_held }) => !is_held).map(({ id }) => id);
    if (ids.length > 0) {
      tx.write((sql) => dropEarlierTexts(sql, tx.realmId, ids, before));
      tx.reread(ids);
    }
    return { next: found.length === batch ? placeOf(lastOf(found)) : null };
  },
);

const placeOf = ({ at, id }: RetentionPlace): RetentionPlace => ({ at, id });
