/** Who did what. The Zulip API has no such endpoint. */
import { array, boolean, enums } from "superstruct";
import { csvHead, csvOf, lineOf, maxAuditRows, readAuditLog, recordOf } from "../../../actors/audit/read.ts";
import { auditRecord } from "../../../actors/audit/shapes.ts";
import { auditTypes } from "../../../actors/audit/types.ts";
import { badRequest } from "../../../actors/errors.ts";
import { described } from "../../../actors/shape.ts";
import type { ChannelId, GroupId, UserId } from "../../../storage/ids.ts";
import { int, json, oneOf, text } from "../../api/params.ts";
import { RawReply } from "../../api/reply.ts";
import { anyAccount, route } from "../../api/route.ts";

/** The largest id that there is. */
const maxId = 2 ** 31 - 1;
const usualRows = 100;

/** @throws BAD_REQUEST */
function placeOf(anchor: string): number {
  if (anchor === "newest") return Number.MAX_SAFE_INTEGER;
  if (anchor === "oldest") return 0;
  if (!/^\d{1,15}$/.test(anchor)) throw badRequest("Invalid anchor");
  return Number(anchor);
}

/** Parley's own. */
export const getAuditLog = route({
  doc: "README.md",
  summary: "Tells who changed what in the organization, and who logged in or was refused, in the order of the log.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    anchor: text({ maxLength: 15 })
      .default("newest")
      .describe("Where to look: a row's number, which is not among the answers, `newest` or `oldest`."),
    num_before: int({ min: 0, max: maxAuditRows })
      .default(usualRows)
      .describe("How many rows before the anchor. With those after it, 1,000 at most."),
    num_after: int({ min: 0, max: maxAuditRows }).default(0).describe("How many rows after the anchor."),
    acting_user_id: int<UserId>({ min: 1, max: maxId }).optional().describe("Only what this user did."),
    modified_user_id: int<UserId>({ min: 1, max: maxId }).optional().describe("Only what was done to this user."),
    modified_stream_id: int<ChannelId>({ min: 1, max: maxId })
      .optional()
      .describe("Only what was done to this channel."),
    modified_user_group_id: int<GroupId>({ min: 1, max: maxId })
      .optional()
      .describe("Only what was done to this user group."),
    event_types: json(array(enums(Object.keys(auditTypes))))
      .optional()
      .describe("Only these types, of which docs/audit-log.md names all."),
    since: int({ min: 0 }).optional().describe("Only what was done then or later, in UNIX seconds."),
    until: int({ min: 0 }).optional().describe("Only what was done before, in UNIX seconds."),
    format: oneOf("json", "jsonl", "csv")
      .default("json")
      .describe("`jsonl`: one row a line, `csv`: a table. Each is a file of its own, without what else an answer has."),
  },
  returns: {
    audit_log: described(array(auditRecord), "The rows, the oldest first."),
    found_oldest: described(boolean(), "Whether there is nothing older. Large rows may end an answer before."),
    found_newest: described(boolean(), "Whether there is nothing newer. Large rows may end an answer before."),
  },
  alsoAs: { "application/jsonl": "A row a line.", "text/csv": "A table." },
  async handle({ realm, params }) {
    const { num_before, num_after, event_types: types, format } = params;
    if (num_before + num_after > maxAuditRows)
      throw badRequest("num_before and num_after are more than 1000 together.");
    const { rows, foundOldest, foundNewest } = await readAuditLog(realm, {
      anchor: placeOf(params.anchor),
      before: num_before,
      after: num_after,
      filter: {
        actingUserId: params.acting_user_id,
        userId: params.modified_user_id,
        channelId: params.modified_stream_id,
        groupId: params.modified_user_group_id,
        types,
        since: params.since,
        until: params.until,
      },
    });
    if (format === "json")
      return { audit_log: rows.map(recordOf), found_oldest: foundOldest, found_newest: foundNewest };
    const lines = format === "csv" ? [csvHead, ...rows.map(csvOf)] : rows.map(lineOf);
    return new RawReply(
      200,
      [
        ["Content-Type", format === "csv" ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8"],
        ["Content-Disposition", `attachment; filename="audit-log.${format}"`],
        ["Cache-Control", "private, no-store"],
        ["X-Content-Type-Options", "nosniff"],
      ],
      lines.map((line) => `${line}\n`).join(""),
    );
  },
});
