/** Downloads that lead to the object store. Skipped where there is no versitygw: `.ci/install-s3` installs it. */
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { hasObjectStore, type ObjectStore, startObjectStore } from "../../support/files/object-store.ts";
import { clean, silent, testScriptedClamd } from "../../support/files/scripted-clamd.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const clamd = testScriptedClamd();
let objects: ObjectStore;
describe.skipIf(!hasObjectStore)("files of which the store answers the bytes", () => {
  beforeAll(startStore);
  afterAll(() => objects.stop());
  const server = testServer({ environment: lent });
  const [mia, max] = server.people("Mia Member", "Max Member");

  it("are led to with their type and name, for those who may read them", async () => {
    const url = await upload("größe.txt", Buffer.from("hello world"), "text/plain");
    const led = await get(mia, url);
    expect([led.status, led.headers.get("cache-control")]).toEqual([302, "private, no-store"]);
    const read = await follow(led);
    expect([read.status, await read.text()]).toEqual([200, "hello world"]);
    expect(read.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(read.headers.get("content-disposition")).toBe("inline; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt");
    const part = await follow(led, { range: "bytes=0-4" });
    expect([part.status, await part.text()]).toEqual([206, "hello"]);
    const saved = await follow(await get(mia, url.replace("/user_uploads/", "/user_uploads/download/")));
    expect(saved.headers.get("content-disposition")).toMatch(/^attachment; /);
    const [, temporary] = [await saved.text(), expectSuccess(await mia.client.get(url))["url"]];
    expect(await (await follow(await get(undefined, String(temporary)))).text()).toBe("hello world");
    for (const person of [max, undefined]) {
      const refused = await get(person, url);
      expect([refused.status === 302, refused.headers.get("location")]).toEqual([false, null]);
    }
  });

  it("cannot run in a browser, whatever they are called", async () => {
    const url = await upload("page.svg", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml");
    const read = await follow(await get(mia, url));
    expect(read.headers.get("content-type")).toBe("application/octet-stream");
    expect(read.headers.get("content-disposition")).toMatch(/^attachment; /);
  });

  it("have thumbnails there, and HEAD is answered from here", async () => {
    const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: "#369" } })
      .png()
      .toBuffer();
    const url = await upload("a.png", picture, "image/png");
    const thumbnail = `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/840x560.webp`;
    expect((await get(max, thumbnail)).status).toBe(404);
    const read = await follow(await get(mia, thumbnail));
    expect([read.status, read.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect(await sharp(Buffer.from(await read.arrayBuffer())).metadata()).toMatchObject({ width: 840 });
    const head = await get(mia, url, "HEAD");
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(picture.length)]);
  });

  it("are not led to while they are in quarantine", async () => {
    clamd.script = silent;
    const url = await upload("b.txt", Buffer.from("b"), "text/plain", false);
    for (const address of [url, url.replace("/user_uploads/", "/user_uploads/download/")]) {
      const checked = await get(mia, address);
      expect([checked.status, checked.headers.get("location")]).toEqual([423, null]);
    }
    clamd.script = clean;
    clamd.hangUp();
  });

  async function upload(filename: string, content: Buffer<ArrayBuffer>, type: string, isReleased = true) {
    if (isReleased) clamd.script = clean;
    const url = String(
      expectSuccess(await mia.client.post("/user_uploads", {}, { files: { file: { filename, content, type } } }))[
        "url"
      ],
    );
    if (isReleased) await until("it is clean", async () => (await get(mia, url)).status === 302);
    return url;
  }
  function get(person: Person | undefined, path: string, method = "GET") {
    const basic = person && `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
    return fetch(server.url + path, { method, redirect: "manual", headers: basic ? { authorization: basic } : {} });
  }
});

/** Without any log-in. */
const follow = (led: Response, headers: Record<string, string> = {}) =>
  fetch(led.headers.get("location")!, { headers });

async function startStore(): Promise<void> {
  objects = await startObjectStore();
}
function lent(): Record<string, string> {
  return { ...objects.environment, ...clamd.environment, PARLEY_S3_ADDRESS_SECS: "900" };
}
