/**
 * The way of a message to one peer: through Redis, or through the peer's mailbox in PostgreSQL. Pure: it decides,
 * `mail.ts` acts. The state of a peer is read off from three facts, so nothing has to be kept in step with them.
 *
 * | Rule | State   | The facts                                                             |
 * | W1   | lost    | this node has no connection to Redis                                  |
 * | W2   | doubted | Redis has not confirmed a message for `doubtMs`                       |
 * | W3   | mail    | the peer said by mail, less than `mailedMs` ago, that it lacks Redis, |
 * |      |         | and no message of the peer has come through Redis since               |
 * | W4   | redis   | otherwise                                                             |
 *
 * | Rule | In            | Event           | When                               | Does                      |
 * | W5   | redis         | send            | plain, answer                      | publish                   |
 * | W6   | mail          | send            | plain, answer                      | post                      |
 * | W7   | doubted, lost | send            | plain, answer                      | postLackingRedis          |
 * | W8   | redis, mail   | send            | repeat                             | post, publish             |
 * | W9   | doubted       | send            | repeat                             | postLackingRedis, publish |
 * | W10  | lost          | send            | repeat                             | postLackingRedis          |
 * | W11  | redis         | publish.late    | answer                             | postLackingRedis          |
 * | W12  | redis         | publish.unheard | answer                             | post                      |
 * | W13  | redis         | failed          | answer                             | postLackingRedis          |
 * | W14  | redis         | failed          | plain, and certainly it never left | postLackingRedis          |
 *
 * Nothing else is done. A plain message that may have left is not sent again, since it comes at most once. An answer
 * may come twice, so it goes by mail as well while Redis is late. Its peer may not be listening again yet (W12).
 * `postLackingRedis` says that this node lacks Redis, so the peer answers by mail. A plain `post` does not say so, or
 * two busy nodes would never return to Redis.
 */
import type { MessageNature } from "./bus.ts";

/** When Redis has not confirmed a message for so long, others go by mail until it does. */
export const doubtMs = 100;
/** A peer that lacks Redis is written to by mail for so long. */
export const mailedMs = 5000;

/** What decides the state of a peer. Times are of one clock, in milliseconds. */
export interface PeerFacts {
  isConnected: boolean;
  isDoubted: boolean;
  /** When the peer said by mail that it lacks Redis. Undefined: it did not, or has used Redis since. */
  lackedAt: number | undefined;
}

export type PeerState = "redis" | "doubted" | "lost" | "mail";

export type WayEvent =
  | { type: "send"; nature: MessageNature }
  /** Redis has not confirmed the message for `doubtMs`. */
  | { type: "publish.late"; nature: MessageNature }
  /** Redis took the message, and nobody was there to get it. */
  | { type: "publish.unheard"; nature: MessageNature }
  /** Redis or PostgreSQL refused the message. `isCertain`: certainly it did not leave. */
  | { type: "failed"; nature: MessageNature; isCertain: boolean };

/** `publish` goes through Redis, the others through the mailbox. */
export type WayAction = "publish" | "post" | "postLackingRedis";

export function peerState({ isConnected, isDoubted, lackedAt }: PeerFacts, now: number): PeerState {
  if (!isConnected) return "lost";
  if (isDoubted) return "doubted";
  return lackedAt !== undefined && now - lackedAt < mailedMs ? "mail" : "redis";
}

/** The actions for a message, all at once: it is sent when the first of them succeeds. */
export function stepWay(state: PeerState, event: WayEvent): readonly WayAction[] {
  if (event.type === "send") return event.nature === "repeat" ? repeats[state] : sends[state];
  if (state !== "redis") return [];
  const isAnswer = event.nature === "answer";
  switch (event.type) {
    case "publish.late":
      return isAnswer ? ["postLackingRedis"] : [];
    case "publish.unheard":
      return isAnswer ? ["post"] : [];
    case "failed":
      return isAnswer || (event.nature === "plain" && event.isCertain) ? ["postLackingRedis"] : [];
    default:
      return event satisfies never;
  }
}

const sends: Record<PeerState, readonly WayAction[]> = {
  redis: ["publish"],
  mail: ["post"],
  doubted: ["postLackingRedis"],
  lost: ["postLackingRedis"],
};

const repeats: Record<PeerState, readonly WayAction[]> = {
  redis: ["post", "publish"],
  mail: ["post", "publish"],
  doubted: ["postLackingRedis", "publish"],
  lost: ["postLackingRedis"],
};
