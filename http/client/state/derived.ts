/**
 * Fields of the register answer that follow from others and have no events: deprecated policies, and the caller's
 * permissions. Clients compute them again, so this does too after every event. https://zulip.com/api/register-queue
 */
import { isAnonymousGroup, membersOf } from "./groups.ts";
import type { GroupSetting, RegisterState } from "./state.ts";

/** `realm_wildcard_mention_policy` by system group, smallest group first. */
const MENTION_POLICIES: readonly (readonly [group: string, policy: number])[] = [
  ["role:nobody", 6],
  ["role:administrators", 5],
  ["role:moderators", 7],
  ["role:fullmembers", 3],
  ["role:members", 2],
  ["role:everyone", 1],
];

/** Computes every derived field whose sources were fetched. */
export function derive(state: RegisterState): void {
  deriveFromSettings(state);
  // Permissions need the groups and the caller.
  if (!state.realm_user_groups || state.user_id === undefined) return;
  derivePermissions(state);
  deriveMentionPolicy(state);
}

function put(state: RegisterState, field: string, value: unknown): void {
  if (field in state && value !== undefined) state[field] = value;
}

function deriveFromSettings(state: RegisterState): void {
  const topicsPolicy = state["realm_topics_policy"];
  if (topicsPolicy !== undefined) put(state, "realm_mandatory_topics", topicsPolicy === "disable_empty_topic");
  const visibility = state["realm_message_edit_history_visibility_policy"];
  if (visibility !== undefined) put(state, "realm_allow_edit_history", visibility !== "none");
}

/** Whether the caller holds the permission. Guests hold none of those that are derived here. */
function holds(state: RegisterState, setting: string): boolean | undefined {
  const value = state[setting];
  if (typeof value !== "number" && !isAnonymousGroup(value)) return undefined;
  return state["is_guest"] !== true && membersOf(state, value).has(state.user_id ?? -1);
}

function derivePermissions(state: RegisterState): void {
  const isPublic = holds(state, "realm_can_create_public_channel_group");
  const isPrivate = holds(state, "realm_can_create_private_channel_group");
  put(state, "can_create_public_streams", isPublic);
  put(state, "can_create_private_streams", isPrivate);
  if (isPublic !== undefined && isPrivate !== undefined) put(state, "can_create_streams", isPublic || isPrivate);
  put(state, "can_subscribe_other_users", holds(state, "realm_can_add_subscribers_group"));
  put(state, "can_invite_others_to_realm", holds(state, "realm_can_invite_users_group"));

  const offersWebPublic =
    state["realm_enable_spectator_access"] !== false && state["server_web_public_streams_enabled"] !== false;
  const isWebPublic = holds(state, "realm_can_create_web_public_channel_group");
  if (isWebPublic !== undefined) put(state, "can_create_web_public_streams", isWebPublic && offersWebPublic);
}

/** Sets the policy to that of the smallest system group with everyone whom the setting allows. */
function deriveMentionPolicy(state: RegisterState): void {
  const setting = state["realm_can_mention_many_users_group"];
  if (typeof setting !== "number" && !isAnonymousGroup(setting)) return;
  put(state, "realm_wildcard_mention_policy", closestPolicy(state, setting));
}

function closestPolicy(state: RegisterState, setting: GroupSetting): number {
  const groups = state.realm_user_groups ?? [];
  const named = groups.find((group) => group.id === setting)?.name;
  const exact = MENTION_POLICIES.find(([name]) => name === named);
  if (exact) return exact[1];
  const wanted = membersOf(state, setting);
  for (const [name, policy] of MENTION_POLICIES) {
    const group = groups.find((one) => one.name === name);
    if (!group) continue;
    const members = membersOf(state, group.id);
    if ([...wanted].every((userId) => members.has(userId))) return policy;
  }
  return 1;
}
