/** Pictures, films and sound of other sites, from addresses of this machine. */
import type { RequestListener } from "node:http";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { TestSites } from "../../support/server/sites.ts";

const server = testServer({ environment: { PARLEY_ALLOWED_ADDRESSES: "127.0.0.1" }, alsoOn: ["two nodes"] });
const [mia] = server.people("Mia Member");
const sites = new TestSites();
beforeAll(setUp);
afterAll(() => sites.close());
beforeEach(() => sites.clear());

it("a picture is drawn small, and read once of its site however many look", async () => {
  const address = serve("/tea.png", "image/png", picture);
  const { content: html } = (await mia.read(await mia.say([mia], `see ${address}`))) as { content: string };
  const source = sourceIn(html);
  expect(html).toBe(
    `<p>see <a href="${address}">${address}</a></p>\n<div class="message_inline_image">` +
      `<a href="${address}"><img loading="lazy" src="${source}"></a></div>`,
  );
  expect(source).toMatch(new RegExp(`^/external_content/[0-9a-f]{40}/${Buffer.from(address).toString("hex")}$`));
  const answers = await Promise.all(Array.from({ length: 5 }, () => load(source)));
  for (const { response, bytes } of answers) {
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect(response.headers.get("content-security-policy")).toContain("sandbox");
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 840, height: 420 });
  }
  await load(source);
  // Each node may have a disk of its own.
  expect(sites.asked.length).toBeLessThanOrEqual(server.nodes.length);
});

it("a picture that moves goes on moving, and stands still where that is asked for", async () => {
  const frames = await Promise.all(["red", "blue"].map((background) => flat(20, 10, background).png().toBuffer()));
  const gif = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
  const source = await sourceOf(serve("/moves.gif", "image/gif", gif));
  const shown = async (path: string) => sharp((await load(path)).bytes, { animated: true }).metadata();
  expect(await shown(source)).toMatchObject({ format: "webp", pages: 2 });
  const first = await shown(`${source}?still=true`);
  expect([first.format, first.pages ?? 1, first.width, first.height]).toEqual(["webp", 1, 20, 10]);
  expect(await shown(source)).toMatchObject({ pages: 2 });
});

it("a film and a sound are given as they are, also in part", async () => {
  const film = Buffer.from("a film of tea");
  for (const [name, type] of [
    ["tea.mp4", "video/mp4"],
    ["tea.webm", "video/webm"],
    ["tea.mp3", "audio/mpeg"],
  ] as const) {
    const address = serve(`/${name}`, type, film);
    const source = await sourceOf(type.startsWith("audio") ? `![tea](${address})` : address);
    const whole = await load(source);
    expect([whole.response.headers.get("content-type"), whole.bytes.toString()]).toEqual([type, "a film of tea"]);
    const part = await load(source, { range: "bytes=2-5" });
    expect([part.response.status, part.bytes.toString()]).toEqual([206, "film"]);
  }
});

it("an address that this server has not made leads nowhere", async () => {
  const address = serve("/tea.png", "image/png", picture);
  const [, digest, hex] = /^\/external_content\/(.*)\/(.*)$/.exec(
    await sourceOf(serve("/milk.png", "image/png", picture)),
  )!;
  const other = Buffer.from(address).toString("hex");
  for (const path of [
    `${digest}/${other}`,
    `${digest!.replace(/.$/, "g")}/${hex}`,
    `${digest}/${hex}00`,
    `${digest}/`,
    `x/${hex}`,
  ])
    expect((await load(`/external_content/${path}`)).response.status).toBe(404);
  expect(sites.asked).toEqual([]);
});

describe("what a site may not give", () => {
  it.each<[string, () => string]>([
    [
      "a page that ends like a picture",
      () => serve("/page.png", "text/html", Buffer.from("<script>alert(1)</script>")),
    ],
    [
      "a drawing with scripts",
      () => serve("/svg.png", "image/svg+xml", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")),
    ],
    ["a page that ends like a film", () => serve("/page.mp4", "text/html", Buffer.from("<script>alert(1)</script>"))],
    ["a film without an end", () => sites.endless("/endless.mp4", "video/mp4", "")],
    ["an error", () => listen("/gone.png", (_request, response) => response.writeHead(410).end())],
    ["what a neighbour has", () => `${inner}/tea.png`],
    [
      "a way to what a neighbour has",
      () =>
        listen("/away.png", (_request, response) => response.writeHead(302, { location: `${inner}/tea.png` }).end()),
    ],
  ])("%s", async (_what, address) => {
    serve("/tea.png", "image/png", picture);
    const source = await sourceOf(address());
    const first = await load(source);
    expect([first.response.status, first.response.headers.get("content-type")]).toEqual([404, "application/json"]);
    const asked = sites.asked.length;
    await load(source);
    expect(sites.asked.filter((path) => path.startsWith("127.0.0.2"))).toEqual([]);
    // It is not asked again at once.
    expect(sites.asked.length).toBeLessThanOrEqual(asked * server.nodes.length);
  });
});

it("nothing is shown where the organization does not want it, and in no text but messages", async () => {
  const address = serve("/tea.png", "image/png", picture);
  await server.owner.setRealm({ inline_image_preview: false });
  expect(await rendered(address)).toBe(`<p><a href="${address}">${address}</a></p>`);
  await server.owner.setRealm({ inline_image_preview: true, description: address });
  const { realm_description: description } = expectSuccess(await mia.client.get("/server_settings"));
  expect(description).toBe(`<p><a href="${address}">${address}</a></p>`);
  const state = await mia.client.register({ fetch_event_types: ["realm"] });
  expect(state).toMatchObject({ server_inline_image_preview: true, realm_inline_image_preview: true });
});

/** Root of pages that may be read, and of a neighbour's that may not. */
let inner: string;
let picture: Buffer;

async function setUp(): Promise<void> {
  await sites.open("127.0.0.1");
  inner = await sites.open("127.0.0.2");
  picture = await flat(1200, 600, "teal").png().toBuffer();
}

const flat = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } });

const listen = (path: string, answer: RequestListener): string => sites.serve(path, answer);
const serve = (path: string, type: string, bytes: Buffer): string =>
  listen(path, (_request, response) => response.setHeader("content-type", type).end(bytes));

const rendered = async (content: string): Promise<string> =>
  expectSuccess(await mia.client.post("/messages/render", { content }))["rendered"] as string;

const sourceIn = (html: string): string => /src="([^"]+)"/.exec(html)![1]!;
const sourceOf = async (content: string): Promise<string> => sourceIn(await rendered(content));

async function load(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ response: Response; bytes: Buffer }> {
  const response = await fetch(server.url + path, { headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}
