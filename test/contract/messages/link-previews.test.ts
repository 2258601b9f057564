/** Previews of links, from pages that this file serves on addresses of this machine. */
import type { RequestListener } from "node:http";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApiClient, cursorOf, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { TestSites } from "../../support/server/sites.ts";
import { until } from "../../support/time/until.ts";

const environment = { PARLEY_LINK_PREVIEWS: "on", PARLEY_ALLOWED_ADDRESSES: "127.0.0.1" };
const server = testServer({ environment, alsoOn: ["two nodes"] });
const [mia, max] = server.people("Mia Member", "Max Member");
const sites = new TestSites();
beforeAll(setUp);
afterAll(() => sites.close());
beforeEach(clear);

it("a page is shown below the message, and its readers are told so by the server", async () => {
  page(
    "/engine?a=1&b=2",
    `<!DOCTYPE html><html><head><title>not this</title><meta property="og:title" content="The &quot;Engine&quot; <b>">
     <meta property="og:description" content="Weaves\n  patterns &amp; more"><meta property="og:image" content="picture.png">`,
  );
  const queue = await max.client.register({ event_types: ["update_message"], apply_markdown: true });
  const id = await send(`see ${site}/engine?a=1&b=2`);
  const [event] = await eventsUntil(max.client, cursorOf(queue), 1);
  const href = `${site}/engine?a=1&amp;b=2`;
  const shown = await htmlOf(id);
  const image = /url\(&quot;([^&]+)&quot;\)/.exec(shown)![1]!;
  expect(shown).toBe(
    `<p>see <a href="${href}">${href}</a></p>\n<div class="message_embed">` +
      `<a class="message_embed_image" href="${href}" style="background-image: url(&quot;${image}&quot;)"></a>` +
      '<div class="data-container"><div class="message_embed_title">' +
      `<a href="${href}" title="The &quot;Engine&quot; &lt;b&gt;">The &quot;Engine&quot; &lt;b&gt;</a></div>` +
      '<div class="message_embed_description">Weaves patterns &amp; more</div></div></div>',
  );
  expect(event).toMatchObject({ user_id: null, rendering_only: true, message_id: id, message_ids: [id] });
  expect(event).toMatchObject({ rendered_content: shown, content: `see ${site}/engine?a=1&b=2`, flags: [] });
  const { message } = expectSuccess(await max.client.get(`/messages/${id}`)) as { message: object };
  expect(message).not.toHaveProperty("last_edit_timestamp");
  const response = await fetch(`${server.url}${image}`);
  expect(response.headers.get("content-type")).toBe("image/webp");
  expect(await sharp(Buffer.from(await response.arrayBuffer())).metadata()).toMatchObject({ width: 840, height: 420 });
});

it("a page is read once for many messages, and an edit brings the previews of its own links", async () => {
  const id = await send(`${site}/good`);
  await embedsOf(id, 1);
  page("/other", `<title>Other</title><meta name="twitter:image" content="${site}/picture.png">`);
  expectSuccess(await mia.client.patch(`/messages/${id}`, { content: `${site}/other ${site}/good` }));
  const html = await embedsOf(id, 2);
  expect(html.match(/title="(Other|Good)"/g)).toEqual(['title="Other"', 'title="Good"']);
  // Each node that writes reads it for itself, and knows it from then on.
  expect(asked.filter((path) => path.endsWith("/good")).length).toBeLessThanOrEqual(server.nodes.length);
});

it("links in quotes and within the organization have none", async () => {
  page("/quoted", `<title>Quoted</title><meta property="og:image" content="/picture.png">`);
  const { url } = await server.realm().then(({ state }) => state);
  const html = await embedsOf(await send(`> ${site}/quoted\n\n${url}/#narrow/is/starred ${site}/good`), 1);
  expect(html).toContain('title="Good"');
  expect(asked.filter((path) => path.includes("quoted"))).toEqual([]);
});

it("nobody reads a page where the organization does not want it", async () => {
  await server.owner.setRealm({ inline_url_embed_preview: false });
  page("/unwanted", `<title>U</title><meta property="og:image" content="/picture.png">`);
  const unwanted = await send(`${site}/unwanted`);
  await server.owner.setRealm({ inline_url_embed_preview: true });
  page("/wanted", `<title>W</title><meta property="og:image" content="/picture.png">`);
  await embedsOf(await send(`${site}/wanted`), 1);
  expect(asked).not.toContain("127.0.0.1/unwanted");
  expect(await htmlOf(unwanted)).not.toContain("message_embed");
  const state = await mia.client.register({ fetch_event_types: ["realm"] });
  expect(state).toMatchObject({ server_inline_url_embed_preview: true, realm_inline_url_embed_preview: true });
});

describe("what is no business of the server's is not asked", () => {
  const head = `<title>Inner</title><meta property="og:image" content="/picture.png">`;
  it.each<[string, () => string]>([
    ["an address of another network", () => `${inner}/secret`],
    ["the same, spelled as IPv6", () => `${inner.replace("127.0.0.2", "[::ffff:127.0.0.2]")}/secret`],
    ["the same, spelled as a number", () => `${inner.replace("127.0.0.2", "2130706434")}/secret`],
    ["a name that leads there", () => `${inner.replace("127.0.0.2", "localhost")}/secret`],
    ["a redirect to it", () => redirect("/away", `${inner}/secret`)],
    ["a redirect to a redirect to it", () => redirect("/far", redirect("/away", `${inner}/secret`))],
    ["a redirect to a file", () => redirect("/file", "file:///etc/passwd")],
    [
      "a page whose picture is there",
      () => page("/with", `<title>W</title><meta property="og:image" content="${inner}/picture.png">`),
    ],
    ["an address with a password", () => `${site.replace("//", "//user:word@")}/good?named`],
    ["a port of the machine", () => "http://[::1]:22/"],
    ["a network of clouds", () => "http://169.254.169.254/latest/meta-data/"],
  ])("%s", async (_what, address) => {
    page("/secret", head);
    // The last link of the message is shown when the ones before it were not.
    const html = await embedsOf(await send(`${address()} ${site}/good`), 1);
    expect(html).toContain('title="Good"');
    expect(html).not.toMatch(/title="(Inner|W)"/);
    expect(asked.filter((path) => path.startsWith("127.0.0.2"))).toEqual([]);
  });
});

describe("a page that is too much", () => {
  it.each<[string, () => string, boolean]>([
    [
      "goes on for ever: its head is enough",
      () =>
        sites.endless("/endless", "text/html", `<title>Long</title><meta property="og:image" content="/picture.png">`),
      true,
    ],
    ["has a head for ever", () => sites.endless("/nohead", "text/html", "<title>"), false],
    [
      "has a picture for ever",
      () =>
        page(
          "/huge",
          `<title>Long</title><meta property="og:image" content="${sites.endless("/blob", "image/png", "")}">`,
        ),
      false,
    ],
    [
      "has a picture that is none",
      () => page("/fake", `<title>Long</title><meta property="og:image" content="/good">`),
      false,
    ],
    ["leads in a circle", () => redirect("/circle", `${site}/circle`), false],
    ["is no page", () => serve("/data", (_request, response) => response.end("<title>Long</title>")), false],
    ["is an error", () => serve("/error", (_request, response) => response.writeHead(500).end()), false],
    ["ends in the middle", () => serve("/cut", (request) => request.socket.destroy()), false],
    [
      "is packed",
      () => serve("/gzip", (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x")),
      false,
    ],
  ])("%s", async (_what, address, isShown) => {
    const html = await embedsOf(await send(`${address()} ${site}/good`), isShown ? 2 : 1);
    expect(html.includes('title="Long"')).toBe(isShown);
  });

  it("there are five previews in a message", async () => {
    const addresses = Array.from({ length: 8 }, (_, at) =>
      page(`/many${at}`, `<title>${at}</title><meta property="og:image" content="/picture.png">`),
    );
    await embedsOf(await send(addresses.join(" ")), 5);
    expect(asked).not.toContain("127.0.0.1/many5");
  });
});

it("a message that changed meanwhile keeps what it says now", async () => {
  const held: (() => void)[] = [];
  serve("/held", (_request, response) => {
    held.push(() => {
      response.setHeader("content-type", "text/html");
      response.end(`<title>Held</title><meta property="og:image" content="/picture.png">`);
    });
  });
  const id = await send(`${site}/held`);
  await until("the page is read", () => held.length > 0, waitMs);
  expectSuccess(await mia.client.patch(`/messages/${id}`, { content: `${site}/good` }));
  held[0]!();
  expect(await embedsOf(id, 1)).toContain('title="Good"');
  expect(await htmlOf(id)).not.toContain("Held");
});

const { asked } = sites;
const serve = (path: string, answer: RequestListener): string => sites.serve(path, answer);
const page = (path: string, html: string): string => sites.page(path, html);
const redirect = (path: string, location: string): string =>
  serve(path, (_request, response) => response.writeHead(302, { location }).end());

/** Several pages may each take the time that the server gives them. */
const waitMs = 100_000;

async function setUp(): Promise<void> {
  picture = await sharp({ create: { width: 1200, height: 600, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
  [site, inner] = [await sites.open("127.0.0.1"), await sites.open("127.0.0.2")] as [string, string];
  await server.owner.setRealm({ inline_url_embed_preview: true });
}

function clear(): void {
  sites.clear();
  serve("/picture.png", (_request, response) => response.setHeader("content-type", "image/png").end(picture));
  page("/good", `<title>Good</title><meta property="og:image" content="/picture.png">`);
}

/** Root of pages that may be read, and of a neighbour's that may not. */
let site: string;
let inner: string;
let picture: Buffer;

async function send(content: string): Promise<number> {
  const message = { type: "direct", to: [mia.id, max.id], content };
  return expectSuccess(await mia.client.post("/messages", message))["id"] as number;
}

async function htmlOf(id: number): Promise<string> {
  const { message } = expectSuccess(await max.client.get(`/messages/${id}`, { apply_markdown: true }));
  return (message as { content: string }).content;
}

/** The message's HTML once it has so many previews. */
async function embedsOf(id: number, count: number): Promise<string> {
  let html = "";
  const isThere = async () => {
    html = await htmlOf(id);
    return html.split('<div class="message_embed">').length - 1 === count;
  };
  await until(`${count} previews`, isThere, waitMs);
  return html;
}

async function eventsUntil(
  client: ApiClient,
  cursor: ReturnType<typeof cursorOf>,
  count: number,
): Promise<{ id: number; type: string }[]> {
  const found: { id: number; type: string }[] = [];
  let last = cursor.lastEventId;
  while (found.length < count) {
    const events = await client.events(cursor.queueId, last);
    last = Math.max(last, ...events.map(({ id }) => id));
    found.push(...events.filter(({ type }) => type === "update_message"));
  }
  return found;
}
