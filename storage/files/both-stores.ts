/**
 * Two stores while files move from one to the other: new ones go to the first, and what is not there is looked for in
 * the second. A file that moves is copied before its older copy is removed, so one of them always has it.
 */
import { codeOf } from "../failures.ts";
import type { AnswerHeaders, FileInParts, FileStore, OpenedFile, PartStore, StoredFile } from "./file-store.ts";

export class BothStores implements FileStore {
  readonly parts: PartStore;

  constructor(
    readonly first: FileStore,
    readonly second: FileStore,
  ) {
    this.parts = new PartsOfBoth(first.parts, second.parts);
  }

  get addressOrigin(): string | undefined {
    return this.first.addressOrigin ?? this.second.addressOrigin;
  }

  /** A file that is in the folder is read there. */
  async addressOf(path: string, answer: AnswerHeaders): Promise<string | undefined> {
    if (this.first.addressOrigin !== undefined) return this.first.addressOf(path, answer);
    return (await this.first.size(path)) === undefined ? this.second.addressOf(path, answer) : undefined;
  }

  put(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    return this.first.put(path, content);
  }

  async open(path: string): Promise<OpenedFile | undefined> {
    const found = await this.#find((store) => store.open(path));
    if (!found) return undefined;
    const { size } = found;
    let file = found;
    const read = async (offset: number, into: Uint8Array): Promise<number> => {
      try {
        return await file.read(offset, into);
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
        // It has moved since.
        const moved = await this.#find((store) => store.open(path));
        if (moved?.size !== size) throw error;
        file = moved;
        return file.read(offset, into);
      }
    };
    return { size, read };
  }

  size(path: string): Promise<number | undefined> {
    return this.#find((store) => store.size(path));
  }

  /** It may have moved from the second to the first while nobody looked there. */
  async #find<T>(look: (store: FileStore) => Promise<T | undefined>): Promise<T | undefined> {
    return (await look(this.first)) ?? (await look(this.second)) ?? (await look(this.first));
  }

  async remove(path: string): Promise<void> {
    await this.second.remove(path);
    await this.first.remove(path);
  }

  async *list(folder?: string): AsyncGenerator<StoredFile, void, void> {
    for await (const file of this.second.list(folder)) if ((await this.first.size(file.path)) === undefined) yield file;
    yield* this.first.list(folder);
  }

  async copyTo(path: string, target: string): Promise<boolean> {
    for (const store of [this.first, this.second, this.first]) if (await store.copyTo(path, target)) return true;
    return false;
  }

  async onDisk<T>(path: string, act: (file: string) => Promise<T>): Promise<T> {
    const store = await this.#find(async (one) => ((await one.size(path)) === undefined ? undefined : one));
    return (store ?? this.first).onDisk(path, act);
  }

  putFromDisk<T>(path: string, act: (file: string) => Promise<T>): Promise<T> {
    return this.first.putFromDisk(path, act);
  }

  async sweep(): Promise<void> {
    await this.first.sweep();
    await this.second.sweep();
  }
}

/** A file goes on where it began. */
class PartsOfBoth implements PartStore {
  constructor(
    private readonly first: PartStore,
    private readonly second: PartStore,
  ) {}

  async #holder(file: FileInParts): Promise<PartStore> {
    if ((await this.first.come(file)) !== undefined) return this.first;
    return (await this.second.come(file)) === undefined ? this.first : this.second;
  }

  async come(file: FileInParts): Promise<number | undefined> {
    return (await this.first.come(file)) ?? this.second.come(file);
  }

  async append(file: FileInParts, pieces: AsyncIterable<Uint8Array>, offset: number): Promise<void> {
    await (await this.#holder(file)).append(file, pieces, offset);
  }

  async finish(file: FileInParts): Promise<void> {
    await (await this.#holder(file)).finish(file);
  }

  async drop(file: FileInParts): Promise<void> {
    await this.second.drop(file);
    await this.first.drop(file);
  }
}
