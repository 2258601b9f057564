/** What the page's pictures show: a place of the page for somebody, and what is opened there. */
import type { Page } from "playwright-core";
import { composeBox, messageWith } from "../../../support/web/page.ts";

/** Folders of pictures: who looks at the page, and how. */
export type Look =
  | "first-run"
  | "desktop"
  | "dark"
  | "contrast"
  | "1024x768"
  | "phone"
  | "dark-phone"
  | "arabic"
  | "arabic-phone"
  | "owner"
  | "log-in";

export interface State {
  look: Look;
  name: string;
  /** Where it is, if the page has places. */
  hash?: string;
  /** Opens what the picture shows, and waits until it is there. */
  open(page: Page): Promise<unknown>;
  /** What the browser says of it on the console, if that is right. */
  says?: RegExp;
  /** Closes what the next picture does not show. */
  close?(page: Page): Promise<unknown>;
}

const topic = "#narrow/channel/engines/topic/analytical.20engine";
/** A name that few headers and rows have room for. */
export const longTopic = "who took the drawings of the second engine, and when exactly";
const wait =
  (selector: string) =>
  (page: Page): Promise<void> =>
    page.locator(selector).first().waitFor();
/** What is far below the view of a phone may not be drawn. */
const inTopic = (page: Page) =>
  wait((page.viewportSize()?.width ?? 0) > 760 ? ".message .katex" : ".message pre")(page);
/** In view where a topic opens: a list that was scrolled stands between two pixels, here or there. */
const inView = (page: Page) => messageWith(page, "Then it could compute");
const openMenu = async (page: Page) => {
  await inTopic(page);
  const message = inView(page);
  await message.hover();
  await message.locator(".message-tools button").last().click();
  await page.getByRole("menu").waitFor();
};
const write = async (page: Page) => {
  await inTopic(page);
  await composeBox(page).fill("Let me try **that**, with a card for each step:\n\n1. one\n2. another");
};

const desktop: readonly Omit<State, "look">[] = [
  { name: "inbox", hash: "#inbox", open: wait(".inbox-row") },
  // First of all, as it tells which places somebody saw last.
  {
    name: "palette",
    hash: "#inbox",
    open: async (page) => {
      await wait(".inbox-row")(page);
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill("eng");
      await page.locator(".palette-row", { hasText: "analytical engine" }).waitFor();
    },
    close: (page) => page.keyboard.press("Escape"),
  },
  { name: "recent", hash: "#recent", open: wait(".recent-row") },
  { name: "feed", hash: "#feed", open: inTopic },
  { name: "topic", hash: topic, open: inTopic },
  { name: "direct", hash: "#direct", open: wait(".recent-row") },
  { name: "composer", hash: topic, open: write, close: (page) => composeBox(page).fill("") },
  { name: "settings", hash: "#settings/display", open: wait(".setting-section") },
  { name: "sessions", hash: "#settings/sessions", open: wait(".setting-section .tag") },
  { name: "channels", hash: "#channels", open: wait(".channel-line") },
  {
    name: "user-card",
    hash: topic,
    open: async (page) => {
      await inTopic(page);
      await inView(page).locator(".name").click();
      await wait(".person-card")(page);
    },
  },
  {
    name: "emoji-picker",
    hash: topic,
    open: async (page) => {
      await inTopic(page);
      await page.locator(".compose").getByRole("button", { name: "Emoji", exact: true }).click();
      await wait(".emoji-row")(page);
    },
  },
  { name: "message-menu", hash: topic, open: openMenu },
  { name: "empty-drafts", hash: "#drafts", open: wait(".empty") },
  // Behind the topics, whose words it marks.
  { name: "search", hash: "#narrow/search/machine", open: wait(".message mark, .message .highlight") },
  { name: "empty-search", hash: "#narrow/search/zeppelin", open: wait(".empty") },
  {
    name: "offline",
    hash: "#recent",
    open: async (page) => {
      await wait(".recent-row")(page);
      await page.context().setOffline(true);
      await wait(".connection")(page);
    },
    says: /Failed to load resource/,
    close: (page) => page.context().setOffline(false),
  },
];

const only = (...names: string[]) => desktop.filter(({ name }) => names.includes(name));
const as = (look: Look, states: readonly Omit<State, "look">[]): State[] => states.map((state) => ({ look, ...state }));

export const states: readonly State[] = [
  ...as("first-run", [{ name: "inbox", hash: "#inbox", open: wait(".first-run") }]),
  ...as("desktop", desktop),
  ...as("dark", only("inbox", "feed", "user-card")),
  ...as("contrast", only("inbox", "topic")),
  ...as("1024x768", only("inbox", "topic", "settings")),
  ...as("phone", [
    ...only("inbox", "topic", "composer", "settings"),
    {
      name: "channels",
      hash: "#inbox",
      open: async (page) => {
        await page.locator(".bottom-bar button").first().tap();
        await wait(".left.open")(page);
      },
    },
  ]),
  ...as("dark-phone", only("inbox", "topic")),
  ...as("arabic", [
    ...only("inbox", "recent", "topic", "settings"),
    { name: "message-menu", hash: topic, open: openMenu },
  ]),
  ...as("arabic-phone", [
    ...only("inbox", "recent"),
    {
      name: "long-topic",
      hash: `#narrow/channel/random/topic/${encodeURIComponent(longTopic).replaceAll("%", ".")}`,
      open: wait(".message .content"),
    },
  ]),
  ...as("log-in", [
    {
      name: "log-in",
      open: async (page) => {
        await page.goto("/login/");
        await wait("form")(page);
      },
    },
    {
      name: "wrong-password",
      open: async (page) => {
        await page.locator("input[name=username]").fill("ada@example.com");
        await page.locator("input[name=password]").fill("a guess");
        await page.keyboard.press("Enter");
        await wait("[role=alert]")(page);
      },
      says: /Failed to load resource/,
    },
  ]),
  ...as("owner", [
    { name: "organization", hash: "#organization/profile", open: wait(".setting-section") },
    { name: "people", hash: "#organization/people", open: wait(".person-line") },
  ]),
];
