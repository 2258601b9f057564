/** One notification of the queue, on its way to somebody's phones or to a browser. */
import type { BrowserId, MessageId } from "../../storage/ids.ts";
import type { PushTarget } from "../../storage/notifications/pushes.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { RealmReader } from "../realm/reader.ts";
import { type LegacyPayloads, legacyMessage, legacyRemoval, type PushedMessage } from "./push-payload.ts";

interface Addressed {
  /** The same with each attempt. */
  id: string;
  target: PushTarget;
  browserId: BrowserId | null;
  user: UserRow;
}
export type Delivery = Addressed & ({ pushed: PushedMessage } | { removed: readonly MessageId[] });

export type Outcome =
  | "sent"
  /** There is nothing to send it to any more. */
  | "nobody"
  | {
      reason: string;
      /** It is about the relay, not about this one. */
      isAway: boolean;
    };

/** What it says to tokens of the older kind. */
export const legacyPayloads = ({ state }: RealmReader, delivery: Delivery, badge: number): LegacyPayloads =>
  "pushed" in delivery
    ? legacyMessage(delivery.pushed, badge)
    : legacyRemoval(state, delivery.user, delivery.removed, badge);
