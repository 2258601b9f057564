import { describe, expect, it } from "vitest";
import { nameInLetter, renderLetter } from "../../../actors/email/letter.ts";
import { readSender, readSmtpUrl } from "../../../actors/email/smtp.ts";

describe("PARLEY_SMTP_URL", () => {
  it.each([
    ["smtp://mail.example.com", { host: "mail.example.com", port: 587, isSecure: false, requiresTls: false }],
    ["smtps://mail.example.com", { port: 465, isSecure: true, requiresTls: false }],
    ["smtp://me:p%40ss@mail.example.com:25/", { port: 25, user: "me", password: "p@ss", requiresTls: true }],
    ["smtps://me@mail.example.com", { user: "me", password: undefined, requiresTls: false }],
    ["smtp://me:pass@127.0.0.1:2525", { requiresTls: false }],
    ["smtp://[::1]:25", { host: "::1", port: 25 }],
  ])("%s", (url, settings) => {
    expect(readSmtpUrl(url)).toMatchObject(settings);
  });

  it.each(["mail.example.com", "http://mail.example.com", "smtp://", "smtp://a/b", "smtp://a?b=c", "smtp://a:%zz@b"])(
    "refuses %s without repeating it",
    (url) => {
      expect(() => readSmtpUrl(url)).toThrow(/^(must be|has a) (?!.*%zz)/);
    },
  );
});

describe("PARLEY_MAIL_FROM", () => {
  it.each([
    ["chat@example.com", { name: "", address: "chat@example.com" }],
    ["Our Chat <chat@example.com>", { name: "Our Chat", address: "chat@example.com" }],
    ['"Chat, ours" <chat@example.com>', { name: "Chat, ours", address: "chat@example.com" }],
  ])("%s", (text, sender) => {
    expect(readSender(text)).toEqual(sender);
  });

  it.each(["chat", "Chat <chat>", "a@b, c@d", "Chat\r\nBcc: x <chat@example.com>", "<>"])("refuses %j", (text) => {
    expect(() => readSender(text)).toThrow("must be an email address");
  });
});

describe("a letter", () => {
  it("has a subject of one line, which is cut", () => {
    const render = (subject: string) => renderLetter({ subject, blocks: [], footer: "" }).subject;
    expect(render("a\r\nBcc: x@example.com\u2028b\u202ec")).toBe("a Bcc: x@example.com b c");
    expect(render("😀".repeat(300))).toBe(`${"😀".repeat(199)}…`);
  });

  it("makes no link of a name, and no markup of anything", () => {
    expect(nameInLetter("http://evil.example")).not.toMatch(/:\/\/|\w\.\w/);
    expect(nameInLetter("x".repeat(500))).toHaveLength(100);
    const { html } = renderLetter({
      subject: "<i>",
      blocks: [
        { kind: "text", text: "<b>&\n" },
        { kind: "button", label: '"><script>', url: 'https://a.example/"><script>' },
      ],
      footer: "<u>",
    });
    expect(html).not.toMatch(/<(?:i|b|u|script)>/);
  });
});
