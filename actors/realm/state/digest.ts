/**
 * One hash of all that a realm's log has built. Replicas at equal positions have equal digests, whatever the order in
 * which they got their rows. It reads every row, so it is for tests and for finding faults, not for requests.
 */
import { createHash } from "node:crypto";
import type { StateTable } from "../../../storage/rows.ts";
import type { RealmState } from "./state.ts";

/** SHA-256, in hex, of the replicated tables. The position is not part of it. */
export function digestState(state: RealmState): string {
  const hash = createHash("sha256");
  for (const [table, rows] of Object.entries(tablesOf(state))) {
    hash.update(`\n${table}\n`);
    for (const row of rows.map(canonical).sort()) hash.update(`${row}\n`);
  }
  return hash.digest("hex");
}

function tablesOf(state: RealmState): Record<StateTable, unknown[]> {
  const { groups } = state;
  const groupIds = [...groups.byId.keys()];
  return {
    realms: [state.row],
    users: [...state.users.values()],
    channels: [...state.channels.values()],
    subscriptions: [...state.users.keys()].flatMap((id) => [...state.subscriptions.of(id)]),
    user_groups: [...groups.byId.values()],
    user_group_members: groupIds.map((id) => [id, groups.directMembers(id)]),
    user_group_subgroups: groupIds.map((id) => [id, groups.directSubgroups(id)]),
    channel_folders: [...state.folders.values()],
    linkifiers: [...state.linkifiers.values()],
    playgrounds: [...state.playgrounds.values()],
    realm_domains: [...state.domains.values()],
    custom_profile_fields: [...state.profileFields.values()],
    realm_emoji: [...state.emoji.values()],
    default_channels: [...state.defaultChannels],
    user_topics: [...state.userTopics.values()].flatMap((topics) => [...topics.values()]),
    muted_users: [...state.mutedUsers.values()].flatMap((muted) => [...muted.values()]),
  };
}

/** JSON with the keys of every object sorted: PostgreSQL does not keep the order of a `jsonb`'s keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
