/**
 * The same letters on every machine: fonts from npm, in place of those that a system has. The product ships none of
 * them.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";

const packageNames = ["inter", "noto-sans-arabic", "noto-emoji", "jetbrains-mono"];
const address = "/fonts-of-tests/";
const folderOf = (name: string): string =>
  dirname(createRequire(import.meta.url).resolve(`@fontsource-variable/${name}/package.json`));

/** The rules of the packages with other addresses, and rules that use the fonts everywhere. */
function rules(): string {
  const faces = packageNames.map((name) =>
    readFileSync(join(folderOf(name), "index.css"), "utf8").replaceAll("./files/", `${address}${name}/`),
  );
  const text = `"Inter Variable", "Noto Sans Arabic Variable", "Noto Emoji Variable", sans-serif`;
  return `${faces.join("\n")}
    body { font-family: ${text} !important; }
    pre, code, kbd, textarea.code { font-family: "JetBrains Mono Variable", ${text} !important; }`;
}

/** Brings the fonts to every page that the context opens from now on. */
export async function bringFonts(context: BrowserContext): Promise<void> {
  await context.route(`**${address}**`, async (route) => {
    const [name, file] = new URL(route.request().url()).pathname.slice(address.length).split("/");
    await route.fulfill({ body: await readFile(join(folderOf(name!), "files", file!)), contentType: "font/woff2" });
  });
  // A sheet that a script makes is no inline style to the page's policy.
  await context.addInitScript((text) => {
    document.addEventListener("DOMContentLoaded", () => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets.push(sheet);
    });
  }, rules());
}

/** Waits until every font that the page shows is there. */
export async function fontsReady(page: Page): Promise<void> {
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
