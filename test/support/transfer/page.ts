import sharp from "sharp";
import { expectSuccess } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import { TestSites } from "../server/sites.ts";
import { until } from "../time/until.ts";

/** Settings of a server that reads pages, also on 127.0.0.1. */
export const readsPages = { PARLEY_LINK_PREVIEWS: "on", PARLEY_ALLOWED_ADDRESSES: "127.0.0.1" };

/**
 * Has somebody link to a page that has a picture, in a message to another person, until its preview is shown. The page
 * is gone then.
 */
export async function sayLinkToPage(owner: Person, by: Person, to: Person): Promise<void> {
  const sites = new TestSites();
  try {
    const site = await sites.open("127.0.0.1");
    const picture = await sharp({ create: { width: 400, height: 200, channels: 3, background: "green" } })
      .png()
      .toBuffer();
    sites.serve("/picture.png", (_, response) => response.writeHead(200, { "content-type": "image/png" }).end(picture));
    sites.page("/page", `<title>A page</title><meta property="og:image" content="/picture.png">`);
    await owner.setRealm({ inline_url_embed_preview: true });
    const id = await by.say([to], `See ${site}/page`);
    const html = async () =>
      (expectSuccess(await by.client.get(`/messages/${id}`))["message"] as { content: string }).content;
    await until("the page is shown", async () => (await html()).includes("message_embed"), 120_000);
  } finally {
    await sites.close();
  }
}
