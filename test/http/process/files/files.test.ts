/** `parley files move` and `parley files check`. */
import { utimes } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { checkFiles, moveFiles } from "../../../../http/process/files/files.ts";
import { BothStores } from "../../../../storage/files/both-stores.ts";
import type { FileStore } from "../../../../storage/files/file-store.ts";
import { FolderStore } from "../../../../storage/files/folder-store.ts";
import { moveFile } from "../../../../storage/files/move-file.ts";
import { S3Store } from "../../../../storage/files/s3-store.ts";
import { expectSuccess } from "../../../support/client/api.ts";
import { hasObjectStore, type ObjectStore, startObjectStore } from "../../../support/files/object-store.ts";
import { dataFolder } from "../../../support/server/folder.ts";
import { testServer } from "../../../support/server/server.ts";

const server = testServer();
const [mia] = server.people("Mia Member");

const upload = async (text: string): Promise<string> => {
  const files = { file: { filename: "a.txt", content: Buffer.from(text), type: "text/plain" } };
  const url = String(expectSuccess(await mia.client.post("/user_uploads", {}, { files }))["url"]);
  return `uploads/1/${url.split("/")[4]}`;
};
const storage = () => ({
  database: server.database,
  url: "",
  dataDir: server.server.app.config.dataDir,
  close: async () => {},
});
const folder = () => new FolderStore(server.server.app.config.dataDir);
const config = () => server.server.app.config;

describe("files check", () => {
  it("finds what is missing, has another size, or is named by nothing for a day, and removes the last", async () => {
    const [fine, cut, gone] = [await upload("fine"), await upload("whole"), await upload("gone")];
    await folder().put(cut, Buffer.from("w"));
    await folder().remove(gone);
    const [old, fresh] = ["uploads/1/old", "uploads/1/fresh"];
    for (const path of [old, fresh]) await folder().put(path, Buffer.from("x"));
    const thumbnail = `${fine.replace("uploads", "thumbnails")}-840x560.webp`;
    await folder().put(thumbnail, Buffer.from("x"));
    const before = new Date(Date.now() - 90_000_000);
    for (const path of [old, thumbnail]) await utimes(folder().locate(path), before, before);
    const found = { missing: [gone], wrong_size: [cut], nameless: [old] };
    expect((await checkFiles(storage(), config(), {})).data).toMatchObject(found);
    expect((await checkFiles(storage(), config(), { remove: true })).data).toMatchObject(found);
    expect((await checkFiles(storage(), config(), {})).data).toMatchObject({ ...found, nameless: [] });
    expect(await folder().size(thumbnail)).toBe(1);
  });
});

describe("files move", () => {
  it("says what is missing for it", async () => {
    await expect(moveFiles(storage(), config(), {})).rejects.toThrow(/Say where to/);
    await expect(moveFiles(storage(), config(), { to: "s3" })).rejects.toThrow(/PARLEY_S3_BUCKET is not set/);
  });

  describe.skipIf(!hasObjectStore)("to a bucket and back (skipped where there is no versitygw)", () => {
    it("loses nothing that is read meanwhile, and is done when it is done", async () => {
      const objects = await startObjectStore();
      try {
        const paths = await Promise.all(["one", "two", "three"].map(upload));
        const both = { ...config(), s3: objects.settings };
        const store = new BothStores(new S3Store(objects.settings, config().dataDir), folder());
        await expect(moveFiles(storage(), { ...both, filesGoTo: "folder" }, { to: "s3" })).rejects.toThrow(
          /PARLEY_FILES=s3 on all nodes/,
        );
        let [isDone, reads] = [false, 0];
        const reading = (async () => {
          while (!isDone) {
            for (const path of paths) expect(await store.size(path)).toBeGreaterThan(2);
            reads++;
          }
        })();
        await moveFiles(storage(), { ...both, filesGoTo: "s3" }, { to: "s3" }).finally(() => (isDone = true));
        await reading;
        expect(reads).toBeGreaterThan(0);
        for (const path of paths) expect(await folder().size(path)).toBeUndefined();
        const again = await moveFiles(storage(), { ...both, filesGoTo: "s3" }, { to: "s3" });
        expect(again.data).toMatchObject({ files: 0 });
        await moveFiles(storage(), { ...both, filesGoTo: "folder" }, { to: "folder" });
        for (const path of paths) expect(await folder().size(path)).toBeGreaterThan(2);
        expect(await all(objects)).toEqual([]);
      } finally {
        await objects.stop();
      }
    });
  });

  it("brings nothing back that is deleted while it is copied, and replaces nothing newer", async () => {
    const [one, other] = [await dataFolder("one"), await dataFolder("other")];
    const [from, into] = [new FolderStore(one), new FolderStore(other)];
    await from.put("a", Buffer.from("a"));
    const deleting: FileStore = Object.create(into, {
      put: {
        value: async (path: string, content: AsyncIterable<Uint8Array>) => {
          await into.put(path, content);
          await new BothStores(into, from).remove(path);
          await into.put(path, Buffer.from("a"));
        },
      },
      size: { value: (path: string) => into.size(path) },
      remove: { value: (path: string) => into.remove(path) },
    });
    await moveFile(from, deleting, "a");
    expect(await into.size("a")).toBeUndefined();
    await from.put("b", Buffer.from("older"));
    await into.put("b", Buffer.from("new"));
    await moveFile(from, into, "b");
    expect([await from.size("b"), await into.size("b")]).toEqual([undefined, 3]);
  });
});

async function all(objects: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of objects.list("")) found.push(path);
  return found;
}
