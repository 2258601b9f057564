/** Deciding about log-ins, and ending those that are over by it. */
import type { SessionId, UserId } from "../../../storage/ids.ts";
import { deleteSession, findOverSessions, shortenSessions } from "../../../storage/users/sessions.ts";
import { badRequest } from "../../errors.ts";
import { parseAddressList } from "../../outbound/allowed-addresses.mjs";
import { requireOwner } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { Job } from "../../realm/job.ts";
import type { Tx } from "../../realm/transaction.ts";
import { idleRuleOf, type LogInPolicy, logInPolicyKey, logInPolicyOf } from "../log-ins/policy.ts";

interface DecideArgs {
  actorId: UserId;
  /** What is to be otherwise. */
  change: Partial<LogInPolicy>;
  /** The address of whoever decides. Undefined: the command line. */
  address: string | undefined;
}

/**
 * Decides about log-ins, as an owner. Log-ins that are there last no longer than new ones would from now.
 *
 * @throws BAD_REQUEST for what is no network, and for networks without the address of whoever decides
 */
export const decideLogInPolicy = command((tx: Tx, { actorId, change, address }: DecideArgs) => {
  requireOwner(tx.user(actorId));
  const { row } = tx.state;
  const before = logInPolicyOf(tx.state);
  const next: LogInPolicy = { ...before, ...change };
  if (change.allowed_networks !== undefined) checkNetworks(change.allowed_networks, address);
  tx.put("realms", { ...row, settings: { ...row.settings, [logInPolicyKey]: next } });
  if (next.session_days < before.session_days) {
    const expiresAt = tx.now + next.session_days * 86_400;
    tx.write((sql) => shortenSessions(sql, tx.realmId, expiresAt));
  }
  return next;
});

/** @throws BAD_REQUEST */
function checkNetworks(networks: readonly string[], address: string | undefined): void {
  let isAllowed: (address: string) => boolean;
  try {
    isAllowed = parseAddressList(networks.join(" "));
  } catch (error) {
    throw badRequest(`allowed_networks ${error instanceof Error ? error.message : ""}`);
  }
  if (networks.length > 0 && address !== undefined && !isAllowed(address))
    throw badRequest(`You come from ${address}, which is not in these networks: you would lock yourself out.`);
}

/** Ends the log-ins that are over, or idle too long, with their queues, polls and streams. */
export const endOverSessions = command(async (tx: Tx, _: object) => {
  const { endsAfterSecs = Infinity } = idleRuleOf(tx.state);
  const byUser = new Map<UserId, SessionId[]>();
  for (const { id, user_id } of await findOverSessions(tx.sql, tx.realmId, tx.now, idleSince(tx.now, endsAfterSecs)))
    byUser.set(user_id, [...(byUser.get(user_id) ?? []), id]);
  for (const [userId, ids] of byUser) {
    tx.audit({
      type: "user_sessions_ended",
      userIds: [userId],
      before: { session_ids: ids },
      after: { reason: "over or idle" },
    });
    for (const id of ids) tx.write((sql) => deleteSession(sql, userId, id));
    tx.endSessions({ userId, ids });
  }
  return {};
});

const idleSince = (now: number, endsAfterSecs: number): number => Math.max(0, now - endsAfterSecs);

/** Requests find out for themselves that a log-in is over. This is for what waits: streams, and polls for a while. */
export const endOverSessionsJob: Job = {
  name: "end log-ins that are over",
  everySecs: 60,
  async run(realm, now) {
    if (realm.state.row.settings[logInPolicyKey] === undefined) return;
    const { endsAfterSecs = Infinity } = idleRuleOf(realm.state);
    const over = await findOverSessions(realm.database.sql, realm.id, now, idleSince(now, endsAfterSecs));
    if (over.length > 0) await realm.execute("endOverSessions", {});
  },
};
