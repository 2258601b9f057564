/** Avatars: uploading, removing and reading them. */

import { randomBytes } from "node:crypto";
import { string } from "superstruct";
import { badRequest, errors, notFound } from "../../../actors/errors.ts";
import { accessUser, accessUserByEmail } from "../../../actors/realm/access.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { checkAvatar, maxAvatarBytes } from "../../../actors/users/changes/avatars.ts";
import { avatarUrl } from "../../../actors/users/record.ts";
import type { RealmId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { App } from "../../api/app.ts";
import { pathInt, pathText } from "../../api/params.ts";
import { RawReply } from "../../api/reply.ts";
import { anyAccount, type Route, route } from "../../api/route.ts";
import {
  type DrawnPicture,
  drawPicture,
  findDrawn,
  keepPicture,
  removePicture,
} from "../../pictures/shown-pictures.ts";
import type { UploadedFile } from "../../server/multipart.ts";
import { fileReply, nowOrLater } from "../uploads/files.ts";
import { drawIdenticon } from "./identicon.ts";

/** The place of a realm's avatars among the stored files. */
const fileOf = (realmId: RealmId, path: string): string => `avatars/${realmId}/${path}`;

/** Draws an avatar from an upload. @throws BAD_IMAGE, BAD_REQUEST, SERVICE_UNAVAILABLE */
export async function drawAvatar(app: App, { bytes }: Pick<UploadedFile, "bytes">): Promise<DrawnPicture> {
  checkAvatar(bytes);
  return drawPicture(app, "avatar", bytes);
}

/**
 * Stores a picture and sets it as the avatar of an account: the actor's own, or that of a bot of theirs. Returns its
 * URL.
 */
export async function storeAvatar(
  app: App,
  realm: ServedRealm,
  actorId: UserId,
  userId: UserId,
  picture: DrawnPicture,
): Promise<string> {
  // The name cannot be guessed, so reading the picture needs no check of the reader.
  const path = `${userId}/${randomBytes(16).toString("hex")}`;
  const { avatar_url } = await keepAvatar(app, realm, path, picture, () =>
    realm.execute("setAvatar", { actorId, userId, path }),
  );
  return avatar_url;
}

/** Stores a picture, and has an account get it. Removes the one that the account had. */
export async function keepAvatar<T extends { replaced: string | null }>(
  app: App,
  realm: ServedRealm,
  path: string,
  picture: DrawnPicture,
  give: (path: string) => Promise<T>,
): Promise<T> {
  await keepPicture(app, fileOf(realm.id, path), picture);
  try {
    const given = await give(path);
    await removeReplaced(app, realm, given.replaced);
    return given;
  } catch (error) {
    await removeAvatarFile(app, realm, path);
    throw error;
  }
}

async function removeReplaced(app: App, realm: ServedRealm, replaced: string | null): Promise<void> {
  if (replaced !== null) await nowOrLater(removeAvatarFile(app, realm, replaced));
}

/** Deletes a picture that no account uses any more. */
export async function removeAvatarFile(app: App, realm: ServedRealm, path: string): Promise<void> {
  await removePicture(app.files, "avatar", fileOf(realm.id, path));
}

/** https://zulip.com/help/change-your-profile-picture */
export const uploadAvatar = route({
  doc: "https://zulip.com/help/change-your-profile-picture",
  summary: "Gives the caller another picture: one PNG, JPEG, GIF or WebP file of at most 5 MiB.",
  auth: anyAccount,
  maxBodyBytes: maxAvatarBytes + 64 * 1024,
  file: { description: "The picture.", isRequired: true },
  params: {},
  returns: { avatar_url: string() },
  async handle({ app, realm, user, files }) {
    const [file, ...others] = files;
    if (!file || others.length > 0) throw badRequest("You must upload exactly one avatar.");
    return { avatar_url: await storeAvatar(app, realm, user.id, user.id, await drawAvatar(app, file)) };
  },
});

/** https://zulip.com/help/change-your-profile-picture */
export const deleteAvatar = route({
  doc: "https://zulip.com/help/change-your-profile-picture",
  summary: "Takes the caller's picture back.",
  auth: anyAccount,
  params: {},
  returns: { avatar_url: string() },
  async handle({ app, realm, user }) {
    const args = { actorId: user.id, userId: user.id, path: null };
    const { avatar_url, replaced } = await realm.execute("setAvatar", args);
    await removeReplaced(app, realm, replaced);
    return { avatar_url };
  },
});

/** The bytes of an avatar. */
export const getAvatarFile = route({
  doc: "https://zulip.com/help/change-your-profile-picture",
  summary: "The bytes of an uploaded picture, or of the one that is drawn for who has none to show.",
  auth: ["anybody"],
  rateLimit: "none",
  servesFiles: true,
  params: { realm_id: pathInt<RealmId>(), user_id: pathInt<UserId>(), file: pathText() },
  async handle({ app, realm, params, exchange }) {
    const drawn = /^identicon(-medium)?\.png$/.exec(params.file);
    if (drawn) return picture(drawIdenticon(`${params.realm_id}:${params.user_id}`, drawn[1] ? 500 : 100));
    const [, name, medium] = /^([0-9a-f]{32})(-medium)?\.png$/.exec(params.file) ?? [];
    const stored = fileOf(realm.id, `${params.user_id}/${name}`);
    const isOurs = name !== undefined && params.realm_id === realm.id;
    const path = isOurs ? await findDrawn(app, "avatar", stored, medium ? "medium" : "small") : undefined;
    if (path === undefined) throw notFound("No such picture");
    const reply = await fileReply(exchange, app.files, path, [
      ["Content-Type", "image/png"],
      // A changed avatar gets another URL.
      ["Cache-Control", "public, max-age=31536000, immutable"],
      ["Content-Security-Policy", "default-src 'none'"],
    ]);
    if (!reply) throw notFound("No such picture");
    return reply;
  },
});

function picture(bytes: Uint8Array): RawReply {
  return new RawReply(
    200,
    [
      ["Content-Type", "image/png"],
      // A changed avatar gets another URL.
      ["Cache-Control", "public, max-age=31536000, immutable"],
      ["Content-Security-Policy", "default-src 'none'"],
    ],
    bytes,
  );
}

/** Redirects to a user's avatar, for clients that do not know its URL. */
function avatarRoute(isMedium: boolean): Route {
  return route({
    doc: "https://zulip.com/api/get-user",
    summary: "Redirects to somebody's picture.",
    auth: ["apiKey", "cookie", "anybody"],
    rateLimit: "none",
    redirects: "To the picture.",
    params: { user: pathText() },
    handle({ realm: { state }, user, params }) {
      if (!user && !state.hasSpectators) throw errors.UNAUTHENTICATED_USER();
      const person = findPerson(params.user);
      return new RawReply(
        302,
        [
          ["Location", avatarUrl(state, person, user, isMedium)],
          ["Cache-Control", "private, max-age=300"],
        ],
        "",
      );
      function findPerson(key: string): UserRow {
        const id = /^\d{1,15}$/.test(key) ? Number(key) : undefined;
        if (user) return id === undefined ? accessUserByEmail(state, user, key) : accessUser(state, user, id);
        const found = id === undefined ? undefined : state.users.get(id);
        if (!found) throw notFound("No such user");
        return found;
      }
    },
  });
}

export const getAvatar = avatarRoute(false);
export const getMediumAvatar = avatarRoute(true);
