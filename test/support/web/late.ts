/**
 * A network that brings one kind of answer late, or a browser that is too busy to draw at once. Events may come
 * before the answer to what caused them, or after it. What follows a drawing may come when a test has gone on. Page
 * tests hold either way. `PARLEY_LATE=events`, `=answers` or `=page` has the browsers of a run show it.
 */
import type { BrowserContext } from "playwright-core";

/** Longer than a page needs for what follows. */
const lateMs = 400;

type Late = "events" | "answers";

/** In the page: what comes by `fetch` is kept back, piece by piece. */
function keepBack({ late, ms }: { late: Late; ms: number }): void {
  const usual = globalThis.fetch;
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, ms));
  globalThis.fetch = async (input, init) => {
    const answer = await usual(input, init);
    const isEvents = /\/events\?/.test(String(input));
    if (isEvents !== (late === "events")) return answer;
    const { body } = answer;
    if (!isEvents || !body) {
      await pause();
      return answer;
    }
    const slow = body.pipeThrough(
      new TransformStream({ transform: (part, to) => pause().then(() => to.enqueue(part)) }),
    );
    return new Response(slow, answer);
  };
}

/** In the page: it has its frames late, as in a browser that is busy. */
function beBusy(ms: number): void {
  const frame = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (draw) => frame(() => setTimeout(() => draw(performance.now()), ms));
}

/** What the browser's pages do in their frames comes late. */
export async function drawLate(context: BrowserContext): Promise<void> {
  await context.addInitScript(beBusy, lateMs);
}

export async function showLate(context: BrowserContext): Promise<void> {
  const late = process.env["PARLEY_LATE"];
  if (late === "page") await drawLate(context);
  if (late !== "events" && late !== "answers") return;
  await context.addInitScript(keepBack, { late, ms: lateMs } as const);
}
