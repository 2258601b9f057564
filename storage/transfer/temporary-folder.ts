import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
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
export async function temporaryFolder(prefix: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  const forget = () => {
    for (const ending of endings) process.off(ending, end);
  };
  const end = (ending: NodeJS.Signals) => {
    forget();
    rmSync(path, { recursive: true, force: true, ...attempts });
    // It ends as it would have; by the last of several folders, as others still listen.
    process.kill(process.pid, ending);
  };
  for (const ending of endings) process.on(ending, end);
  return {
    path,
    async remove() {
      forget();
      await rm(path, { recursive: true, force: true, ...attempts });
    },
  };
}
