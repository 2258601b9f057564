/** Drafts: unsent messages, synchronized among a person's clients. https://zulip.com/api/create-drafts */

import { defined, firstOf, lastOf } from "../../../storage/failures.ts";
import type { DraftId, UserId } from "../../../storage/ids.ts";
import {
  type Draft,
  deleteDraft,
  deleteDraftsOf,
  findDrafts,
  hasDraft,
  putDrafts,
} from "../../../storage/personal/drafts.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest, notFound } from "../../errors.ts";
import { normalizeContent, truncate } from "../../messages/typed-text.ts";
import { accessChannel, accessUser } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLine } from "../../text/texts.ts";
import { userSetting } from "../../users/settings/settings.ts";
import { checkRoom, listed } from "./list-limits.ts";

/** All drafts of a person, newest edit first. */
export function readDrafts({ database }: RealmReader, user: UserRow): Promise<Draft[]> {
  return findDrafts(database.sql, user.id, listed.drafts.max);
}

/** A draft as a client sends it. */
export interface DraftInput {
  type: Draft["type"];
  to: number[];
  topic: string;
  content: string;
  /** UNIX seconds of the last edit. The default is now. */
  timestamp?: number | undefined;
}

/** The end of the year 9999: clients cannot show later dates. */
const maxTimestamp = 253_402_300_799;

/** @throws BAD_REQUEST when the recipient does not exist or is not visible to the user, or the text is not valid */
function checkDraft(state: RealmState, user: UserRow, input: DraftInput, now: number): Omit<Draft, "id"> {
  const content = normalizeContent(input.content);
  const timestamp = Math.floor(input.timestamp ?? now);
  if (timestamp < 0) throw badRequest("Timestamp must not be negative.");
  if (timestamp > maxTimestamp) throw badRequest("Timestamp is too far in the future.");
  if (input.type === "") return { type: "", to: [], topic: "", content, timestamp };
  if (input.type === "stream") {
    if (input.to.length !== 1) throw badRequest("Must specify exactly 1 channel ID for channel messages");
    if (!isLine(input.topic)) throw badRequest("Invalid character in topic!");
    const channel = accessChannel(state, user, firstOf(input.to));
    const topic = truncate(input.topic, limits.topic, "...");
    return { type: "stream", to: [channel.id], topic, content, timestamp };
  }
  const to = [...new Set(input.to)].map((id) => accessUser(state, user, id).id);
  return { type: "private", to, topic: "", content, timestamp };
}

const textsOf = ({ content, topic, to }: Omit<Draft, "id">): string[] => [content, topic, JSON.stringify(to)];

/** Characters of the drafts in one event. More drafts make several events, so that none is megabytes large. */
const maxCharactersOfEvent = 100_000;

/** Divides the drafts, in order, into as few events as possible. */
function slices(drafts: readonly Draft[]): Draft[][] {
  const events: Draft[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const draft of drafts) {
    const own = draft.content.length + draft.topic.length + 10 * draft.to.length;
    if (characters + own > maxCharactersOfEvent) {
      events.push([]);
      characters = 0;
    }
    lastOf(events).push(draft);
    characters += own;
  }
  return events;
}

/**
 * Adds drafts, all or none. Replies with their ids, in order. @throws BAD_REQUEST when the person does not synchronize
 * drafts
 */
export const addDrafts = command(async (tx: Tx, args: { userId: UserId; drafts: DraftInput[] }) => {
  const user = tx.user(args.userId);
  if (!userSetting(user, "enable_drafts_synchronization"))
    throw badRequest("You have turned off synchronizing drafts.");
  const checked = args.drafts.map((draft) => checkDraft(tx.state, user, draft, tx.now));
  await checkRoom(tx, "drafts", user.id, checked.flatMap(textsOf), { added: checked.length });
  const ids = await tx.ids("object_ids", checked.length);
  const drafts: Draft[] = checked.map((draft, index) => ({ id: defined(ids[index], "new id"), ...draft }));
  if (drafts.length > 0) {
    tx.write((sql) => putDrafts(sql, tx.realmId, user.id, drafts));
    for (const some of slices(drafts)) {
      tx.event({ type: "drafts", op: "add", drafts: some }, { to: "users", ids: [user.id] });
    }
  }
  return { ids };
});

/** Replaces a draft. @throws a 404 for a draft of somebody else */
export const updateDraft = command(async (tx: Tx, args: { userId: UserId; id: DraftId; draft: DraftInput }) => {
  const user = tx.user(args.userId);
  if (!(await hasDraft(tx.sql, user.id, args.id))) throw notFound("Draft does not exist");
  const draft: Draft = { id: args.id, ...checkDraft(tx.state, user, args.draft, tx.now) };
  await checkRoom(tx, "drafts", user.id, textsOf(draft), { instead: draft.id });
  tx.write((sql) => putDrafts(sql, tx.realmId, user.id, [draft]));
  tx.event({ type: "drafts", op: "update", draft }, { to: "users", ids: [user.id] });
  return {};
});

/** Deletes a draft. @throws a 404 for a draft of somebody else */
export const removeDraft = command(async (tx: Tx, args: { userId: UserId; id: DraftId }) => {
  const user = tx.user(args.userId);
  if (!(await hasDraft(tx.sql, user.id, args.id))) throw notFound("Draft does not exist");
  tx.write((sql) => deleteDraft(sql, user.id, args.id));
  tx.event({ type: "drafts", op: "remove", draft_id: args.id }, { to: "users", ids: [user.id] });
  return {};
});

/**
 * Deletes the stored drafts of a person who turns `enable_drafts_synchronization` off. There is no event: each client
 * keeps its own copies.
 */
export function discardDrafts(tx: Tx, userId: UserId): void {
  tx.write((sql) => deleteDraftsOf(sql, userId));
}
