/** Resumable uploads to a slow object store. Skipped where there is no versitygw: `.ci/install-s3` installs it. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expiredUploadsJob } from "../../../actors/uploads/unfinished-uploads.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { hasObjectStore, type ObjectStore, startObjectStore } from "../../support/files/object-store.ts";
import { type SlowStore, slowStore } from "../../support/files/slow-store.ts";
import { testServer } from "../../support/server/server.ts";
import { ownJob } from "../../support/time/own-job.ts";

let objects: ObjectStore;
let slow: SlowStore;
describe.skipIf(!hasObjectStore)("a resumable upload that the store is still putting together", () => {
  it("has its client wait wherever it asks, and bring nothing again", { timeout: 120_000 }, async () => {
    const bytes = randomBytes(9 * 1024 * 1024);
    const begun = await tus(0, "POST", "/api/v1/tus/", { "upload-length": String(bytes.length) });
    const location = begun.headers.get("location")!;
    const part = (node: number, from: number) =>
      tus(node, "PATCH", location, { "upload-offset": String(from), "content-type": partType }, bytes.subarray(from));
    const isHeld = slow.hold();
    const last = part(0, 0);
    await isHeld;
    try {
      const head = await tus(1, "HEAD", location);
      expect([head.status, head.headers.get("upload-offset")]).toEqual([423, null]);
      expect((await part(1, 0)).status).toBe(409);
      const again = await part(1, bytes.length);
      expect([again.status, await again.json()]).toMatchObject([423, { message: /still being put together/ }]);
      expect((await tus(1, "DELETE", location)).status).toBe(423);
      await tus(1, "POST", "/api/v1/tus/", { "upload-length": "5" });
      expect(await leftAfterExpiry()).toEqual([location.split("/").at(-1)]);
    } finally {
      slow.release();
    }
    const { url } = (await (await last).json()) as { url: string };
    expect((await tus(1, "HEAD", location)).headers.get("upload-offset")).toBe(String(bytes.length));
    const read = await fetch(new URL(url, server.urls[1]), { headers: { authorization: authorization() } });
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
    expect(expectSuccess(await mia.client.get("/attachments"))["attachments"]).toHaveLength(1);
    for await (const { path } of objects.list("incoming/")) expect(path).toBeUndefined();
  });

  beforeAll(async () => {
    objects = await startObjectStore();
    slow = await slowStore(objects.settings.endpoint!);
  });
  afterAll(async () => {
    await slow.stop();
    await objects.stop();
  });
  const environment = () => ({ ...objects.environment, PARLEY_S3_ENDPOINT: slow.endpoint });
  const server = testServer({ environment, nodeCount: 2 });
  const [mia] = server.people("Mia Member");
  /** The job passes over what it cannot remove yet. */
  const leftAfterExpiry = async () => {
    const { sql } = server.database;
    const kept = await sql<{ id: string; expires_at: number }[]>`select id, expires_at from unfinished_uploads`;
    await sql`update unfinished_uploads set expires_at = 1`;
    await runExpired((await server.realms())[1]!, 2);
    const left = await sql<{ id: string }[]>`select id from unfinished_uploads`;
    await sql`update unfinished_uploads set expires_at = ${Math.max(...kept.map((one) => one.expires_at))}`;
    return left.map(({ id }) => id);
  };
  const runExpired = ownJob(expiredUploadsJob);
  const partType = "application/offset+octet-stream";
  const authorization = () => `Basic ${Buffer.from(`${mia.email}:${mia.apiKey}`).toString("base64")}`;
  const tus = (node: number, method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) =>
    fetch(new URL(path, server.urls[node]), {
      method,
      headers: { authorization: authorization(), "tus-resumable": "1.0.0", ...headers },
      body: body === undefined ? null : Uint8Array.from(body),
    });
});
