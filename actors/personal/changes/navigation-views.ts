/** Navigation views: the entries of a person's left sidebar, both built-in ones and addresses of their own. */
import type { UserId } from "../../../storage/ids.ts";
import {
  deleteNavigationView,
  findNavigationViews,
  type NavigationView,
  putNavigationView,
} from "../../../storage/personal/navigation-views.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest, notFound } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLine, isLonger } from "../../text/texts.ts";
import type { NavigationViewRecord } from "../shapes.ts";

/** Views that every client has. They can be pinned but not renamed. Source: zulip.com/api/add-navigation-view */
const builtInFragments: ReadonlySet<string> = new Set([
  "inbox",
  "recent",
  "feed",
  "drafts",
  "narrow/has/reaction/sender/me",
  "narrow/is/mentioned",
  "narrow/is/starred",
]);
/** Code points. A name must fit a sidebar, and a fragment any narrow with a topic. */
const maxNameLength = 100;
const maxFragmentLength = 1000;
/** An index holds it: PostgreSQL takes 2,704 bytes of an entry. */
const maxFragmentBytes = 2_500;
/** Every register answer has all of them. */
const maxViews = 1000;

/** A person's views, as clients see them. */
export async function readNavigationViews({ database }: RealmReader, user: UserRow) {
  return (await findNavigationViews(database.sql, user.id)).map(renderNavigationView);
}

/** The record that clients see. A built-in view has no `name`. */
export function renderNavigationView({ fragment, is_pinned, name }: NavigationView): NavigationViewRecord {
  return { fragment, is_pinned, ...(name !== null && { name }) };
}

/** @throws BAD_REQUEST */
export function checkFragment(fragment: string): string {
  const trimmed = fragment.trim();
  if (trimmed === "") throw badRequest("fragment cannot be blank");
  if (!isLine(trimmed)) throw badRequest("Invalid character in fragment");
  if (isLonger(trimmed, maxFragmentLength) || Buffer.byteLength(trimmed) > maxFragmentBytes)
    throw badRequest(`fragment is too long (limit: ${maxFragmentLength} characters)`);
  return trimmed;
}

/** Two names that differ only in case are the same. */
function checkName(views: readonly NavigationView[], fragment: string, name: string): string {
  if (builtInFragments.has(fragment)) throw badRequest("Built-in views cannot have a custom name.");
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("Custom views must have a valid name.");
  if (!isLine(trimmed)) throw badRequest("Invalid character in name");
  if (isLonger(trimmed, maxNameLength)) throw badRequest(`name is too long (limit: ${maxNameLength} characters)`);
  const taken = views.some((view) => view.fragment !== fragment && view.name?.toLowerCase() === trimmed.toLowerCase());
  if (taken) throw badRequest("Navigation view already exists.");
  return trimmed;
}

export interface AddNavigationViewArgs {
  userId: UserId;
  fragment: string;
  isPinned: boolean;
  name: string | null;
}

/** Adds a view. */
export const addNavigationView = command(async (tx: Tx, args: AddNavigationViewArgs) => {
  const user = tx.user(args.userId);
  const fragment = checkFragment(args.fragment);
  const views = await findNavigationViews(tx.sql, user.id);
  if (views.some((view) => view.fragment === fragment)) throw badRequest("Navigation view already exists.");
  if (views.length >= maxViews) throw badRequest("There are too many navigation views.");
  if (args.name === null && !builtInFragments.has(fragment)) throw badRequest("Custom views must have a valid name.");
  const name = args.name === null ? null : checkName(views, fragment, args.name);
  const view: NavigationView = { fragment, is_pinned: args.isPinned, name };
  tx.write((sql) => putNavigationView(sql, tx.realmId, user.id, view));
  tx.event(
    { type: "navigation_view", op: "add", navigation_view: renderNavigationView(view) },
    { to: "users", ids: [user.id] },
  );
  return {};
});

/** @throws a 404 when the caller has no such view */
async function accessView(tx: Tx, userId: UserId, fragment: string) {
  const views = await findNavigationViews(tx.sql, userId);
  const view = views.find((one) => one.fragment === fragment);
  if (!view) throw notFound("Navigation view does not exist.");
  return { views, view };
}

export interface UpdateNavigationViewArgs {
  userId: UserId;
  fragment: string;
  isPinned: boolean | undefined;
  /** Null or undefined: unchanged. */
  name: string | null | undefined;
}

/** Pins, unpins or renames a view. */
export const updateNavigationView = command(async (tx: Tx, args: UpdateNavigationViewArgs) => {
  const user = tx.user(args.userId);
  const { views, view } = await accessView(tx, user.id, checkFragment(args.fragment));
  const name = args.name == null ? undefined : checkName(views, view.fragment, args.name);
  const changed: NavigationView = { ...view, is_pinned: args.isPinned ?? view.is_pinned, name: name ?? view.name };
  const data = {
    ...(name !== undefined && name !== view.name && { name }),
    ...(changed.is_pinned !== view.is_pinned && { is_pinned: changed.is_pinned }),
  };
  if (Object.keys(data).length === 0) return {};
  tx.write((sql) => putNavigationView(sql, tx.realmId, user.id, changed));
  tx.event({ type: "navigation_view", op: "update", fragment: view.fragment, data }, { to: "users", ids: [user.id] });
  return {};
});

/** Removes a view. */
export const removeNavigationView = command(async (tx: Tx, args: { userId: UserId; fragment: string }) => {
  const user = tx.user(args.userId);
  const { view } = await accessView(tx, user.id, checkFragment(args.fragment));
  tx.write((sql) => deleteNavigationView(sql, user.id, view.fragment));
  tx.event({ type: "navigation_view", op: "remove", fragment: view.fragment }, { to: "users", ids: [user.id] });
  return {};
});
