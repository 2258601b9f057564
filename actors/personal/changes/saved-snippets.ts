/** Saved snippets: texts that a person reuses. */

import type { SnippetId, UserId } from "../../../storage/ids.ts";
import {
  deleteSavedSnippet,
  findSavedSnippet,
  findSavedSnippets,
  putSavedSnippet,
  type SavedSnippet,
} from "../../../storage/personal/saved-snippets.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest, notFound } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import { limits } from "../../realm/state/settings.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLine, isLonger } from "../../text/texts.ts";
import { checkRoom } from "./list-limits.ts";

/** A person's snippets. */
export function readSavedSnippets({ database }: RealmReader, user: UserRow): Promise<SavedSnippet[]> {
  return findSavedSnippets(database.sql, user.id);
}

/** @throws BAD_REQUEST for a blank text or one of more than `max` code points */
function checkText(value: string, what: string, max: number): string {
  const trimmed = value.trim();
  if (trimmed === "") throw badRequest(`${what} cannot be empty.`);
  if (isLonger(trimmed, max)) throw badRequest(`${what} is too long (limit: ${max} characters)`);
  return trimmed;
}

const checkTitle = (title: string) => {
  if (!isLine(title.trim())) throw badRequest("Invalid character in title");
  return checkText(title, "Title", limits.snippetTitle);
};
const checkContent = (content: string) => checkText(content, "Content", limits.snippetContent);

/** Adds a snippet. */
export const addSavedSnippet = command(async (tx: Tx, args: { userId: UserId; title: string; content: string }) => {
  const user = tx.user(args.userId);
  const title = checkTitle(args.title);
  const content = checkContent(args.content);
  await checkRoom(tx, "snippets", user.id, [title, content]);
  const snippet: SavedSnippet = { id: await tx.id("object_ids"), title, content, date_created: tx.now };
  tx.write((sql) => putSavedSnippet(sql, tx.realmId, user.id, snippet));
  tx.event({ type: "saved_snippets", op: "add", saved_snippet: snippet }, { to: "users", ids: [user.id] });
  return { saved_snippet_id: snippet.id };
});

/** @throws a 404 for a snippet of somebody else */
async function accessSnippet(tx: Tx, userId: UserId, id: SnippetId): Promise<SavedSnippet> {
  const snippet = await findSavedSnippet(tx.sql, userId, id);
  if (!snippet) throw notFound("Saved snippet does not exist.");
  return snippet;
}

export interface UpdateSavedSnippetArgs {
  userId: UserId;
  id: SnippetId;
  title: string | undefined;
  content: string | undefined;
}

/** Changes a snippet's title, content or both. */
export const updateSavedSnippet = command(async (tx: Tx, args: UpdateSavedSnippetArgs) => {
  const user = tx.user(args.userId);
  const before = await accessSnippet(tx, user.id, args.id);
  if (args.title === undefined && args.content === undefined) throw badRequest("No new data is supplied");
  const snippet: SavedSnippet = {
    id: before.id,
    title: args.title === undefined ? before.title : checkTitle(args.title),
    content: args.content === undefined ? before.content : checkContent(args.content),
    date_created: before.date_created,
  };
  if (snippet.title === before.title && snippet.content === before.content) return {};
  await checkRoom(tx, "snippets", user.id, [snippet.title, snippet.content], { instead: snippet.id });
  tx.write((sql) => putSavedSnippet(sql, tx.realmId, user.id, snippet));
  tx.event({ type: "saved_snippets", op: "update", saved_snippet: snippet }, { to: "users", ids: [user.id] });
  return {};
});

/** Deletes a snippet. */
export const removeSavedSnippet = command(async (tx: Tx, args: { userId: UserId; id: SnippetId }) => {
  const user = tx.user(args.userId);
  await accessSnippet(tx, user.id, args.id);
  tx.write((sql) => deleteSavedSnippet(sql, user.id, args.id));
  tx.event({ type: "saved_snippets", op: "remove", saved_snippet_id: args.id }, { to: "users", ids: [user.id] });
  return {};
});
