/**
 * Channel folders: how an organization groups its channels. Administrators make and change them, everybody sees them.
 */
import { defined } from "../../../storage/failures.ts";
import type { FolderId, UserId } from "../../../storage/ids.ts";
import type { ChannelFolderRow, UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { renderPlain } from "../../organization/markdown-context.ts";
import { isAdmin, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLegible } from "../../text/legible-name.ts";
import { isLonger } from "../../text/texts.ts";
import { grantFolder } from "../folder-machine.ts";
import type { FolderRecord } from "../shapes.ts";

/** A channel folder as clients see it. https://zulip.com/api/get-channel-folders */
export function renderFolder(folder: ChannelFolderRow): FolderRecord {
  const { realm_id: _, ...shown } = folder;
  return shown;
}

/** Folders in their order. Archived ones only if they are asked for. */
export function listFolders(state: RealmState, withArchived: boolean): ChannelFolderRow[] {
  return [...state.folders.values()]
    .filter((folder) => withArchived || !folder.is_archived)
    .sort((a, b) => a.order - b.order || a.id - b.id);
}

/** The most folders, archived ones counted: every register sends them all. */
const maxFolders = 1000;

export const createFolder = command(async (tx: Tx, args: { userId: UserId; name: string; description: string }) => {
  const user = tx.user(args.userId);
  requireAdmin(user);
  const name = checkFolderName(tx.state, args.name);
  const description = checkFolderDescription(args.description);
  if (tx.state.folders.size >= maxFolders) throw badRequest(`At most ${maxFolders} channel folders are allowed.`);
  const folder: ChannelFolderRow = {
    id: (await tx.id("object_ids")) as FolderId,
    realm_id: tx.realmId,
    name,
    description,
    rendered_description: renderPlain(tx.state, description),
    date_created: tx.now,
    creator_id: user.id,
    is_archived: false,
    order: Math.max(-1, ...[...tx.state.folders.values()].map((other) => other.order)) + 1,
  };
  tx.put("channel_folders", folder);
  tx.event({ type: "channel_folder", op: "add", channel_folder: renderFolder(folder) }, { to: "realm" });
  return { channel_folder_id: folder.id };
});

export interface UpdateFolderArgs {
  userId: UserId;
  folderId: FolderId;
  name?: string | undefined;
  description?: string | undefined;
  isArchived?: boolean | undefined;
}

type FolderChange = Partial<Pick<ChannelFolderRow, "name" | "description" | "rendered_description" | "is_archived">>;

export const updateFolder = command((tx: Tx, args: UpdateFolderArgs) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  requireAdmin(user);
  const folder = accessFolder(state, args.folderId);
  const data: FolderChange = {};
  if (args.name !== undefined) {
    const name = checkFolderName(state, args.name, folder.id);
    if (name !== folder.name) data.name = name;
  }
  if (args.description !== undefined) {
    const description = checkFolderDescription(args.description);
    if (description !== folder.description) {
      data.description = description;
      data.rendered_description = renderPlain(state, description);
    }
  }
  if (args.isArchived !== undefined) Object.assign(data, decideArchived(state, user, folder, args.isArchived));
  if (Object.keys(data).length === 0) return {};
  tx.put("channel_folders", { ...folder, ...data });
  tx.event({ type: "channel_folder", op: "update", channel_folder_id: folder.id, data }, { to: "realm" });
  return {};
});

/** Puts the folders, archived ones too, in a new order. */
export const reorderFolders = command((tx: Tx, args: { userId: UserId; order: FolderId[] }) => {
  const { folders } = tx.state;
  requireAdmin(tx.user(args.userId));
  const given = new Set(args.order);
  if (given.size !== args.order.length || given.size !== folders.size || args.order.some((id) => !folders.has(id)))
    throw badRequest("Invalid order mapping.");
  const moved = args.order.flatMap((id, order) => {
    const folder = defined(folders.get(id), "folder");
    return folder.order === order ? [] : [{ ...folder, order }];
  });
  if (moved.length === 0) return {};
  tx.put("channel_folders", ...moved);
  tx.event({ type: "channel_folder", op: "reorder", order: args.order }, { to: "realm" });
  return {};
});

/** @throws BAD_REQUEST */
function accessFolder(state: RealmState, id: FolderId): ChannelFolderRow {
  const folder = state.folders.get(id);
  if (!folder) throw badRequest("Invalid channel folder ID");
  return folder;
}

/** @throws BAD_REQUEST for a name that is empty, too long, or taken, ignoring case */
function checkFolderName(state: RealmState, name: string, except?: FolderId): string {
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("Channel folder name can't be empty.");
  if (isLonger(trimmed, limits.folderName))
    throw badRequest(`Channel folder name too long (limit: ${limits.folderName} characters).`);
  if (/[\p{Cs}\p{Cn}]/u.test(trimmed) || !isLegible(trimmed))
    throw badRequest("Invalid character in channel folder name.");
  const key = trimmed.toLowerCase();
  for (const folder of state.folders.values()) {
    if (folder.id !== except && folder.name.toLowerCase() === key)
      throw badRequest(`Channel folder '${folder.name}' already exists`);
  }
  return trimmed;
}

/** @throws BAD_REQUEST */
function checkFolderDescription(description: string): string {
  if (isLonger(description, limits.folderDescription))
    throw badRequest(`Channel folder description too long (limit: ${limits.folderDescription} characters).`);
  return description;
}

/** The changes of a folder that is archived or restored. @throws BAD_REQUEST */
function decideArchived(state: RealmState, user: UserRow, folder: ChannelFolderRow, isWanted: boolean): FolderChange {
  const byAdmin = isAdmin(user);
  const step = grantFolder(
    folder,
    isWanted
      ? { type: "archive.asked", byAdmin, isEmpty: isEmpty(state, folder.id) }
      : { type: "return.asked", byAdmin },
  );
  const data: FolderChange = {};
  for (const action of step.actions) {
    switch (action) {
      case "show":
        data.is_archived = step.state === "archived";
        break;
      default:
        action satisfies never;
    }
  }
  return data;
}

/** Whether no active channel is in the folder. */
function isEmpty(state: RealmState, folderId: FolderId): boolean {
  for (const channel of state.channels.values())
    if (channel.folder_id === folderId && !channel.is_archived) return false;
  return true;
}
