/**
 * Tests in a browser: a server with people, and a browser for each of them. What went wrong in any page (an error on
 * the console, something thrown, something its policy refused) fails the test in which it did. A test that fails says
 * what each page shows.
 */
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Person } from "../people/person.ts";
import { type Environment, type TestServer, testServer } from "../server/server.ts";
import { sharedBrowser, signIn, type VisitOptions, type Visitor, visit } from "./browser.ts";
import { shownBy } from "./shown.ts";

/** Of everybody whom tests add. */
export const password = "a fine password";

export class PageTest {
  #browser: Browser | undefined;
  readonly #visitors: Visitor[] = [];

  constructor(readonly server: TestServer) {}

  async start(): Promise<void> {
    this.#browser = await sharedBrowser();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#visitors.map((visitor) => visitor.close()));
  }

  get browser(): Browser {
    if (!this.#browser) throw new Error("The browser is not there yet.");
    return this.#browser;
  }

  /** Opens the page without logging in. */
  async visit(options: BrowserContextOptions = {}): Promise<Visitor> {
    return this.#remember(await visit(this.browser, this.server.url, options));
  }

  /** Logs somebody in, and waits until their page is there. */
  async signIn(person: Person, options: VisitOptions & { hash?: string } = {}): Promise<Visitor> {
    const account = { email: person.email, password: person === this.server.owner ? "correct horse" : password };
    return this.#remember(await signIn(this.browser, this.server.url, account, options));
  }

  #remember(visitor: Visitor): Visitor {
    this.#visitors.push(visitor);
    return visitor;
  }

  /** Says on the console what each page shows. */
  async tell(of: string): Promise<void> {
    const pages = this.#visitors.flatMap(({ context }) => context.pages());
    const shown = await Promise.all(pages.map(shownBy));
    console.error([`"${of}" failed. The pages show:`, ...shown].join("\n\n"));
  }

  expectNoProblems(): void {
    const problems = this.#visitors.flatMap(({ problems: those }) => those.splice(0));
    expect(problems).toEqual([]);
  }
}

/** A server with a browser for the tests of the `describe` around. */
export function pageTest(environment: Environment = {}): PageTest {
  const test = new PageTest(testServer({ environment, nodeCount: 1 }));
  beforeAll(() => test.start());
  afterAll(() => test.stop());
  let count = 0;
  afterEach(async ({ task }) => {
    count++;
    if (task.result?.state === "fail") await test.tell(task.name);
    test.expectNoProblems();
  });
  // Hooks run the last first. What came before the first test has failed if none began.
  afterAll(() => (count === 0 ? test.tell("what comes before the tests") : undefined));
  return test;
}
