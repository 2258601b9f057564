/** What the relay is made of. */
import type { Sql } from "../../storage/postgres.ts";
import type { RelayKeys } from "../../storage/push-relay/phones.ts";
import type { ApnsSender } from "./apns.ts";
import type { FcmSender } from "./fcm.ts";

/** Undefined: the operator has no account there. */
export interface Senders {
  apns: ApnsSender | undefined;
  fcm: FcmSender | undefined;
}

export interface RelayParts {
  sql: Sql;
  senders: Senders;
  keys: RelayKeys;
  /** Whether a server of this host may register. */
  mayRegister(hostname: string): boolean;
  log: { warn(fields: object, message: string): void };
}
