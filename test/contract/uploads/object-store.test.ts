/** Files in an object store. Skipped where there is no versitygw: `.ci/install-s3` installs it. */
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { hasObjectStore, type ObjectStore, startObjectStore } from "../../support/files/object-store.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

let objects: ObjectStore;
describe.skipIf(!hasObjectStore)("files in an object store", () => {
  beforeAll(async () => {
    objects = await startObjectStore();
  });
  afterAll(() => objects.stop());
  const server = testServer({ environment: () => objects.environment, alsoOn: ["two nodes"] });
  const [mia, max] = server.people("Mia Member", "Max Member");

  it("are uploads, with ranges and thumbnails, gone when they are deleted, and never in the folder", async () => {
    const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: "#369" } })
      .png()
      .toBuffer();
    const { url } = expectSuccess(await upload(mia, "a.png", picture, "image/png"));
    expect((await names()).map((path) => path.split("/")[0])).toEqual(["thumbnails", "uploads"]);
    const read = await get(mia, String(url));
    expect([read.status, Buffer.from(await read.arrayBuffer()).equals(picture)]).toEqual([200, true]);
    const range = await get(mia, String(url), { range: "bytes=1-3" });
    expect([range.status, await range.text()]).toEqual([206, "PNG"]);
    expect((await get(max, String(url))).status).toBe(404);
    const thumbnail = await get(
      mia,
      `${String(url).replace("/user_uploads/", "/user_uploads/thumbnail/")}/840x560.webp`,
    );
    expect([thumbnail.status, thumbnail.headers.get("content-type")]).toEqual([200, "image/webp"]);
    const { attachments } = expectSuccess(await mia.client.get("/attachments"));
    expectSuccess(await mia.client.delete(`/attachments/${(attachments as { id: number }[])[0]!.id}`));
    expect(await names()).toEqual([]);
    expect(await inFolder()).toEqual([]);
  });

  it("are avatars, whose older ones go", async () => {
    const avatar = async (colour: string) => {
      const content = await sharp({ create: { width: 9, height: 9, channels: 3, background: colour } })
        .png()
        .toBuffer();
      const files = { file: { filename: "a.png", content, type: "image/png" } };
      return String(expectSuccess(await mia.client.post("/users/me/avatar", {}, { files }))["avatar_url"]);
    };
    const first = await avatar("#f00");
    const second = await avatar("#0f0");
    expect((await fetch(new URL(second, server.url))).status).toBe(200);
    expect((await fetch(new URL(first, server.url))).status).toBe(404);
    expectSuccess(await mia.client.delete("/users/me/avatar"));
    expect(await names()).toEqual([]);
  });

  it("come in parts by any node, and are put together once", async () => {
    const bytes = randomBytes(9 * mebibyte);
    const begun = await tus(0, "POST", "/api/v1/tus/", { "upload-length": String(bytes.length) });
    const location = begun.headers.get("location")!;
    const ends = [0, 100, mebibyte, 8.5 * mebibyte, bytes.length];
    let last: Response | undefined;
    for (const [index, end] of ends.entries()) {
      if (index === 0) continue;
      const from = ends[index - 1]!;
      const headers = { "upload-offset": String(from), "content-type": "application/offset+octet-stream" };
      last = await tus(index, "PATCH", location, headers, bytes.subarray(from, end));
      expect(last.headers.get("upload-offset")).toBe(String(end));
      expect((await tus(index + 1, "HEAD", location)).headers.get("upload-offset")).toBe(String(end));
    }
    const { url } = (await last!.json()) as { url: string };
    expect(Buffer.from(await (await get(mia, url)).arrayBuffer()).equals(bytes)).toBe(true);
    expect((await names("incoming/")).length).toBe(0);
  });

  it("are exports", async () => {
    expectSuccess(await server.owner.client.post("/export/realm"));
    const exported = async () => expectSuccess(await server.owner.client.get("/export/realm"))["exports"] as Export[];
    await until("the export is there", async () => (await exported())[0]!.export_url !== null);
    const reply = await get(server.owner, new URL((await exported())[0]!.export_url!).pathname);
    expect([reply.status, Buffer.from(await reply.arrayBuffer()).subarray(0, 2)]).toEqual([
      200,
      Buffer.from([0x1f, 0x8b]),
    ]);
    expect(await names("exports/")).toHaveLength(1);
    expectSuccess(await server.owner.client.delete(`/export/realm/${(await exported())[0]!.id}`));
    expect(await names("exports/")).toEqual([]);
  });

  it("are 503 while it is away, with a message, and nothing is half done", async () => {
    expectSuccess(await upload(max, "a.txt", Buffer.from("a"), "text/plain"));
    const [stored] = expectSuccess(await max.client.get("/attachments"))["attachments"] as { id: number }[];
    await objects.stop();
    const refused = await upload(max, "b.txt", Buffer.from("b"), "text/plain");
    expect([refused.status, refused.body]).toMatchObject([503, { code: "SERVICE_UNAVAILABLE" }]);
    const headers = { "upload-length": "1", "content-type": "application/offset+octet-stream" };
    const reply = await tus(0, "POST", "/api/v1/tus/", headers, Buffer.from("b"));
    expect([reply.status, await reply.json()]).toMatchObject([503, { message: /not available/ }]);
    expectSuccess(await max.client.delete(`/attachments/${stored!.id}`));
    expect(expectSuccess(await max.client.get("/attachments"))["attachments"]).toEqual([]);
    const rows = await server.database.sql`select from deleted_files where path like 'uploads/%'`;
    expect(rows.length).toBeGreaterThan(0);
  });

  const tus = (node: number, method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) =>
    fetch(new URL(path, server.urls[node % server.urls.length]), {
      method,
      headers: { authorization: basic(mia), "tus-resumable": "1.0.0", ...headers },
      body: body === undefined ? null : Uint8Array.from(body),
    });
  const get = (person: Person, path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers: { authorization: basic(person), ...headers } });
  const inFolder = () => readdir(join(server.server.app.config.dataDir, "files/uploads")).catch(() => []);
});

interface Export {
  id: number;
  export_url: string | null;
}

const mebibyte = 1024 * 1024;
const basic = ({ email, apiKey }: Person) => `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
const upload = (person: Person, filename: string, content: Buffer<ArrayBuffer>, type: string) =>
  person.client.post("/user_uploads", {}, { files: { file: { filename, content, type } } });
async function names(begins = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of objects.list(begins)) found.push(path);
  return found.sort();
}
