/** Custom emoji, their pictures, and the names of Unicode emoji. */

import { randomBytes } from "node:crypto";
import { record, string } from "superstruct";
import { badRequest, errors, notFound } from "../../../actors/errors.ts";
import { allEmojiCodesToNames } from "../../../actors/markdown/emoji.ts";
import { checkEmojiName, renderAllEmoji, stillName } from "../../../actors/organization/emoji.ts";
import { emoji } from "../../../actors/organization/shapes.ts";
import { fileLimitsMib } from "../../../actors/register/realm-part.ts";
import { putFile, removeFile } from "../../../storage/files.ts";
import type { RealmId } from "../../../storage/ids.ts";
import { pathText } from "../../api/params.ts";
import { RawReply } from "../../api/reply.ts";
import { anyAccount, route } from "../../api/route.ts";
import { fileReply, imageTypeOf, safeBytesHeaders, sniffImage } from "../uploads/files.ts";
import { firstFrame } from "./gif.ts";

const mebibyte = 1024 * 1024;
const storedPath = (realmId: RealmId, fileName: string) => `emoji/${realmId}/${fileName}`;

/** The organization's emoji. https://zulip.com/api/get-custom-emoji */
export const getEmoji = route({
  doc: "https://zulip.com/api/get-custom-emoji",
  summary: "Returns the organization's custom emoji by id, deactivated ones too.",
  auth: anyAccount,
  params: {},
  returns: { emoji: record(string(), emoji) },
  handle({ realm }) {
    return { emoji: renderAllEmoji(realm.state.emoji.values()) };
  },
});

/** Adds an emoji. https://zulip.com/api/upload-custom-emoji */
export const uploadEmoji = route({
  doc: "https://zulip.com/api/upload-custom-emoji",
  summary: "Adds a custom emoji from a picture.",
  auth: anyAccount,
  permission: "member",
  params: { emoji_name: pathText() },
  maxBodyBytes: (fileLimitsMib.emoji + 1) * mebibyte,
  file: { description: "The picture.", isRequired: true },
  returns: {},
  async handle({ app, realm, user, params, files }) {
    const name = checkEmojiName(params.emoji_name);
    const [file] = files;
    if (!file || files.length > 1) throw badRequest("You must upload exactly one file.");
    if (file.bytes.length > fileLimitsMib.emoji * mebibyte)
      throw badRequest(`Uploaded file is larger than the allowed limit of ${fileLimitsMib.emoji} MiB`);
    const kind = sniffImage(file.bytes);
    if (!kind) throw errors.BAD_IMAGE("Invalid image format");
    const frame = kind === "gif" ? firstFrame(file.bytes) : undefined;
    if (kind === "gif" && !frame) throw errors.BAD_IMAGE("Could not decode image; did you upload an image file?");
    const fileName = `${randomBytes(12).toString("hex")}.${kind}`;
    const stored = [{ path: storedPath(realm.id, fileName), bytes: file.bytes }];
    if (frame?.isAnimated) stored.push({ path: storedPath(realm.id, stillName(fileName)), bytes: frame.still });
    for (const { path, bytes } of stored) await putFile(app.config.dataDir, path, bytes);
    try {
      return await realm.execute("addEmoji", {
        userId: user.id,
        name,
        fileName,
        isAnimated: frame?.isAnimated ?? false,
      });
    } catch (error) {
      for (const { path } of stored) await removeFile(app.config.dataDir, path);
      throw error;
    }
  },
});

/** Deactivates an emoji. https://zulip.com/api/deactivate-custom-emoji */
export const deactivateEmoji = route({
  doc: "https://zulip.com/api/deactivate-custom-emoji",
  summary: "Deactivates a custom emoji; what was written with it keeps it.",
  auth: anyAccount,
  permission: "member",
  params: { emoji_name: pathText() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("deactivateEmoji", { userId: user.id, name: params.emoji_name });
  },
});

/** The picture of an emoji. Every picture has a new name, so clients may cache it for ever. */
export const readEmojiImage = route({
  doc: "https://zulip.com/api/get-custom-emoji",
  summary: "The picture of a custom emoji.",
  auth: ["anybody"],
  rateLimit: "none",
  params: { realm_id: pathText(), file_name: pathText() },
  async handle({ app, realm, params, exchange }) {
    const match = /^[0-9a-f]{24}(?:-still)?\.([a-z]{3,4})$/.exec(params.file_name);
    const type = match && imageTypeOf(match[1]!);
    if (!type || params.realm_id !== String(realm.id)) throw notFound("There is no such emoji.");
    const headers = [
      ["Content-Type", type],
      ["Cache-Control", "public, immutable, max-age=31536000"],
    ] as const;
    const path = storedPath(realm.id, params.file_name);
    const reply = await fileReply(exchange, app.config.dataDir, path, [...headers, ...safeBytesHeaders]);
    if (!reply) throw notFound("There is no such emoji.");
    return reply;
  },
});

/** Names of the Unicode emoji by code points: `server_emoji_data_url`. */
export const readEmojiData = route({
  doc: "https://zulip.com/api/register-queue",
  summary: "Names of the built-in emoji by their code points.",
  auth: ["anybody"],
  rateLimit: "none",
  params: {},
  handle({ app }) {
    return app.keptAnswers.get("emoji data", "", 86_400, () => {
      const names = JSON.stringify({ code_to_names: allEmojiCodesToNames() });
      return new RawReply(200, [["Content-Type", "application/json"]], names);
    });
  },
});
