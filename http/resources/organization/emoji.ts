/** Custom emoji, their pictures, and the names of Unicode emoji. */

import { randomBytes } from "node:crypto";
import { record, string } from "superstruct";
import { badRequest, notFound } from "../../../actors/errors.ts";
import { allEmojiCodesToNames, emojiCatalog } from "../../../actors/markdown/emoji.ts";
import { checkEmojiName, renderAllEmoji } from "../../../actors/organization/changes/emoji.ts";
import { emoji } from "../../../actors/organization/shapes.ts";
import { fileLimitsMib } from "../../../actors/register/realm-part.ts";
import { described } from "../../../actors/shape.ts";
import type { RealmId } from "../../../storage/ids.ts";
import { pathText } from "../../api/params.ts";
import { RawReply } from "../../api/reply.ts";
import { anyAccount, route } from "../../api/route.ts";
import { drawPicture, findDrawn, formatOf, keepPicture, removePicture } from "../../pictures/shown-pictures.ts";
import { fileReply, imageTypeOf, safeBytesHeaders } from "../uploads/files.ts";

const mebibyte = 1024 * 1024;
const storedPath = (realmId: RealmId, fileName: string) => `emoji/${realmId}/${fileName}`;

/** The organization's emoji. https://zulip.com/api/get-custom-emoji */
export const getEmoji = route({
  doc: "https://zulip.com/api/get-custom-emoji",
  summary: "Returns the organization's custom emoji by id, deactivated ones too.",
  auth: anyAccount,
  params: {},
  returns: { emoji: described(record(string(), emoji), "The custom emoji, by their ids.") },
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
  params: { emoji_name: pathText().describe("The emoji's name.") },
  maxBodyBytes: (fileLimitsMib.emoji + 1) * mebibyte,
  file: { description: "The picture.", isRequired: true },
  returns: {},
  async handle({ app, realm, user, params, files }) {
    const name = checkEmojiName(params.emoji_name);
    const [file] = files;
    if (!file || files.length > 1) throw badRequest("You must upload exactly one file.");
    if (file.bytes.length > fileLimitsMib.emoji * mebibyte)
      throw badRequest(`Uploaded file is larger than the allowed limit of ${fileLimitsMib.emoji} MiB`);
    const picture = await drawPicture(app, "emoji", file.bytes);
    const fileName = `${randomBytes(12).toString("hex")}.${picture.moves ? "gif" : "png"}`;
    const path = storedPath(realm.id, fileName);
    await keepPicture(app, path, picture);
    try {
      return await realm.execute("addEmoji", {
        userId: user.id,
        name,
        fileName,
        isAnimated: picture.moves,
      });
    } catch (error) {
      await removePicture(app.files, "emoji", path);
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
  params: { emoji_name: pathText().describe("The emoji's name.") },
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
  servesFiles: true,
  params: { realm_id: pathText(), file_name: pathText() },
  async handle({ app, realm, params, exchange }) {
    const [, name, isStill, ending] = /^([0-9a-f]{24})(-still)?\.([a-z]{3,4})$/.exec(params.file_name) ?? [];
    const type = ending && imageTypeOf(ending);
    if (!type || params.realm_id !== String(realm.id)) throw notFound("There is no such emoji.");
    const headers = [
      ["Content-Type", type],
      ["Cache-Control", "public, immutable, max-age=31536000"],
    ] as const;
    const fileName = `${name}.${ending}`;
    const stored = storedPath(realm.id, fileName);
    const path = await findDrawn(app, "emoji", stored, isStill ? "still" : "shown", formatOf(fileName));
    const reply = path && (await fileReply(exchange, app.files, path, [...headers, ...safeBytesHeaders]));
    if (!reply) throw notFound("There is no such emoji.");
    return reply;
  },
});

/** Names of the Unicode emoji by code points, and their codes by category: `server_emoji_data_url`. */
export const readEmojiData = route({
  doc: "https://zulip.com/api/register-queue",
  summary: "Names of the built-in emoji by their code points, and their code points by category.",
  auth: ["anybody"],
  rateLimit: "none",
  params: {},
  handle({ app }) {
    return app.keptAnswers.get("emoji data", "", 86_400, () => {
      const names = JSON.stringify({ code_to_names: allEmojiCodesToNames(), emoji_catalog: emojiCatalog() });
      return new RawReply(200, [["Content-Type", "application/json"]], names);
    });
  },
});
