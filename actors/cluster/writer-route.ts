/** The way from this node to a realm's writer, which changes. */
import type { Bus } from "../../storage/cluster/bus.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import { NotBegun } from "../realm/commit/work.ts";
import type { ForwardedCommand } from "../realm/coordination.ts";
import type { Entry } from "../realm/entry.ts";
import type { Forwarding } from "./forwarding.ts";
import type { NodeMessage } from "./node-messages.ts";

/** Events that are not stored wait so long for a writer: who is typing is no news any more after that. */
const keptMs = 5000;
const maxWaiting = 1000;

export interface WriterRouteOptions {
  realmId: RealmId;
  bus: Bus;
  forwarding: Forwarding;
  /** Publishes an event through this node, or through the writer that is known. */
  publish(entry: Entry): void;
}

export class WriterRoute {
  #writer: string | undefined;
  /** Since when no writer has been known, by `performance.now()`. */
  #writerlessSince: number | undefined = performance.now();
  /** Events that no disk keeps, and for which no writer was known. */
  #waiting: { entry: Entry; at: number }[] = [];

  constructor(private readonly options: WriterRouteOptions) {}

  /** The node that writes, as far as is known. */
  get writer(): string | undefined {
    return this.#writer;
  }

  /** For how long no writer has been known. 0: one is. */
  writerlessMs(): number {
    return this.#writerlessSince === undefined ? 0 : performance.now() - this.#writerlessSince;
  }

  /** Takes in which node writes, or that none does. */
  setWriter(writer: string | undefined): void {
    if (writer === this.#writer) return;
    this.#writer = writer;
    this.#writerlessSince = writer === undefined ? performance.now() : undefined;
    if (writer === undefined) return;
    this.options.forwarding.writerChanged(this.options.realmId, writer);
    if (writer !== this.options.bus.nodeId) this.publishWaiting();
  }

  /** Hands an event to the writer. It waits while no writer is known, or this node is about to be it. */
  publish(entry: Entry): void {
    const { bus, realmId } = this.options;
    if (this.#writer && this.#writer !== bus.nodeId)
      void bus.send(this.#writer, { kind: "publish", realm: realmId, entry } satisfies NodeMessage).catch(() => {});
    else if (this.#waiting.push({ entry, at: performance.now() }) > maxWaiting) this.#waiting.shift();
  }

  /** Publishes what came after one writer had ended and before the next was known. */
  publishWaiting(): void {
    const since = performance.now() - keptMs;
    for (const { entry, at } of this.#waiting.splice(0)) if (at > since) this.options.publish(entry);
  }

  /** See `Membership.forward`. */
  async forward(command: ForwardedCommand, deadlineMs: number): Promise<{ reply: unknown; position: LogPosition }> {
    const { bus, forwarding, realmId } = this.options;
    if (!this.#writer || this.#writer === bus.nodeId) throw new NotBegun();
    return forwarding.send(this.#writer, realmId, command, deadlineMs);
  }
}
