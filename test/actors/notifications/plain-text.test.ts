import { expect, test } from "vitest";
import { mailHtml } from "../../../actors/email/mail-html.ts";
import { plainText } from "../../../actors/notifications/plain-text.ts";
import { html } from "../markdown/realm-context.ts";

const address = "https://site.example/a.png";
const film = "https://site.example/a.mp4";

test("a message that is a picture and nothing else has its address for words", () => {
  expect(plainText(html(address), address).text).toBe(address);
  expect(plainText(html(`look: ${address}`), "").text).toBe(`look: ${address}`);
});

test("a mail shows where a picture or a film is, once", () => {
  const inMail = (source: string) => mailHtml(html(source), source, "https://chat.example.com");
  const link = (href: string, text = href) => `<a href="${href}">${text}</a>`;
  expect(inMail(address)).toBe(link(address));
  expect(inMail(film)).toBe(link(film));
  expect(inMail(`see ${address}`)).toBe(`<p>see ${link(address)}</p>\n${link(address, "")}`);
  expect(inMail("[said](https://chat.example.com/#narrow/near/3)")).toBe(
    `<p>${link("https://chat.example.com/#narrow/near/3", "said")}</p>`,
  );
});
