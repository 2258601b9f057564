/**
 * What a browser keeps for the server between two steps of a log-in: sealed, for one organization and one purpose, and
 * good for a while. So nothing is stored for whoever only begins, and any node goes on with it.
 */
import { secretKeyOf } from "../../../storage/users/credentials.ts";
import type { RealmReader } from "../../realm/reader.ts";

interface Sealed<T> {
  value: T;
  /** UNIX seconds */
  until: number;
}

const about = ({ id }: RealmReader, purpose: string): string => `${purpose} of organization ${id}`;

export function sealState<T extends object>(realm: RealmReader, purpose: string, value: T, validSecs: number): string {
  const state: Sealed<T> = { value, until: realm.environment.clock() + validSecs };
  return secretKeyOf(realm.database.sql).seal(about(realm, purpose), JSON.stringify(state)).toString("base64url");
}

/** What was sealed for the purpose, with its end in UNIX seconds. Undefined: it is over, or was not sealed here. */
export function openState<T extends object>(realm: RealmReader, purpose: string, text: string): Sealed<T> | undefined {
  let state: Sealed<T>;
  try {
    const opened = secretKeyOf(realm.database.sql).open(about(realm, purpose), Buffer.from(text, "base64url"));
    // Only this server seals, so it has the shape that it was given.
    state = JSON.parse(opened);
  } catch {
    return undefined;
  }
  return state.until > realm.environment.clock() ? state : undefined;
}
