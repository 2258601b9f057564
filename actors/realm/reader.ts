/**
 * Small interfaces of a realm for code that answers reads. Their users do not depend on the handle that implements
 * them.
 */
import type { RealmId, UserId } from "../../storage/ids.ts";
import type { Database } from "../../storage/postgres.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import type { History } from "../history/history.ts";
import type { Presence } from "../presence/presence.ts";
import type { ChannelText } from "../subscriptions/channel-text.ts";
import type { UserText } from "../users/text.ts";
import type { RealmEnvironment } from "./environment.ts";
import type { RealmState } from "./state/state.ts";

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
