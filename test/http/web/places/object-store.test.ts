/** Pictures and films that come from an object store, at another origin than the page. */
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { filmOf, lacksFfmpeg } from "../../../support/files/films.ts";
import { hasObjectStore, type ObjectStore, startObjectStore } from "../../../support/files/object-store.ts";
import { until } from "../../../support/time/until.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { composeBox } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const isSkipped = !browserPath || !hasObjectStore || lacksFfmpeg !== "";

let objects: ObjectStore;
describe.skipIf(isSkipped)("the page with an object store", { timeout: 180_000 }, () => {
  beforeAll(async () => {
    objects = await startObjectStore();
  });
  afterAll(() => objects.stop());
  const test = pageTest(() => ({ ...objects.environment, PARLEY_S3_ADDRESS_SECS: "900" }));
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);

  it("shows thumbnails and posters, and plays films", async () => {
    const picture = await sharp({ create: { width: 90, height: 60, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    const film = filmOf("a.webm", "320x200", 1, ["-c:v", "libvpx", "-deadline", "realtime"]);
    const [shown, played] = [await upload("a.png", picture), await upload("a.webm", film)];
    await grace.say(engines, `[picture](${shown})\n[film](${played})`, "all");
    const { page } = await test.signIn(ada);
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/all`);
    await composeBox(page).waitFor();
    const image = page.locator(".message_inline_image img");
    await image.waitFor({ timeout: patienceMs });
    await until(
      "the thumbnail is there",
      async () => (await image.evaluate((one) => "naturalWidth" in one && one.naturalWidth)) === 90,
    );
    const video = page.locator("video");
    expect(await video.getAttribute("poster")).toContain("/user_uploads/thumbnail/");
    expect(await video.getAttribute("preload")).toBe("none");
    const lengthOf = () => video.evaluate((one) => ("duration" in one ? String(one.duration) : "none"));
    await video.evaluate((one) => "load" in one && one.setAttribute("preload", "metadata"));
    await until("the film's beginning is there", async () => Number(await lengthOf()) > 0.9);
  });

  async function upload(filename: string, bytes: Buffer): Promise<string> {
    const file = { filename, content: new Uint8Array(bytes), type: "application/octet-stream" };
    return String(expectSuccess(await grace.client.post("/user_uploads", {}, { files: { file } }))["url"]);
  }
});
