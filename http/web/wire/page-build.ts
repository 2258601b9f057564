/**
 * Which build of the page this is, and when a newer one is loaded. Each restart of the server tells every page at the
 * same moment. So a page asks whether its own files have changed, and neither asks nor reloads when all others do.
 */
import { textsOf } from "../kept.ts";

/** Within this time after a restart each page asks, at a moment of its own. */
const askWithinMs = 60_000;
/** Within this time pages that nobody uses load themselves anew, so that few do at once. */
const reloadWithinMs = 1_800_000;
const filesPath = "/static/web/";

/** So long a page waits before it asks `isCurrent`. */
export const askAfterMs = (): number => Math.random() * askWithinMs;

/** So long a page that is out of date waits, beyond the time that shows that nobody uses it. */
export const reloadAfterMs = (): number => Math.random() * reloadWithinMs;

/** Whether the server still has the files that this page was loaded from. @throws where the server does not answer */
export async function isCurrent(): Promise<boolean> {
  const answer = await fetch(`${filesPath}files.json`, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${answer.status}`);
  const files = new Set(textsOf(await answer.json()));
  return ownFiles().every((file) => files.has(file));
}

/** The page's script and style, whose names change with their content. */
function ownFiles(): readonly string[] {
  const loaded = document.querySelectorAll<HTMLScriptElement | HTMLLinkElement>(
    "head script[src], head link[rel=stylesheet]",
  );
  const paths = [...loaded].map((element) => new URL("src" in element ? element.src : element.href).pathname);
  return paths.filter((path) => path.startsWith(filesPath));
}
