/** Addresses by which a store answers anybody for a while: how they are signed, and which files have one. */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BothStores } from "../../../storage/files/both-stores.ts";
import { FolderStore } from "../../../storage/files/folder-store.ts";
import { S3Connection } from "../../../storage/files/s3-connection.ts";
import { signQuery } from "../../../storage/files/s3-signature.ts";
import { S3Store } from "../../../storage/files/s3-store.ts";
import { hasObjectStore, type ObjectStore, startObjectStore } from "../../support/files/object-store.ts";
import { dataFolder } from "../../support/server/folder.ts";

const answer = { type: "text/plain", disposition: "attachment; filename*=UTF-8''a%C3%A4.txt", caching: "private" };

it("is signed as AWS's documentation says", () => {
  // Source: sigv4-query-string-auth.html, its example.
  const lent = { host: "examplebucket.s3.amazonaws.com", path: "/test.txt", query: {}, secs: 86_400 };
  const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
  expect(signQuery(lent, keys, "us-east-1", new Date("2013-05-24T00:00:00Z"))).toBe(
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
      "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

it("a folder has none", async () => {
  expect(new FolderStore("/nowhere").addressOrigin).toBeUndefined();
  expect(await new FolderStore("/nowhere").addressOf()).toBeUndefined();
});

describe.skipIf(!hasObjectStore)("in an object store (skipped where there is no versitygw)", () => {
  let objects: ObjectStore;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await dataFolder("signed");
    objects = await startObjectStore();
  });
  afterAll(async () => {
    await objects.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const lending = () => new S3Store({ ...objects.settings, addressSecs: 900 }, dataDir);

  it("a file is read by it, with the headers it was asked for, until it expires", async () => {
    await lending().put("a", Buffer.from("hello world"));
    const address = (await lending().addressOf("a", answer)) ?? "";
    const whole = await fetch(address);
    expect([whole.status, await whole.text()]).toEqual([200, "hello world"]);
    expect(["content-type", "content-disposition", "cache-control"].map((name) => whole.headers.get(name))).toEqual([
      "text/plain",
      answer.disposition,
      "private",
    ]);
    const part = await fetch(address, { headers: { range: "bytes=6-" } });
    expect([part.status, await part.text()]).toEqual([206, "world"]);
    const connection = new S3Connection(objects.settings);
    const from = (msAgo: number) => connection.addressOf("a", {}, 60, new Date(Date.now() - msAgo));
    expect((await fetch(await from(10_000))).status).toBe(200);
    expect((await fetch(await from(3_600_000))).status).toBe(403);
  });

  it("it is good for this file and these headers alone, and to read", async () => {
    await lending().put("b", Buffer.from("b"));
    await lending().put("c", Buffer.from("c"));
    const address = (await lending().addressOf("b", answer)) ?? "";
    expect((await fetch(address.replace("/b?", "/c?"))).status).toBe(403);
    expect((await fetch(address.replace("text%2Fplain", "text%2Fhtml"))).status).toBe(403);
    expect((await fetch(address.replace("Expires=900", "Expires=9000"))).status).toBe(403);
    for (const method of ["PUT", "DELETE"]) expect((await fetch(address, { method })).status).toBe(403);
  });

  it("it stays the same for half of its time", async () => {
    await lending().put("d", Buffer.from("d"));
    const date = /X-Amz-Date=(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(
      (await lending().addressOf("d", answer)) ?? "",
    );
    const [year = 0, month = 0, ...rest] = date?.slice(1).map(Number) ?? [];
    const at = Date.UTC(year, month - 1, ...rest);
    expect(at % 450_000).toBe(0);
    expect(Date.now() - at).toBeLessThan(900_000);
  });

  it("what is not there has none, nor what is in the folder, nor where none are wanted", async () => {
    expect(await lending().addressOf("none", answer)).toBeUndefined();
    const folder = new FolderStore(dataDir);
    await folder.put("e", Buffer.from("e"));
    await lending().put("f", Buffer.from("f"));
    for (const both of [new BothStores(folder, lending()), new BothStores(lending(), folder)]) {
      expect(both.addressOrigin).toBe(objects.settings.endpoint);
      expect(await both.addressOf("e", answer)).toBeUndefined();
      expect(await both.addressOf("f", answer)).toContain("/f?");
    }
    const own = new S3Store(objects.settings, dataDir);
    expect([own.addressOrigin, await own.addressOf("f", answer)]).toEqual([undefined, undefined]);
    expect(new BothStores(own, folder).addressOrigin).toBeUndefined();
  });

  it("it leads to where people reach the store", async () => {
    const settings = { ...objects.settings, addressSecs: 60, addressEndpoint: "https://files.example.com" };
    const store = new S3Store(settings, dataDir);
    await store.put("g", Buffer.from("g"));
    expect(store.addressOrigin).toBe("https://files.example.com");
    expect(await store.addressOf("g", answer)).toMatch(/^https:\/\/files\.example\.com\/parley\/chat\/files\/g\?/);
    const inHost = new S3Store({ ...settings, style: "host", endpoint: "https://files.internal" }, dataDir);
    expect(inHost.addressOrigin).toBe("https://parley.files.example.com");
  });
});
