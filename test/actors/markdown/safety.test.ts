import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderMarkdown, renderWithParser } from "../../../actors/markdown/render.ts";
import { html, realmContext } from "./realm-context.ts";
import { assertSafeHtml } from "./safe-html.ts";

const payloads = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)" x="',
  "' onclick='x",
  "javascript:alert(1)",
  "data:text/html,<script>x</script>",
  "</code></pre><svg onload=x>",
  "&lt;script&gt;",
  "&#x3c;img&#x20;src=x&#x3e;",
  "{{x}}",
  "]]>",
  "--><b>",
];
/** A place for a payload in every piece of syntax. */
const constructs: ((payload: string) => string)[] = [
  (x) => x,
  (x) => `@**${x}**`,
  (x) => `@**${x}|13** @**|13**`,
  (x) => `@_*${x}*`,
  (x) => `#**${x}** #**general>${x}** #**general>${x}@1**`,
  (x) => `:${x}: :parrot:`,
  (x) => `[${x}](http://a.example)`,
  (x) => `[a](${x})`,
  (x) => `[a](<${x}>)`,
  (x) => `[a](http://a.example/${x} "${x}")`,
  (x) => `![${x}](${x})`,
  (x) => `![${x}](/user_uploads/1/${x}.png)`,
  (x) => `[${x}](</user_uploads/1/${x}.png>)`,
  ...["gif", "mp3", "mp4"].flatMap((kind) => [
    (x: string) => `![${x}](</user_uploads/1/${x}.${kind}>)`,
    (x: string) => `[${x}](</user_uploads/1/${x}.${kind}>)`,
    (x: string) => `> - ![${x} [a](b)](/user_uploads/1/y.${kind})`,
  ]),
  (x) => `https://a.example/${x}`,
  ...["png", "mp4", "mp3"].flatMap((kind) => [
    (x: string) => `https://a.example/${x}.${kind} ![${x}](<https://a.example/${x}.${kind}>)`,
    (x: string) => `[${x}](<https://a.example/a.${kind}?${x}>)`,
  ]),
  (x) => `https://youtu.be/${x} [${x}](<https://www.youtube.com/watch?v=${x}>)`,
  (x) => `<https://a.example/${x}>`,
  (x) => `<time:${x}>`,
  (x) => `$$${x}$$`,
  (x) => `$$\\text{${x}} \\href{${x}}{a} \\htmlClass{${x}}{b}$$`,
  (x) => `\`\`\`math\n${x}\n\`\`\``,
  (x) => `\`\`\`${x}\n${x}\n\`\`\``,
  (x) => `\`\`\`html\n${x}\n\`\`\``,
  (x) => `\`\`\`js\n\`${x}\${${x}}\`\n\`\`\``,
  (x) => `\`\`\`spoiler ${x}\n${x}\n\`\`\``,
  (x) => `\`\`\`quote ${x}\n${x}\n\`\`\``,
  (x) => `> ${x}`,
  (x) => `\`${x}\``,
  (x) => `| ${x} |\n|-|\n| ${x} |`,
  (x) => `# ${x}`,
  (x) => `- ${x}\n1. ${x}`,
  (x) => `~~${x}~~ **${x}** _${x}_`,
  (x) => `\\${x}`,
  (x) => `/me ${x}`,
];

describe("hostile text", () => {
  test.each(payloads)("%s is harmless in every construct", (payload) => {
    for (const construct of constructs) {
      const source = construct(payload);
      assertSafeHtml(html(source));
    }
  });

  test("names, linkifiers and emoji of the realm are no way in either", () => {
    for (const payload of payloads) {
      const context = {
        ...realmContext,
        findUser: (id: number) => ({ id, full_name: payload }),
        findGroupByName: () => ({ id: 1, name: payload }),
        findChannelByName: () => ({ id: 1, name: payload }),
        findRealmEmoji: () => ({ id: "1", name: payload, source_url: `/x?${payload}` }),
        linkify: (text: string) => (text.length > 2 ? [{ start: 0, end: 2, url: payload, text: payload }] : []),
      };
      assertSafeHtml(renderMarkdown("abc @**|1** @*g* #**c** #**c>t** :e: `x` **b**", context).html);
    }
  });

  test("the checker itself refuses what it should", () => {
    for (const bad of [
      "<script>x</script>",
      '<p onclick="x">a</p>',
      '<a href="javascript:x">a</a>',
      '<a href="/x"><a href="/y">a</a></a>',
      "<p>a",
      "<p>a < b</p>",
      '<img src="data:x">',
      '<span style="background: url(x)"></span>',
      "<p><em></p></em>",
      "<a href=/x>a</a>",
    ]) {
      expect(() => assertSafeHtml(bad), bad).toThrow();
    }
  });

  const piece = fc.oneof(
    fc.constantFrom(...payloads),
    fc.constantFrom(
      ..."@** @_** @* ** *** * .png .mp4 ![a](http://b.c/d.mp3) http:// https://youtu.be/ _ ~~ ` `` ``` [ ]( ] ) ![ < > <time: $$ #** : :smile: | |-| & \\ \" ' 😄 👩‍ ️ #12 = - # ( / http:// www. .com a@b.com |12** general support parrot".split(
        " ",
      ),
    ),
    fc.constantFrom(
      "\n",
      "\n\n",
      " ",
      "    ",
      "\t",
      "\n> ",
      "\n- ",
      "\n1. ",
      "\n```\n",
      "\n```quote\n",
      "\n```spoiler a\n",
      "\n```js\n",
      "\n|-|-|\n",
      "\0",
      "\ud800",
    ),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.nat(99).map(String),
  );

  test("fuzz: any mixture of syntax gives safe and well-formed HTML", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => assertSafeHtml(html(pieces.join("")))),
      { numRuns: 1500 },
    );
  });

  test("fuzz: plain text gives the same as through the parser", () => {
    const plain = fc.array(
      fc.oneof(
        fc.constantFrom(
          ..."a B 1 é 你 ü . , : ; ! ? ' \" ( ) - _ @ www. com a.com".split(" "),
          " ",
          "  ",
          ". ",
          "- ",
          "1. ",
          "\u00a0",
          "\u3000",
        ),
        fc.lorem({ maxCount: 3 }),
      ),
      { maxLength: 12 },
    );
    let shortcuts = 0;
    fc.assert(
      fc.property(plain, (pieces) => {
        const source = pieces.join("");
        expect(renderMarkdown(source, realmContext)).toEqual(renderWithParser(source, realmContext));
        if (/^[a-z ]+$/i.test(source)) shortcuts++;
      }),
      { numRuns: 3000, examples: [[["non", " ", "_", "varius", "_"]]] },
    );
    expect(shortcuts).toBeGreaterThan(20);
  });
});
