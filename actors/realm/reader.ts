/**
 * Small interfaces of a realm for code that answers reads. Their users do not depend on the handle that implements
 * them.
 */
import type { LogPosition, RealmId, UserId } from "../../storage/ids.ts";
import type { Database } from "../../storage/postgres.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import type { ChannelText } from "../channels/text.ts";
import type { EventQueues } from "../event-queue/event-queues.ts";
import type { History } from "../history/history.ts";
import type { Presence } from "../presence/presence.ts";
import type { SharedParts } from "../register/shared-parts.ts";
import type { UserText } from "../users/text.ts";
import type { RealmEnvironment } from "./environment.ts";
import type { RealmState } from "./state/state.ts";
import type { Turns } from "./turns.ts";

/** The replica, and PostgreSQL for what the replica does not hold. */
export interface RealmReader {
  readonly id: RealmId;
  /** @throws SERVICE_UNAVAILABLE while the realm is not loaded; so do the others */
  readonly state: RealmState;
  readonly database: Database;
  readonly environment: RealmEnvironment;
  /** Everybody, as a register lists them. */
  readonly userText: UserText;
  /** Every channel, as a register lists them. */
  readonly channelText: ChannelText;
  /** The newest part of the history. */
  readonly history: History;
  /** Who is online. */
  readonly presence: Presence;
  /** Who took part in a topic and still reads the channel. Ascending. */
  topicParticipants(channel: ChannelRow, topic: string): Promise<UserId[]>;
}

/** What a register needs besides. */
export interface RegisteringRealm extends RealmReader {
  /** The newest log position that this node has applied. */
  readonly position: LogPosition;
  readonly queues: EventQueues;
  /** What a register tells everybody alike. */
  readonly sharedParts: SharedParts;
  /** Registers take turns on the event loop. */
  readonly turns: Turns;
  /** Resolves when reads of state that is not stored (presence) miss nothing. Undefined: nobody has to be asked. */
  currentUnstored(): Promise<unknown> | undefined;
  /** Resolves when this node has applied whatever the log holds up to `position`. */
  reached(position: LogPosition): Promise<void>;
}
