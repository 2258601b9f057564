import { describe, expect, test } from "vitest";
import { parseTime } from "../../../actors/markdown/timestamps.ts";
import { html } from "./realm-context.ts";

const annotation = (tex: string) => `<annotation encoding="application/x-tex">${tex}</annotation>`;

describe("formulas", () => {
  test("$$…$$ in text", () => {
    const formula = html("so $$x^2 \\$$$ is");
    expect(formula).toMatch(/^<p>so <span class="katex"><span class="katex-mathml"><math /);
    expect(formula).toContain(annotation("x^2 \\$"));
    expect(formula).toMatch(/<\/span> is<\/p>$/);
  });

  test("a math fence: a paragraph for each part", () => {
    const block = html("```math\n\\frac{a}{b}\n\ny\n```\nafter");
    expect(block.match(/<p><span class="katex-display"><span class="katex">/g)).toHaveLength(2);
    expect(block).toContain(annotation("\\frac{a}{b}"));
    expect(block).toMatch(/<\/p>\n<p>after<\/p>$/);
  });

  test.each([
    ["$$\\nope{<b>}$$", '<p><span class="tex-error">$$\\nope{&lt;b&gt;}$$</span></p>'],
    ["```math\n\\frac{\n```", '<p><span class="tex-error">\\frac{</span></p>'],
    ["$$\\def\\a{x}\\a$$", '<p><span class="tex-error">$$\\def\\a{x}\\a$$</span></p>'],
    ["$$\\newcommand{\\a}{x}$$", '<p><span class="tex-error">$$\\newcommand{\\a}{x}$$</span></p>'],
    [`$$${"x".repeat(2001)}$$`, `<p><span class="tex-error">$$${"x".repeat(2001)}$$</span></p>`],
  ])("%s is an error", (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  test.each(["US$$5 and $$6", "$$$a$$$", "$$", "$$ $$ $$".slice(0, 3).trim(), "a$$b$$", "$$_a$$"])(
    "%s is not a formula",
    (source) => {
      expect(html(source)).toBe(`<p>${source}</p>`);
    },
  );

  test("nothing in a formula becomes an address or an attribute", () => {
    for (const tex of [
      "\\href{javascript:alert(1)}{x}",
      "\\url{javascript:x}",
      "\\includegraphics{x}",
      "\\htmlData{a=b}{x}",
    ]) {
      expect(html(`$$${tex}$$`)).not.toMatch(/<(a|img) |data-|href=/);
    }
  });

  test("a message has a bounded number of formulas", () => {
    const rendered = html("$$x$$ ".repeat(150));
    expect(rendered.match(/class="katex"/g)).toHaveLength(100);
    expect(rendered.match(/class="tex-error"/g)).toHaveLength(50);
  });
});

describe("global times", () => {
  test.each([
    ["2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"],
    ["2026-01-01T10:00:00+02:00", "2026-01-01T08:00:00Z"],
    ["2026-01-01T10:00-0330", "2026-01-01T13:30:00Z"],
    ["2026-01-01 10:00:30.5", "2026-01-01T10:00:30Z"],
    ["2024-02-29", "2024-02-29T00:00:00Z"],
    ["1496774552", "2017-06-06T18:42:32Z"],
    ["0050-01-01T00:00:00Z", "0050-01-01T00:00:00Z"],
    ["4 Mar 2019", "2019-03-04T00:00:00Z"],
    ["March 4th, 2019 7 pm", "2019-03-04T19:00:00Z"],
    ["Mon, 4 March 2019 12:05:09 am EST", "2019-03-04T05:05:09Z"],
    ["mar. 4 2019 23:59 +0530", "2019-03-04T18:29:00Z"],
  ])("<time:%s>", (text, datetime) => {
    expect(html(`at <time:${text}>.`)).toBe(`<p>at <time datetime="${datetime}">${text}</time>.</p>`);
  });

  test.each([
    "nope",
    "2026-02-30",
    "2026-13-01",
    "2025-02-29T00:00Z",
    "2026-01-01T24:00:00Z",
    "99999999999999",
    "31 Feb 2019",
    "4 Mar 2019 13 pm",
    "4 Mar 2019 7 pm XYZT",
    "Marching 4 2019",
    "2026-01-01T00:00:00+32:00",
    "0001-01-01T01:00:00+02:00",
    '"onclick="',
  ])("%s is invalid", (text) => {
    expect(html(`<time:${text}>`)).toBe(`<p>&lt;time:${text}&gt;</p>`);
  });

  test("times outside the calendar's years are invalid", () => {
    expect(parseTime("0001-01-01T00:00:00+01:00")).toBeUndefined();
    expect(parseTime("9999-12-31T23:59:59-01:00")).toBeUndefined();
    expect(parseTime("9999-12-31T23:59:59Z")?.getUTCFullYear()).toBe(9999);
  });
});
