/** Access that people gave this server to their accounts at Zoom and Webex. */
import type { UserId } from "../../storage/ids.ts";
import {
  type CallService,
  type CallToken,
  deleteCallToken,
  findCallToken,
  putCallToken,
} from "../../storage/users/call-tokens.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";

const events = { zoom: "has_zoom_token", webex: "has_webex_token" } as const;

interface SetCallTokenArgs {
  userId: UserId;
  service: CallService;
  /** null: the access is over. */
  token: CallToken | null;
  /** Only in place of the token with this `access_token`: another request may have got a newer one. */
  instead?: string;
}

/** Keeps or forgets somebody's access to a service. */
export const setCallToken = command(async (tx: Tx, { userId, service, token, instead }: SetCallTokenArgs) => {
  const user = tx.user(userId);
  const stored = await findCallToken(tx.sql, user.id, service);
  if (instead !== undefined && stored?.access_token !== instead) return {};
  tx.write((sql) =>
    token ? putCallToken(sql, tx.realmId, user.id, service, token) : deleteCallToken(sql, user.id, service),
  );
  const value = token !== null;
  if (value !== (stored !== undefined)) tx.event({ type: events[service], value }, { to: "users", ids: [user.id] });
  return {};
});
