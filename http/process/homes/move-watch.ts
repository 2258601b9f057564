/** Knows of moves between databases: every node looks for them, and ends those whose process died. */
import type { Logger } from "pino";
import { movesChannel, readMoves } from "../../../storage/directory/directory.ts";
import { settleMove } from "../../../storage/directory/move/settle.ts";
import { messageOf } from "../../../storage/failures.ts";
import type { Homes } from "./homes.ts";

const lookEveryMs = 1000;

/** Looks from now on. Returns how that ends. */
export function watchMoves(homes: Homes, log: Logger): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  let looking: Promise<void> = Promise.resolve();
  const warn = (error: unknown) => {
    if (!isEnded) log.warn({ reason: messageOf(error) }, "moves between databases were not looked at");
  };
  const look = () => {
    looking = settleMoves(homes)
      .catch(warn)
      .finally(() => {
        if (!isEnded) timer = setTimeout(look, lookEveryMs);
      });
  };
  if (homes.homes.length > 1) {
    const { database } = homes.environment;
    database.listen(movesChannel, () => void knownMoves(homes).catch(warn));
    look();
  }
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await looking;
  };
}

async function knownMoves(homes: Homes) {
  const moves = await readMoves(homes.environment.database.sql);
  homes.noteMoving(moves.map((move) => move.realm_id));
  return moves;
}

async function settleMoves(homes: Homes): Promise<void> {
  const first = homes.environment.database;
  if (first.trouble !== undefined) return;
  const named = (name: string) => homes.homes.find((home) => home.name === name && home.database.trouble === undefined);
  for (const move of await knownMoves(homes)) {
    const [source, target] = [named(move.source), named(move.target)];
    if (source && target) await settleMove(first, source.database, target.database, move);
  }
}
