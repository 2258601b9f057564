/** The register answer's parts about channels as such: all that somebody may know of, the default ones, the folders. */

import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { listFolders, renderFolder } from "../channels/changes/folders.ts";
import { canSeeChannel, isGuest } from "../realm/access.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RegisterFields } from "./answer.ts";
import { channelTexts } from "./channel-text.ts";
import type { RegisterView } from "./view.ts";

/** `stream`: every channel the person, or a spectator (undefined), may know of. */
export function channelsPart(
  { state }: RealmReader,
  user: UserRow | undefined,
  view: Pick<RegisterView, "has">,
): RegisterFields {
  const isVisible = (channel: ChannelRow) => canSeeChannel(state, channel, user);
  return { streams: state.derived(channelTexts).list(state, view.has.has("archived_channels"), isVisible) };
}

/** `default_streams`: ids, ascending. Guests get no default channels. */
export function defaultChannelsPart({ state }: RealmReader, user: UserRow): RegisterFields {
  return { realm_default_streams: isGuest(user) ? [] : [...state.defaultChannels].sort((a, b) => a - b) };
}

/** `channel_folders`: in their order, archived ones too. */
export function foldersPart({ state }: RealmReader): RegisterFields {
  return { channel_folders: listFolders(state, true).map(renderFolder) };
}
