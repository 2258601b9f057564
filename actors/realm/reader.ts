/**
 * Small interfaces of a realm for code that answers reads. Their users do not depend on the handle that implements
 * them.
 */
import type { RealmId } from "../../storage/ids.ts";
import type { Database } from "../../storage/postgres.ts";
import type { RealmEnvironment } from "./environment.ts";
import type { Memories } from "./memory.ts";
import type { RealmState } from "./state/state.ts";

/** The replica, and PostgreSQL for what the replica does not hold. */
export interface RealmReader {
  readonly id: RealmId;
  /** @throws SERVICE_UNAVAILABLE while the realm is not loaded; so do the others */
  readonly state: RealmState;
  readonly database: Database;
  readonly environment: RealmEnvironment;
  /** What nouns remember of it; see `memoryOf`. */
  readonly memories: Memories;
}
