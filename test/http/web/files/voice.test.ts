/** Voice messages: recorded in the place of the tools, sent as files, and played where they are. */
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../../support/web/browser.ts";
import { composeBox } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

/** A second at least, however busy the machine is. */
const begun = /^(?!0:00)\d+:\d\d$/;
const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("voice messages", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let one: Visitor;
  const heard: string[] = [];
  beforeAll(async () => {
    one = await test.signIn(ada, { permissions: ["microphone"] });
    one.page.on("request", (asked) => /\/user_uploads\/\d/.test(asked.url()) && heard.push(asked.url()));
    await open(one.page);
  });

  const open = async (page: Page) => {
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/voices`);
    await composeBox(page).waitFor();
  };
  const recorder = (page: Page) => page.getByRole("group", { name: "Voice message", exact: true });
  const player = (page: Page) => page.getByRole("group", { name: /^Voice message \(\d+:\d\d\)$/ });

  it("are recorded and sent by keys alone; what was begun in the box stays there", async () => {
    const { page } = one;
    await composeBox(page).fill("half a thought");
    await page.getByRole("button", { name: "Record a voice message" }).press("Enter");
    await recorder(page).getByRole("timer", { name: "Recorded so far" }).getByText(begun).waitFor();
    const heights = () => recorder(page).locator(".levels path").getAttribute("d");
    // The microphone beeps: some of it is loud.
    await expect.poll(heights, waiting).toMatch(/v(?:[4-9]|1\d|2\d)/);
    expect(await violations(page)).toEqual([]);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.ariaLabel), waiting)
      .toBe("Send the voice message");
    await page.keyboard.press("Enter");
    await recorder(page).waitFor({ state: "detached" });
    await player(page).waitFor();
    expect(await composeBox(page).inputValue()).toBe("half a thought");
    await composeBox(page).fill("");
    const [file] = await server.database.sql`select content_type, size from attachments`;
    expect(file).toMatchObject({ content_type: "audio/webm" });
    expect(Number(file!["size"])).toBeGreaterThan(500);
  });

  it("are not fetched before somebody wants to hear them", async () => {
    const { page } = one;
    await page.reload();
    await player(page).waitFor();
    expect(heard).toEqual([]);
    await player(page).getByRole("button", { name: "Play" }).press("Enter");
    await expect.poll(() => heard.length, waiting).toBe(1);
  });

  it("show their waveform and length, go faster, and from where one wants", async () => {
    const { page } = one;
    const sound = () => page.locator(".player audio").evaluate((audio) => [(audio as HTMLAudioElement).playbackRate]);
    await player(page).locator(".wave.played path").waitFor({ state: "attached" });
    await player(page)
      .getByText(/\/ (?!0:00)\d+:\d\d/)
      .waitFor();
    const speed = player(page).getByRole("button", { name: "Speed: 1×" });
    await speed.press("Enter");
    await player(page).getByRole("button", { name: "Speed: 1.5×" }).press("Enter");
    await player(page).getByRole("button", { name: "Speed: 2×" }).waitFor();
    expect(await sound()).toEqual([2]);
    await player(page).getByRole("button", { name: "Play" }).waitFor();
    await player(page).getByRole("slider", { name: "Position" }).press("Home");
    await player(page)
      .getByText(/^0:00 \//)
      .waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("are discarded by Escape, and the microphone is let go", async () => {
    const { page } = one;
    await page.getByRole("button", { name: "Record a voice message" }).click();
    await recorder(page).getByText(begun).waitFor();
    await recorder(page).getByRole("button", { name: "Discard" }).press("Escape");
    await recorder(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Record a voice message" }).waitFor();
    expect(await page.locator(".message").count()).toBe(1);
  });

  it("need a microphone: who forbids it is told how to go on", async () => {
    const other = await test.signIn(grace, { permissions: [] });
    await open(other.page);
    await other.page.getByRole("button", { name: "Record a voice message" }).click();
    await other.page.getByText("The microphone cannot be used.").waitFor();
    await other.page.getByRole("button", { name: "Record a voice message" }).waitFor();
  });

  it("let the microphone go where the browser cannot record after all", async () => {
    const cannot = async (context: BrowserContext) => {
      await context.addInitScript(() => {
        const ask = navigator.mediaDevices?.getUserMedia.bind(navigator.mediaDevices);
        if (ask)
          navigator.mediaDevices.getUserMedia = async (wanted) => {
            const stream = await ask(wanted);
            Object.assign(globalThis, { given: stream });
            return stream;
          };
        globalThis.MediaRecorder.prototype.start = () => {
          throw new DOMException("it is in use", "InvalidStateError");
        };
      });
    };
    const other = await test.signIn(grace, { permissions: ["microphone"], prepare: cannot });
    await open(other.page);
    await other.page.getByRole("button", { name: "Record a voice message" }).click();
    await other.page.getByText("The microphone cannot be used.").waitFor();
    const states = "given.getTracks().map(({ readyState }) => readyState)";
    expect(await other.page.evaluate(states)).toEqual(["ended"]);
  });
});
