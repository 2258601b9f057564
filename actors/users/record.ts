/** A user as another one sees them. https://zulip.com/api/get-users */
import { createHash } from "node:crypto";
import type { UserId } from "../../storage/ids.ts";
import { roles, type UserRow } from "../../storage/rows.ts";
import { apiEmail, canSeeEmail, isAdmin, isEmailPublic, isGuest, isOwner, placeholderEmail } from "../realm/access.ts";
import { defineDerived, type RealmState } from "../realm/state/state.ts";
import { profileDataRecord } from "./profile-data.ts";
import type { Gravatar, ListedUser, PersonRecord, PlaceholderUser, UserRecord } from "./shapes.ts";

export interface UserView {
  /** The client computes gravatar addresses itself. */
  clientGravatar: boolean;
  /** Leaves `avatar_url` out where the client can ask for `/avatar/{id}`. */
  avatarOptional?: boolean;
  includeProfileData?: boolean;
}

/**
 * The avatar's address for `viewer`; undefined: a spectator. A Gravatar's address has a hash of the e-mail address,
 * against which anybody could try addresses out. So only those who may know the address get it, and the others get a
 * picture that the server draws.
 */
export function avatarUrl(state: RealmState, user: UserRow, viewer: UserRow | undefined, medium = false): string {
  return hasGravatar(user) && seesGravatar(user, viewer)
    ? gravatarUrl(state, user, medium)
    : ownPictureUrl(state, user, medium);
}

const hasGravatar = (user: UserRow): boolean => user.avatar_source === "G";

/** Spectators may know the addresses of the organization's own bots only. */
const seesGravatar = (user: UserRow, viewer: UserRow | undefined): boolean =>
  viewer === undefined ? user.is_system_bot : canSeeEmail(user, viewer);

/** The address of a picture on this server: an uploaded one, or one drawn from the account's id. */
function ownPictureUrl(state: RealmState, user: UserRow, medium: boolean): string {
  const path = user.avatar_path ?? `${user.id}/identicon`;
  return `/user_avatars/${state.id}/${path}${medium ? "-medium" : ""}.png?version=${user.avatar_version}`;
}

function gravatarUrl(state: RealmState, user: UserRow, medium: boolean): string {
  const address = `https://secure.gravatar.com/avatar/${gravatarHash(state, user)}?d=identicon`;
  return `${address}${medium ? "&s=500" : ""}&version=${user.avatar_version}`;
}

/** By the row that has the address: registering asks for everybody's. */
const gravatarHashes = defineDerived({ make: () => new WeakMap<UserRow, string>(), tables: [] });

function gravatarHash(state: RealmState, user: UserRow): string {
  const hashes = state.derived(gravatarHashes);
  let hash = hashes.get(user);
  if (hash === undefined) {
    hash = createHash("sha256").update(user.delivery_email.trim().toLowerCase()).digest("hex");
    hashes.set(user, hash);
  }
  return hash;
}

/**
 * The fields of a `realm_user` update for a changed avatar. The event's forms decide which readers get the Gravatar.
 */
export function avatarFields(state: RealmState, user: UserRow) {
  return {
    avatar_url: ownPictureUrl(state, user, false),
    avatar_url_medium: ownPictureUrl(state, user, true),
    avatar_source: user.avatar_source,
    avatar_version: user.avatar_version,
    ...(hasGravatar(user) && { gravatar: gravatarFields(state, user) }),
  };
}

const gravatarFields = (state: RealmState, user: UserRow): Gravatar => ({
  avatar_url: gravatarUrl(state, user, false),
  avatar_url_medium: gravatarUrl(state, user, true),
});

/** `avatar_url` of a message. */
export function senderAvatar(state: RealmState, sender: UserRow) {
  if (!hasGravatar(sender)) return { avatar_url: ownPictureUrl(state, sender, false), gravatar: false };
  const url = gravatarUrl(state, sender, false);
  if (isEmailPublic(sender)) return { avatar_url: url, gravatar: true };
  // The message has a placeholder address, which has no Gravatar.
  return { avatar_url: ownPictureUrl(state, sender, false), gravatar: false, hidden_gravatar: url };
}

/** Beyond so many people, clients that can ask for `/avatar/{id}` do not get every Gravatar's address. */
export const maxListedGravatars = 5000;

export const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "+00:00");

/** `viewer` undefined: a spectator. */
export function renderUser(
  state: RealmState,
  user: UserRow,
  viewer: UserRow | undefined,
  view: UserView & { avatarOptional?: never },
): UserRecord;
export function renderUser(state: RealmState, user: UserRow, viewer: UserRow | undefined, view: UserView): ListedUser;
export function renderUser(state: RealmState, user: UserRow, viewer: UserRow | undefined, view: UserView): ListedUser {
  const seesEmail = canSeeEmail(user, viewer);
  const gravatar = hasGravatar(user);
  return {
    user_id: user.id,
    email: apiEmail(state, user),
    delivery_email: seesEmail ? user.delivery_email : null,
    full_name: user.full_name,
    date_joined: isoTime(user.date_joined),
    is_active: user.is_active,
    is_owner: isOwner(user),
    is_admin: isAdmin(user),
    is_guest: isGuest(user),
    role: user.role,
    is_bot: user.is_bot,
    bot_type: user.bot_type,
    bot_owner_id: user.bot_owner_id,
    timezone: user.timezone,
    ...(!(view.avatarOptional && gravatar && state.users.size > maxListedGravatars) && {
      // Clients compute it from `email`, which is a placeholder unless everybody sees the address.
      avatar_url:
        gravatar && view.clientGravatar && isEmailPublic(user) && viewer !== undefined
          ? null
          : avatarUrl(state, user, viewer),
    }),
    avatar_version: user.avatar_version,
    is_imported_stub: user.is_imported_stub,
    ...(user.is_system_bot && { is_system_bot: true as const }),
    ...(user.is_deleted && { is_deleted: true as const }),
    ...(view.includeProfileData && !user.is_bot && { profile_data: profileDataRecord(state, user) }),
  };
}

/** The `person` of a `realm_user` event. The event's forms add what depends on the viewer. */
export function personRecord(state: RealmState, user: UserRow): PersonRecord {
  return {
    ...renderUser(state, user, user, { clientGravatar: false, includeProfileData: true }),
    ...avatarFields(state, user),
  };
}

/** A placeholder for a user whom the reader may not know of. Older clients need one for every id they meet. */
export function unknownUser(state: RealmState, userId: UserId): PlaceholderUser {
  return {
    user_id: userId,
    email: placeholderEmail(state, userId),
    delivery_email: null,
    full_name: "Unknown user",
    date_joined: isoTime(state.row.date_created),
    is_owner: false,
    is_admin: false,
    is_guest: false,
    role: roles.member,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    timezone: "",
    // A hash that belongs to no address, so it is nobody's Gravatar.
    avatar_url: `https://secure.gravatar.com/avatar/${"0".repeat(64)}?d=mp`,
    avatar_version: 1,
    is_imported_stub: false,
    profile_data: {},
  };
}

/** The sender's fields in a message for such a person. */
export function unknownSender(state: RealmState, userId: UserId) {
  const { email, full_name, avatar_url } = unknownUser(state, userId);
  return {
    sender_email: email,
    sender_full_name: full_name,
    avatar_url,
    gravatar: false,
    hidden_gravatar: undefined,
  };
}
