/** Where channels and their folders may be moved to on the left side, and what the server is asked for it. */
import { t } from "../../texts.ts";
import type { App } from "../app.ts";
import type { Channel } from "../channels.ts";

/** What channels stand below: those that are pinned, those of a folder, those in none. */
export interface Place {
  key: string;
  label: string;
  folderId: number | null;
}

export const keyOfFolder = (id: number): string => `folder-${id}`;

export const liveFolders = ({ channels }: App) => channels.folders.value.filter((folder) => !folder.is_archived);

/** In the order of the left side. Whoever has channels in no folder calls them otherwise than who has no others. */
export const placesOf = (app: App): Place[] => [
  { key: "pinned", label: t.pinned, folderId: null },
  ...liveFolders(app).map(({ id, name }) => ({ key: keyOfFolder(id), label: name, folderId: id })),
  { key: "channels", label: t.otherChannels, folderId: null },
];

export function keyOfPlace(app: App, channel: Channel): string {
  if (channel.is_archived) return "archived";
  return channel.pin_to_top ? "pinned" : keyByFolder(app, channel);
}

/** Where it stands for whoever has not pinned it. */
function keyByFolder(app: App, { folder_id: id }: Channel): string {
  return id !== null && liveFolders(app).some((folder) => folder.id === id) ? keyOfFolder(id) : "channels";
}

/** Pins are everybody's own. The folder is the channel's, and belongs to whoever administers that. */
export function mayMoveTo(app: App, channel: Channel, key: string): boolean {
  const from = keyOfPlace(app, channel);
  if (from === key || from === "archived" || !app.channels.isSubscribed(channel.stream_id)) return false;
  if (!placesOf(app).some((place) => place.key === key)) return false;
  return key === "pinned" || key === keyByFolder(app, channel) || app.permissions.administers(channel);
}

export async function moveChannel(app: App, channel: Channel, key: string): Promise<void> {
  const place = placesOf(app).find((one) => one.key === key);
  if (!place || !mayMoveTo(app, channel, key)) return;
  const isPinned = key === "pinned";
  const asked: Promise<unknown>[] = [];
  if (!isPinned && key !== keyByFolder(app, channel)) asked.push(app.actions.setFolder(channel, place.folderId));
  if (isPinned !== (channel.pin_to_top === true))
    asked.push(app.actions.setSubscription(channel.stream_id, "pin_to_top", isPinned));
  const answers = await Promise.all(asked);
  if (answers.includes(undefined)) return;
  app.ui.announcement.value = t.nowIn(channel.name, place.label);
}

/** The place above or below, or beyond those that the channel may not be moved to. */
export function nextPlace(app: App, channel: Channel, step: 1 | -1): string | undefined {
  const keys = placesOf(app).map(({ key }) => key);
  for (let at = keys.indexOf(keyOfPlace(app, channel)) + step; at >= 0 && at < keys.length; at += step)
    if (mayMoveTo(app, channel, keys[at] ?? "")) return keys[at];
  return undefined;
}

/** Puts a folder at a place in the order of those that are in use. */
export async function moveFolder(app: App, id: number, at: number): Promise<void> {
  const live = liveFolders(app);
  const moved = live.find((folder) => folder.id === id);
  if (!moved || !app.permissions.isAdmin || live[at] === undefined || live[at] === moved) return;
  const ids = live.map((folder) => folder.id).filter((one) => one !== id);
  ids.splice(at, 0, id);
  const archived = app.channels.folders.value.filter((folder) => folder.is_archived).map((folder) => folder.id);
  const done = await app.actions.orderFolders([...ids, ...archived]);
  if (done) app.ui.announcement.value = t.nowAt(moved.name, at + 1, live.length);
}
