/** The channels that a list shows to its caller. */
import type { ChannelId } from "../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { canReadContent, canSeeChannel, isAdmin, ownerBehind } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";
import { renderChannel } from "./record.ts";
import type { ListedChannel } from "./shapes.ts";

/** The filters of GET /streams. Each adds channels, except the one that leaves archived ones out. */
export interface ChannelFilters {
  includePublic: boolean;
  includeWebPublic: boolean;
  includeSubscribed: boolean;
  excludeArchived: boolean;
  includeAll: boolean;
  /** The older name of `includeAll`, for administrators. */
  includeAllActive: boolean;
  includeDefault: boolean;
  includeOwnerSubscribed: boolean;
  includeCanAccessContent: boolean;
}

/**
 * All channels that the user, or a spectator (undefined), may know of. Archived ones only for clients that know them.
 */
export function visibleChannels(state: RealmState, user: UserRow | undefined, withArchived: boolean): ChannelRow[] {
  const visible: ChannelRow[] = [];
  for (const channel of state.channels.values()) {
    if ((!channel.is_archived || withArchived) && canSeeChannel(state, channel, user)) visible.push(channel);
  }
  return visible;
}

/**
 * Records of the channels that at least one filter includes. @throws BAD_REQUEST for a filter that only administrators
 * may use
 */
export function listChannels(state: RealmState, user: UserRow, filters: ChannelFilters): ListedChannel[] {
  if (filters.includeAllActive && !isAdmin(user)) throw badRequest("User not authorized for this query");
  const ids = new Set<ChannelId>();
  const add = (channelIds: Iterable<ChannelId>) => {
    for (const id of channelIds) ids.add(id);
  };
  if (filters.includeSubscribed) add(state.subscriptions.channelsOf(user.id));
  const owner = filters.includeOwnerSubscribed ? ownerBehind(state, user) : undefined;
  if (owner) add(state.subscriptions.channelsOf(owner.id));
  if (filters.includeDefault)
    add([...state.defaultChannels].filter((id) => canSeeChannel(state, state.knownChannel(id), user)));
  const isIncluded = filterOf(state, user, filters);
  if (isIncluded) for (const channel of state.channels.values()) if (isIncluded(channel)) ids.add(channel.id);
  const records: ListedChannel[] = [];
  for (const id of [...ids].sort((a, b) => a - b)) {
    const channel = state.knownChannel(id);
    if (channel.is_archived && filters.excludeArchived) continue;
    const record = renderChannel(state, channel);
    records.push(filters.includeDefault ? { ...record, is_default: state.defaultChannels.has(id) } : record);
  }
  return records;
}

/** The condition for every channel. Undefined: none. */
function filterOf(
  state: RealmState,
  user: UserRow,
  filters: ChannelFilters,
): ((channel: ChannelRow) => boolean) | undefined {
  const sees = (channel: ChannelRow) => canSeeChannel(state, channel, user);
  if (filters.includeAll || filters.includeAllActive) return sees;
  const { includePublic, includeWebPublic, includeCanAccessContent } = filters;
  if (!includePublic && !includeWebPublic && !includeCanAccessContent) return undefined;
  return (channel) =>
    (includePublic && !channel.invite_only && sees(channel)) ||
    (includeWebPublic && channel.is_web_public) ||
    (includeCanAccessContent && canReadContent(state, channel, user));
}
