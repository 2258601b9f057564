/** Where the bytes of uploads, pictures and exports are. */
export interface StoredFiles {
  dataDir: string;
  /** Where those of an upload are, below it. */
  storedUpload(pathId: string): string;
}
