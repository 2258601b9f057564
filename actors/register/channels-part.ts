/** The register answer's parts about channels as such: all that somebody may know of, the default ones, the folders. */
import type { UserRow } from "../../storage/rows.ts";
import { listFolders, renderFolder } from "../channels/folders.ts";
import { visibleChannels } from "../channels/lists.ts";
import { isGuest } from "../realm/access.ts";
import type { RealmReader } from "../realm/reader.ts";
import { arrayOf } from "../text/json-text.ts";
import type { RegisterFields } from "./answer.ts";
import type { RegisterView } from "./view.ts";

/** `stream`: every channel the person, or a spectator (undefined), may know of. */
export function channelsPart(
  { state, channelText }: RealmReader,
  user: UserRow | undefined,
  view: Pick<RegisterView, "has">,
): RegisterFields {
  const channels = visibleChannels(state, user, view.has.has("archived_channels"));
  return { streams: arrayOf(channels.map((channel) => channelText.of(state, channel))) };
}

/** `default_streams`: ids, ascending. Guests get no default channels. */
export function defaultChannelsPart({ state }: RealmReader, user: UserRow): RegisterFields {
  return { realm_default_streams: isGuest(user) ? [] : [...state.defaultChannels].sort((a, b) => a - b) };
}

/** `channel_folders`: in their order, archived ones too. */
export function foldersPart({ state }: RealmReader): RegisterFields {
  return { channel_folders: listFolders(state, true).map(renderFolder) };
}
