import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlDiff } from "../../../actors/messages/changes/edit-diff.ts";
import { tokenizeHtml } from "../../../actors/text/html-tokens.ts";
import { hostileEdits } from "../../../bench/hostile/patterns.ts";

const ins = (text: string) => `<span class="highlight_text_inserted">${text}</span>`;
const del = (text: string) => `<span class="highlight_text_deleted">${text}</span>`;

/** The diff without marked parts of one class, and without the marks of the other. */
function project(diff: string, drop: "inserted" | "deleted"): string {
  let output = "";
  const open: ("drop" | "unwrap" | "keep")[] = [];
  for (const [part] of diff.matchAll(/<[^>]*>|[^<]+/g)) {
    const dropped = open.includes("drop");
    if (part.startsWith("<span")) {
      const marked = /class="highlight_text_(inserted|deleted)"/.exec(part)?.[1];
      open.push(marked === drop ? "drop" : marked ? "unwrap" : "keep");
      if (marked || dropped) continue;
    } else if (part === "</span>") {
      if (open.pop() !== "keep" || dropped) continue;
    }
    if (!dropped) output += part;
  }
  expect(open).toEqual([]);
  return output;
}

const textOf = (html: string) => html.replace(/<[^>]*>/g, "").replace(/\s+/g, "");

function expectProjects(prev: string, next: string): string {
  const diff = htmlDiff(prev, next);
  expect(textOf(project(diff, "deleted"))).toBe(textOf(next));
  expect(textOf(project(diff, "inserted"))).toBe(textOf(prev));
  const open: string[] = [];
  for (const [, close, name] of diff.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (["br", "img", "hr"].includes(name!)) continue;
    if (close) expect(open.pop()).toBe(name);
    else open.push(name!);
  }
  expect(open).toEqual([]);
  return diff;
}

describe("the diff of an edit", () => {
  test("what was removed stands before what was added", () => {
    expect(expectProjects("<p>content before edit</p>", "<p>content after edit</p>")).toBe(
      `<p>content ${del("before")}${ins("after")} edit</p>`,
    );
  });

  test("equal versions have no marks", () => expect(htmlDiff("<p>a</p>", "<p>a</p>")).toBe("<p>a</p>"));

  test("words added or removed alone", () => {
    expect(expectProjects("<p>a c</p>", "<p>a b c</p>")).toMatch(
      /^<p>a <span class="highlight_text_inserted">b ?<\/span> ?c<\/p>$/,
    );
    expect(expectProjects("<p>a b c</p>", "<p>a c</p>")).toMatch(
      /^<p>a <span class="highlight_text_deleted">b ?<\/span> ?c<\/p>$/,
    );
  });

  test("a replaced phrase is marked as one, with the spaces in it", () => {
    expect(expectProjects("<p>The quick brown fox</p>", "<p>A slow red dog</p>")).toBe(
      `<p>${del("The quick brown fox")}${ins("A slow red dog")}</p>`,
    );
    expect(expectProjects("<p>go to the hall</p>", "<p>come to a house</p>")).toBe(
      `<p>${del("go")}${ins("come")} to ${del("the hall")}${ins("a house")}</p>`,
    );
  });

  test("paragraphs keep their tags", () => {
    expect(expectProjects("<p>one</p>\n<p>two</p>", "<p>one</p>")).toBe(`<p>one</p>\n<p>${del("two")}</p>`);
    expect(expectProjects("<p>one</p>", "<p>one</p>\n<p>two</p>")).toBe(`<p>one</p>\n<p>${ins("two")}</p>`);
    expectProjects("<p>one</p>\n<p>two</p>", "<p>one two</p>");
    expectProjects("<ul>\n<li>a</li>\n<li>b</li>\n</ul>", "<ul>\n<li>b</li>\n</ul>\n<p>c</p>");
  });

  test("a link is replaced whole, whether its text or its address changed", () => {
    const link = (href: string, text: string) => `<a href="${href}">${text}</a>`;
    expect(expectProjects(`<p>see ${link("https://a", "x")}</p>`, `<p>see ${link("https://b", "x")}</p>`)).toBe(
      `<p>see ${del(link("https://a", "x"))}${ins(link("https://b", "x"))}</p>`,
    );
    expect(htmlDiff(`<p>${link("https://a", "x")}</p>`, `<p>${link("https://a", "y")}</p>`)).toContain(
      ins(link("https://a", "y")),
    );
  });

  test("strikethrough of the message is not taken for a mark", () => {
    expect(expectProjects("<p><del>a</del> b</p>", "<p><del>a</del> c</p>")).toBe(
      `<p><del>a</del> ${del("b")}${ins("c")}</p>`,
    );
    expectProjects("<p><del>a</del></p>", "<p>a</p>");
  });

  test("emoji and other characters beyond ASCII stay whole", () => {
    expect(expectProjects("<p>\u{1f600}</p>", "<p>\u{1f601}</p>")).toBe(
      `<p>${del("\u{1f600}")}${ins("\u{1f601}")}</p>`,
    );
    expect(expectProjects("<p>größer</p>", "<p>größte</p>")).toBe(`<p>${del("größer")}${ins("größte")}</p>`);
    expect(expectProjects("<p>你好世界</p>", "<p>你好中国</p>")).toBe(`<p>你好${del("世界")}${ins("中国")}</p>`);
    expect(htmlDiff("<p>a &lt; b</p>", "<p>a &gt; b</p>")).toBe(`<p>a ${del("&lt;")}${ins("&gt;")} b</p>`);
  });

  test("escaped markup stays escaped", () => {
    const diff = htmlDiff("<p>&lt;script&gt;1&lt;/script&gt;</p>", "<p>&lt;script&gt;2&lt;/script&gt;</p>");
    expect(diff).toBe(`<p>&lt;script&gt;${del("1")}${ins("2")}&lt;/script&gt;</p>`);
  });

  test("from nothing and to nothing", () => {
    expect(htmlDiff("", "<p>a</p>")).toBe(`<p>${ins("a")}</p>`);
    expect(htmlDiff("<p>a</p>", "")).toBe(`<p>${del("a")}</p>`);
  });

  test("two edits far apart in a long message are both found", () => {
    const words = Array.from({ length: 1_500 }, (_, i) => (i % 12 === 11 ? `word${i}.` : `word${i}`));
    const edited = words.with(40, "FIRST").with(1_400, "SECOND");
    const diff = expectProjects(`<p>${words.join(" ")}</p>`, `<p>${edited.join(" ")}</p>`);
    expect(diff).toContain(del("word40") + ins("FIRST"));
    expect(diff).toContain(del("word1400") + ins("SECOND"));
    expect(diff.length).toBeLessThan(words.join(" ").length + 400);
  });

  test("generated documents: both versions can be read from the diff", () => {
    const word = fc.constantFrom(
      "a",
      "b",
      "c",
      " ",
      ".",
      "\n",
      "&amp;",
      "é",
      "\u{1f600}",
      "<br>",
      '<a href="x">y</a>',
      '<span class="emoji">z</span>',
    );
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(""));
    const block = fc.oneof(
      text.map((inner) => `<p>${inner}</p>`),
      text.map((inner) => `<p><strong>${inner}</strong><em>${inner}</em></p>`),
      fc.array(text, { maxLength: 3 }).map((items) => `<ul>${items.map((item) => `<li>${item}</li>`).join("\n")}</ul>`),
    );
    const document = fc.array(block, { maxLength: 5 }).map((blocks) => blocks.join("\n"));
    fc.assert(
      fc.property(document, document, (prev, next) => {
        expectProjects(prev, next);
      }),
      { seed: 11, numRuns: 1_500 },
    );
  });
});

describe("tokens", () => {
  test("joined, they are the input, whatever the input", () => {
    const hostile = fc.string({
      unit: fc.constantFrom("<", ">", "a", "/", " ", "&", "span", '"', "\ud800", ";"),
      maxLength: 40,
    });
    fc.assert(
      fc.property(hostile, hostile, (html, other) => {
        expect(
          tokenizeHtml(html)
            .map(({ string }) => string)
            .join(""),
        ).toBe(html);
        htmlDiff(html, other);
      }),
      { seed: 3, numRuns: 2_000 },
    );
  });
});

describe("a diff of hostile texts marks what changed", () => {
  test.each<readonly [string, string, string]>([
    ...Object.entries(hostileEdits).map(([name, [before, after]]) => [name, before, after] as const),
    ["open tags", "<b>x".repeat(2_500), "<i>x".repeat(2_500)],
    [
      "nested spans",
      `${"<span>".repeat(5_000)}${"</span>".repeat(5_000)}`,
      `${"<span>".repeat(4_000)}${"</span>".repeat(4_000)}`,
    ],
    ["far too long", "<p>a</p>".repeat(100_000), "<p>b</p>".repeat(100_000)],
    ["as long as allowed", "<p>a</p>".repeat(7_500), "<p>b</p>".repeat(7_500)],
  ])("%s", (_name, prev, next) => {
    expect(htmlDiff(prev, next)).toContain("highlight_text_");
  });
});

describe("the work of a diff has a bound, and what does not fit is removed and added whole", () => {
  const count = (diff: string) => diff.match(/highlight_text_/g)!.length;

  test.each(["two words in different rhythms", "every second word changed", "punctuation", "ampersands"])(
    "%s",
    (name) => {
      const [prev, next] = hostileEdits[name]!;
      expect(count(expectProjects(prev, next))).toBe(2);
    },
  );

  test("stretches of one text share it", () => {
    const paragraphs = (word: string) =>
      Array.from({ length: 40 }, (_, paragraph) => {
        const words = Array.from({ length: 200 }, (_, at) => (at % 2 ? `same${at}` : `${word}${paragraph}x${at}`));
        return `<p>${words.join(" ")}</p>`;
      });
    const compared = (number: number) =>
      htmlDiff(paragraphs("a").slice(0, number).join("\n"), paragraphs("b").slice(0, number).join("\n"));
    expect(count(compared(3))).toBe(3 * 200);
    expect(count(compared(40))).toBeLessThan(40 * 200);
  });
});
