/** The keyboard: each key of the list does what the list says, and the focus is never lost. */
import type { Page, Route } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("the keyboard", { timeout: 240_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  server.channel("kites", [ada, grace]);
  let member: Visitor;
  let page: Page;
  beforeAll(async () => {
    await server.owner.setRealm({ enable_read_receipts: true });
    await ada.say(engines, "mine", "loops");
    await grace.say(engines, "theirs", "loops");
    member = await test.signIn(ada);
    page = member.page;
  });

  const here = `#narrow/channel/${"engines"}/topic/loops`;
  /** Opens the conversation anew, with the last message selected. */
  const begin = async () => {
    await page.goto(`/${here}`);
    await messageWith(page, "theirs").waitFor();
    await page.locator(".virtual-list").focus();
    await page.keyboard.press("k");
    await page.locator(".message.selected").waitFor();
    if ((await page.locator(".message.selected", { hasText: "theirs" }).count()) === 0) await page.keyboard.press("j");
    await page.locator(".message.selected", { hasText: "theirs" }).waitFor();
  };
  const focused = () => page.evaluate("document.activeElement.id || document.activeElement.className");
  const at = (hash: RegExp) => expect.poll(() => page.evaluate("location.hash"), waiting).toMatch(hash);

  it("the list of keys has each key once, those of the text box too", async () => {
    await begin();
    await page.keyboard.press("?");
    await page.locator(".keys kbd").first().waitFor();
    const keys = await page.locator(".keys kbd").allInnerTexts();
    expect(keys.length).toBeGreaterThan(55);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    expect(keys).toEqual(expect.arrayContaining(["j", "↓", "Page Down", "Space", "Ctrl k", "Alt p", "Esc", "+", "?"]));
    const nameless = await page
      .locator(".keys dd")
      .evaluateAll((list) => list.filter((one) => !one.textContent).length);
    expect(nameless).toBe(0);
    await page.keyboard.press("Escape");
    await page.locator(".keys").first().waitFor({ state: "detached" });
  });

  it("j, k, J, K, G, Home: through the messages", async () => {
    await begin();
    await page.keyboard.press("k");
    await page.locator(".message.selected", { hasText: "mine" }).waitFor();
    await page.keyboard.press("j");
    await page.locator(".message.selected", { hasText: "theirs" }).waitFor();
    for (const key of ["J", "K", "G", "Home"]) await page.keyboard.press(key);
    await messageWith(page, "mine").waitFor();
  });

  it("Ctrl+Shift+C, Ctrl+': code and saved snippets, for whoever writes", async () => {
    await begin();
    await page.keyboard.press("c");
    await composeBox(page).fill("rope");
    await composeBox(page).press("Control+a");
    await composeBox(page).press("Control+Shift+C");
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("`rope`");
    // Esc closes it while its part of the page is still on its way, and leaves the box to whoever writes.
    const part = /snippets[^/]*\.js/;
    const asked = new Promise<Route>((resolve) => void page.route(part, resolve, { times: 1 }));
    await composeBox(page).press("Control+'");
    const loading = await asked;
    await page.locator(".menu").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".menu").waitFor({ state: "detached" });
    expect(await focused()).toBe("compose-text");
    await loading.continue();
    await composeBox(page).press("Control+'");
    await page.getByRole("heading", { name: "Saved snippets" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Saved snippets" }).waitFor({ state: "detached" });
    await composeBox(page).fill("");
  });

  it("r, R, @, >, c, x: to write", async () => {
    await begin();
    await page.keyboard.press("r");
    await expect.poll(focused, waiting).toBe("compose-text");
    await begin();
    await page.keyboard.press("@");
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("@**Grace Hopper** ");
    await composeBox(page).fill("");
    await begin();
    await page.keyboard.press(">");
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("```quote\ntheirs\n```");
    await composeBox(page).fill("");
    await begin();
    await page.keyboard.press("c");
    await expect.poll(focused, waiting).toBe("compose-text");
    await page.keyboard.press("Escape");
    // From the inbox, too, where nobody is addressed yet.
    await page.goto("/#inbox");
    await page.locator(".compose.closed").waitFor();
    await page.keyboard.press("c");
    await page.getByLabel("Channel", { exact: true }).waitFor();
    await composeBox(page).waitFor();
    await page.keyboard.press("Escape");
    await begin();
    await page.keyboard.press("x");
    await page.getByRole("dialog", { name: "New direct message" }).waitFor();
    await page.keyboard.press("Escape");
    await begin();
    await page.keyboard.press("R");
    await at(/narrow\/dm\//);
    await expect.poll(focused, waiting).toBe("compose-text");
  });

  it("e, ←, m, i, u, H, V: what can be done with a message", async () => {
    await begin();
    const dialog = async (key: string, name: string) => {
      await page.keyboard.press(key);
      const opened = page.getByRole("dialog", { name });
      await opened.waitFor();
      await page.keyboard.press("Escape");
      await opened.waitFor({ state: "detached" });
    };
    await dialog("m", "Move messages");
    await dialog("H", "Edit history");
    await dialog("V", "Who has read it");
    for (const [key, name, role] of [
      ["u", "Profile", "dialog"],
      ["i", "More actions", "menu"],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole(role, { name }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole(role, { name }).waitFor({ state: "detached" });
    }
    await page.keyboard.press("e");
    await page.getByLabel("View source").waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("View source").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowLeft");
    await page.getByLabel("Edit message").press("Escape");
    await page.getByLabel("Edit message").waitFor({ state: "detached" });
  });

  it("+, =, :, Ctrl s, -, M, U: marks of a message and its topic", async () => {
    await begin();
    const message = page.locator(".message.selected");
    await page.keyboard.press("+");
    await message.getByRole("button", { name: "You reacted with :+1:" }).waitFor();
    await page.keyboard.press("=");
    await message.locator(".reaction").first().waitFor({ state: "detached" });
    await page.keyboard.press(":");
    await page.getByRole("searchbox", { name: "Search" }).last().fill("tada");
    await page.keyboard.press("Enter");
    await message.getByRole("button", { name: "You reacted with :tada:" }).waitFor();
    await page.keyboard.press("Control+s");
    await message.getByRole("button", { name: "Remove the star" }).waitFor();
    await page.keyboard.press("-");
    await message.getByRole("button", { name: "Show the whole message" }).waitFor();
    await page.keyboard.press("-");
    await message.locator(".content", { hasText: "theirs" }).waitFor();
    await page.keyboard.press("M");
    await page.locator(".left .topic.is-muted", { hasText: "loops" }).waitFor();
    await page.keyboard.press("M");
    await page.locator(".left .topic.is-muted").waitFor({ state: "detached" });
    await page.keyboard.press("U");
    await page.locator(".left .topic", { hasText: "loops" }).getByRole("img", { name: "1 unread message" }).waitFor();
  });

  it("I, t, a, d, *, P, n, N, p, s, S, z, A, D: to places", async () => {
    for (const [key, place] of [
      ["t", /^#recent$/],
      ["a", /^#feed$/],
      ["d", /^#drafts$/],
      ["*", /^#narrow\/is\/starred$/],
      ["P", /^#narrow\/is\/dm$/],
      ["I", /^#inbox$/],
    ] as const) {
      await page.keyboard.press(key);
      await at(place);
    }
    expectSuccess(await ada.client.post("/mark_all_as_read"));
    await page.locator(".left .topic .unread").waitFor({ state: "detached" });
    await grace.say(engines, "unread", "fresh");
    await grace.say(ada, "unread too");
    await page
      .locator(".left .side-row", { hasText: "Grace Hopper" })
      .getByRole("img", { name: /unread/ })
      .waitFor();
    await page.keyboard.press("p");
    await at(/narrow\/dm\//);
    await messageWith(page, "unread too").waitFor();
    await page.keyboard.press("n");
    await at(/topic\/fresh/);
    const policy = { stream_id: engines.id, topic: "followed", visibility_policy: 3 };
    expectSuccess(await ada.client.post("/user_topics", policy));
    await grace.say(engines, "unread as well", "followed");
    await page
      .locator(".left .topic", { hasText: "followed" })
      .getByRole("img", { name: /unread/ })
      .waitFor();
    await page.keyboard.press("I");
    await page.keyboard.press("N");
    await at(/topic\/followed/);
    await begin();
    await page.keyboard.press("s");
    await at(/channel\/\d+-engines\/near\/\d+$/);
    await page.locator(".message.selected").waitFor();
    await page.keyboard.press("z");
    await at(/topic\/loops\/near\/\d+$/);
    await page.keyboard.press("S");
    await at(/channel\/\d+-engines\/near\/\d+$/);
    await page.keyboard.press("D");
    await at(/channel\/\d+-(?!engines)/);
    await page.keyboard.press("A");
    await at(/channel\/\d+-engines$/);
  });

  it("/, q, w, g, ?, Ctrl k, Ctrl ., Alt p, Esc: to find, and back", async () => {
    await begin();
    for (const [key, id] of [
      ["/", "search"],
      ["q", "filter-channels"],
      ["w", "find-people"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focused, waiting).toBe(id);
      await page.keyboard.press("Escape");
      // The list has it again: no key goes nowhere.
      await expect.poll(focused, waiting).toBe("virtual-list");
    }
    await page.keyboard.press("g");
    await page.getByRole("menuitem", { name: "Settings" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.locator(".keys").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".keys").first().waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to…" }).fill("kites");
    await page.keyboard.press("Enter");
    await at(/-kites$/);
    await begin();
    await composeBox(page).fill("*slanted*");
    await page.keyboard.press("Alt+p");
    await page.locator(".preview em").waitFor();
    await page.getByRole("button", { name: "Write", exact: true }).click();
    await composeBox(page).fill("");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await at(/^#inbox$/);
    await page.keyboard.press("Control+.");
    await at(/topic\/loops$/);
  });

  it("v: the image of a message", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await page.goto(`/${here}`);
    await page
      .locator(".compose input[type=file]")
      .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") });
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("/user_uploads/");
    await composeBox(page).press("Control+Enter");
    await page.locator(".message_inline_image img").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("G");
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    await page.locator(".message.selected", { has: page.locator("img") }).waitFor();
    await page.keyboard.press("v");
    await page.getByRole("dialog", { name: "dot.png" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "dot.png" }).waitFor({ state: "detached" });
  });
});
