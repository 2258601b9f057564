/**
 * Pictures of the page, compared with those that are kept beside this file. `npm run pictures` draws them anew.
 * Letters, clocks and people are the same on every machine. A picture that differs is written beside the one kept.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ApiClient, expectSuccess } from "../../../support/client/api.ts";
import { testServer } from "../../../support/server/server.ts";
import { root } from "../../../support/tree/imports.ts";
import {
  type Account,
  browserPath,
  openBrowser,
  patienceMs,
  signIn,
  type VisitOptions,
  type Visitor,
  visit,
} from "../../../support/web/browser.ts";
import { type Comparison, compare } from "../../../support/web/comparing.ts";
import { type Demo, fillDemo } from "../../../support/web/demo.ts";
import { bringFonts, fontsReady, textsInOtherFonts } from "../../../support/web/fonts.ts";
import { isOtherChromium, noteTools, ours, theirs, whyNot } from "./made-with.ts";
import { type Look, longTopic, states } from "./states.ts";

const isDrawing = process.env["PARLEY_DRAW_PICTURES"] === "1";
const skipped = isDrawing ? undefined : whyNot;
if (skipped) console.warn(`Pictures of the page are not compared: ${skipped}`);

/** A day far from now, for the server and for browsers: whatever day it is, the page tells the same times. */
const now = new Date("2035-03-14T09:41:00Z");
vi.useFakeTimers({ toFake: ["Date"], now });

/** How somebody looks at the page. */
interface Looker {
  who: "ada" | "grace" | "owner" | undefined;
  options?: VisitOptions;
  media?: Parameters<Page["emulateMedia"]>[0];
}

const wide = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const lookers: Readonly<Record<Look, Looker>> = {
  // Before there is anybody else.
  "first-run": { who: "owner", options: wide },
  desktop: { who: "ada", options: wide },
  dark: { who: "ada", options: wide, media: { colorScheme: "dark" } },
  contrast: { who: "ada", options: wide, media: { contrast: "more" } },
  "1024x768": { who: "ada", options: { viewport: { width: 1024, height: 768 } } },
  phone: { who: "ada", options: phone },
  "dark-phone": { who: "ada", options: phone, media: { colorScheme: "dark" } },
  arabic: { who: "grace", options: wide },
  "arabic-phone": { who: "grace", options: phone },
  owner: { who: "owner", options: wide },
  // Its policy allows no fonts at all.
  "log-in": { who: undefined, options: { ...wide, bypassCSP: true } },
};

it.skipIf(isDrawing)("the fonts that are installed are those of the pictures: else `npm run pictures`", () => {
  expect(ours.fonts).toEqual(theirs.fonts);
});

describe.skipIf(!browserPath || skipped)(`pictures${skipped ? ` (${skipped})` : ""}`, { timeout: 300_000 }, () => {
  const server = testServer({ nodeCount: 1 });
  let browser: Browser;
  let demo: Demo | undefined;
  const open: { look: Look; visitor: Visitor }[] = [];

  beforeAll(async () => {
    browser = await openBrowser(["--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"]);
    await comesOnline(server.owner.client);
  });
  afterAll(async () => {
    await browser?.close();
    if (isDrawing) await noteTools();
  });

  /** Who looks in this way: the page of the picture before, if that was the same look. */
  async function visitorFor(look: Look): Promise<Visitor> {
    const last = open.at(-1);
    if (last?.look === look) return last.visitor;
    await last?.visitor.close();
    const { who, options = {}, media = {} } = lookers[look];
    const all = { ...options, prepare };
    if (look !== "first-run") demo ??= await filled(server.url, server.owner.client);
    const owner = { email: server.owner.email, password: "correct horse" };
    const account: Account | undefined = who === "owner" ? owner : who && demo?.[who];
    const visitor = account
      ? await signIn(browser, server.url, account, { ...all, hash: "#inbox" })
      : await visit(browser, server.url, all);
    await visitor.page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce", ...media });
    open.push({ look, visitor });
    return visitor;
  }

  for (const look of Object.keys(lookers) as Look[])
    describe(look, () => {
      for (const state of states.filter((one) => one.look === look))
        it(state.name, async () => {
          const visitor = await visitorFor(look);
          const { page } = visitor;
          await page.mouse.move(0, 0);
          if (state.hash !== undefined) await page.goto(`/${state.hash}`);
          const file = join(import.meta.dirname, look, `${state.name}.webp`);
          try {
            await state.open(page).catch((error: unknown) => keepFailed(page, file, error));
            await fontsReady(page);
            await (isDrawing ? draw(page, file) : expectLike(page, file));
          } finally {
            await state.close?.(page);
          }
          expect(visitor.problems.splice(0).filter((problem) => !state.says?.test(problem))).toEqual([]);
        });
    });
});

/** Whoever looked at a picture before, the same people are online in the next. */
const comesOnline = (client: ApiClient) =>
  client.post("/users/me/presence", { status: "active", new_user_input: true }).then(expectSuccess);

async function filled(url: string, owner: ApiClient): Promise<Demo> {
  const { ada, grace, ...demo } = await fillDemo(url, owner);
  const message = { type: "channel", to: "random", topic: longTopic };
  for (const content of ["Has anybody seen the drawings?", "They were on my desk the day before the exhibition."])
    expectSuccess(await ada.client.post("/messages", { ...message, content }));
  expectSuccess(await grace.client.patch("/settings", { default_language: "ar" }));
  await comesOnline(ada.client);
  return { ada, grace, ...demo };
}

/** Gives a context the letters and the clock of the pictures. Nobody looks at its pages, so nothing becomes read. */
async function prepare(context: BrowserContext): Promise<void> {
  await bringFonts(context);
  await context.clock.setFixedTime(now);
  await context.addInitScript("document.hasFocus = () => false");
}

const besides = (file: string, word: "actual" | "difference"): string => file.replace(/\.webp$/, `.${word}.png`);

async function removeBesides(file: string): Promise<void> {
  for (const word of ["actual", "difference"] as const) await rm(besides(file, word), { force: true });
}

/** Shows what the page looked like in the place of what was waited for. */
async function keepFailed(page: Page, file: string, error: unknown): Promise<never> {
  await writeFile(besides(file, "actual"), await take(page));
  throw error;
}

const take = (page: Page): Promise<Buffer> => page.screenshot({ animations: "disabled", caret: "hide" });

/** Keeps the page's picture as soon as it has been the same several times. */
async function draw(page: Page, file: string): Promise<void> {
  let picture = await take(page);
  for (let same = 0; same < 5; ) {
    const next = await take(page);
    same = next.equals(picture) ? same + 1 : 0;
    picture = next;
  }
  // A letter that the packages lack would be another one on another machine.
  expect(await textsInOtherFonts(page)).toEqual([]);
  await removeBesides(file);
  await mkdir(dirname(file), { recursive: true });
  const kept = isOtherChromium ? undefined : await readFile(file).catch(() => undefined);
  if (kept && (await compare(picture, kept)).count === 0) return;
  await writeFile(file, await sharp(picture).webp({ nearLossless: true, quality: 40, effort: 6 }).toBuffer());
}

/** Where many pictures differ, the page has changed: none waits long any more. */
const slowness = { mayBe: 3 };

/** Waits until the page looks like its picture. */
async function expectLike(page: Page, file: string): Promise<void> {
  const kept = await readFile(file);
  let actual = await take(page);
  let comparison: Comparison = await compare(actual, kept);
  const until = performance.now() + (slowness.mayBe > 0 ? patienceMs : patienceMs / 20);
  while (!comparison.isSame && performance.now() < until) {
    actual = await take(page);
    comparison = await compare(actual, kept);
  }
  await removeBesides(file);
  if (comparison.isSame) return;
  const [actualFile, differenceFile] = [besides(file, "actual"), besides(file, "difference")];
  slowness.mayBe--;
  await writeFile(actualFile, actual);
  const drawn = await comparison.draw();
  if (drawn) await writeFile(differenceFile, drawn);
  const name = (path: string) => relative(root, path);
  expect.fail(
    `${comparison.count} pixels differ from ${name(file)}: see ${name(actualFile)}` +
      `${drawn ? ` and ${name(differenceFile)}` : ", which has another size"}. If the page is right, run \`npm run pictures\`.`,
  );
}
