/** What a node has applied of the log. */
import type { Entry, Node, Postgres } from "./state.ts";

export const isLoaded = ({ realm }: Node): boolean => realm === "following" || realm === "writing" || realm === "idle";

/** Each entry is applied once. */
export function apply({ replica }: Pick<Node, "replica">, entries: readonly Entry[]): void {
  for (const { position, request } of entries) {
    if (position <= replica.position) continue;
    replica.seen.push(request);
    replica.position = position;
    replica.stored = position;
  }
}

/** Reads on from PostgreSQL. */
export const catchUp = (node: Pick<Node, "replica">, { log }: Postgres): void => apply(node, log);
