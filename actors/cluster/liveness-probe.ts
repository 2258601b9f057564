/**
 * Whether other nodes live and what they write, while Redis cannot tell. The question and its answer may go by mail. A
 * node answers as long as it has PostgreSQL, and without PostgreSQL it cannot write.
 */
import type { Bus } from "../../storage/cluster/bus.ts";
import type { RealmId } from "../../storage/ids.ts";
import type { NodeMessage } from "./node-messages.ts";

/** The candidates of all realms ask about their writers. One node may write many of them. */
const askEveryMs = 200;
/** A single question may have been lost. */
const enoughQuestions = 2;
/** Questions further apart than this say nothing together. Redis keeps a candidate waiting for two seconds at most. */
const seriesMs = 10_000;
/** A node that nobody asks about any more is forgotten. */
const keptMs = 60_000;

interface Asked {
  askedAt: number;
  /** When the first unanswered question was asked, and how many there are. */
  unansweredSince: number;
  unanswered: number;
  /** The realms that it says it writes. Undefined: it has not said. */
  writes: ReadonlySet<RealmId> | undefined;
}

export class LivenessProbe {
  readonly #asked = new Map<string, Asked>();

  /** @param silenceMs how long a node may say nothing, from the first question on */
  constructor(
    private readonly bus: Pick<Bus, "send">,
    private readonly silenceMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Asks a node, unless it was asked just now. */
  probe(node: string): void {
    const now = this.now();
    const before = this.#asked.get(node);
    if (before && now - before.askedAt < askEveryMs) return;
    const asked = before ?? { askedAt: now, unansweredSince: now, unanswered: 0, writes: undefined };
    if (now - asked.askedAt > seriesMs) asked.unanswered = 0;
    if (asked.unanswered === 0) asked.unansweredSince = now;
    asked.unanswered++;
    asked.askedAt = now;
    // Keeps the nodes in the order of their last question.
    this.#asked.delete(node);
    this.#asked.set(node, asked);
    for (const [other, { askedAt }] of this.#asked) {
      if (now - askedAt < keptMs) break;
      this.#asked.delete(other);
    }
    void this.bus.send(node, { kind: "hello" } satisfies NodeMessage).catch(() => {});
  }

  /** A node lives: it has sent something. @param writes what it says that it writes, or begins to */
  sawAlive(node: string, writes?: readonly RealmId[]): void {
    const asked = this.#asked.get(node);
    if (!asked) return;
    asked.unanswered = 0;
    if (writes) asked.writes = new Set(writes);
  }

  /** Whether a node was asked for long enough and says nothing: it is dead, asleep, or has lost PostgreSQL. */
  isGone(node: string): boolean {
    const asked = this.#asked.get(node);
    return (
      asked !== undefined && asked.unanswered >= enoughQuestions && this.now() - asked.unansweredSince >= this.silenceMs
    );
  }

  /** Whether a node said, when it was last heard, that it does not write this realm. */
  disowns(node: string, realm: RealmId): boolean {
    return this.#asked.get(node)?.writes?.has(realm) === false;
  }
}
