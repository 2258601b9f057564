/** Draws the pictures of the page that README.md shows: a server of its own, a small organization, a real browser. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { ApiClient } from "../client/api.ts";
import { startServerProcess } from "../server/server-process.ts";
import { openBrowser, signIn } from "./browser.ts";
import { fillDemo } from "./demo.ts";
import { bringFonts, fontsReady } from "./fonts.ts";

const folder = resolve(import.meta.dirname, "../../../http/web/screens");

interface Screen {
  name: string;
  hash: string;
  /** A key that is pressed when the page is there. */
  key?: string;
  shown: string;
  colorScheme: "light" | "dark";
  width: number;
  height: number;
}

export async function drawScreens(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "parley-screens-"));
  const server = await startServerProcess({ PORT: String(await freePort()), PARLEY_DATA_DIR: dataDir });
  const browser = await openBrowser();
  try {
    const apiKey = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
    const { ada, channels } = await fillDemo(
      server.url,
      new ApiClient({ url: server.url, email: "owner@example.com", apiKey }),
    );
    const topic = `#narrow/channel/${channels["engines"]}-engines/topic/analytical.20engine`;
    const screens: Screen[] = [
      { name: "inbox", hash: "#inbox", shown: ".inbox-row", colorScheme: "light", width: 1280, height: 800 },
      { name: "conversation", hash: topic, shown: ".message .katex", colorScheme: "light", width: 1280, height: 800 },
      // A feed opens at the first unread message, and what is far from there is not drawn.
      {
        name: "dark",
        hash: "#feed",
        key: "End",
        shown: ".message .widget",
        colorScheme: "dark",
        width: 1280,
        height: 800,
      },
      {
        name: "settings",
        hash: "#settings/display",
        shown: ".setting-section",
        colorScheme: "light",
        width: 1280,
        height: 800,
      },
      { name: "phone", hash: topic, shown: ".message .katex", colorScheme: "light", width: 390, height: 780 },
    ];
    for (const { name, hash, key, shown, colorScheme, width, height } of screens) {
      const visitor = await signIn(browser, server.url, ada, {
        hash,
        colorScheme,
        viewport: { width, height },
        prepare: bringFonts,
      });
      if (key) {
        await visitor.page.locator(".message").first().waitFor();
        await visitor.page.keyboard.press(key);
      }
      await visitor.page.locator(shown).first().waitFor();
      await fontsReady(visitor.page);
      await visitor.page.screenshot({ path: join(folder, `${name}.png`) });
      await visitor.close();
    }
  } finally {
    await browser.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
