/**
 * What waits for the writer, and whose turn it is. Sends, groups and other commands take turns. The later parts of long
 * commands go when nothing else waits, and else for half of the time. After each part the others have as long as it
 * took.
 */
import { defined } from "../../../storage/failures.ts";
import type { Pending } from "./work.ts";

export type Kind = "sends" | "groups" | "commands" | "parts";

const inTurn = ["sends", "groups", "commands"] as const;

export class Waiting {
  readonly sends: Pending[] = [];
  groups: Pending[] = [];
  readonly commands: Pending[] = [];
  /** What is left of long commands. */
  readonly parts: Pending[] = [];
  #turn = 0;
  /** Until then the others go before the parts, by `performance.now()`. */
  #othersUntil = 0;

  get size(): number {
    return this.sends.length + this.groups.length + this.commands.length + this.parts.length;
  }

  add(pending: Pending): void {
    const { fast, grouped } = pending.work;
    (fast ? this.sends : grouped ? this.groups : this.commands).push(pending);
  }

  /** A part of a long command took so long; the rest of the command waits. */
  addRest(rest: Pending, partMs: number): void {
    this.parts.push(rest);
    this.#othersUntil = performance.now() + partMs;
  }

  /** Whose turn it is. Undefined: nothing waits. */
  next(): Kind | undefined {
    if (this.parts.length > 0 && performance.now() >= this.#othersUntil) return "parts";
    for (let skipped = 0; skipped < inTurn.length; skipped++) {
      const kind = defined(inTurn[this.#turn++ % inTurn.length], "kind of work");
      if (this[kind].length > 0) return kind;
    }
    return this.parts.length > 0 ? "parts" : undefined;
  }

  /** Takes everything away. */
  takeAll(): Pending[] {
    const kinds = [this.commands, this.parts, this.sends, this.groups];
    return kinds.flatMap((kind) => kind.splice(0));
  }
}
