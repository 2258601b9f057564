/** Uploads of each store, looked at by a real clamd: clean ones are answered, a virus is not. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { finding, lacksClamd, testClamd, virus } from "../../support/files/clamd.ts";
import { hasObjectStore, type ObjectStore, startObjectStore } from "../../support/files/object-store.ts";
import { type TestServer, testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

describe.skipIf(lacksClamd !== "")(`a real clamd${lacksClamd}`, () => {
  const clamd = testClamd();

  describe("and files in a folder", () => {
    const server = testServer({ environment: () => ({ PARLEY_CLAMD: clamd.socketPath }) });
    looksAtUploads(server);

    it("nothing is left of a virus", async () => {
      const folder = join(server.server.app.config.dataDir, "files/uploads");
      const left = async () =>
        (await readdir(folder, { recursive: true, withFileTypes: true })).filter((it) => it.isFile());
      await until("the virus is gone", async () => (await left()).length === 2);
    });

    it("clamd may end and come back, as often as it likes", async () => {
      await clamd.kill();
      const url = await upload(server, "after.txt", Buffer.from("after"));
      expect((await read(server, url)).status).toBe(423);
      await clamd.run();
      await until("it is clean", async () => (await read(server, url)).status === 200);
    });
  });

  describe.skipIf(!hasObjectStore)("and files in an object store", () => {
    let objects: ObjectStore;
    beforeAll(async () => {
      objects = await startObjectStore();
    });
    afterAll(() => objects.stop());
    looksAtUploads(
      testServer({ environment: () => ({ ...objects.environment, PARLEY_CLAMD: `127.0.0.1:${clamd.port}` }) }),
    );
  });
});

function looksAtUploads(server: TestServer): void {
  it("what is clean is answered, of any size", async () => {
    for (const bytes of [Buffer.from("text"), Buffer.alloc(40 * 1024 * 1024, "0123456789abcde\n")]) {
      const url = await upload(server, "clean.txt", bytes);
      await until("it is clean", async () => (await read(server, url)).status === 200);
      expect(Buffer.from(await (await read(server, url)).arrayBuffer()).equals(bytes)).toBe(true);
    }
  });

  it("a virus never is, and its owner is told what it is", async () => {
    const url = await upload(server, "eicar.txt", Buffer.from(virus));
    const seen = new Set<number>();
    await until("it is gone", async () => {
      const { status } = await read(server, url);
      seen.add(status);
      return status === 404;
    });
    expect(seen).not.toContain(200);
    const { messages } = expectSuccess(
      await server.owner.client.get("/messages", { anchor: "newest", num_before: 1, num_after: 0 }),
    );
    expect((messages as { content: string }[])[0]!.content).toContain(finding);
  });
}

async function upload({ owner }: TestServer, filename: string, content: Buffer<ArrayBuffer>): Promise<string> {
  const files = { file: { filename, content, type: "text/plain" } };
  return String(expectSuccess(await owner.client.post("/user_uploads", {}, { files }))["url"]);
}

const read = ({ url, owner }: TestServer, path: string) =>
  fetch(url + path, {
    headers: { authorization: `Basic ${Buffer.from(`${owner.email}:${owner.apiKey}`).toString("base64")}` },
  });
