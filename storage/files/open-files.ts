/** Opens the store of files that the settings name. */
import { BothStores } from "./both-stores.ts";
import type { FileStore } from "./file-store.ts";
import { FolderStore } from "./folder-store.ts";
import type { S3Settings } from "./s3-connection.ts";
import { S3Store } from "./s3-store.ts";

export interface FileSettings {
  dataDir: string;
  /** Where new files go. */
  filesGoTo: "folder" | "s3";
  /** Undefined: there is no object store. */
  s3: S3Settings | undefined;
}

/** What is not where new files go is looked for in the other place. */
export function openFiles({ dataDir, filesGoTo, s3 }: FileSettings): FileStore {
  const folder = new FolderStore(dataDir);
  if (s3 === undefined) return folder;
  const store = new S3Store(s3, dataDir);
  return filesGoTo === "s3" ? new BothStores(store, folder) : new BothStores(folder, store);
}
