/** Avatars: uploading, removing and reading them. */

import { randomBytes } from "node:crypto";
import { string } from "superstruct";
import { badRequest, errors, notFound } from "../../../actors/errors.ts";
import { accessUser, accessUserByEmail } from "../../../actors/realm/access.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { checkAvatar, imageType, maxAvatarBytes } from "../../../actors/users/avatars.ts";
import { avatarUrl } from "../../../actors/users/record.ts";
import { putFile, readFilePart, removeFile, sizeOfFile } from "../../../storage/files.ts";
import type { RealmId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { pathInt, pathText } from "../../api/params.ts";
import { RawReply } from "../../api/reply.ts";
import { anyAccount, type Route, route } from "../../api/route.ts";
import type { App } from "../../process/app.ts";
import type { UploadedFile } from "../../server/multipart.ts";
import { fileReply } from "../uploads/files.ts";
import { drawIdenticon } from "./identicon.ts";

/** First bytes of a picture, which show its type. */
const typeBytes = 64;

/** The place of a realm's avatars among the stored files. */
const fileOf = (realmId: RealmId, path: string): string => `avatars/${realmId}/${path}`;

/**
 * Stores a picture and sets it as the avatar of an account: the actor's own, or that of a bot of theirs. Returns its
 * URL.
 */
export async function storeAvatar(
  app: App,
  realm: ServedRealm,
  actorId: UserId,
  userId: UserId,
  file: UploadedFile,
): Promise<string> {
  checkAvatar(file.bytes);
  // The name cannot be guessed, so reading the picture needs no check of the reader.
  const path = `${userId}/${randomBytes(16).toString("hex")}`;
  await putFile(app.config.dataDir, fileOf(realm.id, path), file.bytes);
  try {
    return await setAvatar(app, realm, actorId, userId, path);
  } catch (error) {
    await removeAvatarFile(app, realm, path);
    throw error;
  }
}

/** Deletes a picture that no account uses any more. */
export async function removeAvatarFile(app: App, realm: ServedRealm, path: string): Promise<void> {
  await removeFile(app.config.dataDir, fileOf(realm.id, path));
}

async function setAvatar(app: App, realm: ServedRealm, actorId: UserId, userId: UserId, path: string | null) {
  const { avatar_url, replaced } = await realm.execute("setAvatar", { actorId, userId, path });
  if (replaced !== null) await removeAvatarFile(app, realm, replaced);
  return avatar_url;
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
    if (files.length !== 1) throw badRequest("You must upload exactly one avatar.");
    return { avatar_url: await storeAvatar(app, realm, user.id, user.id, files[0]!) };
  },
});

/** https://zulip.com/help/change-your-profile-picture */
export const deleteAvatar = route({
  doc: "https://zulip.com/help/change-your-profile-picture",
  summary: "Takes the caller's picture back.",
  auth: anyAccount,
  params: {},
  returns: { avatar_url: string() },
  handle: async ({ app, realm, user }) => ({ avatar_url: await setAvatar(app, realm, user.id, user.id, null) }),
});

/** The bytes of an avatar. */
export const getAvatarFile = route({
  doc: "https://zulip.com/help/change-your-profile-picture",
  summary: "The bytes of an uploaded picture, or of the one that is drawn for who has none to show.",
  auth: ["anybody"],
  rateLimit: "none",
  params: { realm_id: pathInt<RealmId>(), user_id: pathInt<UserId>(), file: pathText() },
  async handle({ app, realm, params, exchange }) {
    const { dataDir } = app.config;
    const drawn = /^identicon(-medium)?\.png$/.exec(params.file);
    if (drawn) return picture(drawIdenticon(`${params.realm_id}:${params.user_id}`, drawn[1] ? 500 : 100));
    const name = /^([0-9a-f]{32})(?:-medium)?\.png$/.exec(params.file)?.[1];
    const path = name === undefined ? undefined : fileOf(realm.id, `${params.user_id}/${name}`);
    const isHere =
      path !== undefined && params.realm_id === realm.id && (await sizeOfFile(dataDir, path)) !== undefined;
    if (!isHere) throw notFound("No such picture");
    const type = imageType(Buffer.from(await readFilePart(dataDir, path, 0, typeBytes)));
    const reply = await fileReply(exchange, dataDir, path, [
      ["Content-Type", type ?? "application/octet-stream"],
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
      ["Content-Type", imageType(bytes) ?? "application/octet-stream"],
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
