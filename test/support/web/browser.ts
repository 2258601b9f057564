/** A real browser, and people in it: each has a context of their own, as if on a machine of their own. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { showLate } from "./late.ts";

/** Where Chromium is, if it is. */
export const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

/** On a machine that four tests share, a page may take its time. */
export const patienceMs = 60_000;

export function openBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath!,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      // A microphone that beeps, for whoever is allowed to use it.
      "--use-fake-device-for-media-stream",
      ...args,
    ],
  });
}

const browsers: Promise<Browser>[] = [];

/** The browser of this test process, for one file after the other. It ends with the process. */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await browsers.at(-1);
  if (browser?.isConnected()) return browser;
  const opened = openBrowser();
  browsers.push(opened);
  return opened;
}

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What went wrong in the page: errors on the console, what it threw, refusals of its policy. */
  problems: string[];
  close(): Promise<void>;
}

export interface Account {
  email: string;
  password: string;
}

export interface VisitOptions extends BrowserContextOptions {
  /** What is done to the context before it opens a page. */
  prepare?: (context: BrowserContext) => Promise<void>;
}

/** Opens the page without logging in. */
export async function visit(
  browser: Browser,
  url: string,
  { prepare, ...options }: VisitOptions = {},
): Promise<Visitor> {
  // What a worker asks for passes by the routes of tests.
  const context = await browser.newContext({
    serviceWorkers: "block",
    baseURL: url,
    locale: "en-GB",
    timezoneId: "UTC",
    ...options,
  });
  context.setDefaultTimeout(patienceMs);
  await showLate(context);
  await prepare?.(context);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (line) => line.type() === "error" && problems.push(`console: ${line.text()}`));
  page.on("pageerror", (error) => problems.push(`thrown: ${error.stack ?? error.message}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
  return { page, context, problems, close: () => context.close() };
}

/** Logs somebody in as the form of the log-in page does, and waits until their page is there. */
export async function signIn(
  browser: Browser,
  url: string,
  { email, password }: Account,
  options: VisitOptions & { hash?: string } = {},
): Promise<Visitor> {
  const { hash = "", ...rest } = options;
  const visitor = await visit(browser, url, rest);
  const { page, context } = visitor;
  const headers = { origin: new URL(url).origin };
  const answer = await context.request.post("/login/", {
    form: { username: email, password },
    headers,
    maxRedirects: 0,
  });
  if (answer.status() !== 302) throw new Error(`${email} could not log in: ${answer.status()}`);
  await page.goto(`/${hash}`);
  await page.locator(".page").waitFor();
  return visitor;
}
