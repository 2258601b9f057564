import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A new temporary folder for a server's data. Everybody may enter it: where this is root, PostgreSQL runs as another
 * account, and would otherwise keep its data among the system's folders.
 */
export async function dataFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `parley-${name}-`));
  await chmod(folder, 0o755);
  return folder;
}
