/** What every store of files promises: the folder, an object store, and both while files move. */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BothStores } from "../../../storage/files/both-stores.ts";
import { type FileInParts, type FileStore, piecesOf } from "../../../storage/files/file-store.ts";
import { FolderStore } from "../../../storage/files/folder-store.ts";
import { S3Store } from "../../../storage/files/s3-store.ts";
import { Spool } from "../../../storage/files/spool.ts";
import { hasObjectStore, type ObjectStore, startObjectStore } from "../../support/files/object-store.ts";
import { dataFolder } from "../../support/server/folder.ts";

let objects: ObjectStore | undefined;
let dataDir: string;
beforeAll(async () => {
  dataDir = await dataFolder("files");
  if (hasObjectStore) objects = await startObjectStore();
});
afterAll(async () => {
  await objects?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const folder = () => new FolderStore(dataDir);
const s3 = () => new S3Store(objects!.settings, dataDir);
const stores = [
  ["the folder", true, folder],
  ["an object store (skipped where there is no versitygw)", hasObjectStore, s3],
  ["both, the object store first", hasObjectStore, () => new BothStores(s3(), folder())],
  ["both, the folder first", hasObjectStore, () => new BothStores(folder(), s3())],
] as const;

for (const [name, isThere, open] of stores)
  describe.skipIf(!isThere)(name, () => {
    const area = `kind-${stores.findIndex(([each]) => each === name)}`;

    it("gives back what it was given, in any range, and the newest of a name", async () => {
      const files = open();
      await files.put(`${area}/a`, Buffer.from("older"));
      await files.put(`${area}/a`, pieces("hello ", "", "world"));
      const file = (await files.open(`${area}/a`))!;
      expect(file.size).toBe(11);
      expect(await files.size(`${area}/a`)).toBe(11);
      expect(await textOf(files, `${area}/a`)).toBe("hello world");
      const into = new Uint8Array(5);
      expect([await file.read(6, into), Buffer.from(into).toString()]).toEqual([5, "world"]);
      expect(await file.read(9, into)).toBe(2);
      expect(await file.read(11, into)).toBe(0);
    });

    it("says that nothing is there, and removes what is not there", async () => {
      const files = open();
      expect(await files.open(`${area}/none`)).toBeUndefined();
      expect(await files.size(`${area}/none`)).toBeUndefined();
      expect(await files.copyTo(`${area}/none`, join(dataDir, "copy"))).toBe(false);
      await files.remove(`${area}/none`);
    });

    it("keeps empty files, and lists what is below a folder", async () => {
      const files = open();
      const below = `${area}/listed`;
      for (const each of ["x/one", "x/two", "y/three"]) await files.put(`${below}/${each}`, Buffer.alloc(each.length));
      await files.put(`${below}/x/empty`, pieces());
      await files.remove(`${below}/x/two`);
      expect(await names(files, `${below}/x`)).toEqual([`${below}/x/empty 0`, `${below}/x/one 5`]);
      expect((await names(files, below)).length).toBe(3);
    });

    it("has nothing of content that ends with an error", async () => {
      const files = open();
      async function* broken() {
        yield Buffer.alloc(100);
        throw new Error("the client has left");
      }
      await expect(files.put(`${area}/broken`, broken())).rejects.toThrow("the client has left");
      expect(await files.size(`${area}/broken`)).toBeUndefined();
      expect(await spooled()).toEqual([]);
    });

    it("takes files that are larger than a part, and gives them to programs of the disk", async () => {
      const files = open();
      const bytes = randomBytes(19 * mebibyte + 7);
      await files.put(`${area}/large`, slices(bytes, 300_000));
      expect(await files.size(`${area}/large`)).toBe(bytes.length);
      const [first, second] = await Promise.all(
        [0, 1].map(() => files.onDisk(`${area}/large`, async (file) => sha256(await readFile(file)))),
      );
      expect([first, second]).toEqual([sha256(bytes), sha256(bytes)]);
      await files.copyTo(`${area}/large`, join(dataDir, "out", area));
      expect(sha256(await readFile(join(dataDir, "out", area)))).toBe(sha256(bytes));
      await files.putFromDisk(`${area}/made`, (file) => writeFile(file, "made"));
      expect(await textOf(files, `${area}/made`)).toBe("made");
      expect(await spooled()).toEqual([]);
    });

    it.each([
      ["within a part", 1000, [0, 1, 400, 1000]],
      ["of several parts", 19 * mebibyte, [0, 5, 3 * mebibyte, 9 * mebibyte, 16 * mebibyte, 19 * mebibyte]],
      ["that ends with a part", 16 * mebibyte, [0, 8 * mebibyte, 16 * mebibyte]],
      ["that is empty", 0, [0, 0]],
    ])("takes a file in parts, by whichever node: one %s", async (_what, size, ends) => {
      const bytes = randomBytes(size);
      const file = inParts(`${area}/parts-${size}`, size);
      expect(await open().parts.come(file)).toBeUndefined();
      for (const [index, end] of ends.entries()) {
        if (index === 0) continue;
        const from = ends[index - 1]!;
        await open().parts.append(file, slices(bytes.subarray(from, end), 100_000), from);
        expect(await open().parts.come(file)).toBe(end);
      }
      await open().parts.finish(file);
      await open().parts.finish(file);
      expect(await open().parts.come(file)).toBe(size);
      expect(sha256(await bytesOf(open(), file.path))).toBe(sha256(bytes));
      expect(await left()).toEqual([]);
    });

    it("keeps what has come of a part whose client leaves, and forgets what is given up", async () => {
      const size = 20 * mebibyte;
      const bytes = randomBytes(size);
      const file = inParts(`${area}/left`, size);
      async function* leaves() {
        yield* slices(bytes.subarray(0, 10 * mebibyte), 100_000);
        throw new Error("the client has left");
      }
      await expect(open().parts.append(file, leaves(), 0)).rejects.toThrow("the client has left");
      expect(await open().parts.come(file)).toBe(10 * mebibyte);
      await open().parts.append(file, slices(bytes.subarray(10 * mebibyte), 500_000), 10 * mebibyte);
      // A node that was given up writes again.
      await open()
        .parts.append(file, slices(bytes.subarray(8 * mebibyte, 12 * mebibyte), 500_000), 8 * mebibyte)
        .catch(() => {});
      if (area === "kind-1") expect(await open().parts.come(file)).toBe(size);
      await open().parts.drop(file);
      expect(await open().parts.come(file)).toBeUndefined();
      expect(await left()).toEqual([]);
    });

    it("refuses paths that leave it", async () => {
      for (const path of ["../a", "a//b", "/a", ".hidden", "a/..", ""])
        await expect(async () => open().put(path, Buffer.from("x"))).rejects.toThrow(/not a path/);
    });
  });

it("what killed processes have left goes after a day, and what came in part after a week", async () => {
  const own = await dataFolder("swept");
  const files = new FolderStore(own);
  await files.put("uploads/1/kept", Buffer.from("x"));
  const ages = {
    "uploads/1/b.0123456789ab.part": 2,
    "uploads/1/c.0123456789ab.part": 0.5,
    "incoming/d": 8,
    "incoming/e": 6,
  };
  await mkdir(join(own, "files/incoming"));
  await mkdir(join(own, "spool"));
  for (const [path, days] of Object.entries(ages)) await old(join(own, "files", path), days);
  await old(join(own, "files/uploads/1/kept"), 100);
  await old(join(own, "spool/f"), 2);
  await old(join(own, "spool/g"), 0.5);
  await files.sweep();
  await new Spool(own).sweep(86_400_000);
  const left = await readdir(own, { recursive: true, withFileTypes: true });
  const names = left.filter((entry) => entry.isFile()).map(({ name }) => name);
  expect(names.sort()).toEqual(["c.0123456789ab.part", "e", "g", "kept"]);
});

async function old(file: string, days: number): Promise<void> {
  await writeFile(file, "x");
  const at = new Date(Date.now() - days * 86_400_000);
  await utimes(file, at, at);
}

describe.skipIf(!hasObjectStore)("while files move", () => {
  it("a file that moves is read on, and is found wherever it is", async () => {
    const both = new BothStores(s3(), folder());
    await folder().put("moves/a", Buffer.from("0123456789"));
    const file = (await both.open("moves/a"))!;
    const into = new Uint8Array(5);
    await file.read(0, into);
    await s3().put("moves/a", Buffer.from("0123456789"));
    await folder().remove("moves/a");
    expect([await file.read(5, into), Buffer.from(into).toString()]).toEqual([5, "56789"]);
    expect(await names(both, "moves")).toEqual(["moves/a 10"]);
  });

  it("a file that came in part goes on where it began", async () => {
    const file = inParts("moves/parts", 10);
    await folder().parts.append(file, pieces("01234"), 0);
    const both = new BothStores(s3(), folder());
    expect(await both.parts.come(file)).toBe(5);
    await both.parts.append(file, pieces("56789"), 5);
    await both.parts.finish(file);
    expect(await textOf(both, "moves/parts")).toBe("0123456789");
  });
});

const mebibyte = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const inParts = (path: string, size: number): FileInParts => ({
  id: randomBytes(18).toString("base64url"),
  path,
  size,
});
async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}
async function* slices(bytes: Buffer, each: number) {
  for (let at = 0; at < bytes.length; at += each) yield bytes.subarray(at, at + each);
}
async function bytesOf(files: FileStore, path: string): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of piecesOf((await files.open(path))!)) all.push(piece);
  return Buffer.concat(all);
}
const textOf = async (files: FileStore, path: string) => (await bytesOf(files, path)).toString();
async function names(files: FileStore, below: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, size } of files.list(below)) found.push(`${path} ${size}`);
  return found.sort();
}
const spooled = () => readdir(join(dataDir, "spool")).catch(() => []);
/** What came in part and is not whole. */
async function left(): Promise<string[]> {
  const found: string[] = await readdir(join(dataDir, "files/incoming")).catch(() => []);
  if (objects) for await (const { path } of objects.list("incoming/")) found.push(path);
  return found;
}
