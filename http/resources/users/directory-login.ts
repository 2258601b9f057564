/** Logging in by a directory's password: whose account that is, and what the directory says of its person. */
import { ApiError, errors } from "../../../actors/errors.ts";
import { directoryOf } from "../../../actors/identities/directories.ts";
import { linkedUser, noteUsed } from "../../../actors/identities/identities.ts";
import { hasPicture, pathFor } from "../../../actors/ldap/avatar.ts";
import type { DirectoryPerson } from "../../../actors/ldap/entry.ts";
import { byDirectory, keepInStep } from "../../../actors/ldap/keep.ts";
import type { CameBy } from "../../../actors/users/changes/sessions.ts";
import { defined } from "../../../storage/failures.ts";
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import type { RawReply } from "../../api/reply.ts";
import { drawAvatar, keepAvatar } from "./avatars.ts";
import { arrive } from "./identity-pages.ts";
import { type Destination, type LoginRequest, letBrowserIn } from "./log-in.ts";
import { noteRefusal } from "./login-notes.ts";

/**
 * The account of somebody who has shown a directory's password, for a program. Who has none gets one, if they may.
 *
 * @throws AUTHENTICATION_FAILED, USER_DEACTIVATED, BAD_REQUEST for an address or a name that the organization refuses
 */
export async function accessInDirectory(
  request: LoginRequest,
  found: DirectoryPerson,
): Promise<{ user: UserRow; cameBy: CameBy }> {
  const { realm } = request;
  const linked = await accessLinked(request, found);
  if (linked) return linked;
  const provider = defined(directoryOf(realm.state), "directory").name;
  const came = await realm.execute("comeByIdentity", { provider, person: found.person });
  if (came.kind === "asked")
    throw errors.AUTHENTICATION_FAILED(
      `An account here has your address. Log in once with a browser, at ${urlAsAsked(request)}, to show that it is yours.`,
    );
  const user = await described(request, came.user_id, found);
  return { user, cameBy: { identityId: came.identity_id, providerSession: null } };
}

/** The same for a browser, in which whoever has an account already may show that it is theirs. */
export async function letInByDirectory(
  request: LoginRequest,
  found: DirectoryPerson,
  destination: Destination,
): Promise<RawReply> {
  const { realm } = request;
  const linked = await accessLinked(request, found);
  if (linked) return letBrowserIn(request, linked.user, "directory", { ...destination, cameBy: linked.cameBy });
  const provider = defined(directoryOf(realm.state), "directory").name;
  const reply = await arrive(request, { provider, person: found.person, destination, method: "directory" });
  const joined = await linkedUser(realm, found.person);
  if (joined) await described(request, joined.user.id, found);
  return reply;
}

/** The account that is linked with somebody. @throws USER_DEACTIVATED */
async function accessLinked(request: LoginRequest, found: DirectoryPerson) {
  const { realm } = request;
  const linked = await linkedUser(realm, found.person);
  if (!linked) return undefined;
  const { user, identity } = linked;
  if (!user.is_active) {
    noteRefusal(request, user, "directory", "deactivated account");
    throw errors.USER_DEACTIVATED();
  }
  await noteUsed(realm, identity.id, found.person.email);
  return {
    user: await described(request, user.id, found),
    cameBy: { identityId: identity.id, providerSession: null },
  };
}

/** Makes an account what its directory says. What fails of it keeps nobody out. */
async function described(request: LoginRequest, userId: UserId, found: DirectoryPerson): Promise<UserRow> {
  const { app, realm } = request;
  try {
    await keepInStep(realm, userId, found.described);
    if (found.avatar) await keepDirectoryPicture(request, realm.state.knownUser(userId), found.avatar);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    app.log.warn({ realm: realm.id, user: userId, reason: error.message }, "an account is not as its directory says");
  }
  return realm.state.knownUser(userId);
}

async function keepDirectoryPicture({ app, realm }: LoginRequest, user: UserRow, bytes: Buffer): Promise<void> {
  if (hasPicture(user, bytes)) return;
  const picture = await drawAvatar(app, { bytes });
  await keepAvatar(app, realm, pathFor(user.id, bytes), picture, (path) =>
    realm.execute("keepDirectoryAvatar", { userId: user.id, path }, byDirectory),
  );
}
