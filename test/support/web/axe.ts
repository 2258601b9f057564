/** Looks for violations of accessibility in a page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Waits for what comes, fades or moves once. Axe would take a half-faded menu for one of too little contrast. */
const settled = `Promise.all(document.getAnimations()
  .filter((one) => one.playState === "running" && Number.isFinite(one.effect?.getComputedTiming().endTime))
  .map((one) => one.finished.catch(() => undefined)))`;

/** What axe finds wrong with what is shown. @param rules only these; all of its usual ones unless given */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Links of the page lead to places by their hash: axe takes some that are scrolled away for links to skip to content.
  const only = rules ? `, runOnly: ${JSON.stringify(rules)}` : `, rules: { "skip-link": { enabled: false } }`;
  // Through the debugger, as the page's policy allows no other scripts.
  const session = await page.context().newCDPSession(page);
  const { result: has } = await session.send("Runtime.evaluate", { expression: "typeof axe" });
  if (has.value === "undefined") await session.send("Runtime.evaluate", { expression: axeSource });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `${settled}.then(() => axe.run(document, { resultTypes: ["violations"]${only} })).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary)))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value as string[];
}
