/** What an erasure takes away, or would, and what stays: of each how much, why, and until when. */
import type { UserId } from "../../storage/ids.ts";
import type { ErasedCounts, Erasure } from "../../storage/personal/erasures.ts";
import { countTraces, findNaming } from "../../storage/personal/traces.ts";
import { daysKept } from "../../storage/realm-log.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { RealmReader } from "../realm/reader.ts";
import { retentionOf } from "../retention/policy.ts";

const secondsPerDay = 86_400;

/** Something that is left. */
export interface Left {
  what: string;
  /** Absent: it is not counted. */
  count?: number;
  why: string;
  /** UNIX seconds. Absent: nobody knows, or for ever. */
  until?: number | undefined;
}

export interface WhatStays {
  deletesMessages: boolean;
  counts: ErasedCounts;
  /** For how many days backups are kept, where that is told. */
  backupDays: number | undefined;
  /** When what was backed up had none of it any more. UNIX seconds. */
  since: number;
}

/** What there is before an erasure, or in it, by kind. */
export async function countBefore(realm: RealmReader, user: UserRow, deletesMessages: boolean) {
  const traces = await countTraces(realm.database.sql, realm.id, user.id);
  const { held: held_mentions, mentions } = await countMentions(realm, user);
  const { messages, reactions, votes, files, named_files, drafts, scheduled, snippets, sessions, devices } = traces;
  return {
    messages: deletesMessages ? messages : 0,
    mentions,
    held_mentions,
    reactions,
    votes,
    files: deletesMessages ? files : files - named_files,
    drafts,
    scheduled,
    snippets,
    sessions,
    devices,
  };
}

/** Messages that are looked through at once. */
const window = 10_000;

async function countMentions(realm: RealmReader, user: UserRow): Promise<{ mentions: number; held: number }> {
  const count = { mentions: 0, held: 0 };
  for (let after = 0; ; ) {
    const names = user.is_deleted ? [] : [user.full_name];
    const found = await findNaming(realm.database.sql, realm.id, { userId: user.id, names, after, window });
    if (found.to === null) return count;
    count.mentions += found.ids.length;
    count.held += found.held.length;
    after = found.to;
  }
}

/** What is left of a person whose data is erased, or would be. */
export async function whatStays(
  realm: RealmReader,
  userId: UserId,
  { deletesMessages, counts, backupDays, since }: WhatStays,
): Promise<Left[]> {
  const traces = await countTraces(realm.database.sql, realm.id, userId);
  const now = realm.environment.clock();
  const auditDays = retentionOf(realm.state).audit_log_days;
  const held = "a legal hold is on them; run this again when it has ended";
  const counted: Left[] = [
    {
      what: "messages that they wrote",
      count: deletesMessages ? 0 : traces.messages,
      why: `they stay as Deleted user ${userId}'s; --messages delete deletes them`,
    },
    {
      what: "files that these messages name",
      count: deletesMessages ? 0 : traces.named_files,
      why: "they are a part of the messages",
    },
    { what: "copies of deleted messages", count: traces.held_messages, why: "legal holds keep them until they end" },
    { what: "deleted files", count: counts.held_files ?? 0, why: "legal holds keep them until they end" },
    { what: "messages that mention them", count: counts.held_mentions ?? 0, why: held },
    { what: "bots of theirs", count: traces.bots, why: "they are deactivated, and have names of their own" },
    {
      what: "rows of the audit log",
      count: traces.audit_rows,
      why: "a row that went would break its chain of hashes; audit_log_days shortens it from its beginning",
      until: auditDays > 0 ? now + auditDays * secondsPerDay : undefined,
    },
    {
      what: "exports of the organization",
      count: traces.exports,
      why: "they were written before: delete them under Organization → Exports",
    },
  ];
  return [
    ...counted.filter(({ count }) => count !== 0),
    {
      what: "the log of events",
      why: "clients that were away are told from it",
      until: since + (daysKept + 1) * secondsPerDay,
    },
    {
      what: "backups from before, and files of user export",
      why: "they are outside of the server: delete them, or restore none without erasing again",
      until: backupDays === undefined ? undefined : since + backupDays * secondsPerDay,
    },
    {
      what: "names in what people wrote",
      why: "words, topics and names of files that are no mention say nobody's number",
    },
    {
      what: `the number ${userId}`,
      why: "messages, channels, groups and conversations that stay say who wrote, made or was in them",
    },
  ];
}

/** What an erasure took away. */
export const whatWent = ({ counts }: Pick<Erasure, "counts">): Record<string, number> => {
  const { held_mentions: _mentions, held_files: _files, ...went } = counts;
  return went;
};
