/** What law asks for: legal holds, and compliance exports. The Zulip API has no such endpoints. */
import { array, boolean, integer, nullable, object, string, unknown } from "superstruct";
import { emlOf } from "../../../actors/compliance/eml.ts";
import {
  type ComplianceRecord,
  findComplianceFile,
  maxExportMessages,
  readCompliancePart,
} from "../../../actors/compliance/export.ts";
import { readLegalHolds } from "../../../actors/compliance/holds.ts";
import { notFound } from "../../../actors/errors.ts";
import { channelId, holdId, messageId, userId } from "../../../actors/id-shapes.ts";
import { keptSearch } from "../../../actors/narrow/search-terms.ts";
import { described } from "../../../actors/shape.ts";
import type { ChannelId, HoldId, MessageId, UserId } from "../../../storage/ids.ts";
import { int, oneOf, pathInt, text } from "../../api/params.ts";
import { RawReply } from "../../api/reply.ts";
import { anyAccount, route } from "../../api/route.ts";
import type { Headers } from "../../server/header-block.ts";
import { fileReply, safeBytesHeaders, savedAs, storedPath } from "../uploads/files.ts";
import { confirmIdentity } from "../users/identity.ts";

const maxId = 2 ** 31 - 1;

const holdRecord = object({
  id: described(holdId(), "The hold's id."),
  name: described(string(), "What owners call it."),
  user_id: described(nullable(userId()), "The person it is on: what they write, and direct messages to them."),
  channel_id: described(nullable(channelId()), "The channel it is on."),
  query: described(nullable(string()), "The words of the search that it is on."),
  creator_id: described(userId(), "The owner who made it."),
  date_created: integer(),
});

export const getLegalHolds = route({
  doc: "README.md",
  summary: "Lists the organization's legal holds, the oldest first.",
  auth: anyAccount,
  permission: "owner",
  params: {},
  returns: { legal_holds: described(array(holdRecord), "The holds, the oldest first.") },
  handle: async ({ realm }) => ({ legal_holds: await readLegalHolds(realm) }),
});

export const addLegalHold = route({
  doc: "README.md",
  summary: "Puts a person, a channel or what a search finds under a legal hold: deleted messages are kept aside.",
  auth: anyAccount,
  permission: "owner",
  params: {
    name: text().describe("What owners call it."),
    user_id: int<UserId>({ min: 1, max: maxId }).optional().describe("The person it is on."),
    channel_id: int<ChannelId>({ min: 1, max: maxId }).optional().describe("The channel it is on."),
    query: text().optional().describe("The words of a search that it is on."),
    password: text()
      .optional()
      .describe("The caller's password, unless the person of a browser showed lately who they are."),
  },
  returns: { id: described(holdId(), "The hold's id.") },
  async handle(request) {
    const { realm, user, params } = request;
    await confirmIdentity(request, params.password);
    const { name, user_id, channel_id, query } = params;
    const words = query === undefined ? undefined : keptSearch(query);
    return realm.execute("addLegalHold", {
      actorId: user.id,
      name,
      userId: user_id,
      channelId: channel_id,
      query: words,
    });
  },
});

export const endLegalHold = route({
  doc: "README.md",
  summary: "Ends a legal hold. What was deleted, and kept for this hold alone, is gone.",
  auth: anyAccount,
  permission: "owner",
  params: {
    hold_id: pathInt<HoldId>().describe("The hold's id."),
    password: text()
      .optional()
      .describe("The caller's password, unless the person of a browser showed lately who they are."),
  },
  returns: {},
  async handle(request) {
    const { realm, user, params } = request;
    await confirmIdentity(request, params.password);
    return realm.execute("endLegalHold", { actorId: user.id, id: params.hold_id });
  },
});

const party = object({
  id: described(userId(), "Who."),
  email: described(nullable(string()), "Their address; null: the account is gone."),
  full_name: string(),
});
const exported = object({
  id: described(messageId(), "The message's id, and its place in the export."),
  sender: described(party, "Who wrote it."),
  channel: described(
    nullable(
      object({ id: described(channelId(), "The channel's id."), name: described(string(), "The channel's name.") }),
    ),
    "Where it was written; null in a direct conversation.",
  ),
  recipients: described(nullable(array(party)), "Everybody in a direct conversation; null in a channel."),
  topic: described(string(), "The topic; empty in a direct conversation."),
  content: described(string(), "The text as it was written."),
  date_sent: described(integer(), "UNIX seconds."),
  edit_history: described(array(unknown()), "Edits and moves, the newest first, with what was there before."),
  last_edit_timestamp: described(nullable(integer()), "When it was last edited, in UNIX seconds; null: never."),
  date_deleted: described(nullable(integer()), "When it was deleted, in UNIX seconds; null: it is still there."),
  attachments: described(
    array(
      object({
        path_id: described(string(), "Its place, as in the address of the upload."),
        file_name: described(string(), "The file's name."),
        size: described(integer(), "Bytes."),
        content_type: described(string(), "The file's media type."),
        sha256: described(nullable(string()), "SHA-256 of its bytes, in hexadecimal; null: they are gone."),
      }),
    ),
    "Files that it links to, or did before an edit.",
  ),
});

export const exportMessages = route({
  doc: "README.md",
  summary: "Reads messages for a compliance export, with edits, deletions and hashes of files. It is in the audit log.",
  auth: anyAccount,
  permission: "owner",
  params: {
    hold_id: int<HoldId>({ min: 1, max: maxId }).optional().describe("Only what this legal hold is on."),
    after: int<MessageId>({ min: 0 }).default(0).describe("Only messages after this one: an earlier `position`."),
    limit: int({ min: 1, max: maxExportMessages }).default(100).describe("How many messages at most."),
    format: oneOf("json", "jsonl", "mbox")
      .default("json")
      .describe("`jsonl`: a message a line; `mbox`: emails one after the other. The header X-Position says how far."),
    password: text()
      .optional()
      .describe("The caller's password, unless the person of a browser showed lately who they are."),
  },
  returns: {
    messages: described(array(exported), "The messages, the oldest first."),
    position: described(messageId(), "What `after` is for the next part."),
    is_complete: described(boolean(), "Whether there is nothing after it."),
  },
  alsoAs: { "application/jsonl": "A message a line.", "application/mbox": "Emails one after the other." },
  async handle(request) {
    const { app, realm, params } = request;
    await confirmIdentity(request, params.password);
    const { hold_id: holdId, after, limit, format } = params;
    const open = (pathId: string) => app.files.open(storedPath(pathId));
    const part = await readCompliancePart(realm, open, { holdId, after, limit, how: format });
    const { records, position, isComplete } = part;
    if (format === "json") return { messages: records, position, is_complete: isComplete };
    const host = new URL(realm.state.url).hostname;
    const body =
      format === "jsonl" ? records.map((one) => `${JSON.stringify(one)}\n`).join("") : await mbox(records, host);
    return new RawReply(
      200,
      [
        ["Content-Type", format === "jsonl" ? "application/jsonl; charset=utf-8" : "application/mbox"],
        ["Content-Disposition", `attachment; filename="compliance-${after}.${format}"`],
        ["X-Position", String(position)],
        ["X-Complete", String(isComplete)],
        ["Cache-Control", "private, no-store"],
        ["X-Content-Type-Options", "nosniff"],
      ],
      body,
    );
  },
});

/** A download that was cut goes on with `Range: bytes=…-`. */
export const exportFile = route({
  doc: "README.md",
  summary: "Answers the bytes of a file that a compliance export names. It is in the audit log.",
  auth: anyAccount,
  permission: "owner",
  servesFiles: true,
  params: {
    message_id: int<MessageId>({ min: 1 }).describe("The message that names it."),
    path_id: text().describe("The `path_id` of the file."),
    password: text()
      .optional()
      .describe("The caller's password, unless the person of a browser showed lately who they are."),
  },
  async handle(request) {
    const { app, realm, params, exchange } = request;
    await confirmIdentity(request, params.password);
    const { message_id: messageId, path_id: pathId } = params;
    const file = await findComplianceFile(realm, { messageId, pathId });
    const headers: Headers = [
      ["Content-Type", "application/octet-stream"],
      ["Content-Disposition", savedAs(file?.file_name ?? "")],
      ["Cache-Control", "private, no-store"],
      ...safeBytesHeaders,
    ];
    const reply = file && (await fileReply(exchange, app.files, storedPath(pathId), headers));
    if (!reply) throw notFound("This message names no such file, or its bytes are gone.");
    return reply;
  },
});

/** Emails in one file (RFC 4155); a line that begins as a separator does is quoted. */
async function mbox(records: readonly ComplianceRecord[], host: string): Promise<string> {
  const parts = [];
  for (const record of records) {
    const mail = (await emlOf(record, host)).replaceAll("\r\n", "\n").replace(/^(>*From )/gm, ">$1");
    parts.push(`From parley@${host} ${new Date(record.date_sent * 1000).toUTCString()}\n${mail}\n`);
  }
  return parts.join("\n");
}
