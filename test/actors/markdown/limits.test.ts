/**
 * No message becomes more HTML than its readers can bear, and which parts of it are shown does not depend on anything
 * else.
 */
import { describe, expect, test } from "vitest";
import { maxHtmlUnits } from "../../../actors/markdown/limits.ts";
import { renderMarkdown } from "../../../actors/markdown/render.ts";
import { hostileFormulas } from "../../../bench/hostile/markdown.ts";
import { html, realmContext } from "./realm-context.ts";
import { assertSafeHtml } from "./safe-html.ts";

const fill = (unit: string): string => unit.repeat(Math.floor(10_000 / [...unit].length));
const longName = "&".repeat(100);
const longAddress = `https://bugs.example.com/${"é".repeat(400)}`;

const hostile: Readonly<Record<string, string>> = {
  "roots that stretch": fill(`$$${"\\sqrt".repeat(20)}x$$ `),
  "one large formula behind another": `$$${"\\overbrace a".repeat(150)}$$ `.repeat(5),
  "matrices of roots": `\`\`\`math\n\\begin{matrix}${"\\sqrt1&".repeat(240)}\\end{matrix}\n\`\`\`\n`.repeat(5),
  "emoji characters": fill("😀"),
  "emoji names": fill(":m:"),
  "emoji of the organization": fill(":parrot:"),
  links: fill("#1 "),
  mentions: fill("@**|12** "),
  "channel links": fill("#**general** "),
  code: `\`\`\`js\n${"+=".repeat(1900)}\n\`\`\``,
  "cells of a table": `${"|".repeat(75)}\n${"|-:".repeat(75)}|\n${"|a\n".repeat(75)}`,
};

describe("10,000 characters of what makes much HTML of little", () => {
  const context = {
    findUser: () => ({ id: 12, full_name: longName }),
    linkify: (text: string) =>
      [...text.matchAll(/#\d/g)].map(({ index }) => ({ start: index, end: index + 2, url: longAddress, text: "#1" })),
  };
  test.each(Object.entries({ ...hostile }))("%s", (_name, source) => {
    const rendered = html(source, context);
    expect(rendered.length).toBeLessThanOrEqual(maxHtmlUnits);
    expect(html(source, context)).toBe(rendered);
    assertSafeHtml(rendered);
  });
  test.each(Object.entries(hostileFormulas))("five of the formula: %s", (_name, tex) => {
    expect(html(`\`\`\`math\n${tex}\n\`\`\`\n`.repeat(5)).length).toBeLessThanOrEqual(maxHtmlUnits);
  });
});

describe("what is over the budget", () => {
  test("is shown as its source, and what stands around it as ever", () => {
    const rendered = html(`*a* ${fill("😀").slice(0, -400)} *b* $$x$$ #12 \`c\``);
    expect(rendered).toMatch(/^<p><em>a<\/em> <span aria-label="grinning/);
    expect(rendered).toMatch(
      /😀 <em>b<\/em> <span class="tex-error">\$\$x\$\$<\/span> <a href="[^"]*">#12<\/a> <code>c/,
    );
  });

  test("may be a formula alone: a short one behind it is shown", () => {
    const large = `$$${"\\sqrt".repeat(380)}x$$`;
    expect(html(`${large} and 😀`)).toContain('class="emoji emoji-1f600"');
  });

  test("may be all of it: the message is its own text, and mentions nobody", () => {
    const users = { ...realmContext, findUser: () => ({ id: 12, full_name: longName }) };
    const source = `@**Ada Lovelace**\n${"@**|12** ".repeat(1_050)}\n<b>`;
    const rendered = renderMarkdown(source, users);
    expect(rendered.html).toMatch(/^<p>@\*\*Ada Lovelace\*\*<br>\n@\*\*\|12\*\* /);
    expect(rendered.html).toMatch(/<br>\n&lt;b&gt;<\/p>$/);
    expect(rendered).toMatchObject({ mentionedUserIds: [], hasLink: false });
  });
});

test("formulas have the class names that clients know", () => {
  const formula = html("$$\\frac{a}{b} + \\sqrt{x} + \\text{t} \\color{red}{r}$$");
  for (const name of [
    "katex-html",
    "base",
    "strut",
    "mord",
    "mathnormal",
    "mfrac",
    "frac-line",
    "vlist-t",
    "sqrt",
    "text",
  ])
    expect(formula).toMatch(new RegExp(`class="(?:[^"]* )?${name}[ "]`));
});
