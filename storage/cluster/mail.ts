/**
 * A bus with a second way to a node: the node's mailbox in PostgreSQL. Messages go there when Redis is gone, silent or
 * cut off, or does not reach the node. They come at most once, as through Redis, and slower. `way.ts` has the rules for
 * which way a message goes.
 */
import { randomUUID } from "node:crypto";
import type { Database } from "../postgres.ts";
import type { Bus, MessageNature } from "./bus.ts";
import { Confirmations, isSoon } from "./confirmations.ts";
import { CoordinationUnavailable } from "./lease.ts";
import { Mailbox } from "./mailbox.ts";
import type { Installation } from "./seal.ts";
import { mailedMs, type PeerState, peerState, stepWay, type WayAction } from "./way.ts";

/** A bus of mail alone, for where there is no Redis: messages to one node, and nothing else. */
export function mailAlone(database: Database, installation: Installation, onRefused: () => void = () => {}): Bus {
  const none = () => Promise.reject(new CoordinationUnavailable("there is no Redis", true));
  const bus: Bus = {
    nodeId: randomUUID(),
    isConnected: false,
    append: none,
    end: none,
    follow: () => ({ stop: () => {} }),
    send: none,
    broadcast: none,
    onMessage: () => {},
    announce: none,
    nodes: async () => [],
    agree: none,
    close: async () => {},
  };
  return withMail(bus, database, installation, onRefused, true);
}

/**
 * A bus whose messages find another way when its own is closed.
 * @param isAlone there is no Redis to come back: a node that seldom gets mail need not look often
 */
export function withMail(
  bus: Bus,
  database: Database,
  installation: Installation,
  onRefused: () => void,
  isAlone = false,
): Bus {
  const handlers: ((from: string, message: unknown) => void)[] = [];
  const peers = new LackingPeers();
  const confirmations = new Confirmations();
  const isReliable = (): boolean => bus.isConnected && !confirmations.isDoubted;
  const mailbox = new Mailbox({
    ...{ database, installation, onRefused, nodeId: bus.nodeId },
    isNeeded: () => !isAlone && !isReliable(),
    onMessage(from, message, lacksRedis) {
      if (lacksRedis) peers.add(from);
      for (const handle of handlers) handle(from, message);
    },
  });
  const stateOf = (peer: string) => {
    const { isDoubted } = confirmations;
    return peerState({ isConnected: bus.isConnected, isDoubted, lackedAt: peers.lackedAt(peer) }, performance.now());
  };
  const perform = (action: WayAction, to: string, message: unknown): Promise<boolean> =>
    action === "publish"
      ? confirmations.watch(() => bus.send(to, message))
      : mailbox.post(to, message, action === "postLackingRedis");
  return {
    ...bus,
    get isConnected() {
      return isReliable();
    },
    send: (to, message, nature = "plain") => sendBy(stateOf(to), nature, (action) => perform(action, to, message)),
    onMessage(handle) {
      handlers.push(handle);
      bus.onMessage((from, message) => {
        peers.delete(from);
        handle(from, message);
      });
    },
    async close() {
      mailbox.close();
      await bus.close();
    },
  };
}

/** Sends one message by the rules of `way.ts`. @returns false when nobody is there to get it */
async function sendBy(
  state: PeerState,
  nature: MessageNature,
  perform: (action: WayAction) => Promise<boolean>,
): Promise<boolean> {
  const performAll = (actions: readonly WayAction[]): Promise<boolean> =>
    Promise.any(actions.map(perform)).catch((all: AggregateError) => {
      throw all.errors[0];
    });
  try {
    const sending = performAll(stepWay(state, { type: "send", nature }));
    const late = stepWay(state, { type: "publish.late", nature });
    if (late.length > 0 && !(await isSoon(sending))) return await performAll(late);
    if (await sending) return true;
    const unheard = stepWay(state, { type: "publish.unheard", nature });
    return unheard.length > 0 && (await performAll(unheard));
  } catch (error) {
    const isCertain = error instanceof CoordinationUnavailable && error.isCertain;
    const other = stepWay(state, { type: "failed", nature, isCertain });
    if (other.length === 0) throw error;
    return performAll(other);
  }
}

/** The peers that said by mail that they lack Redis, and when. */
class LackingPeers {
  readonly #lackedAt = new Map<string, number>();

  lackedAt(peer: string): number | undefined {
    return this.#lackedAt.get(peer);
  }

  add(peer: string): void {
    const now = performance.now();
    // The one that said so last is the last.
    this.#lackedAt.delete(peer);
    this.#lackedAt.set(peer, now);
    for (const [other, at] of this.#lackedAt) {
      if (now - at < mailedMs) break;
      this.#lackedAt.delete(other);
    }
  }

  /** A message of the peer came through Redis. */
  delete(peer: string): void {
    this.#lackedAt.delete(peer);
  }
}
