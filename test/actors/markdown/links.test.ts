import { describe, expect, test } from "vitest";
import { renderMarkdown, renderTopicLinks } from "../../../actors/markdown/render.ts";
import { html, realmContext } from "./realm-context.ts";

const link = (href: string, text: string) => `<a href="${href}">${text}</a>`;

describe("links", () => {
  test.each([
    ["[a *b*](http://x.example/y)", '<a href="http://x.example/y">a <em>b</em></a>'],
    ['[a](http://x.example "t\\"<")', '<a href="http://x.example" title="t&quot;&lt;">a</a>'],
    ["[a](x.example/y)", link("http://x.example/y", "a")],
    ["[a](/help)", link("/help", "a")],
    ["[a](#narrow/is/starred)", link("#narrow/is/starred", "a")],
    [
      "<https://x.example/?a=1&b=2>",
      `&lt;${link("https://x.example/?a=1&amp;b=2", "https://x.example/?a=1&amp;b=2")}&gt;`,
    ],
    ["see https://x.example/a_b_c.", `see ${link("https://x.example/a_b_c", "https://x.example/a_b_c")}.`],
    ["www.x.example.com", link("http://www.x.example.com", "www.x.example.com")],
    ["zulip.com", link("http://zulip.com", "zulip.com")],
    ["a@b.com", link("mailto:a@b.com", "a@b.com")],
    [
      "https://chat.example.com/#narrow/channel/9-general",
      link("#narrow/channel/9-general", "https://chat.example.com/#narrow/channel/9-general"),
    ],
    ["https://chat.example.com/help", link("https://chat.example.com/help", "https://chat.example.com/help")],
    [
      "https://chat.example.com.evil.com/#narrow/x",
      link("https://chat.example.com.evil.com/#narrow/x", "https://chat.example.com.evil.com/#narrow/x"),
    ],
  ])("%s", (source, expected) => {
    expect(renderMarkdown(source, realmContext)).toMatchObject({ html: `<p>${expected}</p>`, hasLink: true });
  });

  test.each(["main.py README.md a.rs 1.2.3.4 e.g. file.sh", "https:// http:/x foo:bar"])("%s has none", (source) => {
    expect(renderMarkdown(source, realmContext)).toMatchObject({ html: `<p>${source}</p>`, hasLink: false });
  });

  test.each([
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](<java&#10;script:x>)",
    "[a](javascript&colon;x)",
    "[a](&#x01;javascript:x)",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "![a](data:image/png;base64,AAAA)",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    "[a](view-source:http://x)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "javascript:alert(1)",
    "file:///etc/passwd",
  ])("%s never becomes an address with that scheme", (source) => {
    for (const [, href] of html(source).matchAll(/(?:href|src)="([^"]*)"/g)) expect(href).toMatch(/^http:\/\//);
  });

  test("links have no target, and none stands in another", () => {
    const rendered = html("[a http://x.example #12 b](http://y.example) [[c](http://z.example)](http://w.example)");
    expect(rendered).not.toContain("target");
    expect(rendered).not.toMatch(/<a [^>]*>(?:(?!<\/a>).)*<a /);
    expect(rendered).toContain(link("http://y.example", "a http://x.example #12 b"));
  });
});

describe("linkifiers", () => {
  test.each([
    [
      "fix #12, #13",
      `fix ${link("https://bugs.example.com/12", "#12")}, ${link("https://bugs.example.com/13", "#13")}`,
    ],
    ["**#12**", `<strong>${link("https://bugs.example.com/12", "#12")}</strong>`],
    ["`#12`", "<code>#12</code>"],
    ["[#12](http://x.example)", link("http://x.example", "#12")],
    ["http://x.example/#12", link("http://x.example/#12", "http://x.example/#12")],
  ])("%s", (source, expected) => {
    expect(html(source)).toBe(`<p>${expected}</p>`);
  });

  test("a linkifier without Markdown around it is found, and its link counts", () => {
    const linkify = (text: string) =>
      text === "plain BUG" ? [{ start: 6, end: 9, url: "https://b.example", text: "BUG" }] : [];
    expect(renderMarkdown("plain BUG", { ...realmContext, linkify })).toMatchObject({
      html: `<p>plain ${link("https://b.example", "BUG")}</p>`,
      hasLink: true,
    });
  });

  test("unsafe addresses and overlapping matches are dropped", () => {
    const linkify = () => [
      { start: 0, end: 2, url: "javascript:x", text: "ab" },
      { start: 1, end: 3, url: "https://ok.example", text: "b<" },
      { start: 2, end: 4, url: "https://overlap.example", text: "x" },
      { start: 3, end: 99, url: "https://long.example", text: "x" },
    ];
    expect(html("ab<d", { linkify })).toBe(`<p>a${link("https://ok.example", "b&lt;")}d</p>`);
  });

  test("topics have linkifier and URL links in order", () => {
    expect(renderTopicLinks("see https://x.example/a and #12 javascript:x", realmContext)).toEqual([
      { text: "https://x.example/a", url: "https://x.example/a" },
      { text: "#12", url: "https://bugs.example.com/12" },
    ]);
    expect(renderTopicLinks("lunch", realmContext)).toEqual([]);
    const linkify = () => [{ start: 0, end: 1, url: "javascript:x", text: "a" }];
    expect(renderTopicLinks("a", { linkify })).toEqual([]);
  });
});

describe("images and uploads", () => {
  const preview = (href: string, title: string) =>
    `<div class="message_inline_image"><a href="${href}" title="${title}"><img src="${href}"></a></div>`;

  test("a linked image upload has a preview after its block", () => {
    expect(renderMarkdown("a [pic](/user_uploads/2/ab/x.png)\nb\n\nc", realmContext)).toMatchObject({
      html: `<p>a ${link("/user_uploads/2/ab/x.png", "pic")}<br>\nb</p>\n${preview("/user_uploads/2/ab/x.png", "pic")}<p>c</p>`,
      hasLink: true,
      hasImage: true,
      hasAttachment: true,
      attachmentPathIds: ["2/ab/x.png"],
    });
  });

  test.each([
    ["[ ](/user_uploads/2/ab/x.png) a", `${link("/user_uploads/2/ab/x.png", "/user_uploads/2/ab/x.png")} a`, "x.png"],
    ["[a](user_uploads/2/ab/x.png)", link("/user_uploads/2/ab/x.png", "a"), "a"],
    [
      "https://chat.example.com/user_uploads/2/ab/x.png",
      link("/user_uploads/2/ab/x.png", "https://chat.example.com/user_uploads/2/ab/x.png"),
      "x.png",
    ],
    ['[a"<](/user_uploads/2/ab/x.png)', link("/user_uploads/2/ab/x.png", 'a"&lt;'), "a&quot;&lt;"],
  ])("%s", (source, anchor, title) => {
    expect(html(source)).toBe(`<p>${anchor}</p>\n${preview("/user_uploads/2/ab/x.png", title)}`);
  });

  test("an image that is an upload stands where it is written", () => {
    const inline = (alt: string) =>
      `<img alt="${alt}" class="inline-image" data-original-src="/user_uploads/2/ab/x.png" src="/user_uploads/2/ab/x.png">`;
    expect(renderMarkdown("> a ![pic](/user_uploads/2/ab/x.png)", realmContext)).toMatchObject({
      html: `<blockquote>\n<p>a ${inline("pic")}</p>\n</blockquote>`,
      hasImage: true,
      attachmentPathIds: ["2/ab/x.png"],
    });
    expect(html("![](https://chat.example.com/user_uploads/2/ab/x.png)")).toBe(`<p>${inline("x.png")}</p>`);
    expect(html("[![pic](/user_uploads/2/ab/x.png)](/help)")).toBe(`<p>${link("/help", "pic")}</p>`);
  });

  test("an upload that nobody knows of is a link", () => {
    const unknown = { findUpload: () => undefined };
    expect(html("![pic](/user_uploads/2/x.png) [pic](/user_uploads/2/x.png)", unknown)).not.toContain("<img");
  });

  test("previews follow their paragraph, stay in its item and spoiler, and are left out of quotes", () => {
    const source = "[a](/user_uploads/2/ab/x.png)";
    const shown = preview("/user_uploads/2/ab/x.png", "a");
    expect(html(`- ${source}\n- b`)).toBe(
      `<ul>\n<li>${link("/user_uploads/2/ab/x.png", "a")}${shown}</li>\n<li>b</li>\n</ul>`,
    );
    expect(html(`# ${source}\nb`)).toMatch(new RegExp(`</h1>\\n${shown}<p>b</p>$`));
    expect(html(`a|b\n-|-\n${source}|c`)).toMatch(new RegExp(`</table>\\n${shown}$`));
    expect(html(`\`\`\`spoiler\n${source}\n\`\`\``)).toMatch(new RegExp(`</p>\\n${shown}</div></div>$`));
    const quoted = renderMarkdown(`> ${source}`, realmContext);
    expect(quoted.html).not.toContain("message_inline_image");
    expect(quoted.attachmentPathIds).toEqual(["2/ab/x.png"]);
  });

  test("previews are not repeated, and there are at most 24", () => {
    expect(html("[a](/user_uploads/2/x.png) [b](/user_uploads/2/x.png)").match(/<img /g)).toHaveLength(1);
    const many = Array.from({ length: 30 }, (_, i) => `[a](/user_uploads/2/${i}.png)`).join(" ");
    expect(html(many).match(/<img /g)).toHaveLength(24);
    expect(renderMarkdown(many, realmContext).attachmentPathIds).toHaveLength(30);
  });

  test("other files are attachments without a preview; names are decoded", () => {
    expect(
      renderMarkdown("[a](/user_uploads/2/ab/é.txt) [b](/user_uploads/2/ab/b.pdf?x#y)", realmContext),
    ).toMatchObject({
      hasImage: false,
      hasAttachment: true,
      attachmentPathIds: ["2/ab/é.txt", "2/ab/b.pdf"],
    });
  });

  test.each([
    "/user_uploads/../x.png",
    "/user_uploads/thumbnail/2/x.png/a",
    "/user_uploads/x",
    "/user_uploads/2/%ff",
    "/user_uploads//x",
  ])("%s is no attachment", (href) => {
    expect(renderMarkdown(`[a](${href})`, realmContext)).toMatchObject({ hasAttachment: false, attachmentPathIds: [] });
  });

  test("an image in a link is its description", () => {
    expect(html("[![i](/user_uploads/2/x.png)](http://z.example)")).toBe(`<p>${link("http://z.example", "i")}</p>`);
  });
});

describe("/me messages", () => {
  test.each([
    ["/me waves *hard*", true],
    ["/me", false],
    ["/meow", false],
    [" /me waves", false],
    ["/me waves\n- a", false],
  ])("%j: %s", (source, expected) => {
    expect(renderMarkdown(source, realmContext).isMeMessage).toBe(expected);
  });
});
