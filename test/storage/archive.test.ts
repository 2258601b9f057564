import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openArchive } from "../../storage/transfer/archive.ts";

it("a file to import that is not there is told in words; a folder is taken as it is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-archive-"));
  try {
    const missing = join(folder, "none.tar.gz");
    await expect(openArchive(missing)).rejects.toThrow(`There is no ${missing}.`);
    const opened = await openArchive(folder);
    expect(opened.folder).toBe(folder);
    await opened.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
