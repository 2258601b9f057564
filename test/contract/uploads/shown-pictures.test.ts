/**
 * The server draws pictures that stand for somebody or something. They are within bounds, in the sizes that clients ask
 * for, and without what else was in their files. What was stored by imports or earlier versions is no exception.
 */
import { writeFile } from "node:fs/promises";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { FolderStore } from "../../../storage/files/folder-store.ts";
import { type ApiResponse, expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [mia] = server.people("Mia Member");

describe.each(ways())("$name", ({ post, size }) => {
  it.each([20_000, 12_000])("of %i pixels a side is refused, and nothing of it is kept", async (side) => {
    const before = await storedFiles();
    expectError(await post(hugePng(side)), 400, "BAD_IMAGE");
    expect(await storedFiles()).toEqual(before);
  });

  it("is served in its size, and nothing says where it was taken, on the disk either", async () => {
    const before = new Set(await storedFiles());
    expectSuccess(await post(await photo()));
    const stored = (await storedFiles()).filter((path) => !before.has(path));
    expect(stored.length).toBeGreaterThan(1);
    const shown = [];
    for (const path of stored) {
      const picture = await sharp(folder().locate(path)).metadata();
      expect(picture.exif).toBeUndefined();
      shown.push({ width: picture.width, height: picture.height });
    }
    expect(shown).toContainEqual(size);
    const [path] = stored.filter((one) => !/-(?:small|medium|shown|still)$/.test(one));
    const address = path!
      .replace(/^avatars\/(.*)$/, "$1.png")
      .replace(/^emoji\/(\d+)\//, "$1/emoji/images/")
      .replace(/^realm\/(\d+)\//, "$1/realm/");
    const answer = await fetch(`${server.url}/user_avatars/${address}`);
    expect(answer.status).toBe(200);
    expect(await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).toMatchObject(size);
  });
});

describe("a picture that an import or an earlier version stored as it came", () => {
  const name = "0123456789abcdef0123456789abcdef";
  const store = async (path: string, content: Buffer) => {
    expectSuccess(await mia.client.post("/users/me/avatar", {}, files(await photo())));
    expectSuccess(await mia.client.post(`/realm/emoji/old${++made}`, {}, files(await photo())));
    await writeFile(folder().locate(path), content);
  };
  const read = async (path: string) => {
    const answer = await fetch(`${server.url}/user_avatars/1/${path}`);
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  it("is drawn when somebody asks", async () => {
    await store(`avatars/1/${mia.id}/${name}`, await photo());
    for (const [ending, side] of [
      ["", 100],
      ["-medium", 500],
    ] as const) {
      const { bytes } = await read(`${mia.id}/${name}${ending}.png`);
      const picture = await sharp(bytes).metadata();
      expect([picture.format, picture.width, picture.height, picture.exif]).toEqual(["png", side, side, undefined]);
    }
    const emoji = "0123456789abcdef01234567";
    await store(`emoji/1/${emoji}.jpg`, await photo());
    const { bytes } = await read(`emoji/images/${emoji}.jpg`);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "jpeg", width: 64, height: 64 });
    expect(bytes.includes(secret)).toBe(false);
  });

  it("is not served if it is too large, or no picture", async () => {
    const contents = [hugePng(20_000), Buffer.from("<svg onload='alert(1)'/>")];
    for (const [index, content] of contents.entries()) {
      const other = `${name.slice(0, 31)}${index}`;
      await store(`avatars/1/${mia.id}/${other}`, content);
      for (const _ of [1, 2]) expect((await read(`${mia.id}/${other}.png`)).status).toBe(404);
    }
  });
});

it("an animation of too many frames is refused", async () => {
  // One pixel each, black and white in turn.
  const head = Buffer.from("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff", "latin1");
  const frame = (colour: number) =>
    Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44 + 8 * colour, 1, 0]);
  const frames = (count: number) =>
    Buffer.concat([head, ...Array.from({ length: count }, (_, index) => frame(index % 2)), Buffer.from([0x3b])]);
  const post = async (content: Buffer) => mia.client.post(`/realm/emoji/moves${++made}`, {}, files(content));
  expectSuccess(await post(frames(3)));
  expectError(await post(frames(501)), 400, "BAD_IMAGE");
});

function ways(): { name: string; post: Post; size: { width: number; height: number } }[] {
  return [
    {
      name: "an avatar",
      post: (content) => mia.client.post("/users/me/avatar", {}, files(content)),
      size: { width: 100, height: 100 },
    },
    {
      name: "a bot's avatar",
      post: (content) => mia.client.post("/bots", { full_name: `B${++made}`, short_name: `b${made}` }, files(content)),
      size: { width: 100, height: 100 },
    },
    {
      name: "an emoji",
      post: (content) => mia.client.post(`/realm/emoji/drawn${++made}`, {}, files(content)),
      size: { width: 64, height: 64 },
    },
    {
      name: "the icon",
      post: (content) => owner.client.post("/realm/icon", {}, files(content)),
      size: { width: 100, height: 100 },
    },
    {
      name: "the logo",
      post: (content) => owner.client.post("/realm/logo", { night: false }, files(content)),
      // The photo stands upright.
      size: { width: 67, height: 100 },
    },
    {
      name: "the logo of dark pages",
      post: (content) => owner.client.post("/realm/logo", { night: true }, files(content)),
      size: { width: 67, height: 100 },
    },
  ];
}

/** A picture of one colour and so many pixels, which takes few bytes. */
function hugePng(side: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.writeUInt8(1, 8);
  const rows = deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side), { level: 9 });
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

const secret = "TAKEN-AT-HOME";
/** A photo of a phone's: it says where and with what it was taken, and which side is up. */
function photo() {
  return sharp({ create: { width: 300, height: 200, channels: 3, background: "teal" } })
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { ImageDescription: secret }, IFD3: { GPSLatitude: "52/1 30/1 0/1" } })
    .jpeg()
    .toBuffer();
}

type Post = (content: Buffer) => Promise<ApiResponse>;
const files = (content: Buffer) => ({ files: { file: { filename: "x.png", content: new Uint8Array(content) } } });
let made = 0;

const storedFiles = async () => {
  const paths: string[] = [];
  for await (const { path } of folder().list()) if (!path.startsWith("uploads")) paths.push(path);
  return paths;
};
const folder = () => new FolderStore(server.server.app.config.dataDir);
