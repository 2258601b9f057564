/** A disk of a test's own in memory, small enough to be filled. Only root may mount one, and not everywhere. */
import { spawnSync } from "node:child_process";
import { appendFile, mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What an organization's files take is far below a tenth of it. */
const sizeMib = 100;

export class SmallDisk {
  readonly #filling: string;

  private constructor(readonly folder: string) {
    this.#filling = join(folder, "filling");
  }

  /** @returns undefined where none may be mounted */
  static async mount(): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(join(tmpdir(), "parley-disk-"));
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMib}m`, "tmpfs", folder]);
    if (status === 0) return new SmallDisk(folder);
    await rmdir(folder);
    return undefined;
  }

  /** Takes so much more of it. */
  async fill(share: number): Promise<void> {
    await appendFile(this.#filling, Buffer.alloc(Math.round(share * sizeMib * 2 ** 20)));
  }

  /** Gives back what `fill` took. */
  empty(): Promise<void> {
    return rm(this.#filling, { force: true });
  }

  async unmount(): Promise<void> {
    spawnSync("umount", ["--lazy", this.folder]);
    await rmdir(this.folder);
  }
}
