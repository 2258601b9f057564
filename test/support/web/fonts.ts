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
/** The kind of node that is a text, as the DOM has it. */
const textNode = 3;
const folderOf = (name: string): string =>
  dirname(createRequire(import.meta.url).resolve(`@fontsource-variable/${name}/package.json`));

/** Versions of the packages, by name. */
export const fontVersions = (): Record<string, string> =>
  Object.fromEntries(
    packageNames.map((name) => {
      const { version } = JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8")) as { version: string };
      return [`@fontsource-variable/${name}`, version];
    }),
  );

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

/** Texts that a font of the system has drawn, as no font of the packages has their letters. Each with its font. */
export async function textsInOtherFonts(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument", { depth: -1, pierce: true });
  const found: string[] = [];
  const look = async (node: typeof root): Promise<void> => {
    // For screen readers only.
    if (node.localName === "math") return;
    const inside = [...(node.children ?? []), ...(node.shadowRoots ?? [])];
    const text = inside.map(({ nodeType, nodeValue }) => (nodeType === textNode ? nodeValue.trim() : "")).join("");
    if (text !== "") {
      // A node that is gone by now is on no picture.
      const { fonts } = await session
        .send("CSS.getPlatformFontsForNode", { nodeId: node.nodeId })
        .catch(() => ({ fonts: [] }));
      for (const { isCustomFont, familyName } of fonts) if (!isCustomFont) found.push(`${familyName}: ${text}`);
    }
    for (const child of inside) await look(child);
  };
  await look(root);
  await session.detach();
  return found;
}
