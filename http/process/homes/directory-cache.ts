/** The directory as this node read it last: it is used on while the first database is away. */
import { type DirectoryEntry, type MoveRow, readDirectory, readMoves } from "../../../storage/directory/directory.ts";
import type { RealmId } from "../../../storage/ids.ts";
import type { Database } from "../../../storage/postgres.ts";

/** What the directory said. */
export interface KnownDirectory {
  find(host: string): DirectoryEntry | undefined;
  /** The move of the organization under a host, if it is not over. */
  moveOf(host: string): MoveRow | undefined;
  isMoving(id: RealmId): boolean;
}

/** As hosts are compared: in small letters, and without their port unless the directory has it. */
const among = <T extends { host: string }>(rows: ReadonlyMap<string, T>, host: string): T | undefined => {
  const name = host.toLowerCase();
  return rows.get(name) ?? rows.get(name.replace(/:\d+$/, ""));
};

const byHost = <T extends { host: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.host, row]));

export class DirectoryCache {
  #entries = new Map<string, DirectoryEntry>();
  #moves = new Map<string, MoveRow>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(private readonly first: Database) {}

  readonly #known: KnownDirectory = {
    find: (host) => among(this.#entries, host),
    moveOf: (host) => among(this.#moves, host),
    isMoving: (id) => [...this.#moves.values()].some((move) => move.realm_id === id),
  };

  /**
   * What the directory says, read anew if that was so long ago. All who ask meanwhile share one look.
   * @param besides what is read after it: an organization whose move is over is served where it arrived before
   */
  async read(agedMs: number, besides: () => Promise<void>): Promise<KnownDirectory> {
    if (performance.now() - this.#readAt > agedMs) {
      this.#reading ??= this.#readRows()
        .catch(() => {})
        .then(besides)
        .finally(() => {
          this.#readAt = performance.now();
          this.#reading = undefined;
        });
    }
    await this.#reading;
    return this.#known;
  }

  /** @throws StorageUnavailable */
  async readAgain(): Promise<KnownDirectory> {
    await this.#readRows();
    return this.#known;
  }

  async #readRows(): Promise<void> {
    const { sql } = this.first;
    // Moves come first: of one that ends in between the directory has the outcome.
    this.#moves = byHost(await readMoves(sql));
    this.#entries = byHost(await readDirectory(sql));
  }
}
