/** Ends moves between databases whose process died: every node looks for them. */
import type { Logger } from "pino";
import { readMoves } from "../../../storage/directory/directory.ts";
import { settleMove } from "../../../storage/directory/move/settle.ts";
import { messageOf } from "../../../storage/failures.ts";
import type { Home } from "./homes.ts";

const lookEveryMs = 1000;

/** Looks from now on. Returns how that ends. */
export function watchMoves(homes: readonly Home[], log: Logger): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  let looking: Promise<void> = Promise.resolve();
  const look = () => {
    looking = settleMoves(homes)
      .catch((error: unknown) => {
        if (!isEnded) log.warn({ reason: messageOf(error) }, "moves between databases were not looked at");
      })
      .finally(() => {
        if (!isEnded) timer = setTimeout(look, lookEveryMs);
      });
  };
  if (homes.length > 1) look();
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await looking;
  };
}

async function settleMoves(homes: readonly Home[]): Promise<void> {
  const first = homes[0]!.database;
  if (first.trouble !== undefined) return;
  const named = (name: string) => homes.find((home) => home.name === name && home.database.trouble === undefined);
  for (const move of await readMoves(first.sql)) {
    const [source, target] = [named(move.source), named(move.target)];
    if (source && target) await settleMove(first, source.database, target.database, move);
  }
}
