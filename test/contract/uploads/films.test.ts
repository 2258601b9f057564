/** Films with posters and HEIC with thumbnails, by programs of the machine; and files that are made to misuse those. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { filmOf, heicOf, lacksFfmpeg, lacksHeif, turnedFilm } from "../../support/files/films.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [mia, max] = server.people("Mia Member", "Max Member");

describe.skipIf(lacksFfmpeg !== "")(`films${lacksFfmpeg}`, () => {
  it.each([
    ["clip.mp4", []],
    ["clip.webm", ["-c:v", "libvpx", "-deadline", "realtime"]],
    ["clip.mov", []],
  ])("%s has a poster, which whoever may read the film may see", async (name, args) => {
    const url = await upload(name, filmOf(name, "1260x840", 2, args));
    expect((await load(max, thumbnailOf(url))).status).toBe(404);
    expect(await shown(`[Clip](${url})`)).toBe(
      `<p><a href="${url}">Clip</a></p>\n<div class="message_inline_image message_inline_video">` +
        `<a href="${url}" title="Clip"><video poster="${thumbnailOf(url)}" preload="metadata" src="${url}"></video></a></div>`,
    );
    const { status, type, picture } = await load(max, thumbnailOf(url));
    expect([status, type, picture]).toMatchObject([200, "image/webp", { format: "webp", width: 840, height: 560 }]);
    const answer = await mia.client.get(url.replace("/user_uploads/", "/thumbnail/status/"));
    expect(expectSuccess(answer)["has_thumbnail"]).toBe(true);
  });

  it("one of less than a second has its first frame, and one that a phone turned stands upright", async () => {
    const short = await upload("short.mp4", filmOf("short.mp4", "320x200", 0.3));
    await shown(`[a](${short})`);
    expect((await load(max, thumbnailOf(short))).picture).toMatchObject({ width: 320, height: 200 });
    const tall = await upload("tall.mov", turnedFilm(filmOf("tall.mov", "320x200", 2)));
    expect((await load(mia, thumbnailOf(tall))).picture).toMatchObject({ width: 200, height: 320 });
  });

  it("a poster that is not stored any more is drawn again, and a search for pictures finds no films", async () => {
    const url = await upload("again.mp4", filmOf("again.mp4", "320x200", 0.3));
    const { files } = server.server.app;
    const [realm, , random] = url.slice("/user_uploads/".length).split("/");
    await files.remove(`thumbnails/${realm}/${random}-${still}`);
    expect((await load(mia, thumbnailOf(url))).picture).toMatchObject({ width: 320 });
    const id = await send(`[Film](${url})`);
    const narrow = JSON.stringify([{ operator: "has", operand: "image" }]);
    const found = expectSuccess(
      await mia.client.get("/messages", { narrow, anchor: "newest", num_before: 5, num_after: 0 }),
    );
    expect((found["messages"] as { id: number }[]).map((each) => each.id)).not.toContain(id);
  });
});

describe.skipIf(lacksHeif !== "")(`HEIC${lacksHeif}`, () => {
  it("has a thumbnail, and a large picture for browsers that do not show it", async () => {
    const url = await upload("photo.heic", heicOf(await flat(1000, 500).png().toBuffer()));
    const html = await shown(`[Photo](${url})`);
    expect(html).toContain('data-original-content-type="image/heic" data-original-dimensions="1000x500"');
    expect(html).toContain('data-transcoded-image="1000x500.webp"');
    expect((await load(max, thumbnailOf(url))).picture).toMatchObject({ width: 840, height: 420 });
    expect((await load(max, thumbnailOf(url, "1000x500.webp"))).picture).toMatchObject({ width: 1000, height: 500 });
  });

  it("that breaks off is only a file", async () => {
    const whole = heicOf(await flat(1000, 500).png().toBuffer());
    const url = await upload("photo.heic", whole.subarray(0, whole.length / 2));
    expect(await shown(`[Photo](${url})`)).toBe(`<p><a href="${url}">Photo</a></p>`);
  });
});

describe.skipIf(lacksFfmpeg !== "")(`hostile films are only files${lacksFfmpeg}`, () => {
  let folder: string;
  let secret: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-secret-"));
    secret = join(folder, "secret.mp4");
    await writeFile(secret, filmOf("secret.mp4", "320x200", 2));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each<[string, () => Buffer]>([
    [
      "a playlist of HLS",
      () => Buffer.from(`#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${secret}\n#EXT-X-ENDLIST\n`),
    ],
    ["a list of files to join", () => Buffer.from(`ffconcat version 1.0\nfile ${secret}\n`)],
    ["a description of DASH", () => Buffer.from(`<?xml version="1.0"?><MPD><BaseURL>${secret}</BaseURL></MPD>`)],
    [
      "of more pixels than any camera has",
      () => filmOf("a.mov", "12000x8000", 0.1, ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"]),
    ],
    ["without a picture", () => filmOf("a.mp4", "32x32", 1, ["-f", "lavfi", "-i", "sine=duration=1", "-map", "1:a"])],
    ["that breaks off", () => filmOf("a.mp4", "320x200", 1).subarray(0, 500)],
    ["that is empty", () => Buffer.alloc(0)],
    ["that only begins like one", () => Buffer.from("\0\0\0\x18ftypisom".repeat(1000), "latin1")],
  ])("%s", async (_what, bytes) => {
    const url = await upload("film.mp4", bytes());
    expect(await shown(`[b](${url})`)).toContain(`<video preload="metadata" src="${url}">`);
    expect((await load(max, thumbnailOf(url))).status).toBe(404);
  });
});

describe.skipIf(lacksFfmpeg !== "" || lacksHeif !== "")("where the programs are not used", () => {
  const without = testServer({ environment: { PARLEY_FFMPEG: "off", PARLEY_HEIF_CONVERT: "off" } });

  it("films and HEIC are shown as they are", async () => {
    const { client } = without.owner;
    for (const [filename, bytes, html] of [
      ["clip.mp4", filmOf("clip.mp4", "320x200", 1), '<video preload="metadata" src="'],
      ["photo.heic", heicOf(await flat(64, 64).png().toBuffer()), '">Photo</a></p>'],
    ] as const) {
      const file = { filename, content: new Uint8Array(bytes), type: "application/octet-stream" };
      const { url } = expectSuccess(await client.post("/user_uploads", {}, { files: { file } }));
      const rendered = await client.post("/messages/render", { content: `[Photo](${url})` });
      expect(expectSuccess(rendered)["rendered"]).toContain(html);
    }
  });
});

const still = "840x560.webp";
const flat = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: "teal" } });

async function upload(filename: string, bytes: Buffer): Promise<string> {
  const file = { filename, content: new Uint8Array(bytes), type: "application/octet-stream" };
  return expectSuccess(await mia.client.post("/user_uploads", {}, { files: { file } }))["url"] as string;
}

async function send(content: string): Promise<number> {
  const message = { type: "direct", to: [mia.id, max.id], content };
  return expectSuccess(await mia.client.post("/messages", message))["id"] as number;
}

async function shown(content: string): Promise<string> {
  const answer = await max.client.get(`/messages/${await send(content)}`, { apply_markdown: true });
  return (expectSuccess(answer)["message"] as { content: string }).content;
}

const thumbnailOf = (url: string, format = still) =>
  `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/${format}`;

async function load(person: Person, path: string) {
  const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
  const response = await fetch(`${server.url}${path}`, { headers: { authorization } });
  const bytes = Buffer.from(await response.arrayBuffer());
  const picture = response.status === 200 ? await sharp(bytes).metadata() : undefined;
  return { status: response.status, type: response.headers.get("content-type"), picture };
}
