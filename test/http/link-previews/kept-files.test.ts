import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KeptFiles } from "../../../http/link-previews/kept-files.ts";
import { FolderStore } from "../../../storage/files/folder-store.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "parley-previews-"));
});
afterAll(() => rm(dataDir, { recursive: true }));

const folderOf = (realmId: number) => `link-previews/${realmId}`;
const files = () => new FolderStore(dataDir);
const names = async (realmId: number) => {
  const found: string[] = [];
  for await (const { path } of files().list(folderOf(realmId))) found.push(path.split("/").at(-1)!);
  return found.sort();
};

it("pictures of link previews take no more than their share of the disk, over restarts too", async () => {
  const picture = new Uint8Array(1000);
  for (const some of [
    ["a", "b", "c"],
    ["d", "e"],
  ]) {
    const kept = new KeptFiles(files(), "link-previews", 3500);
    for (const name of some) await kept.put(1, `${folderOf(1)}/${name}.webp`, picture);
  }
  expect(await names(1)).toEqual(["c.webp", "d.webp", "e.webp"]);
  await new KeptFiles(files(), "link-previews", 3500).put(2, `${folderOf(2)}/large.webp`, new Uint8Array(5000));
  expect(await names(2)).toEqual(["large.webp"]);
  expect((await names(1)).length).toBe(3);
});
