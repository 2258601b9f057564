/** The organization's icon and logos: uploading, removing and reading them. */
import { randomBytes } from "node:crypto";
import { string } from "superstruct";
import { badRequest, notFound } from "../../../actors/errors.ts";
import { type RealmPicture, realmPictureUrl } from "../../../actors/organization/changes/pictures.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { fileLimitsMib } from "../../../actors/register/realm-part.ts";
import type { RealmId, UserId } from "../../../storage/ids.ts";
import type { App } from "../../api/app.ts";
import { bool, pathInt, pathText } from "../../api/params.ts";
import { RawReply } from "../../api/reply.ts";
import { anyAccount, route } from "../../api/route.ts";
import { drawPicture, findDrawn, formatOf, keepPicture, removePicture } from "../../pictures/shown-pictures.ts";
import type { UploadedFile } from "../../server/multipart.ts";
import { fileReply, imageTypeOf, nowOrLater, safeBytesHeaders } from "../uploads/files.ts";

const kindOf = (kind: RealmPicture) => (kind === "icon" ? "icon" : "logo");
const mebibyte = 1024 * 1024;
const fileOf = (realmId: RealmId, name: string) => `realm/${realmId}/${name}`;

/** Stores an uploaded picture. @throws BAD_REQUEST, BAD_IMAGE. @returns the name of its file */
async function storePicture(
  app: App,
  realm: ServedRealm,
  kind: RealmPicture,
  files: readonly UploadedFile[],
): Promise<string> {
  const what = kindOf(kind);
  const [file] = files;
  if (!file || files.length > 1) throw badRequest(`You must upload exactly one ${what}.`);
  if (file.bytes.length > fileLimitsMib[what] * mebibyte)
    throw badRequest(`Uploaded file is larger than the allowed limit of ${fileLimitsMib[what]} MiB`);
  const picture = await drawPicture(app, what, file.bytes);
  // A changed picture gets another address, so no cache shows the old one.
  const name = `${randomBytes(16).toString("hex")}.png`;
  await keepPicture(app, fileOf(realm.id, name), picture);
  return name;
}

async function setPicture(app: App, realm: ServedRealm, userId: UserId, kind: RealmPicture, file: string | null) {
  try {
    const { url, replaced } = await realm.execute("setRealmPicture", { userId, kind, file });
    if (replaced !== null) await nowOrLater(removePicture(app.files, kindOf(kind), fileOf(realm.id, replaced)));
    return url;
  } catch (error) {
    if (file !== null) await removePicture(app.files, kindOf(kind), fileOf(realm.id, file));
    throw error;
  }
}

const maxBodyBytes = (Math.max(fileLimitsMib.icon, fileLimitsMib.logo) + 1) * mebibyte;
const logoOf = ({ night }: { night: boolean }): RealmPicture => (night ? "night_logo" : "logo");
const redirect = (url: string) =>
  new RawReply(
    302,
    [
      ["Location", url],
      ["Cache-Control", "private, max-age=60"],
    ],
    "",
  );
const doc = "https://zulip.com/help/create-your-organization-profile";

/** Uploads an icon. */
export const uploadRealmIcon = route({
  doc,
  summary: "Gives the organization an icon: one PNG, JPEG, GIF or WebP file of at most 5 MiB.",
  auth: anyAccount,
  permission: "administrator",
  maxBodyBytes,
  file: { description: "The picture.", isRequired: true },
  params: {},
  returns: { icon_url: string() },
  async handle({ app, realm, user, files }) {
    const file = await storePicture(app, realm, "icon", files);
    return { icon_url: await setPicture(app, realm, user.id, "icon", file) };
  },
});

/** Removes the icon. */
export const deleteRealmIcon = route({
  doc,
  summary: "Takes the organization's icon back.",
  auth: anyAccount,
  permission: "administrator",
  params: {},
  returns: { icon_url: string() },
  handle: async ({ app, realm, user }) => ({ icon_url: await setPicture(app, realm, user.id, "icon", null) }),
});

/** Redirects to the icon. */
export const getRealmIcon = route({
  doc,
  summary: "Redirects to the organization's icon.",
  auth: ["apiKey", "cookie", "anybody"],
  rateLimit: "none",
  redirects: "To the picture.",
  params: {},
  handle: ({ realm }) => redirect(realmPictureUrl(realm.state, "icon")),
});

const night = bool().default(false).describe("The one for dark pages.");

/** Uploads a logo. */
export const uploadRealmLogo = route({
  doc,
  summary: "Gives the organization a logo: one PNG, JPEG, GIF or WebP file of at most 5 MiB.",
  auth: anyAccount,
  permission: "administrator",
  maxBodyBytes,
  file: { description: "The picture.", isRequired: true },
  params: { night },
  returns: {},
  async handle({ app, realm, user, params, files }) {
    const kind = logoOf(params);
    const file = await storePicture(app, realm, kind, files);
    await setPicture(app, realm, user.id, kind, file);
    return {};
  },
});

/** Removes a logo. */
export const deleteRealmLogo = route({
  doc,
  summary: "Takes the organization's logo back.",
  auth: anyAccount,
  permission: "administrator",
  params: { night },
  returns: {},
  async handle({ app, realm, user, params }) {
    await setPicture(app, realm, user.id, logoOf(params), null);
    return {};
  },
});

/** Redirects to a logo. */
export const getRealmLogo = route({
  doc,
  summary: "Redirects to the organization's logo.",
  auth: ["apiKey", "cookie", "anybody"],
  rateLimit: "none",
  redirects: "To the picture.",
  params: { night },
  handle: ({ realm, params }) => redirect(realmPictureUrl(realm.state, logoOf(params))),
});

/** The bytes of an icon or logo. */
export const readRealmPicture = route({
  doc,
  summary: "The bytes of the organization's icon or logo.",
  auth: ["anybody"],
  rateLimit: "none",
  servesFiles: true,
  params: { realm_id: pathInt(), file: pathText() },
  async handle({ app, realm, params, exchange }) {
    const extension = /^[0-9a-f]{32}\.([a-z]{3,4})$/.exec(params.file)?.[1];
    const type = extension && imageTypeOf(extension);
    if (!type || params.realm_id !== realm.id) throw notFound("No such picture");
    const headers = [
      ["Content-Type", type],
      ["Cache-Control", "public, max-age=31536000, immutable"],
    ] as const;
    const stored = fileOf(realm.id, params.file);
    // A logo is wide, which the name does not tell.
    const kind = realmPictureUrl(realm.state, "icon").endsWith(`/${params.file}`) ? "icon" : "logo";
    const path = await findDrawn(app, kind, stored, "shown", formatOf(params.file));
    const reply = path && (await fileReply(exchange, app.files, path, [...headers, ...safeBytesHeaders]));
    if (!reply) throw notFound("No such picture");
    return reply;
  },
});
