/** `parley import …`: organizations that come from elsewhere. */
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { ExportBuilder } from "../../actors/transfer/conversion/builder.ts";
import { convertMattermost, mattermostLeftOut } from "../../actors/transfer/conversion/mattermost.ts";
import { convertRocketchat, rocketchatLeftOut } from "../../actors/transfer/conversion/rocketchat.ts";
import { convertSlack, slackLeftOut } from "../../actors/transfer/conversion/slack.ts";
import { convertTeams, teamsLeftOut } from "../../actors/transfer/conversion/teams.ts";
import { ZulipExport } from "../../actors/transfer/zulip/export.ts";
import { importZulip } from "../../actors/transfer/zulip/import.ts";
import { LeftOut } from "../../actors/transfer/zulip/left-out.ts";
import { surveyExport } from "../../actors/transfer/zulip/survey.ts";
import { firstOf } from "../../storage/failures.ts";
import { openFiles } from "../../storage/files/open-files.ts";
import { UniqueViolation } from "../../storage/postgres.ts";
import { hasRealms } from "../../storage/realms.ts";
import { openArchive } from "../../storage/transfer/archive.ts";
import { temporaryFolder } from "../../storage/transfer/temporary-folder.ts";
import { hashPassword } from "../../storage/users/passwords.ts";
import { isAnimatedGif } from "../resources/organization/gif.ts";
import { contentTypeOf, newUploadPath, storedPath } from "../resources/uploads/files.ts";
import { type AdminResult, hostIn } from "./admin.ts";
import type { Config } from "./config.ts";
import { hostIsMissing, type ImportPlace, openImportPlace } from "./homes/import-place.ts";
import type { RunningStorage } from "./main.ts";
import { externalUrlOf } from "./node-parts.ts";

/** What no export of Zulip's has. */
const neverIn = [
  "passwords and API keys: everybody but the first owner needs a new password",
  "invitations, sessions and devices; drafts, unless Parley exported them",
];

type ImportValues = Partial<Record<string, string | boolean>>;

/** Another program's export. */
interface Format {
  name: string;
  leftOut: readonly string[];
  /** Makes an export like Zulip's of it. undefined: it is one. */
  convert?(folder: string, builder: ExportBuilder): Promise<void>;
}

const zulip: Format = { name: "zulip", leftOut: neverIn };
const slack: Format = { name: "slack", leftOut: slackLeftOut, convert: convertSlack };
const mattermost: Format = { name: "mattermost", leftOut: mattermostLeftOut, convert: convertMattermost };
const rocketchat: Format = { name: "rocketchat", leftOut: rocketchatLeftOut, convert: convertRocketchat };
const teams: Format = { name: "teams", leftOut: teamsLeftOut, convert: convertTeams };

type Import = (storage: RunningStorage, config: Config, values: ImportValues) => Promise<AdminResult>;

export const importFromZulip: Import = (...args) => importFrom(zulip, ...args);
export const importFromSlack: Import = (...args) => importFrom(slack, ...args);
export const importFromMattermost: Import = (...args) => importFrom(mattermost, ...args);
export const importFromRocketchat: Import = (...args) => importFrom(rocketchat, ...args);
export const importFromTeams: Import = (...args) => importFrom(teams, ...args);

/** The commands that import. */
export const imports = {
  "import zulip": importFromZulip,
  "import slack": importFromSlack,
  "import mattermost": importFromMattermost,
  "import rocketchat": importFromRocketchat,
  "import teams": importFromTeams,
} satisfies Readonly<Record<string, Import>>;

async function importFrom(
  format: Format,
  storage: RunningStorage,
  config: Config,
  values: ImportValues,
): Promise<AdminResult> {
  const { file } = values;
  if (typeof file !== "string") throw new Error(`Name the file: parley import ${format.name} FILE`);
  const archive = await openArchive(file);
  const converted = format.convert && temporaryFolder("parley-converted-");
  try {
    const notes = [...format.leftOut];
    if (format.convert && converted) {
      const builder = new ExportBuilder(converted.path, `${format.name} import`);
      await format.convert(archive.folder, builder);
      for (const [what, count] of builder.notes) notes.push(`${what}: ${count}`);
    }
    const from = await ZulipExport.open(converted?.path ?? archive.folder);
    if (values["dry-run"] === true) return await describe(from, notes);
    const source = await fingerprint(format.name, file);
    const asked = typeof values["database"] === "string" ? values["database"] : undefined;
    const place = await openImportPlace(storage, config, { source, asked });
    try {
      return await bringIn(from, { source, place, config, values, notes });
    } finally {
      await place.close();
    }
  } catch (error) {
    if (error instanceof UniqueViolation && hostConstraints.includes(error.constraint))
      throw new Error("There is an organization under this host already.");
    throw error;
  } finally {
    await converted?.remove();
    await archive.close();
  }
}

/** What PostgreSQL and the directory call a host that somebody has. */
const hostConstraints = ["realms_host_key", "directory_host"];

interface BroughtIn {
  source: string;
  place: ImportPlace;
  config: Config;
  values: ImportValues;
  notes: string[];
}

async function bringIn(from: ZulipExport, { source, place, config, values, notes }: BroughtIn): Promise<AdminResult> {
  const host = place.begunHost === undefined ? hostIn(values) : place.begunHost;
  if (host === null && place.begunHost === undefined && (await hasRealms(place.database.sql))) throw hostIsMissing();
  const password = randomBytes(12).toString("base64url");
  const url = host === null ? config.externalUrl : externalUrlOf(config, host);
  const result = await importZulip(from, {
    database: place.database,
    create: (make) => place.create(host, make),
    source,
    host,
    url,
    places: {
      files: openFiles(config),
      uploadPath: (realmId, random, name) => newUploadPath(realmId, name, random),
      storedUpload: storedPath,
      contentType: contentTypeOf,
      quarantinedAt: config.clamd === undefined ? null : Math.floor(Date.now() / 1000),
      moves: isAnimatedGif,
    },
    ownerPasswordHash: await hashPassword(password),
    progress: (line) => console.error(line),
  });
  const { owner, leftOut, ...counts } = result;
  notes.push(...Object.entries(leftOut).map(([what, count]) => `${count} ${what}`));
  return {
    text: [
      `Imported ${result.people} people, ${result.channels} channels and ${result.messages} messages: ${url}`,
      ...(owner ? [`Owner ${owner.email}, password ${password}, API key ${owner.apiKey}`] : []),
      `Not brought along: ${notes.join("; ")}.`,
    ].join("\n"),
    data: { ...counts, owner, password, not_brought: notes, left_out: leftOut },
  };
}

async function describe(from: ZulipExport, general: readonly string[]): Promise<AdminResult> {
  const survey = await surveyExport(from);
  const { old, messages, conversations } = survey;
  const leftOut = await LeftOut.of(from, survey);
  const notes = [...general, ...[...leftOut].map(([what, count]) => `${count} ${what}`)];
  const counts = {
    people: old.users.length,
    channels: old.channels.length,
    groups: old.groups.length,
    direct_conversations: conversations.length,
    messages: messages.count,
    reactions: from.reactions.count,
    files: from.attachments.length,
    emoji: old.emoji.length,
  };
  const lines = Object.entries(counts).map(
    ([what, count]) => `  ${String(count).padStart(9)} ${what.replaceAll("_", " ")}`,
  );
  return {
    text: [
      `${firstOf(from.tables.zerver_realm).name} would bring`,
      ...lines,
      "and would not bring",
      ...notes.map((what) => `  ${what}`),
      "Nothing was changed.",
    ].join("\n"),
    data: { ...counts, not_brought: notes, left_out: Object.fromEntries(leftOut) },
  };
}

/** Tells an archive from others by what is in it; a folder, by where it is. */
async function fingerprint(format: string, path: string): Promise<string> {
  const hash = createHash("sha256");
  if ((await stat(path)).isDirectory()) hash.update(path);
  else await pipeline(createReadStream(path), hash);
  return `${format}:${hash.digest("hex")}`;
}
