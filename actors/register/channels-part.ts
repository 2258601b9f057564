/** The register answer's parts about channels as such: all that somebody may know of, the default ones, the folders. */
import type { UserRow } from "../../storage/rows.ts";
import { listFolders, renderFolder } from "../channels/folders.ts";
import { visibleChannels } from "../channels/lists.ts";
import { isGuest } from "../realm/access.ts";
import type { RealmActor } from "../realm/realm.ts";
import { arrayOf } from "../text/json-text.ts";
import type { RegisterView } from "./initial-state.ts";

/** `stream`: every channel the person, or a spectator (undefined), may know of. */
export function channelsPart(
  { state }: RealmActor,
  user: UserRow | undefined,
  view: Pick<RegisterView, "has">,
): Record<string, unknown> {
  const channels = visibleChannels(state, user, view.has.has("archived_channels"));
  return { streams: arrayOf(channels.map((channel) => state.channelText.of(state, channel))) };
}

/** `default_streams`: ids, ascending; guests join no channel by themselves and are given none. */
export function defaultChannelsPart({ state }: RealmActor, user: UserRow): Record<string, unknown> {
  return { realm_default_streams: isGuest(user) ? [] : [...state.defaultChannels].sort((a, b) => a - b) };
}

/** `channel_folders`: in their order, archived ones too. */
export function foldersPart({ state }: RealmActor): Record<string, unknown> {
  return { channel_folders: listFolders(state, true).map(renderFolder) };
}
