/**
 * Imports an organization from an export of Zulip. One transaction takes the new ids, and the next brings everything
 * but messages. Each file of messages has one, and a last one brings what people have read and the rest. Nobody can use
 * the organization before that. After an interruption of any kind, importing the same archive again goes on where it
 * was.
 */
import { randomBytes } from "node:crypto";
import { defined, firstOf } from "../../../storage/failures.ts";
import type { RealmId } from "../../../storage/ids.ts";
import { type Database, type Sql, takeTime } from "../../../storage/postgres.ts";
import { insertRealm, nextIds } from "../../../storage/realms.ts";
import { writeChanges } from "../../../storage/tables.ts";
import {
  analyzeMessages,
  beginImport,
  copyMessages,
  endImport,
  findImport,
  insertRows,
  lockImport,
  noteFirstMessages,
  noteImported,
} from "../../../storage/transfer/imports.ts";
import { appendAudit } from "../../../storage/users/audit-log.ts";
import { findApiKey, insertCredentials, updatePassword } from "../../../storage/users/credentials.ts";
import { entryOf } from "../../realm/commit/audit.ts";
import { systemGroupNames } from "../../realm/state/group-index.ts";
import type { ZulipExport } from "./export.ts";
import type { FilePlaces } from "./files.ts";
import { fits, type TakenIds, takeIds } from "./ids.ts";
import { LeftOut } from "./left-out.ts";
import { Mapping } from "./mapping.ts";
import { messageRows, reactionRows, submessageRows } from "./messages.ts";
import { botStorage, drafts, navigationViews, onboardingSteps, presence, savedSnippets } from "./personal.ts";
import { ReadStates } from "./read-state.ts";
import { type FileReceipts, readReceipts } from "./receipts.ts";
import { scheduledRows } from "./scheduled.ts";
import { type Survey, surveyExport } from "./survey.ts";

export interface ImportOptions {
  database: Database;
  /** Runs the transaction that makes the organization. */
  create<T extends { realmId: RealmId }>(make: (sql: Sql) => Promise<T>): Promise<T>;
  /** Identifies the archive, whatever its file is called. */
  source: string;
  /** Host of the new organization; null when it answers to every host. */
  host: string | null;
  /** The organization's address, without a trailing slash. */
  url: string;
  places: FilePlaces;
  /** Password of the oldest owner. Everybody else has no password yet. */
  ownerPasswordHash: string;
  progress(line: string): void;
}

export interface ImportResult {
  realmId: RealmId;
  owner: { email: string; apiKey: string } | undefined;
  messages: number;
  people: number;
  channels: number;
  /** Uploads that the export lists, but whose bytes are missing. */
  missingFiles: readonly string[];
  /** What stayed behind, with how many there were of it. */
  leftOut: Readonly<Record<string, number>>;
}

/** What is stored of an unfinished import. */
interface Plan {
  ids: TakenIds;
  /** People come in a step of their own. In an import that an older version began they came with the plan. */
  hasPeopleStep?: boolean;
}

/** As the name of a file of messages, in what is done. */
const peopleStep = "people";

/** @throws UniqueViolation when the host is taken */
export async function importZulip(from: ZulipExport, options: ImportOptions): Promise<ImportResult> {
  const { database, source, progress } = options;
  const survey = await surveyExport(from);
  const begun = await findImport<Plan>(database.sql, source);
  if (begun) {
    const files = begun.done.filter((name) => from.messageFiles.includes(name));
    progress(`Going on with what was begun: ${files.length} files of messages are in.`);
  }
  if (begun && !fits(begun.plan.ids, survey))
    throw new Error("An older version began this import, and took what is left out now: let that one end it.");
  const plan = begun?.plan ?? (await begin(from, survey, options));
  const mapping = new Mapping(from, survey, plan.ids, options);
  const done = new Set(begun?.done);
  if (plan.hasPeopleStep && !done.has(peopleStep)) await importPeople(from, survey, { mapping, options });
  const states = new ReadStates(mapping.ids, mapping.places(), mapping.receivedWhole());
  for (const [index, name] of from.messageFiles.entries()) {
    const receipts = await readReceipts(from, name, { ids: mapping.ids, states });
    await (done.has(name)
      ? // They may have been left for the end, by the version that began.
        insertRows(database.sql, "message_flags", receipts.flags)
      : importFile(from, name, receipts, { mapping, options }));
    progress(`${index + 1} of ${from.messageFiles.length} files of messages`);
  }
  const missingFiles = await finish(from, survey, { mapping, states }, options);
  return {
    realmId: plan.ids.realm,
    owner: mapping.owner && {
      email: mapping.owner.delivery_email,
      apiKey: defined(await findApiKey(database.sql, mapping.owner.id), "API key"),
    },
    messages: survey.messages.count,
    people: survey.old.users.length,
    channels: survey.old.channels.length,
    missingFiles,
    leftOut: Object.fromEntries(await LeftOut.of(from, survey)),
  };
}

/** Takes the new ids, and keeps them: whatever comes later finds them again. */
async function begin(from: ZulipExport, survey: Survey, options: ImportOptions): Promise<Plan> {
  const { name, date_created } = firstOf(from.tables.zerver_realm);
  const { plan } = await options.create(async (sql) => {
    await takeTime(sql);
    const now = Math.floor(date_created);
    const realmId = await insertRealm(sql, { host: options.host, name, now, settings: {}, isDeactivated: true });
    const secret = randomBytes(24).toString("base64url");
    const ids = await takeIds(sql, realmId, survey, { systemGroups: systemGroupNames.length, secret });
    const plan: Plan = { ids, hasPeopleStep: true };
    await beginImport(sql, options.source, realmId, plan);
    return { realmId, plan };
  });
  return plan;
}

/** Imports everything but messages: first the files, which have the same names each time, then rows, all or none. */
async function importPeople(
  from: ZulipExport,
  survey: Survey,
  { mapping, options }: { mapping: Mapping; options: ImportOptions },
): Promise<void> {
  options.progress("Files of people");
  const stored = await mapping.files.store(mapping.uploads);
  await options.database.transaction(async (sql) => {
    await takeTime(sql);
    if (!(await noteImported(sql, options.source, peopleStep))) return;
    options.progress("People, channels and groups");
    const { domains, linkifiers, playgrounds } = mapping.newIds;
    const fresh = {
      domains: await nextIds(sql, "object_ids", domains),
      linkifiers: await nextIds(sql, "linkifier_ids", linkifiers),
      playgrounds: await nextIds(sql, "playground_ids", playgrounds),
    };
    await writeChanges(sql, mapping.changes(stored, fresh));
    await insertCredentials(sql, mapping.credentials());
    await insertRows(sql, "direct_conversations", mapping.conversations());
    await insertRows(
      sql,
      "direct_conversation_members",
      mapping.members().map(([user_id, recipient_id]) => ({ user_id, recipient_id })),
    );
    await insertRows(sql, "onboarding_steps", onboardingSteps(from, mapping));
    await insertRows(sql, "bot_storage", botStorage(from, mapping));
    await insertRows(sql, "presence", presence(from, mapping));
    const snippetIds = await nextIds(sql, "object_ids", from.rows("zerver_savedsnippet").length);
    await insertRows(sql, "saved_snippets", savedSnippets(from, mapping, snippetIds));
    const positions = await nextIds(sql, "object_ids", from.rows("zerver_navigationview").length);
    await insertRows(sql, "navigation_views", navigationViews(from, mapping, positions));
    const draftIds = await nextIds(sql, "object_ids", from.rows("zerver_draft").length);
    await insertRows(sql, "drafts", drafts(from, survey, mapping, draftIds));
  });
}

/** Imports the messages of a file, whole or not at all. */
async function importFile(
  from: ZulipExport,
  name: string,
  receipts: FileReceipts,
  { mapping, options: { database, source } }: { mapping: Mapping; options: ImportOptions },
): Promise<void> {
  await database.transaction(async (sql) => {
    await takeTime(sql);
    // Somebody may import the same archive at this moment.
    if (!(await noteImported(sql, source, name))) return;
    for await (const messages of from.messageRows(name, "zerver_message")) {
      const rows = messageRows(messages, receipts, mapping);
      await copyMessages(sql, rows.messages);
      await insertRows(sql, "submessages", rows.submessages);
    }
    await insertRows(sql, "message_flags", receipts.flags);
  });
}

/** Imports what needs all messages: what people received and read, reactions, uploads. Ends the import. */
async function finish(
  from: ZulipExport,
  survey: Survey,
  { mapping, states }: { mapping: Mapping; states: ReadStates },
  { database, source, progress, ownerPasswordHash }: ImportOptions,
): Promise<string[]> {
  progress("What people have read");
  const sizes = await mapping.files.sizesOfUploads(mapping.uploads);
  await database.transaction(async (sql: Sql) => {
    await takeTime(sql);
    await lockImport(sql, source);
    await insertRows(sql, "received", states.receivedRows(mapping.subscribers()));
    await insertRows(sql, "read_states", states.readRows(mapping.members()));
    await insertRows(sql, "reactions", reactionRows(from, mapping.ids));
    await insertRows(sql, "submessages", submessageRows(from, mapping.ids));
    const attachmentIds = await nextIds(sql, "object_ids", from.attachments.length);
    const attachments = mapping.files.attachmentRows(mapping.uploads, sizes, mapping.ids, attachmentIds);
    await insertRows(sql, "attachments", attachments);
    const scheduled = scheduledRows(from, survey, mapping);
    const scheduledIds = await nextIds(sql, "object_ids", scheduled.length);
    await insertRows(
      sql,
      "scheduled_messages",
      scheduled.map((one, index) => ({ ...one, id: defined(scheduledIds[index], "new id") })),
    );
    await noteFirstMessages(sql, mapping.ids.realm);
    // The password is that of the run that ends the import, which may not be the one that began it.
    if (mapping.owner) await updatePassword(sql, mapping.owner.id, ownerPasswordHash);
    await endImport(sql, source);
    const fact = {
      type: "realm_imported",
      after: { people: survey.old.users.length, messages: survey.messages.count },
    } as const;
    const now = Math.floor(Date.now() / 1000);
    await appendAudit(sql, mapping.ids.realm, [entryOf(fact, {}, { via: "command_line" }, now)]);
  });
  await analyzeMessages(database.sql);
  return [...mapping.uploads.keys()].filter((path) => !sizes.has(path));
}
