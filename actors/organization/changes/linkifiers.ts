/** Linkifiers of the organization: adding, changing and ordering them. `linkifier-pattern.ts` checks their patterns. */
import { defined } from "../../../storage/failures.ts";
import type { LinkifierId, UserId } from "../../../storage/ids.ts";
import type { LinkifierRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { checkReverseTemplate, compileLinkifier, LinkifierError } from "../linkifier-pattern.ts";
import type { LinkifierRecord } from "../shapes.ts";

/** Every message is searched with all of them. */
export const maxLinkifiers = 300;

/** The fields that an administrator sends. */
export type LinkifierInput = Pick<
  LinkifierRow,
  "pattern" | "url_template" | "example_input" | "reverse_template" | "alternative_url_templates"
>;

/** What is left out stays as it is. */
export type LinkifierChange = Pick<LinkifierInput, "pattern" | "url_template"> & Partial<LinkifierInput>;

function renderLinkifier(row: LinkifierRow): LinkifierRecord {
  const { id, pattern, url_template, example_input, reverse_template, alternative_url_templates } = row;
  return { id, pattern, url_template, example_input, reverse_template, alternative_url_templates };
}

/** The organization's linkifiers as clients see them, in the order in which they apply. */
export function renderLinkifiers(state: RealmState): LinkifierRecord[] {
  return state.orderedLinkifiers().map(renderLinkifier);
}

/** Returns the fields as they are stored. @throws BAD_REQUEST */
export function checkLinkifierRule(input: LinkifierInput): LinkifierInput {
  const checked: LinkifierInput = {
    ...input,
    pattern: input.pattern.trim(),
    url_template: input.url_template.trim(),
    // Forms send an empty text for a field that was left blank.
    example_input: input.example_input === "" ? null : input.example_input,
    reverse_template: input.reverse_template === "" ? null : input.reverse_template,
  };
  let problem: string | undefined;
  try {
    const compiled = compileLinkifier(checked);
    // Without this check in `compileLinkifier` those that are stored go on.
    const unused = compiled.groups.find((group) => !compiled.urlTemplate.variables.includes(group));
    problem =
      unused === undefined
        ? checkReverseTemplate(compiled, checked)
        : `Group “${unused}” in linkifier pattern is not present in URL template.`;
  } catch (error) {
    if (!(error instanceof LinkifierError)) throw error;
    problem = error.message;
  }
  if (problem !== undefined) throw badRequest(problem);
  return checked;
}

/** Returns the fields as they are stored. @throws BAD_REQUEST */
function checkLinkifier(state: RealmState, input: LinkifierInput, ownId?: LinkifierId): LinkifierInput {
  const checked = checkLinkifierRule(input);
  for (const row of state.linkifiers.values()) {
    if (row.pattern === checked.pattern && row.id !== ownId) throw badRequest("Linkifier already exists.");
  }
  return checked;
}

/** Sends the list of linkifiers. Queues that did not declare `linkifier_url_template` do not take the event. */
function announce(tx: Tx, rows: readonly LinkifierRow[]): void {
  const ordered = [...rows].sort((a, b) => a.order - b.order || a.id - b.id);
  tx.event({ type: "realm_linkifiers", realm_linkifiers: ordered.map(renderLinkifier) }, { to: "realm" });
}

function accessLinkifier(state: RealmState, id: LinkifierId): LinkifierRow {
  const row = state.linkifiers.get(id);
  if (!row) throw badRequest("Linkifier not found.");
  return row;
}

/** Adds a linkifier at the end. */
export const addLinkifier = command(async (tx: Tx, args: { userId: UserId; linkifier: LinkifierInput }) => {
  const { state } = tx;
  requireAdmin(tx.user(args.userId));
  const checked = checkLinkifier(state, args.linkifier);
  if (state.linkifiers.size >= maxLinkifiers) throw badRequest(`At most ${maxLinkifiers} linkifiers are allowed.`);
  const rows = [...state.linkifiers.values()];
  const order = Math.max(0, ...rows.map((row) => row.order)) + 1;
  const row: LinkifierRow = { id: await tx.id("linkifier_ids"), realm_id: tx.realmId, order, ...checked };
  tx.put("linkifiers", row);
  announce(tx, [...rows, row]);
  return { id: row.id };
});

/** Replaces a linkifier. It keeps its place. */
export const updateLinkifier = command(
  (tx: Tx, args: { userId: UserId; id: LinkifierId; linkifier: LinkifierChange }) => {
    const { state } = tx;
    requireAdmin(tx.user(args.userId));
    const before = accessLinkifier(state, args.id);
    const row = { ...before, ...checkLinkifier(state, { ...before, ...args.linkifier }, args.id) };
    tx.put("linkifiers", row);
    announce(tx, [...[...state.linkifiers.values()].filter(({ id }) => id !== row.id), row]);
    return {};
  },
);

/** Removes a linkifier. */
export const removeLinkifier = command((tx: Tx, args: { userId: UserId; id: LinkifierId }) => {
  const { state } = tx;
  requireAdmin(tx.user(args.userId));
  const { id } = accessLinkifier(state, args.id);
  tx.remove("linkifiers", { id });
  announce(
    tx,
    [...state.linkifiers.values()].filter((row) => row.id !== id),
  );
  return {};
});

/** Orders the linkifiers. `ids` names each of them once. */
export const orderLinkifiers = command((tx: Tx, args: { userId: UserId; ids: LinkifierId[] }) => {
  const { state } = tx;
  requireAdmin(tx.user(args.userId));
  const isWhole =
    args.ids.length === state.linkifiers.size &&
    new Set(args.ids).size === args.ids.length &&
    args.ids.every((id) => state.linkifiers.has(id));
  if (!isWhole) throw badRequest("The ordered list must enumerate all existing linkifiers exactly once");
  const rows = args.ids.map((id, index) => ({ ...defined(state.linkifiers.get(id), "linkifier"), order: index + 1 }));
  if (rows.length === 0) return {};
  tx.put("linkifiers", ...rows);
  announce(tx, rows);
  return {};
});
