/** Copies of what other sites have, for an organization, as a cache: past its bound the oldest go. */
import type { FileStore, StoredFile } from "../../storage/files/file-store.ts";
import type { RealmId } from "../../storage/ids.ts";

interface Kept {
  /** Paths and sizes, the oldest first. */
  sizes: Map<string, number>;
  bytes: number;
}

/** Of an organization and a kind: some 20,000 pictures. */
export const maxKeptBytes = 1024 * 1024 * 1024;

export class KeptFiles {
  readonly #kept = new Map<RealmId, Promise<Kept>>();

  constructor(
    private readonly files: FileStore,
    /** The folder that has one for each organization. */
    private readonly folder: string,
    private readonly maxBytes = maxKeptBytes,
  ) {}

  /** Stores a file at a path in the folder of the organization. */
  async put(realmId: RealmId, path: string, bytes: Uint8Array): Promise<void> {
    const kept = await this.#of(realmId);
    await this.files.put(path, bytes);
    kept.sizes.set(path, bytes.length);
    kept.bytes += bytes.length;
    for (const [oldest, size] of kept.sizes) {
      if (kept.bytes <= this.maxBytes || oldest === path) return;
      kept.sizes.delete(oldest);
      kept.bytes -= size;
      await this.files.remove(oldest);
    }
  }

  /** What earlier runs have kept is found once. */
  #of(realmId: RealmId): Promise<Kept> {
    let kept = this.#kept.get(realmId);
    if (!kept) {
      kept = this.#find(realmId);
      kept.catch(() => this.#kept.delete(realmId));
      this.#kept.set(realmId, kept);
    }
    return kept;
  }

  async #find(realmId: RealmId): Promise<Kept> {
    const files: StoredFile[] = [];
    for await (const file of this.files.list(`${this.folder}/${realmId}`)) files.push(file);
    files.sort((one, other) => one.changedAtMs - other.changedAtMs);
    const sizes = new Map(files.map(({ path, size }) => [path, size]));
    return { sizes, bytes: files.reduce((sum, { size }) => sum + size, 0) };
  }
}
