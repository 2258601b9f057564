/** What a page shows, as the log of a failed test tells it: nobody can look at the page any more. */
import type { Page } from "playwright-core";

/** A page whose script hangs is not waited for. */
const patienceMs = 5_000;
const maxText = 3_000;

/** Its address, what has the focus, and its text. Where a dialog is open that comes first, as it covers the rest. */
export async function shownBy(page: Page): Promise<string> {
  const late = new Promise<string>((done) => setTimeout(done, patienceMs, "it does not answer").unref());
  const looked = page
    .evaluate(() => {
      const { activeElement: holder, body } = document;
      const opening = holder?.outerHTML.match(/^<[^>]*>/)?.[0];
      const dialogs = [...document.querySelectorAll<HTMLElement>("dialog[open]")].map((one) => one.innerText);
      const window = `window ${document.hasFocus() ? "with" : "without"} focus, ${document.visibilityState}`;
      const value = holder instanceof HTMLTextAreaElement || holder instanceof HTMLInputElement ? holder.value : "";
      return { opening: `${opening} ${value}`, window, texts: [...dialogs, body.innerText] };
    })
    .then(
      ({ opening, window, texts }) =>
        `focus: ${opening}; ${window}\n${texts.map((text) => text.replace(/\s*\n\s*/g, "\n")).join("\n---\n")}`,
      (error: Error) => `it cannot be asked: ${error.message}`,
    );
  return `${page.url()}\n${(await Promise.race([looked, late])).slice(0, maxText)}`;
}
