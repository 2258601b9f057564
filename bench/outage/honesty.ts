/**
 * Sends to nodes and polls of them, and the count of what was acknowledged against what is there in the end: what is
 * lost or there twice, ids that were given out twice, and what polls missed or were told twice.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Parley } from "../harness/parley.ts";
import { basic } from "../load/request.ts";

const sendEveryMs = 25;
const pollersPerNode = 3;
/** Longer than any client that has somewhere else to go waits. */
const timeoutMs = 15_000;
/** A poll is to be told of everything within this time of the end. */
const toldWithinMs = 30_000;

/** What should not be, counted. */
export interface Faults {
  lost: number;
  twice: number;
  idsTwice: number;
  /** Events of acknowledged messages that a queue missed, or was told twice. */
  misheard: number;
  queuesEnded: number;
}

export class Round {
  /** When sends were acknowledged by each node, by `performance.now()`. */
  readonly acknowledgedAt: number[][];
  readonly #acknowledged: { id: number; content: string }[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[];
  readonly #pollers: Poller[] = [];
  #number = 0;

  private constructor(
    private readonly nodes: readonly Parley[],
    private readonly topic: string,
  ) {
    this.acknowledgedAt = nodes.map(() => []);
    this.#timers = nodes.map((node, index) =>
      setInterval(() => {
        const sending = this.#send(node, this.acknowledgedAt[index] ?? []).finally(() =>
          this.#inFlight.delete(sending),
        );
        this.#inFlight.add(sending);
      }, sendEveryMs),
    );
  }

  static async begin(nodes: readonly Parley[], topic: string): Promise<Round> {
    const pollers = nodes.flatMap((node) => Array.from({ length: pollersPerNode }, () => Poller.register(node)));
    const registered = await Promise.all(pollers);
    const round = new Round(nodes, topic);
    round.#pollers.push(...registered);
    return round;
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  /** Sends no more, and compares when all that is under way has ended. */
  async end(): Promise<Faults> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#inFlight);
    const ids = this.#acknowledged.map(({ id }) => id);
    await Promise.all(this.#pollers.map((poller) => poller.end(ids)));
    const stored = await this.#stored();
    return {
      lost: this.#acknowledged.filter(({ id, content }) => stored.byId.get(id) !== content).length,
      twice: stored.byId.size - new Set(stored.byId.values()).size,
      idsTwice: ids.length - new Set(ids).size,
      misheard: this.#pollers.reduce((sum, poller) => sum + poller.misheard(ids), 0),
      queuesEnded: this.#pollers.filter(({ hasEnded }) => hasEnded).length,
    };
  }

  async #stored(): Promise<{ byId: Map<number, string> }> {
    const byId = new Map<number, string>();
    const narrow = [
      { operator: "channel", operand: "general" },
      { operator: "topic", operand: this.topic },
    ];
    let anchor: number | "oldest" = "oldest";
    for (let foundAll = false; !foundAll; ) {
      const answer: { messages: { id: number; content: string }[]; found_newest: boolean } = await this.nodes[0]!.call(
        "GET",
        "/api/v1/messages",
        { narrow, anchor, num_before: 0, num_after: 1000, include_anchor: false, apply_markdown: false },
      );
      for (const { id, content } of answer.messages) byId.set(id, content);
      anchor = answer.messages.at(-1)?.id ?? anchor;
      foundAll = answer.found_newest;
    }
    return { byId };
  }

  async #send({ port, owner }: Parley, acknowledgedAt: number[]): Promise<void> {
    const content = `number ${++this.#number}`;
    const body = new URLSearchParams({ type: "channel", to: "general", topic: this.topic, content });
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/messages`, {
        method: "POST",
        headers: { authorization: basic(owner) },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { id } = (await answer.json()) as { id: number };
      if (!answer.ok) return;
      acknowledgedAt.push(performance.now());
      this.#acknowledged.push({ id, content });
    } catch {
      // Nobody answered: it may be there or not.
    }
  }
}

class Poller {
  hasEnded = false;
  readonly #heard = new Map<number, number>();
  readonly #over = new AbortController();
  readonly #polling: Promise<void>;

  private constructor(
    private readonly node: Parley,
    private readonly queueId: string,
    lastEventId: number,
  ) {
    this.#polling = this.#poll(lastEventId);
  }

  static async register(node: Parley): Promise<Poller> {
    const fields = { event_types: ["message"], apply_markdown: false };
    const answer = await node.call<{ queue_id: string; last_event_id: number }>("POST", "/api/v1/register", fields);
    return new Poller(node, answer.queue_id, answer.last_event_id);
  }

  async end(ids: readonly number[]): Promise<void> {
    const givenUpAt = performance.now() + toldWithinMs;
    while (!this.hasEnded && performance.now() < givenUpAt && !ids.every((id) => this.#heard.has(id)))
      await sleep(sendEveryMs);
    this.#over.abort();
    await this.#polling;
  }

  misheard(ids: readonly number[]): number {
    return ids.filter((id) => this.#heard.get(id) !== 1).length;
  }

  async #poll(lastEventId: number): Promise<void> {
    const { port, owner } = this.node;
    let last = lastEventId;
    while (!this.#over.signal.aborted && !this.hasEnded) {
      try {
        const query = new URLSearchParams({ queue_id: this.queueId, last_event_id: String(last) });
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/events?${query}`, {
          headers: { authorization: basic(owner) },
          signal: this.#over.signal,
        });
        const body = (await answer.json()) as { code?: string; events?: { id: number; message?: { id: number } }[] };
        if (body.code === "BAD_EVENT_QUEUE_ID") this.hasEnded = true;
        else if (body.events === undefined) await sleep(sendEveryMs);
        for (const { id, message } of body.events ?? []) {
          last = Math.max(last, id);
          if (message !== undefined) this.#heard.set(message.id, (this.#heard.get(message.id) ?? 0) + 1);
        }
      } catch {
        await sleep(sendEveryMs);
      }
    }
  }
}
