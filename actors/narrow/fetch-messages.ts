/** GET /messages: the messages of a narrow around an anchor, as one reader sees them. */

import type { MessageId } from "../../storage/ids.ts";
import { type MessageRecordRow, readAround, readRecords, type Texts } from "../../storage/messages/records.ts";
import { findAmong } from "../../storage/narrow/narrow.ts";
import { findAround, findFirstSince, findFirstUnread, type Stretch } from "../../storage/narrow/walk.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import type { NarrowTerm } from "../events/registration.ts";
import { canReadMessage } from "../messages/access.ts";
import { MessageRenderer, type MessageView, shownTopic } from "../messages/record.ts";
import type { RealmReader } from "../realm/reader.ts";
import { arrayOf, JsonText } from "../text/json-text.ts";
import { answerBytes, checkSize } from "./answer-size.ts";
import { HighlightTerms, highlightHtml, highlightSubject } from "./highlight.ts";
import { type ResolvedNarrow, resolveNarrow } from "./narrow.ts";
import { type Recalled, recallIds, recallTexts } from "./recall.ts";

/** The anchor that means the newest message. https://zulip.com/api/get-messages */
export const newestAnchor = 10_000_000_000_000_000;
/**
 * Messages of one fetch or flag update. https://zulip.com/api/get-messages,
 * https://zulip.com/api/update-message-flags-for-narrow
 */
export const maxMessages = 5000;

/** Milliseconds of rendering without a break. */
const maxSliceMs = 10;

/** A message id, or a position to look up: by a word, or by a time in UNIX seconds. */
export type Anchor = MessageId | "newest" | "oldest" | "first_unread" | { sentSince: number };

/** The messages to take around the anchor. */
export interface AnchorRequest {
  anchor: Anchor;
  includeAnchor: boolean;
  numBefore: number;
  numAfter: number;
}

/** The anchor's id, and what was found around it. */
export interface Found {
  anchor: MessageId;
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
}

/** @throws BAD_REQUEST for counts that a fetch does not allow */
function checkAnchorRequest({ includeAnchor, numBefore, numAfter }: AnchorRequest): void {
  if (numBefore + numAfter > maxMessages) throw badRequest(`Too many messages requested (maximum ${maxMessages}).`);
  if (!includeAnchor && numBefore > 0 && numAfter > 0)
    throw badRequest("The anchor can only be excluded at an end of the range");
}

/** Messages around an anchor. @throws BAD_NARROW, BAD_REQUEST */
export async function fetchAround(
  realm: RealmReader,
  user: UserRow | undefined,
  terms: readonly NarrowTerm[],
  request: AnchorRequest,
  view: MessageView,
): Promise<Found & { history_limited: boolean; messages: JsonText }> {
  checkAnchorRequest(request);
  const { sql } = realm.database;
  const narrow = await resolveNarrow(realm.state, sql, user, terms);
  const recalled = user && (await recallAround(realm, user, narrow, request));
  if (recalled) {
    const texts = await recallTexts(realm, user, recalled, view);
    if (texts)
      return { messages: arrayOf(texts), ...foundOf(request, recalled.anchor, recalled.ids), history_limited: false };
  }
  const anchor = await placeAnchor(realm, narrow, request.anchor);
  const stretch = stretchOf(request, anchor);
  const { ids, records } = await readAround(sql, narrow, stretch, textsFor(view, narrow), answerBytes);
  const found = foundOf(request, anchor, ids);
  return {
    messages: await renderAll(realm, user, records, narrow, view),
    ...found,
    found_oldest: found.found_oldest && records[0]?.id === ids[0],
    found_newest: found.found_newest && records.at(-1)?.id === ids.at(-1),
    history_limited: false,
  };
}

/** The ids around an anchor, ascending. @throws BAD_NARROW, BAD_REQUEST */
export async function findIds(
  realm: RealmReader,
  user: UserRow,
  terms: readonly NarrowTerm[],
  request: AnchorRequest,
): Promise<{ ids: MessageId[]; found: Found }> {
  checkAnchorRequest(request);
  const { sql } = realm.database;
  const narrow = await resolveNarrow(realm.state, sql, user, terms);
  const recalled = await recallAround(realm, user, narrow, request);
  if (recalled) return { ids: recalled.ids, found: foundOf(request, recalled.anchor, recalled.ids) };
  const anchor = await placeAnchor(realm, narrow, request.anchor);
  const ids = await findAround(sql, narrow, stretchOf(request, anchor));
  return { ids, found: foundOf(request, anchor, ids) };
}

/** Those of these messages that the reader may read and the narrow contains. */
export async function fetchByIds(
  realm: RealmReader,
  user: UserRow | undefined,
  terms: readonly NarrowTerm[],
  ids: readonly MessageId[],
  view: MessageView,
): Promise<JsonText> {
  if (ids.length > maxMessages) throw badRequest(`Too many messages requested (maximum ${maxMessages}).`);
  const { state, database } = realm;
  // With a narrow, the ids it contains count. Without one, the ids that the reader may read.
  const narrow = terms.length > 0 ? await resolveNarrow(state, database.sql, user, terms) : undefined;
  const wanted = narrow ? await findAmong(database.sql, narrow, ids) : ids;
  await checkSize(database.sql, realm.id, wanted);
  const rows = await readRecords(database.sql, realm.id, user?.id ?? null, wanted, textsFor(view, narrow));
  return renderAll(realm, user, rows, narrow, view);
}

/** One message and its Markdown source. @throws BAD_REQUEST when it does not exist, or the reader may not read it */
export async function fetchOne(
  realm: RealmReader,
  user: UserRow | undefined,
  id: MessageId,
  view: MessageView,
): Promise<{ message: JsonText; raw_content: string }> {
  const texts = { content: true, rendered: true };
  const [row] = await readRecords(realm.database.sql, realm.id, user?.id ?? null, [id], texts);
  if (!row || !canReadMessage(realm.state, row, user)) throw badRequest("Invalid message(s)");
  return {
    message: new JsonText([new MessageRenderer(realm.state, user, view).render(row)]),
    raw_content: row.content,
  };
}

/** Those of the messages that a narrow contains, each with its highlights. */
export async function matchNarrow(
  realm: RealmReader,
  user: UserRow,
  terms: readonly NarrowTerm[],
  ids: readonly MessageId[],
): Promise<Record<string, { match_content: string; match_subject: string }>> {
  const { state, database } = realm;
  const narrow = await resolveNarrow(state, database.sql, user, terms);
  const found = await findAmong(database.sql, narrow, ids);
  await checkSize(database.sql, realm.id, found);
  const rows = await readRecords(database.sql, realm.id, user.id, found, { content: false, rendered: true });
  const highlight = new HighlightTerms(narrow.searchTerms);
  const readable = rows.filter((row) => canReadMessage(state, row, user));
  return Object.fromEntries(await mapInSlices(readable, (row) => [row.id, matchFields(row, highlight, true)]));
}

/** The part of the narrow that is in memory. Undefined: PostgreSQL has to be asked. */
function recallAround(
  realm: RealmReader,
  user: UserRow,
  narrow: ResolvedNarrow,
  request: AnchorRequest,
): Promise<Recalled | undefined> {
  // The times of messages are not in memory.
  if (typeof request.anchor === "object") return Promise.resolve(undefined);
  const start = request.anchor === "first_unread" ? request.anchor : fixedAnchor(request.anchor);
  return recallIds(realm, user, narrow, start, (anchor = newestAnchor) => stretchOf(request, anchor));
}

function fixedAnchor(anchor: MessageId | "oldest" | "newest"): MessageId {
  if (typeof anchor === "number") return Math.min(Math.max(anchor, 0), newestAnchor);
  return anchor === "oldest" ? 0 : newestAnchor;
}

/** The id of an anchor in this narrow. */
async function placeAnchor(realm: RealmReader, narrow: ResolvedNarrow, anchor: Anchor): Promise<MessageId> {
  if (typeof anchor === "object")
    return (await findFirstSince(realm.database.sql, narrow, anchor.sentSince)) ?? newestAnchor;
  if (anchor !== "first_unread") return fixedAnchor(anchor);
  return (await findFirstUnread(realm.database.sql, narrow, narrow.passedOver())) ?? newestAnchor;
}

/** The range of ids to read around an anchor. */
function stretchOf(request: AnchorRequest, anchor: MessageId): Stretch {
  return {
    anchor,
    includeAnchor: request.includeAnchor,
    before: anchor === 0 ? 0 : request.numBefore,
    after: anchor === newestAnchor ? 0 : request.numAfter,
  };
}

/** Derives `found_oldest` and the like from the ids that were found. */
function foundOf(request: AnchorRequest, anchor: MessageId, ids: readonly MessageId[]): Found {
  let before = 0;
  let after = 0;
  for (const id of ids) {
    if (id < anchor) before++;
    else if (id > anchor) after++;
  }
  return {
    anchor,
    found_anchor: before + after < ids.length,
    found_oldest: anchor === 0 || before < request.numBefore,
    found_newest: anchor === newestAnchor || after < request.numAfter,
  };
}

/** The texts that an answer needs. Highlights are found in the HTML. */
function textsFor({ applyMarkdown }: MessageView, narrow: ResolvedNarrow | undefined): Texts {
  return { content: !applyMarkdown, rendered: applyMarkdown || (narrow?.searchTerms.length ?? 0) > 0 };
}

/** Those of these messages that the reader may read: the state may be newer than the rows, or older. */
async function renderAll(
  realm: RealmReader,
  user: UserRow | undefined,
  rows: readonly MessageRecordRow[],
  narrow: ResolvedNarrow | undefined,
  view: MessageView,
): Promise<JsonText> {
  const renderer = new MessageRenderer(realm.state, user, view);
  const readable = rows.filter((row) => canReadMessage(realm.state, row, user));
  const terms = narrow?.searchTerms ?? [];
  const highlight = terms.length > 0 ? new HighlightTerms(terms) : undefined;
  return arrayOf(
    await mapInSlices(readable, (row) =>
      renderer.render(row, highlight && matchFields(row, highlight, view.allowEmptyTopicName)),
    ),
  );
}

/**
 * Maps with breaks. Highlighting thousands of long messages takes seconds, so other requests get their turns in
 * between.
 */
async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  let began = performance.now();
  for (const item of items) {
    mapped.push(map(item));
    if (performance.now() - began < maxSliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
  return mapped;
}

function matchFields(row: MessageRecordRow, terms: HighlightTerms, allowEmptyTopicName: boolean) {
  const topic = row.channel_id === null ? "" : shownTopic(row.topic, { allowEmptyTopicName });
  return {
    match_content: highlightHtml(row.rendered_content, terms),
    match_subject: highlightSubject(topic, terms),
  };
}
