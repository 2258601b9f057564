/**
 * The ends of log-ins. A request finds its log-in in PostgreSQL, and may be answered much later. In between the log may
 * say that log-ins have ended. So before a poll waits, its log-in is looked up again if one of those may be its own.
 */
import type { LogPosition } from "../../storage/ids.ts";
import { translate } from "../../storage/postgres.ts";
import { hasSession } from "../../storage/users/sessions.ts";
import { errors } from "../errors.ts";
import type { EndedSessions } from "../realm/entry.ts";
import type { Session, Waiter } from "./queue.ts";
import type { QueuedRealm } from "./queued-realm.ts";

export class SessionEnds {
  /** Where the log last ended a log-in, as far as this node knows. What came before the realm was loaded counts. */
  #newest: LogPosition;

  constructor(private readonly realm: QueuedRealm) {
    this.#newest = realm.position;
  }

  /** An entry that ends log-ins is being applied. */
  note(): void {
    this.#newest = this.realm.position;
  }

  /** Whether the log-in may have ended since it was found. */
  mayConcern({ checkedAt }: Session): boolean {
    return this.#newest > checkedAt;
  }

  /** The log-in as it is now. @throws UNAUTHENTICATED_USER when it has ended */
  async findAgain(session: Session): Promise<Session> {
    const checkedAt = this.realm.position;
    try {
      if (await hasSession(this.realm.database.sql, session.userId, session.id)) return { ...session, checkedAt };
    } catch (error) {
      throw translate(error);
    }
    throw errors.UNAUTHENTICATED_USER();
  }
}

/** Whether a queue, poll or stream is one of an ended log-in. */
export function isOfEnded({ ids, exceptId }: EndedSessions, { sessionId }: Pick<Waiter, "sessionId">): boolean {
  if (sessionId === undefined) return false;
  return ids ? ids.includes(sessionId) : sessionId !== exceptId;
}
