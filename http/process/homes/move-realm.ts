/** `parley realm move HOST --to NAME`: an organization to another database, while people chat. */
import { firstDatabase } from "../../../storage/directory/database-list.ts";
import { readDirectory } from "../../../storage/directory/directory.ts";
import { type MoveStep, moveToDatabase } from "../../../storage/directory/move/move.ts";
import { findRealms } from "../../../storage/realms.ts";
import type { AdminResult, Values } from "../admin.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";
import { openNamed } from "./command-storage.ts";

/** What is printed before each step. */
export const told: Record<MoveStep, string> = {
  announce: "beginning",
  copy: "copying, while people chat",
  stop: "stopping changes",
  renew: "copying what changed meanwhile",
  delete: "removing it where it was",
  arrive: "serving it where it is",
};

/** @throws Error in words; nothing was done then, or nodes undo it */
export async function moveRealmToDatabase(
  first: RunningStorage,
  config: Config,
  { file, to }: Values,
): Promise<AdminResult> {
  if (typeof file !== "string" || typeof to !== "string")
    throw new Error("Say which one, and where to: parley realm move HOST --to NAME.");
  const host = file.toLowerCase();
  const entry = (await readDirectory(first.database.sql)).find((row) => row.host === host);
  const from = entry?.database ?? firstDatabase;
  if (from === to) throw new Error(`The organization is in ${to} already.`);
  const source = await openNamed(first, config, from);
  try {
    const target = await openNamed(first, config, to);
    try {
      const realm = (await findRealms(source.database.sql)).find((row) => row.host === host);
      if (!realm) throw new Error(`There is no organization that has ${host} as its own host: see parley realm list.`);
      const stoppedMs = await moveToDatabase(
        {
          first: first.database,
          source: source.database,
          target: target.database,
          onStep: (step) => {
            process.stderr.write(`${realm.name}: ${told[step]}\n`);
          },
        },
        { realm_id: realm.id, host, source: from, target: to },
      );
      return {
        text: `${realm.name} is in ${to} now. Changes waited for ${Math.round(stoppedMs)} ms.`,
        data: { realm_id: realm.id, host, database: to, stopped_ms: Math.round(stoppedMs) },
      };
    } finally {
      if (target !== first) await target.close();
    }
  } finally {
    if (source !== first) await source.close();
  }
}
