/** A browser under test: headless Chromium, spoken to by its debugging protocol. */
import { existsSync } from "node:fs";
import { type CDPSession, chromium, type Page } from "playwright-core";
import type { Parley } from "./parley.ts";
import type { Setup } from "./setup.ts";

const browserPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export interface PageUnderTest {
  page: Page;
  protocol: CDPSession;
  /** Bytes over the wire by kind of resource, since it was last emptied. */
  received: Map<string, number>;
}

/**
 * Opens a browser, logged in as the owner, that keeps nothing between two openings.
 * @throws Error without a Chromium
 */
export async function openPage(setup: Setup, parley: Parley): Promise<PageUnderTest> {
  const executablePath = browserPaths.find(existsSync);
  if (executablePath === undefined) throw new Error("There is no Chromium here.");
  const browser = await chromium.launch({
    executablePath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
  });
  setup.atEnd(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(120_000);
  const protocol = await page.context().newCDPSession(page);
  const received = new Map<string, number>();
  const kinds = new Map<string, string>();
  protocol.on("Network.responseReceived", ({ requestId, type }) => kinds.set(requestId, type));
  protocol.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? "Other";
    received.set(kind, (received.get(kind) ?? 0) + encodedDataLength);
  });
  await protocol.send("Network.enable");
  await protocol.send("Network.setCacheDisabled", { cacheDisabled: true });
  // CPU time of the thread: what others on the machine do is not in it.
  await protocol.send("Performance.setTimeDomain", { timeDomain: "threadTicks" });
  await protocol.send("Performance.enable");
  await page.goto(`http://127.0.0.1:${parley.port}/login/`);
  await page.getByLabel("Email").fill(parley.owner.email);
  await page.getByLabel("Password").fill("bench-owner-password");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.locator(".page").waitFor();
  return { page, protocol, received };
}

/** Makes the CPU seem so many times slower. */
export async function throttle(protocol: CDPSession, rate: number): Promise<void> {
  await protocol.send("Emulation.setCPUThrottlingRate", { rate });
}
