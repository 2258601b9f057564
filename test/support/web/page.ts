/** Parts of the page, as a person finds them. */
import type { Locator, Page } from "playwright-core";

export const composeBox = (page: Page): Locator => page.locator("#compose-text");

/** Writes into the box and sends it by its key. */
export async function send(page: Page, text: string): Promise<void> {
  await composeBox(page).fill(text);
  await composeBox(page).press("Control+Enter");
}

/** The message that says this, when it has come back from the server. */
export const messageWith = (page: Page, text: string): Locator =>
  page.locator(".message:not(.pending)").filter({ hasText: text });

/** Takes a line of a message's menu. */
export async function openMessageMenu(page: Page, message: Locator, name: string): Promise<void> {
  await message.hover();
  await message.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name, exact: true }).click();
}
