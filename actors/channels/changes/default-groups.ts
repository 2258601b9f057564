/**
 * Groups of channels that somebody new may choose to begin with, an older way beside default channels: clients show
 * them, and administrators keep them. They are kept with the organization's settings.
 */

import type { ChannelId, DefaultGroupId, UserId } from "../../../storage/ids.ts";
import type { ChannelRow, RealmChoices, UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { accessChannelByName, isGuest, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { Audience } from "../../realm/entry.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLine, isLonger } from "../../text/texts.ts";
import type { DefaultChannelGroup } from "../shapes.ts";

/** In an organization; each of its channels is in one of them at most. */
const maxGroups = 100;
const settingName = "default_stream_groups";

declare module "../../../storage/rows.ts" {
  interface RealmChoices {
    [settingName]?: readonly DefaultChannelGroup[];
  }
}

const groupsIn = (settings: RealmChoices): readonly DefaultChannelGroup[] => settings[settingName] ?? [];

/** By name. */
const sorted = (groups: readonly DefaultChannelGroup[]): DefaultChannelGroup[] =>
  [...groups].sort((a, b) => (a.name < b.name ? -1 : 1));

/** As clients are shown them: guests begin with no channel by themselves, and are shown none. */
export const defaultGroupsFor = (state: RealmState, user: UserRow): DefaultChannelGroup[] =>
  isGuest(user) ? [] : sorted(groupsIn(state.row.settings));

function keep(tx: Tx, groups: readonly DefaultChannelGroup[]): void {
  const row = tx.realmNow();
  tx.put("realms", { ...row, settings: { ...row.settings, [settingName]: groups } });
  tellDefaultGroups(tx, sorted(groups), { to: "members" });
}

export function tellDefaultGroups(tx: Tx, groups: DefaultChannelGroup[], audience: Audience): void {
  tx.event({ type: "default_stream_groups", default_stream_groups: groups }, audience);
}

/** @throws BAD_REQUEST */
function checkName(groups: readonly DefaultChannelGroup[], name: string, except?: DefaultChannelGroup): string {
  const trimmed = name.trim();
  if (trimmed === "" || isLonger(trimmed, limits.channelName) || !isLine(trimmed))
    throw badRequest(`A default channel group has a name of 1 to ${limits.channelName} characters.`);
  if (groups.some((group) => group !== except && group.name === trimmed))
    throw badRequest(`Default channel group '${trimmed}' already exists`);
  return trimmed;
}

/** @throws BAD_REQUEST */
function checkDescription(description: string): string {
  if (isLonger(description, limits.channelDescription)) throw badRequest("The description is too long.");
  return description;
}

/** @throws BAD_REQUEST */
function accessGroup(groups: readonly DefaultChannelGroup[], id: DefaultGroupId): DefaultChannelGroup {
  const group = groups.find((known) => known.id === id);
  if (!group) throw badRequest(`Default channel group with id '${id}' does not exist.`);
  return group;
}

/** Channels that may be in a group. @throws STREAM_DOES_NOT_EXIST, BAD_REQUEST */
function accessChannels(state: RealmState, user: UserRow, names: readonly string[]): ChannelRow[] {
  return [...new Set(names.map((name) => accessChannelByName(state, user, name)))].map((channel) => {
    if (channel.invite_only || channel.is_archived)
      throw badRequest(`'${channel.name}' is private or archived and cannot be in a default channel group.`);
    if (state.defaultChannels.has(channel.id))
      throw badRequest(`'${channel.name}' is a default channel and cannot be added to a default channel group.`);
    return channel;
  });
}

/** @throws BAD_REQUEST when one of them is in a group already */
function checkFree(groups: readonly DefaultChannelGroup[], channels: readonly ChannelRow[]): void {
  for (const { id, name } of channels) {
    const group = groups.find(({ streams }) => streams.includes(id));
    if (group) throw badRequest(`Channel '${name}' is already present in default channel group '${group.name}'`);
  }
}

const ascending = (ids: readonly ChannelId[]): ChannelId[] => [...ids].sort((a, b) => a - b);

interface CreateArgs {
  userId: UserId;
  name: string;
  description: string;
  channelNames: readonly string[];
}

/** @throws BAD_REQUEST, STREAM_DOES_NOT_EXIST */
export const addDefaultGroup = command((tx: Tx, args: CreateArgs) => {
  const user = tx.user(args.userId);
  requireAdmin(user);
  const groups = groupsIn(tx.state.row.settings);
  if (groups.length >= maxGroups) throw badRequest(`There can be at most ${maxGroups} default channel groups.`);
  const channels = accessChannels(tx.state, user, args.channelNames);
  checkFree(groups, channels);
  const group = {
    id: Math.max(0, ...groups.map(({ id }) => id)) + 1,
    name: checkName(groups, args.name),
    description: checkDescription(args.description),
    streams: ascending(channels.map(({ id }) => id)),
  };
  keep(tx, [...groups, group]);
  return {};
});

interface UpdateArgs {
  userId: UserId;
  groupId: DefaultGroupId;
  newName: string | undefined;
  newDescription: string | undefined;
}

/** @throws BAD_REQUEST */
export const updateDefaultGroup = command((tx: Tx, { userId, groupId, newName, newDescription }: UpdateArgs) => {
  requireAdmin(tx.user(userId));
  const groups = groupsIn(tx.state.row.settings);
  const group = accessGroup(groups, groupId);
  if (newName === undefined && newDescription === undefined)
    throw badRequest('You must pass "new_description" or "new_group_name".');
  const next = {
    ...group,
    ...(newName !== undefined && { name: checkName(groups, newName, group) }),
    ...(newDescription !== undefined && { description: checkDescription(newDescription) }),
  };
  keep(
    tx,
    groups.map((known) => (known === group ? next : known)),
  );
  return {};
});

/** @throws BAD_REQUEST */
export const removeDefaultGroup = command(
  (tx: Tx, { userId, groupId }: { userId: UserId; groupId: DefaultGroupId }) => {
    requireAdmin(tx.user(userId));
    const groups = groupsIn(tx.state.row.settings);
    const group = accessGroup(groups, groupId);
    keep(
      tx,
      groups.filter((known) => known !== group),
    );
    return {};
  },
);

interface ChannelsArgs {
  userId: UserId;
  groupId: DefaultGroupId;
  op: "add" | "remove";
  channelNames: readonly string[];
}

/** @throws BAD_REQUEST, STREAM_DOES_NOT_EXIST */
export const updateDefaultGroupChannels = command((tx: Tx, { userId, groupId, op, channelNames }: ChannelsArgs) => {
  const { state } = tx;
  const user = tx.user(userId);
  requireAdmin(user);
  const groups = groupsIn(state.row.settings);
  const group = accessGroup(groups, groupId);
  let streams = group.streams;
  if (op === "add") {
    const channels = accessChannels(state, user, channelNames);
    checkFree(groups, channels);
    streams = ascending([...streams, ...channels.map(({ id }) => id)]);
  } else {
    const gone = channelNames.map((name) => accessChannelByName(state, user, name));
    for (const { id, name } of gone)
      if (!streams.includes(id))
        throw badRequest(`Channel '${name}' is not present in default channel group '${group.name}'`);
    streams = streams.filter((id) => !gone.some((channel) => channel.id === id));
  }
  keep(
    tx,
    groups.map((known) => (known === group ? { ...group, streams } : known)),
  );
  return {};
});

/** A channel that is archived, private or a default one by now is in no group. */
export function leaveDefaultGroup(tx: Tx, channelId: ChannelId): void {
  const groups = groupsIn(tx.realmNow().settings);
  if (!groups.some(({ streams }) => streams.includes(channelId))) return;
  keep(
    tx,
    groups.map((group) => ({ ...group, streams: group.streams.filter((id) => id !== channelId) })),
  );
}
