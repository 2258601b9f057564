/** Moves a file from one store to another while both are used as `BothStores`. */
import { type FileStore, piecesOf } from "./file-store.ts";

/** Copies the file, and then removes what was copied. A newer file of that name in the other store stays. */
export async function moveFile(from: FileStore, into: FileStore, path: string): Promise<void> {
  const file = await from.open(path);
  if (!file) return;
  if ((await into.size(path)) === undefined) {
    try {
      await into.put(path, piecesOf(file));
    } catch (error) {
      // Somebody has deleted it meanwhile.
      if ((await from.size(path)) === undefined) return;
      throw error;
    }
    // Whoever deletes a file looks here first, and may not have seen the copy.
    if ((await from.size(path)) === undefined) return into.remove(path);
  }
  await from.remove(path);
}
