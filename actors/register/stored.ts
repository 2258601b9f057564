/**
 * The stored half of a register: a person's lists, and what they have not read, at one place of the log.
 *
 * One statement reads the lists, and what the person received and has read. The index of the history then tells which
 * messages that leaves, as it was at that place of the log. What the replica has applied since is left out. Where the
 * index cannot tell, PostgreSQL does, in one snapshot with the rest.
 *
 * Of those who registered lately all of it is in memory, at the place that the replica is at.
 */

import type { MessageId } from "../../storage/ids.ts";
import type { Lane } from "../../storage/messages/lanes.ts";
import type { Sql } from "../../storage/postgres.ts";
import { findMaxMessageId, findUnread, type UnreadConversation } from "../../storage/register.ts";
import type { UserRow } from "../../storage/rows.ts";
import { readStoredState, type StoredState } from "../../storage/stored-state.ts";
import { historyMemory } from "../history/history.ts";
import { newestReceived, unreadIn } from "../history/unread.ts";
import { isAdmin } from "../realm/access.ts";
import { memoryOf } from "../realm/memory.ts";
import type { ServedRealm } from "../realm/served.ts";

/** At most so many of a person's unread messages are told. https://zulip.com/api/register-queue */
const maxUnread = 50_000;
const maxConversations = 1000;
/** The most recently edited ones. https://zulip.com/api/register-queue */
const maxDrafts = 1000;

export interface Unread {
  conversations: readonly UnreadConversation[];
  isCut: boolean;
}

/** Which messages a register tells of. */
export interface WantedMessages {
  newest: boolean;
  unread: boolean;
}

export interface Stored {
  /** Its place in the log: the replica is at least as far. */
  start: number;
  lists: StoredState["lists"];
  /** The newest message that the person received, -1: none. */
  newest: MessageId;
  unread: Unread;
}

const nothing: Unread = { conversations: [], isCut: false };

export async function readStored(
  realm: ServedRealm,
  user: UserRow,
  wants: WantedMessages & { lists: boolean },
): Promise<Stored> {
  const { readers } = memoryOf(realm, historyMemory);
  const kept = readers.findRegistered(user.id, realm.position);
  const recalled = kept && askIndex(realm, user, [...kept.lanes.values()], realm.position, wants);
  if (recalled) return { start: realm.position, lists: kept.lists, ...recalled };
  const read = (sql: Sql) =>
    readStoredState(sql, {
      realmId: realm.id,
      userId: user.id,
      now: realm.environment.clock(),
      lists: wants.lists,
      allBots: isAdmin(user),
      maxConversations,
      maxDrafts,
    });
  // What this node had applied was stored before, and an event that no disk keeps has no stored part.
  const before = realm.position;
  const load = () => read(realm.database.sql);
  const stored = await (wants.lists ? readers.readRegistered(user.id, load) : load());
  const start = Math.max(before, stored.logged);
  await realm.reached(start);
  const known = askIndex(realm, user, stored.lanes, start, wants);
  if (known) return { start, lists: stored.lists, ...known };
  return realm.database.transaction(async (sql) => {
    const position = realm.position;
    const [{ logged, lists }, unread, newest] = await Promise.all([
      read(sql),
      wants.unread ? findUnread(sql, realm.id, user.id, maxUnread) : nothing,
      wants.newest ? findMaxMessageId(sql, user.id) : -1,
    ]);
    return { start: Math.max(position, logged), lists, unread, newest };
  }, "isolation level repeatable read read only");
}

/** What the index knows; undefined: not enough. */
function askIndex(
  realm: ServedRealm,
  user: UserRow,
  lanes: readonly Lane[],
  start: number,
  wants: WantedMessages,
): Pick<Stored, "unread" | "newest"> | undefined {
  if (!wants.unread && !wants.newest) return { unread: nothing, newest: -1 };
  const history = memoryOf(realm, historyMemory);
  const { index } = history;
  const below = history.firstAfter(start);
  if (!index || below === undefined) return undefined;
  const newest = wants.newest ? newestReceived(index, lanes, below) : -1;
  const unread = wants.unread ? unreadIn(index, lanes, user.id, { max: maxUnread, below }) : nothing;
  return newest === undefined || unread === undefined ? undefined : { unread, newest };
}
