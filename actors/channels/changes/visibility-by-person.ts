/**
 * Who begins or ceases to see a channel when a group that its settings name changes, or a person's role. (For the
 * channel's own settings see `visibility-by-setting.ts`.) A command compares the rows as they are and as they will be.
 * Then it tells the people with `tellSightChanges`, before any event that assumes that they see the channel.
 *
 * People who begin to see it get `stream` create without subscribers, then `peer_add` with all of them, as for a new
 * channel. So clients with and without subscriber lists come to the same count. People who cease to see it get `stream`
 * delete.
 */
import type { ChannelId, GroupId, UserId } from "../../../storage/ids.ts";
import type { Change, ChannelRow, GroupSetting, UserRow } from "../../../storage/rows.ts";
import { canSeeChannel, seesUnsubscribed, sightSettings } from "../../realm/access.ts";
import type { Groups } from "../../realm/state/group-index.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { visibility } from "../../topics/changes/visibility-policies.ts";
import { renderChannel } from "../record.ts";

export interface SightChange {
  /** The row as it will be. */
  channel: ChannelRow;
  /** Active users who begin to see the channel. */
  gained: UserId[];
  /** Active users who cease to see it. */
  lost: UserId[];
}

/**
 * How a change of groups changes who sees which channels.
 *
 * @param changes the rows of groups, members and subgroups that the command is going to put and remove
 * @param groupIds the groups whose members, subgroups or state they change
 */
export function findGroupSightChanges(
  state: RealmState,
  changes: readonly Change[],
  groupIds: readonly GroupId[],
): SightChange[] {
  const depends = (groups: Groups, setting: GroupSetting) => groupIds.some((id) => groups.dependsOn(setting, id));
  const next = state.groups.with(changes);
  const channels = [...state.channels.values()].filter(
    (channel) =>
      channel.invite_only &&
      !channel.is_web_public &&
      sightSettings.some((name) => depends(state.groups, channel[name]) || depends(next, channel[name])),
  );
  if (channels.length === 0) return [];
  const candidates = reached(state, [state.groups, next], groupIds);
  const found: SightChange[] = [];
  for (const channel of channels) {
    const change: SightChange = { channel, gained: [], lost: [] };
    for (const user of candidates) {
      if (state.subscriptions.has(user.id, channel.id)) continue;
      note(change, user.id, seesUnsubscribed(channel, user, state.groups), seesUnsubscribed(channel, user, next));
    }
    if (change.gained.length + change.lost.length > 0) found.push(change);
  }
  return found;
}

/** How a change of a person's role changes the channels that they see. */
export function findRoleSightChanges(state: RealmState, before: UserRow, after: UserRow): SightChange[] {
  if (before.role === after.role || !after.is_active) return [];
  const found: SightChange[] = [];
  for (const channel of state.channels.values()) {
    if (state.subscriptions.has(after.id, channel.id)) continue;
    const change: SightChange = { channel, gained: [], lost: [] };
    note(
      change,
      after.id,
      seesUnsubscribed(channel, before, state.groups),
      seesUnsubscribed(channel, after, state.groups),
    );
    if (change.gained.length + change.lost.length > 0) found.push(change);
  }
  return found;
}

function note(change: SightChange, userId: UserId, saw: boolean, sees: boolean): void {
  if (!saw && sees) change.gained.push(userId);
  if (saw && !sees) change.lost.push(userId);
}

/** Active users who are in one of the groups, as they are or as they will be. */
function reached(state: RealmState, both: readonly Groups[], groupIds: readonly GroupId[]): Set<UserRow> {
  const users = new Set<UserRow>();
  for (const groups of both) {
    for (const id of groupIds) {
      const { members, system } = groups.reach(id);
      for (const member of members) {
        const user = state.users.get(member);
        if (user?.is_active) users.add(user);
      }
      if (system.length === 0) continue;
      for (const user of state.users.values()) {
        if (user.is_active && system.some((name) => groups.isInSystemGroup(name, user))) users.add(user);
      }
    }
  }
  return users;
}

/**
 * Tells people of the channels they begin and cease to see, one event for channels that the same people gain or lose.
 */
export function tellSightChanges(tx: Tx, changes: readonly SightChange[]): void {
  const { state } = tx;
  for (const { channels, ids } of gather(changes, "gained")) {
    const streams = channels.map((channel) => ({ ...renderChannel(state, channel), subscriber_count: 0 }));
    tx.event({ type: "stream", op: "create", streams }, { to: "users", ids });
    for (const channel of channels) {
      const user_ids = state.subscriptions.activeSubscribers(channel.id);
      if (user_ids.length === 0) continue;
      tx.event({ type: "subscription", op: "peer_add", stream_ids: [channel.id], user_ids }, { to: "users", ids });
    }
  }
  for (const { channels, ids } of gather(changes, "lost")) {
    const stream_ids = channels.map(({ id }) => id);
    const streams = stream_ids.map((stream_id) => ({ stream_id }));
    tx.event({ type: "stream", op: "delete", stream_ids, streams }, { to: "users", ids });
  }
  tellMutedTopics(tx, changes);
}

/**
 * Channels that the same people begin, or cease, to see. Archived ones are apart, since not every client gets their
 * events.
 */
function gather(changes: readonly SightChange[], what: "gained" | "lost"): { channels: ChannelRow[]; ids: UserId[] }[] {
  const gathered = new Map<string, { channels: ChannelRow[]; ids: UserId[] }>();
  for (const change of changes) {
    const ids = change[what];
    if (ids.length === 0) continue;
    const key = `${change.channel.is_archived}:${ids.join()}`;
    const entry = gathered.get(key);
    if (entry) entry.channels.push(change.channel);
    else gathered.set(key, { channels: [change.channel], ids });
  }
  return [...gathered.values()];
}

/** `muted_topics` names channels, so it has only those that its reader sees. */
export function tellMutedTopics(tx: Tx, changes: readonly SightChange[]): void {
  const { state } = tx;
  const sees = new Map<UserId, Map<ChannelId, boolean>>();
  for (const { channel, gained, lost } of changes) {
    for (const [ids, seen] of [
      [gained, true],
      [lost, false],
    ] as const) {
      for (const id of ids) {
        if (!state.userTopics.has(id)) continue;
        let mine = sees.get(id);
        if (!mine) sees.set(id, (mine = new Map()));
        mine.set(channel.id, seen);
      }
    }
  }
  for (const [userId, changed] of sees) {
    const rows = [...(state.userTopics.get(userId)?.values() ?? [])].filter(
      (row) => row.visibility_policy === visibility.muted,
    );
    if (!rows.some((row) => changed.has(row.channel_id))) continue;
    const user = state.users.get(userId);
    const muted = rows.filter((row) => {
      const channel = state.channels.get(row.channel_id);
      return channel && (changed.get(channel.id) ?? canSeeChannel(state, channel, user));
    });
    const muted_topics = muted.map((row): [string, string, number] => [
      state.knownChannel(row.channel_id).name,
      row.topic_name,
      row.last_updated,
    ]);
    tx.event({ type: "muted_topics", muted_topics }, { to: "users", ids: [userId] });
  }
}
