/** Pictures, films and sound in messages, with real files. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner } = server;
const [mia, max] = server.people("Mia Member", "Max Member");
const still = "840x560.webp";
const moving = "840x560-anim.webp";

describe("a link to a picture", () => {
  let url: string;
  beforeAll(async () => {
    url = await upload("wide.png", await flat(1920, 1080).png().toBuffer());
  });

  it("has a thumbnail below it, with the size and the type of the original", async () => {
    const thumbnail = thumbnailOf(url, still);
    expect(await shown(`[Wide](${url})`)).toBe(
      `<p><a href="${url}">Wide</a></p>\n` +
        `<div class="message_inline_image"><a href="${url}" title="Wide"><img data-original-content-type="image/png" ` +
        `data-original-dimensions="1920x1080" src="${thumbnail}"></a></div>`,
    );
    const { status, type, picture } = await load(max, thumbnail);
    expect([status, type, picture]).toMatchObject([200, "image/webp", { format: "webp", width: 840, height: 473 }]);
  });

  it("that is edited in is shown as well, and /messages/render shows it", async () => {
    const id = await send("no picture yet");
    expectSuccess(await mia.client.patch(`/messages/${id}`, { content: `[Wide](${url})` }));
    expect(await htmlOf(id)).toContain(thumbnailOf(url, still));
    const { rendered } = expectSuccess(await mia.client.post("/messages/render", { content: `[Wide](${url})` }));
    expect(rendered).toContain(thumbnailOf(url, still));
  });

  it("with ! before it is shown in its place", async () => {
    expect(await shown(`- see ![Wide "screen"](${url}) here`)).toBe(
      `<ul>\n<li>see <img alt="Wide &quot;screen&quot;" class="inline-image" data-original-src="${url}" ` +
        `data-original-content-type="image/png" data-original-dimensions="1920x1080" src="${thumbnailOf(url, still)}"> ` +
        "here</li>\n</ul>",
    );
    expect(await shown("![far](https://example.com/far.png)")).toMatch(
      /^<p><a href="https:\/\/example\.com\/far\.png">far<\/a><\/p>\n<div class="message_inline_image">/,
    );
  });

  it("has nothing below it where the organization wants no pictures", async () => {
    await owner.setRealm({ inline_image_preview: false });
    expect(await shown(`[Wide](${url}) ![Wide](${url})`)).not.toContain("<img");
    await owner.setRealm({ inline_image_preview: true });
  });

  it("is read by those who may read the file, at any size they ask for", async () => {
    const own = await upload("own.png", await flat(20, 10).png().toBuffer());
    expect((await load(max, thumbnailOf(own, still))).status).toBe(404);
    const status = own.replace("/user_uploads/", "/thumbnail/status/");
    expect(expectSuccess(await mia.client.get(status))["has_thumbnail"]).toBe(true);
    expectError(await max.client.get(status), 404);
    const text = await upload("plain.txt", Buffer.from("a"));
    const { has_thumbnail: has } = expectSuccess(
      await mia.client.get(text.replace("/user_uploads/", "/thumbnail/status/")),
    );
    expect(has).toBe(false);
    for (const format of [still, moving, "100x100.jpg", "x"]) {
      const { status, picture } = await load(mia, thumbnailOf(own, format));
      expect([status, picture]).toMatchObject([200, { format: "webp", width: 20, height: 10 }]);
    }
    for (const path of [own.slice("/user_uploads/".length), "1/x", "1", ""])
      expect((await load(mia, `/user_uploads/thumbnail/${path}`)).status).toBe(404);
  });

  it("that is not on the disk is drawn again, and goes with its file", async () => {
    const own = await upload("gone.png", await flat(20, 10).png().toBuffer());
    const folder = join(server.server.app.config.dataDir, "files", "thumbnails", own.split("/")[2]!);
    const kept = () => readdir(folder).then((names) => names.filter((name) => name.startsWith(own.split("/")[4]!)));
    expect(await kept()).toHaveLength(1);
    for (const name of await kept()) await rm(join(folder, name));
    expect((await load(mia, thumbnailOf(own, still))).picture).toMatchObject({ width: 20 });
    const { attachments } = expectSuccess(await mia.client.get("/attachments")) as {
      attachments: { id: number; path_id: string }[];
    };
    const { id } = attachments.find(({ path_id }) => own.endsWith(path_id))!;
    expectSuccess(await mia.client.delete(`/attachments/${id}`));
    expect(await kept()).toEqual([]);
    expect((await load(mia, thumbnailOf(own, still))).status).toBe(404);
  });

  it("from before there were thumbnails is shown as it is, and drawn when somebody asks", async () => {
    const old = await upload("old.png", await flat(30, 10).png().toBuffer());
    const { sql } = server.database;
    await sql`update attachments set image = null where path_id = ${old.slice("/user_uploads/".length)}`;
    expect(await shown(`[Old](${old})`)).toContain(`<img src="${old}">`);
    expect((await load(mia, thumbnailOf(old, still))).picture).toMatchObject({ width: 30 });
  });
});

describe("pictures of other kinds", () => {
  it("one that moves has a thumbnail that moves and one that stands still", async () => {
    const frames = await Promise.all(["red", "blue"].map((colour) => flat(900, 30, colour).png().toBuffer()));
    const url = await upload(
      "flag.gif",
      await sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer(),
    );
    expect(await shown(`[Flag](${url})`)).toContain(
      '<img data-animated="true" data-original-content-type="image/gif" data-original-dimensions="900x30" ' +
        `src="${thumbnailOf(url, moving)}">`,
    );
    expect((await load(mia, thumbnailOf(url, moving))).picture).toMatchObject({ pages: 2, width: 840 });
    expect((await load(mia, thumbnailOf(url, still))).picture?.pages ?? 1).toBe(1);
  });

  it("one that browsers do not show has a large one that they do", async () => {
    const url = await upload("scan.tiff", await flat(4100, 100).tiff().toBuffer());
    const html = await shown(`[Scan](${url})`);
    expect(html).toContain('data-original-content-type="image/tiff" data-original-dimensions="4100x100"');
    expect(html).toContain('data-transcoded-image="4032x98.webp"');
    expect((await load(mia, thumbnailOf(url, "4032x98.webp"))).picture).toMatchObject({ width: 4032, height: 98 });
    expect((await load(mia, thumbnailOf(url, still))).picture).toMatchObject({ width: 840 });
  });

  it("one that a camera turned is measured as people see it", async () => {
    const url = await upload("tall.jpg", await flat(200, 100).jpeg().withMetadata({ orientation: 6 }).toBuffer());
    expect(await shown(`[Tall](${url})`)).toContain('data-original-dimensions="100x200"');
    expect((await load(mia, thumbnailOf(url, still))).picture).toMatchObject({ width: 100, height: 200 });
  });

  it("AVIF and WebP are pictures too", async () => {
    for (const kind of ["avif", "webp"] as const) {
      const url = await upload(`a.${kind}`, await flat(64, 48)[kind]().toBuffer());
      expect(await shown(`[a](${url})`)).toContain(
        `data-original-content-type="image/${kind}" data-original-dimensions="64x48"`,
      );
    }
  });
});

describe("hostile pictures are only files", () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/etc/passwd"/></svg>';
  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ["of more pixels than any camera has", () => pngOf(60_000, 60_000, deflateSync(Buffer.alloc(1000)))],
    ["of many pixels in few bytes", () => pngOf(20_000, 20_000, deflateSync(Buffer.alloc(20_000 * 2501)))],
    ["that breaks off", async () => (await noise(400, 400).jpeg().toBuffer()).subarray(0, 2000)],
    ["that is a drawing with a program in it", () => Buffer.from(svg)],
    ["that is a page", () => Buffer.from("<script>alert(1)</script>")],
    ["that is empty", () => Buffer.alloc(0)],
    ["that is a PDF", () => Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>")],
    ["of a size that is none", () => pngOf(0, 0, deflateSync(Buffer.alloc(1)))],
  ])("%s", async (_what, bytes) => {
    const url = await upload("bomb.png", await bytes());
    expect(await shown(`[b](${url}) ![b](${url})`)).toBe(`<p><a href="${url}">b</a> <a href="${url}">b</a></p>`);
    expect((await load(mia, thumbnailOf(url, still))).status).toBe(404);
    // The next one is drawn as ever.
    const good = await upload("good.png", await flat(8, 8).png().toBuffer());
    expect((await load(mia, thumbnailOf(good, still))).picture).toMatchObject({ width: 8 });
  });

  it("one that moves too much stands still", async () => {
    // 99 million pixels: one large picture, and ten dots on it.
    const first = await flat(3000, 3000).gif({ effort: 1 }).toBuffer();
    const dot = [0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
    const url = await upload("long.gif", Buffer.from([...first.subarray(0, -1), ...Array(10).fill(dot).flat(), 0x3b]));
    const html = await shown(`[Long](${url})`);
    expect(html).toContain('data-original-dimensions="3000x3000"');
    expect(html).not.toContain("data-animated");
  });
});

describe("films and sound", () => {
  it.each([
    ["clip.mp4", "video/mp4"],
    ["clip.webm", "video/webm"],
    ["clip.mov", "application/octet-stream"],
  ])("%s is played below its link", async (name, type) => {
    const url = await upload(name, Buffer.from("frames"), type);
    expect(await shown(`[Clip](${url})`)).toBe(
      `<p><a href="${url}">Clip</a></p>\n<div class="message_inline_image message_inline_video">` +
        `<a href="${url}" title="Clip"><video preload="metadata" src="${url}"></video></a></div>`,
    );
  });

  it.each([
    ["song.mp3", "audio/mpeg"],
    ["song.wav", "audio/x-wav"],
    ["song.flac", ""],
  ])("%s with ! before it has a player", async (name, type) => {
    const url = await upload(name, Buffer.from("waves"), type);
    expect(await shown(`![A <song>](${url})`)).toBe(
      `<p><audio controls preload="metadata" src="${url}" title="A &lt;song&gt;"></audio></p>`,
    );
    expect(await shown(`[Song](${url})`)).toBe(`<p><a href="${url}">Song</a></p>`);
  });
});

it("register tells of the thumbnails that there are", async () => {
  const state = await mia.client.register({ fetch_event_types: ["realm"] });
  const common = { max_width: 840, max_height: 560, format: "webp" };
  expect(state["server_thumbnail_formats"]).toEqual([
    { name: moving, ...common, animated: true },
    { name: still, ...common, animated: false },
  ]);
});

const flat = (width: number, height: number, background = "teal") =>
  sharp({ create: { width, height, channels: 3, background } });

const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: "black", noise: { type: "gaussian", mean: 128, sigma: 30 } },
  });

/** A PNG of one bit for each dot that says it is so large, whatever is in it. */
function pngOf(width: number, height: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0], 8);
  const chunks = [chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

async function upload(filename: string, bytes: Buffer, type = "application/octet-stream"): Promise<string> {
  const file = { filename, content: new Uint8Array(bytes), type };
  const answer = await mia.client.post("/user_uploads", {}, { files: { file } });
  return expectSuccess(answer)["url"] as string;
}

async function send(content: string): Promise<number> {
  const message = { type: "direct", to: [mia.id, max.id], content };
  return expectSuccess(await mia.client.post("/messages", message))["id"] as number;
}

async function htmlOf(id: number): Promise<string> {
  const { message } = expectSuccess(await max.client.get(`/messages/${id}`, { apply_markdown: true }));
  return (message as { content: string }).content;
}

const shown = async (content: string): Promise<string> => htmlOf(await send(content));

const thumbnailOf = (url: string, format: string) =>
  `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/${format}`;

async function load(person: Person, path: string) {
  const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
  const response = await fetch(`${server.url}${path}`, { headers: { authorization } });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    picture: response.status === 200 ? await sharp(bytes).metadata() : undefined,
  };
}
