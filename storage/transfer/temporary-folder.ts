import { mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  path: string;
  remove(): Promise<void>;
}

/** What ends a command from outside: Ctrl-C, whoever looks after services, a terminal that closes. */
const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Something may still be written into it while it is removed. */
const attempts = { maxRetries: 5, retryDelay: 20 };

/** Makes a folder for a command. Nothing is left of it either when the process is told to end. */
export function temporaryFolder(prefix: string): TemporaryFolder {
  let path: string | undefined;
  const forget = () => {
    for (const ending of endings) process.off(ending, end);
  };
  const end = (ending: NodeJS.Signals) => {
    forget();
    if (path !== undefined) rmSync(path, { recursive: true, force: true, ...attempts });
    // It ends as it would have; by the last of several folders, as others still listen.
    process.kill(process.pid, ending);
  };
  // Listened for first, and made in one step: an ending is heard before there is a folder, or after its name is known.
  for (const ending of endings) process.on(ending, end);
  try {
    path = mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    forget();
    throw error;
  }
  const made = path;
  return {
    path: made,
    async remove() {
      await rm(made, { recursive: true, force: true, ...attempts });
      forget();
    },
  };
}
