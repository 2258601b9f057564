/** Events about users: the two lists of accounts, the caller's own top-level fields, presence and status. */
import type { ClientProfile } from "./client-profile.ts";
import { dropMember } from "./groups.ts";
import {
  type Handler,
  InapplicableEventError,
  type Presence,
  putItem,
  type RegisterState,
  renewItem,
  takeItem,
  type UserRecord,
  type UserStatus,
} from "./state.ts";
import { unknowable } from "./unknowable.ts";

/** Roles. https://zulip.com/api/roles-and-permissions */
const OWNER = 100;
const ADMINISTRATOR = 200;
const MODERATOR = 300;
const GUEST = 600;

function addUser(
  state: RegisterState,
  event: { person: UserRecord & { is_active: boolean } },
  profile: ClientProfile,
): void {
  const { is_active, ...user }: UserRecord & { is_active: boolean } = structuredClone(event.person);
  // Every person has profile_data in the list, even when it is empty.
  if (!user.is_bot) user.profile_data ??= {};
  hideGravatar(user, profile);
  takeItem(state.realm_users, "user_id", user.user_id);
  takeItem(state.realm_non_active_users, "user_id", user.user_id);
  putItem(is_active ? state.realm_users : state.realm_non_active_users, "user_id", user);
}

/** With client_gravatar, null stands for a Gravatar, whose URL the client computes from the email. */
function hideGravatar(user: UserRecord, profile: ClientProfile): void {
  if (profile.clientGravatar && user.delivery_email === user.email && user.avatar_url?.includes("gravatar.com/"))
    user.avatar_url = null;
}

function removeUser(state: RegisterState, event: { person: { user_id: number } }): void {
  const { user_id } = event.person;
  const lists = [state.realm_users, state.realm_non_active_users];
  const taken = lists.map((list) => takeItem(list, "user_id", user_id));
  if (state.realm_users && !taken.some(Boolean)) {
    throw new InapplicableEventError(`user ${user_id} is not known to this client`);
  }
}

interface Person {
  user_id: number;
  avatar_url?: string | null;
  avatar_url_medium?: string;
  avatar_source?: string;
  avatar_version?: number;
  role?: number;
  new_email?: string;
  email?: string;
  full_name?: string;
  delivery_email?: string | null;
  is_active?: boolean;
  custom_profile_field?: { id: number; value: string | null; rendered_value?: string };
}

function updateUser(state: RegisterState, event: { person: Person }, profile: ClientProfile): void {
  const { person } = event;
  if (person.user_id === state.user_id) updateCaller(state, person);
  if (!state.realm_users) return;
  const user =
    renewItem(state.realm_users, "user_id", person.user_id) ??
    renewItem(state.realm_non_active_users, "user_id", person.user_id);
  if (!user) throw new InapplicableEventError(`user ${person.user_id} is not known to this client`);

  const { avatar_url_medium, avatar_source, new_email, is_active, custom_profile_field, ...same } = person;
  if (new_email !== undefined) renamePresence(state, user.email, new_email);
  Object.assign(user, same, new_email !== undefined && { email: new_email });
  hideGravatar(user, profile);
  if (person.role !== undefined) Object.assign(user, roleFlags(person.role));
  if (custom_profile_field) setProfileField(user, custom_profile_field);
  if (is_active !== undefined) setActive(state, user, is_active);
}

function roleFlags(role: number): { is_owner: boolean; is_admin: boolean; is_guest: boolean } {
  return { is_owner: role === OWNER, is_admin: role <= ADMINISTRATOR, is_guest: role === GUEST };
}

function updateCaller(state: RegisterState, person: Person): void {
  const put = (field: string, value: unknown) => {
    if (value !== undefined && field in state) state[field] = value;
  };
  for (const field of ["full_name", "delivery_email", "avatar_url", "avatar_url_medium", "avatar_source"] as const) {
    put(field, person[field]);
  }
  put("email", person.new_email);
  if (person.role === undefined) return;
  const flags = roleFlags(person.role);
  if (flags.is_admin !== state["is_admin"] && state.realm_bots) state.realm_bots = unknowable("botsOfAdministrators");
  for (const [field, value] of Object.entries(flags)) put(field, value);
  put("is_moderator", person.role <= MODERATOR);
}

function setProfileField(user: UserRecord, field: { id: number; value: string | null; rendered_value?: string }): void {
  if (!user.profile_data) throw new InapplicableEventError(`user ${user.user_id} has no profile_data to change`);
  const { id, value, rendered_value } = field;
  if (value === null) delete user.profile_data[String(id)];
  else user.profile_data[String(id)] = rendered_value === undefined ? { value } : { value, rendered_value };
}

function setActive(state: RegisterState, user: UserRecord, isActive: boolean): void {
  takeItem(state.realm_users, "user_id", user.user_id);
  takeItem(state.realm_non_active_users, "user_id", user.user_id);
  putItem(isActive ? state.realm_users : state.realm_non_active_users, "user_id", user);
  // Their channels have events of their own. Source: feature level 377 of the Zulip API.
  if (!isActive) dropMember(state, user.user_id);
}

interface PresenceEvent {
  presences?: Record<string, Presence>;
  user_id?: number;
  email?: string;
  presence?: Record<string, { client: string; status: string; timestamp: number; pushable?: boolean }>;
}

/** Updates the format of presence that this client fetched. */
function updatePresence(state: RegisterState, event: PresenceEvent): void {
  const { presences } = state;
  if (!presences) return;
  if (event.presences) {
    Object.assign(presences, event.presences);
    return;
  }
  const [entry] = Object.values(event.presence ?? {});
  if (!entry) throw new InapplicableEventError("a presence event without a presence");
  if (event.email !== undefined) {
    const { pushable, ...aggregated } = entry;
    presences[event.email] = { aggregated, ...event.presence };
    return;
  }
  const key = String(event.user_id);
  const known = presences[key];
  const active_timestamp = entry.status === "active" ? entry.timestamp : (known?.active_timestamp ?? 0);
  presences[key] = { active_timestamp, idle_timestamp: entry.timestamp };
}

/** Legacy presences are keyed by email. */
function renamePresence(state: RegisterState, from: string, to: string): void {
  const presence = state.presences?.[from];
  if (!state.presences || !presence) return;
  state.presences[to] = presence;
  delete state.presences[from];
}

const STATUS_FIELDS = ["status_text", "emoji_name", "emoji_code", "reaction_type"] as const;

type StatusEvent = { user_id: number; away?: boolean } & Omit<UserStatus, "away">;

function updateStatus(state: RegisterState, event: StatusEvent): void {
  const all = state.user_status;
  if (!all) return;
  const key = String(event.user_id);
  const status: UserStatus = { ...all[key] };
  if (event.away === true) status.away = true;
  if (event.away === false) delete status.away;
  for (const field of STATUS_FIELDS) {
    if (event[field] !== undefined) Object.assign(status, { [field]: event[field] });
  }
  // An empty text or emoji means none. Without an emoji its type has no meaning.
  if (!status.status_text) delete status.status_text;
  if (!status.emoji_name) for (const field of STATUS_FIELDS.slice(1)) delete status[field];
  if (Object.keys(status).length === 0) delete all[key];
  else all[key] = status;
}

/** Handlers of the events about users, by `type` or `type/op`. */
export const userHandlers: Readonly<Record<string, Handler>> = {
  "realm_user/add": addUser,
  "realm_user/remove": removeUser,
  "realm_user/update": updateUser,
  presence: updatePresence,
  user_status: updateStatus,
};
