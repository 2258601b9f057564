/** For how long the organization keeps what. The Zulip API has `message_retention_days` alone. */
import { enums, integer, max, min, nullable, object } from "superstruct";
import { either } from "../../../actors/either.ts";
import { badRequest } from "../../../actors/errors.ts";
import { type RetentionPolicy, retentionOf } from "../../../actors/retention/policy.ts";
import { annotated, described } from "../../../actors/shape.ts";
import { jsonOrText } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { retentionDays, storedRetention } from "../channels/params.ts";
import { checkIdentity } from "../users/identity.ts";

const retention = described(
  object({
    direct_message_days: described(
      nullable(integer()),
      "Days for which direct messages are kept. -1: for ever; null: for as long as `message_retention_days` says.",
    ),
    earlier_text_days: described(
      integer(),
      "Days for which the text before an edit is kept, from the edit. -1: as long as the message.",
    ),
    unused_file_days: described(
      integer(),
      "Days for which a file is kept that no message names any more. -1: for ever.",
    ),
    audit_log_days: described(integer(), "Days for which rows of the audit log are kept. -1: for ever."),
  }),
  "What was decided.",
);

const maxDays = 2 ** 31 - 1;
/** @param minimum told in the API's description; whatever is above 1 is checked where its refusal can say why */
const days = (minimum = 1) =>
  jsonOrText(either(annotated(min(max(integer(), maxDays), 1), { minimum }), enums(["unlimited"]))).optional();

/** So that nobody hides by it what they did lately. */
const fewestAuditDays = 90;

export const getRetention = route({
  doc: "README.md",
  summary: "Tells administrators for how long the organization keeps what, by kind.",
  auth: anyAccount,
  permission: "administrator",
  params: {},
  returns: { retention },
  handle: ({ realm }) => ({ retention: retentionOf(realm.state) }),
});

export const decideRetention = route({
  doc: "README.md",
  summary: "Decides for how long the organization keeps what, by kind. What is over already goes within minutes.",
  auth: anyAccount,
  permission: "owner",
  params: {
    direct_message_days: retentionDays()
      .optional()
      .describe("Days for which direct messages are kept, `unlimited`, or `realm_default`: as messages of channels."),
    earlier_text_days: days().describe(
      "Days for which the text before an edit is kept, from the edit, or `unlimited`.",
    ),
    unused_file_days: days().describe(
      "Days for which a file is kept since the last message that named it let go of it, or `unlimited`.",
    ),
    audit_log_days: days(fewestAuditDays).describe(
      "Days for which rows of the audit log are kept, 90 at least, or `unlimited`.",
    ),
  },
  returns: { retention },
  async handle(request) {
    checkIdentity(request);
    const { realm, user, params } = request;
    if (typeof params.audit_log_days === "number" && params.audit_log_days < fewestAuditDays)
      throw badRequest(`The audit log is kept for ${fewestAuditDays} days at least.`);
    const given = Object.entries(params).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, storedRetention(value)] as const],
    );
    const change: Partial<RetentionPolicy> = Object.fromEntries(given);
    return { retention: await realm.execute("decideRetention", { actorId: user.id, change }) };
  },
});
