/** Where Zulip's Markdown differs from CommonMark, rule by rule. */
import { describe, expect, test } from "vitest";
import { html } from "./realm-context.ts";

/** What a text becomes, by rule. */
const rules: Readonly<Record<string, readonly [source: string, expected: string][]>> = {
  "`_` has no meaning": [
    ["_tea_ and __milk__", "<p>_tea_ and __milk__</p>"],
    ["*a _b_ c*", "<p><em>a _b_ c</em></p>"],
  ],
  "emphasis stays on its line": [
    ["**milk\nand tea**", "<p>**milk<br>\nand tea**</p>"],
    ["*milk\nand tea*", "<p>*milk<br>\nand tea*</p>"],
  ],
  "`*` stands beside a word, `**` and `~~` anywhere": [
    ["int *a = *b;", "<p>int *a = *b;</p>"],
    ["* a*", "<ul>\n<li>a*</li>\n</ul>"],
    ["so ** much ** tea", "<p>so <strong> much </strong> tea</p>"],
    ["so ~~ much ~~ tea", "<p>so <del> much </del> tea</p>"],
    ["~~~x~~~ y", "<p>~~~x~~~ y</p>"],
  ],
  "three `*` are bold and italic, and each kind may contain the later ones": [
    ["***tea***", "<p><strong><em>tea</em></strong></p>"],
    ["**green *tea* leaves**", "<p><strong>green <em>tea</em> leaves</strong></p>"],
    ["*green **tea** leaves*", "<p><em>green <strong>tea</strong> leaves</em></p>"],
    ["~~green **tea**~~", "<p><del>green <strong>tea</strong></del></p>"],
    ["**a `**` b**", "<p><strong>a <code>**</code> b</strong></p>"],
    ["[**a** *b](/x) c*", '<p><a href="/x"><strong>a</strong> *b</a> c*</p>'],
    ["*[a*](/x)", '<p>*<a href="/x">a*</a></p>'],
  ],
  "code keeps its white space, and a block loses that at ends of lines and around it": [
    ["` a ` ``  b``", "<p><code> a </code> <code>  b</code></p>"],
    ["`a\nb`", "<p><code>a\nb</code></p>"],
    ["``a` b", "<p>``a` b</p>"],
    ["```\n\n a  \n\n```", code(" a\n")],
    ["```\nit's", code("it&#39;s\n")],
  ],
  "a fence is closed by as many signs, and a line with more than words behind it is none": [
    ["~~~ milk and tea ~~~", "<p>~~~ milk and tea ~~~</p>"],
    ["```\na\n````\nb\n```", code("a\n````\nb\n")],
    ["````\na\n```\nb\n````", code("a\n```\nb\n")],
    ["~~~\nnever closed", code("never closed\n")],
    [
      "```quote\n```js\n1\n```\n```\na",
      `<blockquote>\n${code('<span class="m">1</span>\n', "JavaScript")}\n</blockquote>\n<p>a</p>`,
    ],
  ],
  "a language is known by each of its names, with a point or in braces too": [
    ...["py", ".python", "{.PYTHON}", "python3 with words"].map((name): [string, string] => [
      `~~~ ${name}\nNone\n~~~`,
      code('<span class="kc">None</span>\n', "Python"),
    ]),
    ["```py2\nNone\n```", code('<span class="kc">None</span>\n', "Python 2.x")],
    ["```php\n$a\n```", code('<span class="nv">$a</span>\n', "PHP")],
    ["```haskell\na\n```", code("a\n", "Haskell")],
    ["```Unheard-Of\na\n```", code("a\n", "unheard-of")],
    [
      "```latex\n\\frac{a} % b\n```",
      code(
        '<span class="k">\\frac</span><span class="nb">{</span>a<span class="nb">}</span> <span class="c">% b</span>\n',
        "TeX",
      ),
    ],
    [
      "```\n#!/usr/bin/env python3\nNone\n```",
      code('<span class="c">#!/usr/bin/env python3</span>\n<span class="kc">None</span>\n'),
    ],
    ["```\n:::python\nNone\n```", code(':::python\n<span class="kc">None</span>\n')],
    ["```\n#!/bin/unheard-of\nNone\n```", code("#!/bin/unheard-of\nNone\n")],
  ],
  "`*`, `-` and `+` are one list, and two spaces are a list within": [
    ["* a\n- b\n+ c", "<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>"],
    [
      "* a\n  - b\n    + c\n* d",
      "<ul>\n<li>a<ul>\n<li>b<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n</li>\n<li>d</li>\n</ul>",
    ],
    ["1. a\n  2. b\n3. c", '<ol>\n<li>a<ol start="2">\n<li>b</li>\n</ol>\n</li>\n<li>c</li>\n</ol>'],
    ["10. a\n  * b\n11. c", '<ol start="10">\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ol>'],
    ["- - a\n  - b", "<ul>\n<li>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n</li>\n</ul>"],
    ["* a\n1. b", "<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>"],
    ["*     a", "<ul>\n<li>a</li>\n</ul>"],
  ],
  "a list may begin below a text, but with no year": [
    ["To buy:\n* tea\n* milk", "<p>To buy:</p>\n<ul>\n<li>tea</li>\n<li>milk</li>\n</ul>"],
    ["To do:\n2. sleep", '<p>To do:</p>\n<ol start="2">\n<li>sleep</li>\n</ol>'],
    ["That was in\n2019. Not before", "<p>That was in<br>\n2019. Not before</p>"],
    ["a\n-\nb", "<p>a<br>\n-<br>\nb</p>"],
  ],
  "a marker alone is text, and so is `1)`": [
    ["-", "<p>-</p>"],
    ["7.", "<p>7.</p>"],
    ["1) tea", "<p>1) tea</p>"],
  ],
  "empty lines make paragraphs of a list's texts": [
    ["* a\n\n* b", "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"],
    ["* a\n\n  b\n* c", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n<li>\n<p>c</p>\n</li>\n</ul>"],
    ["* a\n\nb", "<ul>\n<li>a</li>\n</ul>\n<p>b</p>"],
  ],
  "white space stays but at the beginning": [
    ["tea  ", "<p>tea  </p>"],
    ["  tea\n   milk ", "<p>tea<br>\n   milk </p>"],
    ["* tea\n  milk", "<ul>\n<li>tea<br>\n  milk</li>\n</ul>"],
  ],
  "a quote takes what stands below it without an empty line": [
    ["> a\nb", "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>"],
    [">\n>\ntea", "<blockquote>\n<p>tea</p>\n</blockquote>"],
    ["> a\n\n> b", "<blockquote>\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>b</p>\n</blockquote>"],
    ["> a\n* b", "<blockquote>\n<p>a</p>\n</blockquote>\n<ul>\n<li>b</li>\n</ul>"],
    ["> a\n```quote\nb\n```", "<blockquote>\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>b</p>\n</blockquote>"],
    ["* > a\nb\n* c", "<ul>\n<li>\n<blockquote>\n<p>a<br>\nb</p>\n</blockquote>\n</li>\n<li>c</li>\n</ul>"],
    ["> a\n>> b", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>"],
    [">\ta\n>     b", `<blockquote>\n<p>a<br>\n    b</p>\n</blockquote>`],
    [">     a", `<blockquote>\n${code("a\n")}\n</blockquote>`],
  ],
  "`>` alone quotes nothing": [
    [">", "<p>&gt;</p>"],
    [">>", "<blockquote>\n<p>&gt;</p>\n</blockquote>"],
    ["a\n>\n\nb", "<p>a<br>\n&gt;</p>\n<p>b</p>"],
  ],
  "only `#` makes headings": [
    ["tea\n===", "<p>tea<br>\n===</p>"],
    ["tea\n---", "<p>tea</p>\n<hr>"],
  ],
  "a link without a label shows its address": [
    ["[](https://a.example/b)", '<p><a href="https://a.example/b">https://a.example/b</a></p>'],
    ["[ ](/help) c", '<p><a href="/help">/help</a> c</p>'],
  ],
  "programs are linked to that the standard lists": [
    ["[a](mid:1@b.example)", '<p><a href="mid:1@b.example">a</a></p>'],
    ["[a](obsidian://open?vault=b)", '<p><a href="obsidian://open?vault=b">a</a></p>'],
    ["zotero://select/items/A", '<p><a href="zotero://select/items/A">zotero://select/items/A</a></p>'],
    ["[a](steam://run/1)", "<p>[a](steam://run/1)</p>"],
  ],
};

describe.each(Object.entries(rules))("%s", (_rule, cases) => {
  test.each(cases)("%j", (source, expected) => {
    expect(html(source)).toBe(expected);
  });
});

describe("a bare address", () => {
  test.each([
    ["(see %)", "https://a.example/b"],
    ['"%"', "https://a.example"],
    ["at %: there", "https://a.example/b.html"],
    ["is it %?", "https://a.example"],
    ["%, %; %!", "https://a.example/b?c=d"],
    ["(%)", "https://a.example/Tea_(drink)"],
    ["%.", "https://a.example/(a_(b_(c_(d_(e_(f)_e)_d)_c)_b)_a)"],
    ["**%**", "https://a.example/b"],
    ["~~x % y~~", "https://a.example"],
    ["<%>", "https://a.example/?a=b"],
    ["看%。", "https://a.example/b"],
    ["喝茶%", "https://a.example"],
    ["%", "http://user:word@a.example/b"],
    ["%", "http://localhost:9991/?a#b"],
    ["%", "https://a.example/b::c::d"],
    ["%", "https://a.example/_b_*c*d"],
    ["%", "https://web.example/1/http://a.example/b"],
    ["so,%", "http://a.example/"],
  ])("in %j is whole: %s", (around, address) => {
    const escaped = address.replaceAll("&", "&amp;");
    expect(html(around.replaceAll("%", address))).toContain(`<a href="${escaped}">${escaped}</a>`);
    expect(html(around.replaceAll("%", address)).match(/<a /g)).toHaveLength(around.split("%").length - 1);
  });

  test.each([
    ["tea.com/milk_and_sugar", "http://tea.com/milk_and_sugar"],
    ["go.gl/tea", "http://go.gl/tea"],
    ["tea.co.uk", "http://tea.co.uk"],
    ["tea.com:8080/a", "http://tea.com:8080/a"],
    ["about:tea.com", "http://tea.com"],
    ["ada.b@tea.com", "mailto:ada.b@tea.com"],
    ["<ada@tea.com>", "mailto:ada@tea.com"],
  ])("%s leads to %s", (source, href) => {
    expect(html(source)).toContain(`<a href="${href}">`);
  });

  test.each([
    "//tea.com",
    "http://",
    "a=http://tea.com",
    "xhttp://tea.com",
    "http://tea.com/(a",
    `http://tea.com/${"(".repeat(8)}a${")".repeat(8)}`,
    'src="http://tea.com/a.js"<b',
    "ada@tea.com/milk",
    "milk.py/a readme.md lib.rs tea...milk",
    "javascript://tea.com",
    "steam://tea.com",
    "https:smile//tea.com",
  ])("%s is none", (source) => {
    expect(html(source)).not.toContain("<a ");
  });

  test("in a label belongs to the label", () => {
    expect(html("[see https://a.example/x](https://b.example)")).toBe(
      '<p><a href="https://b.example">see https://a.example/x</a></p>',
    );
    expect(html("[a](https://b.example) https://c.example")).toBe(
      '<p><a href="https://b.example">a</a> <a href="https://c.example">https://c.example</a></p>',
    );
  });
});

function code(text: string, language?: string): string {
  const attribute = language === undefined ? "" : ` data-code-language="${language}"`;
  return `<div class="codehilite"${attribute}><pre><span></span><code>${text}</code></pre></div>`;
}
