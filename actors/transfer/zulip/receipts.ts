/**
 * Reads who received the messages of a file, and what they did with them: by far the most rows of an export. Only what
 * few messages have is kept until the messages themselves are read.
 */
import type { UserId } from "../../../storage/ids.ts";
import type { BulkRow } from "../../../storage/transfer/imports.ts";
import type { ZulipExport } from "./export.ts";
import type { IdMaps } from "./ids.ts";
import type { ReadStates } from "./read-state.ts";
import { flagBits, type OldMessageId, type OwnMessageTable } from "./tables.ts";

/** What people's rows tell of a message. New ids, in any order. */
export interface Receipts {
  mentioned: UserId[];
  topicParticipants: UserId[];
  alerted: UserId[];
  hasChannelWildcard: boolean;
  isUnreadBySender: boolean;
}

export interface FileReceipts {
  /** Only of messages that have some of it. */
  of: ReadonlyMap<OldMessageId, Receipts>;
  /** What our own exports tell besides. */
  ours: ReadonlyMap<OldMessageId, OwnMessageTable>;
  flags: BulkRow<"message_flags">[];
}

const { read, starred, collapsed, mentioned, channelWildcard, topicWildcard, groupMentioned, alerted, historical } =
  flagBits;
const kept = starred | collapsed | historical;
const told = mentioned | groupMentioned | channelWildcard | topicWildcard | alerted;

/** Reads a file's rows of people. What they received and read goes to `states`. */
export async function readReceipts(
  from: ZulipExport,
  name: string,
  { ids, states }: { ids: IdMaps; states: ReadStates },
): Promise<FileReceipts> {
  const { order } = ids.messages;
  const ours = await readOurs(from, name);
  const of = new Map<OldMessageId, Receipts>();
  const flags: BulkRow<"message_flags">[] = [];
  for await (const rows of from.messageRows(name, "zerver_usermessage"))
    for (const { user_profile, message, flags_mask } of rows) {
      // There are more of these rows than of all others: no rule looks at them one by one.
      if (typeof message !== "number" || typeof flags_mask !== "number") continue;
      const at = order.find(message);
      const user_id = ids.users.get(user_profile);
      if (at < 0 || user_id === undefined) continue;
      if (!ours.get(message)?.not_received?.includes(user_profile))
        states.note(order.place(at), order.number(at), user_id, (flags_mask & read) !== 0);
      if ((flags_mask & kept) !== 0)
        flags.push({
          user_id,
          message_id: ids.messages.ofRank(order.rank(at)),
          realm_id: ids.realm,
          starred: (flags_mask & starred) !== 0,
          collapsed: (flags_mask & collapsed) !== 0,
          historical: (flags_mask & historical) !== 0,
        });
      const isUnreadBySender = (flags_mask & read) === 0 && user_profile === order.sender(at);
      if ((flags_mask & told) !== 0 || isUnreadBySender)
        noteTold(of, message, { user_id, flags_mask, isUnreadBySender });
    }
  return { of, ours, flags };
}

function noteTold(
  of: Map<OldMessageId, Receipts>,
  message: OldMessageId,
  row: { user_id: UserId; flags_mask: number; isUnreadBySender: boolean },
): void {
  const none: Receipts = {
    mentioned: [],
    topicParticipants: [],
    alerted: [],
    hasChannelWildcard: false,
    isUnreadBySender: false,
  };
  const receipts = of.get(message) ?? none;
  of.set(message, receipts);
  const has = (bits: number): boolean => (row.flags_mask & bits) !== 0;
  if (has(mentioned | groupMentioned)) receipts.mentioned.push(row.user_id);
  if (has(topicWildcard)) receipts.topicParticipants.push(row.user_id);
  if (has(alerted)) receipts.alerted.push(row.user_id);
  if (has(channelWildcard)) receipts.hasChannelWildcard = true;
  if (row.isUnreadBySender) receipts.isUnreadBySender = true;
}

async function readOurs(from: ZulipExport, name: string): Promise<Map<OldMessageId, OwnMessageTable>> {
  const ours = new Map<OldMessageId, OwnMessageTable>();
  if (!from.isOurs) return ours;
  for await (const rows of from.messageRows(name, "parley_message")) for (const row of rows) ours.set(row.id, row);
  return ours;
}
