/**
 * The commands that other nodes sent to this one, and its answers. A node without an answer sends its command again,
 * perhaps by mail, and a message may come late. So each command is taken once.
 */
import { defined } from "../../storage/failures.ts";
import { LruMap } from "../lru-map.ts";
import type { NodeMessage } from "./node-messages.ts";

/**
 * The most commands remembered of one node. A node has at most half as many under way, and asks again for those alone.
 */
const maxOfNode = 20_000;
/** Longer than any caller waits. */
const keptMs = 60_000;
/** The most nodes remembered. The one that has been silent for longest is forgotten first. */
const maxNodes = 10_000;
const forgetEveryMs = 1000;

export interface Taken {
  at: number;
  /** Undefined: it is under way. */
  answer?: NodeMessage;
  /** The node that asked did so again meanwhile, since Redis may be away. */
  isAskedAgain: boolean;
}

interface Asker {
  taken: LruMap<number, Taken>;
  /** The newest command that was forgotten. Askers number their commands. */
  forgotten: number;
}

export class TakenCommands {
  readonly #askers = new LruMap<string, Asker>();
  #forgotAt = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Takes a command. A command that was taken before comes with `isNew` false. Undefined: it is too old to know.
   */
  take(from: string, id: number): { taken: Taken; isNew: boolean } | undefined {
    const asker = this.#askers.get(from) ?? { taken: new LruMap(), forgotten: 0 };
    // Keeps the nodes in the order of their last command.
    this.#askers.set(from, asker);
    if (this.now() - this.#forgotAt > forgetEveryMs) this.#forget();
    const known = asker.taken.get(id);
    if (known) return { taken: known, isNew: false };
    if (id <= asker.forgotten) return undefined;
    const taken = { at: this.now(), isAskedAgain: false };
    asker.taken.set(id, taken);
    if (asker.taken.size > maxOfNode) forgetOldest(asker);
    return { taken, isNew: true };
  }

  #forget(): void {
    this.#forgotAt = this.now();
    const longAgo = this.#forgotAt - keptMs;
    for (const { value: asker } of this.#askers)
      while ((asker.taken.oldest?.value.at ?? Number.POSITIVE_INFINITY) <= longAgo) forgetOldest(asker);
    while (this.#askers.size > maxNodes) this.#askers.delete(defined(this.#askers.oldest, "node").key);
  }
}

function forgetOldest(asker: Asker): void {
  const { key: id } = defined(asker.taken.oldest, "command");
  asker.taken.delete(id);
  asker.forgotten = Math.max(asker.forgotten, id);
}
