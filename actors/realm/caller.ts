/**
 * The caller for whom another node forwards a command. That node has authenticated the caller. The writer knows the
 * realm as it is now, so it checks again whether the caller may act.
 */
import type { UserId } from "../../storage/ids.ts";
import { errors } from "../errors.ts";
import type { RealmState } from "./state/state.ts";

/** An account, and the version of the key that it was let in by. */
export interface Caller {
  userId: UserId;
  keyVersion: number;
}

/** The user that a command's arguments name as its actor: `actorId`, else `userId`. Undefined: the server itself. */
export function actorIn(args: unknown): UserId | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  const actor = ("actorId" in args ? args.actorId : undefined) ?? ("userId" in args ? args.userId : undefined);
  return typeof actor === "number" ? actor : undefined;
}

/** What goes with a command to the node that writes. */
export function callerOf(state: RealmState, args: unknown): Caller | undefined {
  const userId = actorIn(args);
  const user = userId === undefined ? undefined : state.users.get(userId);
  return user && { userId: user.id, keyVersion: user.api_key_version };
}

/** @throws INVALID_API_KEY, USER_DEACTIVATED, REALM_DEACTIVATED unless a request by this caller would be let in here */
export function checkCaller(state: RealmState, args: unknown, by: Caller | undefined): void {
  const actor = actorIn(args);
  if (actor === undefined && by === undefined) return;
  const user = state.users.get(actor ?? Number.NaN);
  if (!user || user.id !== by?.userId) throw errors.INVALID_API_KEY();
  if (!user.is_active) throw errors.USER_DEACTIVATED();
  if (user.api_key_version !== by.keyVersion) throw errors.INVALID_API_KEY();
  if (state.row.is_deactivated) throw errors.REALM_DEACTIVATED();
}
