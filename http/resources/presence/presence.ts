/** Presence: who is online. */

import { number, object, optional, record, string } from "superstruct";
import { either } from "../../../actors/either.ts";
import { badRequest } from "../../../actors/errors.ts";
import { logPosition } from "../../../actors/id-shapes.ts";
import { presenceMemory } from "../../../actors/presence/memory.ts";
import { legacyPresence, modernPresence } from "../../../actors/presence/shapes.ts";
import { accessUser, accessUserByEmail } from "../../../actors/realm/access.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { described } from "../../../actors/shape.ts";
import type { LogPosition } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { bool, int, oneOf, pathText } from "../../api/params.ts";
import { EncodedReply, PiecesReply, type Reply } from "../../api/reply.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Default of `history_limit_days`. https://zulip.com/api/get-presence */
const defaultHistoryDays = 14;

/** @throws BAD_REQUEST for bots: only people have a presence */
function refuseBots(user: UserRow): void {
  if (user.is_bot) throw badRequest("This endpoint does not accept bot requests.");
}

/** Reports the caller's presence, and returns that of others. https://zulip.com/api/update-presence */
export const updatePresence = route({
  doc: "https://zulip.com/api/update-presence",
  summary: "Reports that the caller is here and returns who else is.",
  auth: anyAccount,
  isUnaudited: true,
  isAutomatic: true,
  params: {
    status: oneOf("active", "idle").describe("`active` when the device is being used."),
    last_update_id: int<LogPosition>({ min: -1 })
      .optional()
      .describe("The last `presence_last_update_id` received; -1 at first."),
    history_limit_days: int({ min: 0 })
      .default(defaultHistoryDays)
      .describe("Whoever was last there longer ago is left out."),
    ping_only: bool().default(false).describe("Only report: return no presence data."),
    slim_presence: bool().default(false),
    new_user_input: bool().default(false).describe("Whether the person has used the device since the last report."),
  },
  returns: {
    presence_last_update_id: logPosition(),
    server_timestamp: optional(number()),
    presences: optional(record(string(), either(modernPresence, legacyPresence))),
  },
  handle({ app, realm, user, session, params, exchange }) {
    refuseBots(user);
    if (session && params.status === "active") app.authenticator.noteUse(realm, session, exchange);
    const after = params.last_update_id ?? -1;
    const answer = (): Reply => {
      if (params.ping_only) return new EncodedReply(`"presence_last_update_id":${after}`);
      const query = { after, historyLimitDays: params.history_limit_days };
      const isModern = params.slim_presence || params.last_update_id !== undefined;
      const { environment } = realm;
      const presence = memoryOf(realm, presenceMemory);
      const { presences, lastUpdateId } = isModern ? presence.modern(user, query) : presence.legacy(user, query);
      return new PiecesReply([
        { presence_last_update_id: lastUpdateId, server_timestamp: environment.clock(), presences },
      ]);
    };
    // The answer waits until the report is applied, so the next request sees it.
    const applied =
      memoryOf(realm, presenceMemory).report(user, params.status) ??
      (params.ping_only ? undefined : realm.currentUnstored());
    return applied?.then(answer) ?? answer();
  },
});

/** One person's presence. https://zulip.com/api/get-user-presence */
export const getUserPresence = route({
  doc: "https://zulip.com/api/get-user-presence",
  summary: "Returns one person's presence.",
  auth: anyAccount,
  params: { user_id_or_email: pathText().describe("The user's id or address.") },
  returns: {
    presence: described(object({ ...legacyPresence.schema, ...modernPresence.schema }), "The presence."),
    server_timestamp: number(),
  },
  async handle({ realm, user, params }) {
    const { state } = realm;
    const name = params.user_id_or_email;
    const target = /^\d{1,15}$/.test(name)
      ? accessUser(state, user, Number(name))
      : accessUserByEmail(state, user, name);
    if (!target.is_active) throw badRequest("No such user");
    if (target.is_bot) throw badRequest("Presence is not supported for bot users.");
    await realm.currentUnstored();
    const presence = memoryOf(realm, presenceMemory).of(target);
    const times = memoryOf(realm, presenceMemory).timesOf(target);
    if (!presence || !times) throw badRequest(`No presence data for ${name}`);
    return { presence: { ...presence, ...times }, server_timestamp: realm.environment.clock() };
  },
});

/** Everybody's presence, in the older format. https://zulip.com/api/get-presence */
export const getRealmPresence = route({
  doc: "https://zulip.com/api/get-presence",
  summary: "Returns the presence of everybody in the organization.",
  auth: anyAccount,
  params: {},
  returns: { presences: record(string(), legacyPresence), server_timestamp: number() },
  async handle({ realm, user }) {
    await realm.currentUnstored();
    const { presences } = memoryOf(realm, presenceMemory).legacy(user, {
      after: -1,
      historyLimitDays: defaultHistoryDays,
    });
    return new PiecesReply([{ presences, server_timestamp: realm.environment.clock() }]);
  },
});
