/** What comes into a text besides what is typed: what is pasted, snippets, calls. */
import type { Page, Route } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("what comes into a text", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const ada = server.person("Ada Lovelace");
  const engines = server.channel("engines", [ada]);
  let member: Visitor;
  beforeAll(async () => {
    member = await test.signIn(ada, {
      hash: `#narrow/channel/${engines.id}-engines/topic/loops`,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await composeBox(member.page).waitFor();
    await member.page.emulateMedia({ reducedMotion: "reduce" });
  });

  const text = (page: Page) => composeBox(page).inputValue();
  const paste = (page: Page, data: Record<string, string>) =>
    composeBox(page).evaluate((box, all) => {
      const clipboardData = new DataTransfer();
      for (const [type, value] of Object.entries(all)) clipboardData.setData(type, value);
      (box as HTMLElement).focus();
      return !box.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
    }, data);
  const becomes = async (page: Page, html: string, markdown: string) => {
    await composeBox(page).fill("");
    expect(await paste(page, { "text/html": html, "text/plain": "plain" })).toBe(true);
    await expect.poll(() => text(page), waiting).toBe(markdown);
  };

  it.each([
    [
      "marks",
      "<p>One <b>bold </b>and <i>slanted</i> <s>gone</s> <code>x = 1</code></p>",
      "One **bold** and *slanted* ~~gone~~ `x = 1`",
    ],
    [
      "links",
      '<p>See <a href="https://example.com/a">the page</a>, <a href="javascript:alert(1)">not this</a></p>',
      "See [the page](https://example.com/a), not this",
    ],
    ["lists", "<ol start=2><li>two<ul><li>inner</li></ul></li><li>three</li></ol>", "2. two\n  * inner\n3. three"],
    [
      "blocks",
      "<h2>Title</h2><blockquote><p>said</p></blockquote><pre>a\n  b</pre>",
      "## Title\n\n> said\n\n```\na\n  b\n```",
    ],
    [
      "tables",
      "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table>",
      "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |",
    ],
    [
      "documents",
      '<meta charset="utf-8"><b style="font-weight:normal;"><p><span>plain </span><strong>loud</strong></p></b>',
      "plain **loud**",
    ],
    ["hostile things", "<b>x</b><img src=x onerror=alert(1)><script>alert(1)</script><style>b{}</style>", "**x**"],
  ])("HTML as Markdown: %s", async (_what, html, markdown) => {
    await becomes(member.page, html, markdown);
  });

  it("HTML that only has colours, and an address, as the plain text that the browser pastes", async () => {
    const { page } = member;
    for (const data of [
      { "text/html": "<div><span style='color: red'>let x</span></div>", "text/plain": "let x" },
      { "text/html": "<a href='https://example.com'>https://example.com</a>", "text/plain": "https://example.com" },
    ])
      expect(await paste(page, data)).toBe(false);
  });

  it("an address on a selection as its link, which undo takes back", async () => {
    const { page } = member;
    await composeBox(page).fill("look here");
    await composeBox(page).evaluate((box) => (box as HTMLTextAreaElement).setSelectionRange(5, 9));
    await paste(page, { "text/plain": "https://example.com/x" });
    expect(await text(page)).toBe("look [here](https://example.com/x)");
    await composeBox(page).press("Control+z");
    expect(await text(page)).toBe("look here");
  });

  it("topics that come after what was typed are offered all the same", async () => {
    await ada.say(engines, "wound and unwound", "windlasses");
    const { page, context } = await test.signIn(ada, { hash: "#narrow/is/starred" });
    const held: Route[] = [];
    await page.route(/\/topics\?/, (route) => void held.push(route));
    // No draft of the cases above is of this topic.
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/pulleys`);
    await composeBox(page).pressSequentially("and #>wind");
    await expect.poll(() => held.length, waiting).toBeGreaterThan(0);
    expect(await page.getByRole("option", { name: "windlasses" }).count()).toBe(0);
    for (const route of held) await route.continue();
    await page.getByRole("option", { name: "windlasses" }).click();
    expect(await text(page)).toBe("and #**engines>windlasses** ");
    await context.close();
  });

  it("an address of this organization as the link to its channel, topic or message", async () => {
    const { page } = member;
    const id = await ada.say(engines, "around and around", "loops");
    const here = `${server.url}/#narrow/channel/${engines.id}-engines`;
    const becomesLink = async (address: string, link: string) => {
      await composeBox(page).fill("");
      expect(await paste(page, { "text/plain": address })).toBe(true);
      expect(await text(page)).toBe(link);
      await composeBox(page).press("Control+z");
      expect(await text(page)).toBe(address);
    };
    const row = page.locator(".left .side-with-menu", { hasText: "engines" }).first();
    await row.hover();
    await row.getByRole("button").click();
    await page.getByRole("menuitem", { name: "Copy link" }).click();
    await page.getByText("The link is copied.").waitFor();
    await becomesLink(String(await page.evaluate("navigator.clipboard.readText()")), "#**engines**");
    await becomesLink(`${here}/topic/big.20loops/with/${id}`, "#**engines>big loops**");
    await becomesLink(`${here}/topic/loops/near/${id}`, `#**engines>loops@${id}**`);
    await becomesLink(`${here}/topic/a.2Ab`, `[#engines > a*b](#narrow/channel/${engines.id}-engines/topic/a.2Ab)`);
    for (const other of [
      `https://example.com/#narrow/channel/${engines.id}-engines`,
      `${server.url}/#narrow/is/starred`,
    ])
      expect(await paste(page, { "text/plain": other })).toBe(false);
    await composeBox(page).fill("`");
    await composeBox(page).press("End");
    expect(await paste(page, { "text/plain": here })).toBe(false);
    // What is typed is offered as the link.
    await composeBox(page).fill("");
    await composeBox(page).pressSequentially(`see ${here}/topic/loops`);
    await page.getByRole("option", { name: "#engines > loops" }).waitFor();
    await composeBox(page).press("Tab");
    expect(await text(page)).toBe("see #**engines>loops** ");
    await composeBox(page).fill("");
    await composeBox(page).pressSequentially("and #>lo");
    await page.getByRole("option", { name: "loops" }).click();
    expect(await text(page)).toBe("and #**engines>loops** ");
    await composeBox(page).fill("");
  });

  it("marks by buttons: strike-through, code within a line, a numbered list", async () => {
    const { page } = member;
    const mark = async (name: string, marked: string) => {
      await composeBox(page).fill("one\ntwo");
      await composeBox(page).press("Control+a");
      await page.getByRole("button", { name, exact: true }).click();
      expect(await text(page)).toBe(marked);
      await composeBox(page).press("Control+z");
      expect(await text(page)).toBe("one\ntwo");
    };
    await mark("Strike-through", "~~one\ntwo~~");
    await mark("Code within a line", "`one\ntwo`");
    await mark("Numbered list", "1. one\n2. two");
    await mark("List", "- one\n- two");
    await composeBox(page).fill("");
  });

  it("a time that was picked, which each reader sees by their clock", async () => {
    const { page } = member;
    await composeBox(page).fill("We meet at ");
    await page.getByRole("button", { name: "Add a time" }).click();
    const picker = page.getByRole("dialog", { name: "Add a time" });
    await picker.getByLabel("Pick a time").fill("2031-05-06T07:30");
    expect(await violations(page)).toEqual([]);
    await picker.getByRole("button", { name: "Add" }).click();
    const at = await page.evaluate(() => new Date("2031-05-06T07:30").toISOString().replace(".000", ""));
    await expect.poll(() => text(page), waiting).toBe(`We meet at <time:${at}> `);
    await composeBox(page).press("Control+Enter");
    await messageWith(page, "We meet at").locator("time", { hasText: "2031" }).waitFor();
  });

  it("a list of tasks by a form", async () => {
    const { page } = member;
    await page.locator(".compose").getByRole("button", { name: "To-do list" }).click();
    const dialog = page.getByRole("dialog", { name: "To-do list" });
    await dialog.getByLabel("Title of the list").fill("Before the launch");
    await dialog.getByLabel(/^Tasks/).fill("Docs: all pages\nTests");
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Send" }).click();
    await dialog.waitFor({ state: "detached" });
    const list = page.locator(".message:not(.pending) .widget", { hasText: "Before the launch" });
    await list.getByLabel("Docs — all pages").waitFor();
    await list.getByLabel("Tests").check();
    await list.locator(".done", { hasText: "Tests" }).waitFor();
    await list.getByRole("button", { name: "Change the title" }).click();
    const field = page.getByRole("textbox", { name: "Change the title" });
    await expect.poll(() => field.evaluate((box) => box === document.activeElement), waiting).toBe(true);
    await field.press("Escape");
    await list.getByRole("button", { name: "Change the title" }).click();
    await field.fill("After the launch");
    expect(await violations(page)).toEqual([]);
    await field.press("Enter");
    const renamed = page.locator(".message:not(.pending) .widget", { hasText: "After the launch" });
    await renamed.locator(".done", { hasText: "Tests" }).waitFor();
  });

  it("a snippet, kept from what was written, and gone again", async () => {
    const { page } = member;
    const menu = page.getByRole("dialog", { name: "Saved snippets" });
    const open = () => page.getByRole("button", { name: "Saved snippets" }).click();
    await composeBox(page).fill("We **meet** at ten.");
    await open();
    await menu.getByLabel("Title of the snippet").fill("Meeting");
    await menu.getByRole("button", { name: "Save", exact: true }).click();
    await menu.getByRole("button", { name: /^Meeting/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await composeBox(page).fill("Hello. ");
    await open();
    await menu.getByRole("button", { name: /^Meeting/ }).click();
    expect(await text(page)).toBe("Hello. We **meet** at ten.");
    await expect.poll(() => page.evaluate("document.activeElement.id"), waiting).toBe("compose-text");
    const { saved_snippets } = expectSuccess(await ada.client.get("/saved_snippets"));
    expect(saved_snippets).toMatchObject([{ title: "Meeting", content: "We **meet** at ten." }]);
    await open();
    await menu.getByRole("button", { name: "Edit: Meeting" }).click();
    await menu.getByLabel("Title of the snippet").first().fill("Gathering");
    await menu.getByLabel("Text of the snippet").fill("We meet at eleven.");
    expect(await violations(page)).toEqual([]);
    await menu.locator(".snippet-form").getByRole("button", { name: "Save", exact: true }).click();
    await menu.getByRole("button", { name: /^Gathering/ }).waitFor();
    const { saved_snippets: changed } = expectSuccess(await ada.client.get("/saved_snippets"));
    expect(changed).toMatchObject([{ title: "Gathering", content: "We meet at eleven." }]);
    await menu.getByRole("button", { name: "Remove: Gathering" }).click();
    await menu.getByText("Save a text that you write often").waitFor();
    await page.keyboard.press("Escape");
  });

  it("a link to a video call, where the organization has a provider", async () => {
    const { page } = member;
    await composeBox(page).fill("");
    const button = page.getByRole("button", { name: "Add a video call" });
    await button.click();
    await expect
      .poll(() => text(page), waiting)
      .toMatch(/^\[Join the video call\]\(https:\/\/meet\.jit\.si\/[\w-]+\) $/);
    await composeBox(page).fill("");
    const voice = page.getByRole("button", { name: "Add a voice call" });
    await voice.click();
    await expect
      .poll(() => text(page), waiting)
      .toMatch(/^\[Join the voice call\]\(https:\/\/meet\.jit\.si\/[\w-]+#config\.startWithVideoMuted=true\) $/);
    await server.owner.setRealm({ video_chat_provider: 0 });
    await button.waitFor({ state: "detached" });
    await voice.waitFor({ state: "detached" });
  });
});
