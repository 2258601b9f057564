/** `parley import …`: organizations that come from elsewhere. */
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { ZulipExport } from "../../actors/transfer/zulip/export.ts";
import { importZulip } from "../../actors/transfer/zulip/import.ts";
import { surveyExport } from "../../actors/transfer/zulip/survey.ts";
import { UniqueViolation } from "../../storage/postgres.ts";
import { findRealms } from "../../storage/realms.ts";
import { openArchive } from "../../storage/transfer/archive.ts";
import { findImport } from "../../storage/transfer/imports.ts";
import { hashPassword } from "../../storage/users/passwords.ts";
import { firstFrame } from "../resources/organization/gif.ts";
import { contentTypeOf, newUploadPath, storedPath } from "../resources/uploads/files.ts";
import { type AdminResult, hostIn } from "./admin.ts";
import type { Config } from "./config.ts";
import { externalUrlOf, type RunningStorage } from "./main.ts";

/** What no export of Zulip's has, or what there is no place for here. */
const leftOut = [
  "passwords and API keys: everybody but the first owner needs a new password",
  "votes in polls and tasks of to-do lists, beyond those that they began with",
  "drafts, invitations, sessions and devices",
  "when people were last seen, and statistics",
  "addresses of outgoing webhooks and settings of embedded bots",
];

export async function importFromZulip(
  storage: RunningStorage,
  config: Config,
  values: Partial<Record<string, string | boolean>>,
): Promise<AdminResult> {
  const { file } = values;
  if (typeof file !== "string") throw new Error("Name the file: parley import zulip FILE");
  const archive = await openArchive(file);
  try {
    const from = await ZulipExport.open(archive.folder);
    if (values["dry-run"] === true) return await describe(from);
    const { sql } = storage.database;
    const source = await fingerprint(file);
    const host = hostIn(values);
    const isBegun = (await findImport(sql, source)) !== undefined;
    if (host === null && !isBegun && (await findRealms(sql)).length > 0)
      throw new Error("--host is missing: several organizations are told apart by their host.");
    const password = randomBytes(12).toString("base64url");
    const url = host === null ? config.externalUrl : externalUrlOf(config, host);
    const result = await importZulip(from, {
      database: storage.database,
      source,
      host,
      url,
      places: {
        dataDir: config.dataDir,
        uploadPath: (realmId, random, name) => newUploadPath(realmId, name, random),
        storedUpload: storedPath,
        contentType: contentTypeOf,
        firstFrame(bytes) {
          const frame = firstFrame(bytes);
          return frame?.isAnimated ? frame.still : undefined;
        },
      },
      ownerPasswordHash: await hashPassword(password),
      progress: (line) => console.error(line),
    });
    const { owner, missingFiles } = result;
    return {
      text: [
        `Imported ${result.people} people, ${result.channels} channels and ${result.messages} messages: ${url}`,
        ...(owner ? [`Owner ${owner.email}, password ${password}, API key ${owner.apiKey}`] : []),
        ...(missingFiles.length > 0 ? [`Files that the export names and does not have: ${missingFiles.length}`] : []),
        `Not brought along: ${leftOut.join("; ")}.`,
      ].join("\n"),
      data: { ...result, password },
    };
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Error("There is an organization under this host already.");
    throw error;
  } finally {
    await archive.close();
  }
}

async function describe(from: ZulipExport): Promise<AdminResult> {
  const { old, messageIds, conversations } = await surveyExport(from);
  const counts = {
    people: old.users.length,
    channels: old.channels.length,
    groups: old.groups.length,
    direct_conversations: conversations.length,
    messages: messageIds.length,
    reactions: from.rows("zerver_reaction").length,
    files: from.attachments.length,
    emoji: old.emoji.length,
  };
  const lines = Object.entries(counts).map(
    ([what, count]) => `  ${String(count).padStart(9)} ${what.replaceAll("_", " ")}`,
  );
  return {
    text: [
      `${from.tables.zerver_realm[0]!.name} would bring`,
      ...lines,
      "and would not bring",
      ...leftOut.map((what) => `  ${what}`),
      "Nothing was changed.",
    ].join("\n"),
    data: { ...counts, not_brought: leftOut },
  };
}

/** Tells an archive from others by what is in it; a folder, by where it is. */
async function fingerprint(path: string): Promise<string> {
  const hash = createHash("sha256");
  if ((await stat(path)).isDirectory()) hash.update(path);
  else await pipeline(createReadStream(path), hash);
  return `zulip:${hash.digest("hex")}`;
}
