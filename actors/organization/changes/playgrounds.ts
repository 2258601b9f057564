/** Code playgrounds: sites that run code blocks of a language. */
import type { PlaygroundId, UserId } from "../../../storage/ids.ts";
import type { PlaygroundRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLine, isLonger } from "../../text/texts.ts";
import { checkPlaygroundUrlTemplate } from "../../text/uri-template.ts";
import type { PlaygroundRecord } from "../shapes.ts";

/** Code points. Every register answer has all names. */
const maxNameLength = 500;
const maxLanguageLength = 40;
export const maxPlaygrounds = 1000;
const languagePattern = /^[A-Za-z0-9 _+./#-]+$/;

function renderPlayground({ id, name, pygments_language, url_template }: PlaygroundRow): PlaygroundRecord {
  return { id, name, pygments_language, url_template };
}

/** The organization's playgrounds as clients see them, oldest first. */
export function renderPlaygrounds(state: RealmState): PlaygroundRecord[] {
  return byId(state.playgrounds.values()).map(renderPlayground);
}

const byId = (rows: Iterable<PlaygroundRow>) => [...rows].sort((a, b) => a.id - b.id);

export interface AddPlaygroundArgs {
  userId: UserId;
  name: string;
  language: string;
  urlTemplate: string;
}

function checkLabel(value: string, what: string, maxLength: number): string {
  const trimmed = value.trim();
  if (trimmed === "") throw badRequest(`${what} cannot be empty`);
  if (!isLine(trimmed)) throw badRequest(`Invalid character in ${what}`);
  if (isLonger(trimmed, maxLength)) throw badRequest(`${what} is too long (limit: ${maxLength} characters)`);
  return trimmed;
}

/** The fields as they are stored. @throws BAD_REQUEST */
export function checkPlayground(given: Omit<AddPlaygroundArgs, "userId">): Omit<PlaygroundRecord, "id"> {
  const name = checkLabel(given.name, "name", maxNameLength);
  const pygments_language = checkLabel(given.language, "pygments_language", maxLanguageLength);
  if (!languagePattern.test(pygments_language)) throw badRequest("Invalid characters in pygments language");
  const url_template = given.urlTemplate.trim();
  const problem = checkPlaygroundUrlTemplate(url_template);
  if (problem !== undefined) throw badRequest(problem);
  return { name, pygments_language, url_template };
}

/** Adds a playground. */
export const addPlayground = command(async (tx: Tx, args: AddPlaygroundArgs) => {
  const { state } = tx;
  requireAdmin(tx.user(args.userId));
  const { name, pygments_language, url_template } = checkPlayground(args);
  for (const row of state.playgrounds.values()) {
    if (row.pygments_language === pygments_language && row.name === name)
      throw badRequest("A playground of this name exists already for this language.");
  }
  if (state.playgrounds.size >= maxPlaygrounds) throw badRequest(`At most ${maxPlaygrounds} playgrounds are allowed.`);
  const row = { id: await tx.id("playground_ids"), realm_id: tx.realmId, name, pygments_language, url_template };
  tx.put("playgrounds", row);
  announce(tx, [...state.playgrounds.values(), row]);
  return { id: row.id };
});

/** Removes a playground. */
export const removePlayground = command((tx: Tx, args: { userId: UserId; id: PlaygroundId }) => {
  const { state } = tx;
  requireAdmin(tx.user(args.userId));
  if (!state.playgrounds.has(args.id)) throw badRequest("Invalid playground");
  tx.remove("playgrounds", { id: args.id });
  announce(
    tx,
    [...state.playgrounds.values()].filter(({ id }) => id !== args.id),
  );
  return {};
});

function announce(tx: Tx, rows: readonly PlaygroundRow[]): void {
  tx.event({ type: "realm_playgrounds", realm_playgrounds: byId(rows).map(renderPlayground) }, { to: "realm" });
}
