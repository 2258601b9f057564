/** Opens an archive of another program as a folder. It may be a folder, or a tar file with or without gzip. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extract } from "tar";

export interface OpenedArchive {
  /** The folder with the content: the single top-level folder, if there is one. */
  folder: string;
  /** Removes what was unpacked. */
  close(): Promise<void>;
}

/**
 * Unpacks a tar file into a temporary folder. The file is not trusted: only plain files and folders are unpacked, and
 * nothing is written outside of that folder.
 *
 * @throws Error when it cannot be read
 */
export async function openArchive(path: string): Promise<OpenedArchive> {
  if ((await stat(path)).isDirectory()) return { folder: path, close: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), "parley-import-"));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    await extract({
      file: path,
      cwd: folder,
      strict: true,
      filter: (_, entry) => !("type" in entry) || ["File", "OldFile", "Directory"].includes(entry.type),
    });
    const [only, ...others] = await readdir(folder, { withFileTypes: true });
    const isNested = only?.isDirectory() === true && others.length === 0;
    return { folder: isNested ? join(folder, only.name) : folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}
