import { describe, expect, test } from "vitest";
import { html } from "./realm-context.ts";

describe("CommonMark", () => {
  test.each([
    ["a *b* **c** `d<`", "<p>a <em>b</em> <strong>c</strong> <code>d&lt;</code></p>"],
    ["~~x~~", "<p><del>x</del></p>"],
    ["a\nb", "<p>a<br>\nb</p>"],
    ["a\r\n\r\nb", "<p>a</p>\n<p>b</p>"],
    ["# A\n###### B", "<h1>A</h1>\n<h6>B</h6>"],
    ["---", "<hr>"],
    ["- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
    ["3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ["> a", "<blockquote>\n<p>a</p>\n</blockquote>"],
    ["<b>x</b> &lt; &amp;", "<p>&lt;b&gt;x&lt;/b&gt; &lt; &amp;</p>"],
    ["", ""],
    [" \n ", ""],
    ["[a]: http://a.example\n\n[a]", '<p>[a]: <a href="http://a.example">http://a.example</a></p>\n<p>[a]</p>'],
  ])("%j", (source, expected) => {
    expect(html(source)).toBe(expected);
  });
});

describe("tables", () => {
  test("in the form that clients parse", () => {
    expect(html("| a | b |\n|---|:-:|\n| 1 | *2* |")).toBe(
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th style="text-align: center;">b</th>\n</tr>\n</thead>\n' +
        '<tbody>\n<tr>\n<td>1</td>\n<td style="text-align: center;"><em>2</em></td>\n</tr>\n</tbody>\n</table>',
    );
  });

  test("without rows there is an empty body", () => {
    expect(html("| a |\n|---|")).toBe(
      "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n</tbody>\n</table>",
    );
  });

  test("a table that consists of missing cells is text", () => {
    const source = `${"|a".repeat(40)}|\n${"|-".repeat(40)}|\n${"|\n".repeat(400)}\nend`;
    expect(html(source)).not.toContain("<td>");
    expect(html(source)).toMatch(/<p>end<\/p>$/);
    expect(html(`${"|a".repeat(40)}|\n${"|-".repeat(40)}|\n|\n`).match(/<td>/g)).toHaveLength(40);
  });
});

describe("limits", () => {
  test("hundreds of links and quotes are no trouble; beyond the limits syntax is text, and nothing is lost", () => {
    expect(html("[a](http://b.example) ".repeat(450)).match(/<a /g)).toHaveLength(450);
    expect(html("> a\n\nb\n\n".repeat(1100)).match(/<blockquote>/g)).toHaveLength(1100);
    expect(html("![".repeat(5000))).toBe(`<p>${"![".repeat(5000)}</p>`);
    expect(html("> ```md\nb ---\n".repeat(700)).match(/b ---/g)).toHaveLength(700);
  });
});

describe("code blocks", () => {
  test("with a language: its Pygments name and flat Pygments classes", () => {
    expect(html('```python\ndef f(x):\n  return f"a{x}"\n```')).toBe(
      '<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="k">def</span> <span class="nf">f</span>' +
        '(<span class="n">x</span>):\n  <span class="k">return</span> <span class="s">f&quot;a</span><span class="n">{x}</span>' +
        '<span class="s">&quot;</span>\n</code></pre></div>',
    );
  });

  test.each([
    [
      "```\n<b> @**all** :smile:\n```",
      '<div class="codehilite"><pre><span></span><code>&lt;b&gt; @**all** :smile:\n</code></pre></div>',
    ],
    ["~~~\na\n~~~", '<div class="codehilite"><pre><span></span><code>a\n</code></pre></div>'],
    ["    a", '<div class="codehilite"><pre><span></span><code>a\n</code></pre></div>'],
    ['```<i>"\na\n```', '<p><code>&lt;i&gt;"\na\n</code></p>'],
    [
      "```text\na\n```",
      '<div class="codehilite" data-code-language="Text only"><pre><span></span><code>a\n</code></pre></div>',
    ],
    ["```c++\n```", '<div class="codehilite" data-code-language="C++"><pre><span></span><code></code></pre></div>'],
    [
      "```constructor\na\n```",
      '<div class="codehilite" data-code-language="constructor"><pre><span></span><code>a\n</code></pre></div>',
    ],
  ])("%j", (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  test("the realm's default language applies to fences without one", () => {
    const changes = { codePlaygroundDefaultLanguage: "python" };
    expect(html("```\nx = None\n```", changes)).toContain('data-code-language="Python"');
    expect(html("```\nx = None\n```", changes)).toContain('<span class="kc">None</span>');
    expect(html("```none\nx = None\n```", changes)).toBe(
      '<div class="codehilite"><pre><span></span><code>x = None\n</code></pre></div>',
    );
    expect(html("```quote\nx\n```", changes)).toBe("<blockquote>\n<p>x</p>\n</blockquote>");
  });

  test("long code and long words keep their language, without highlighting", () => {
    const plain = (code: string) =>
      `<div class="codehilite" data-code-language="Java"><pre><span></span><code>${code}\n</code></pre></div>`;
    for (const code of ["int a;\n".repeat(700).trimEnd(), `int ${"$".repeat(200)};`, `int ${"a ".repeat(300)};`]) {
      expect(html(`\`\`\`java\n${code}\n\`\`\``)).toBe(plain(code));
    }
    expect(html("```java\nint a;\n```")).toContain('<span class="kt">int</span>');
  });
});

describe("quote and spoiler fences", () => {
  test.each([
    ["```quote\na *b*\n```\nc", "<blockquote>\n<p>a <em>b</em></p>\n</blockquote>\n<p>c</p>"],
    ["~~~quote\na\n~~~", "<blockquote>\n<p>a</p>\n</blockquote>"],
    [
      "````quote\na\n```\nb\n```\n````",
      '<blockquote>\n<p>a</p>\n<div class="codehilite"><pre><span></span><code>b\n</code></pre></div>\n</blockquote>',
    ],
    ["```quote\nnever closed", "<blockquote>\n<p>never closed</p>\n</blockquote>"],
    ["a\n```quote\nb\n```", "<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>"],
    ["> ```quote\n> a\n> ```\n> b", "<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n<p>b</p>\n</blockquote>"],
    ["- ```quote\n  a\n  ```\n- b", "<ul>\n<li>\n<blockquote>\n<p>a</p>\n</blockquote>\n</li>\n<li>b</li>\n</ul>"],
    ["- ```quote\n  a\n\nb", "<ul>\n<li>\n<blockquote>\n<p>a</p>\n</blockquote>\n</li>\n</ul>\n<p>b</p>"],
    ["```quote\n```", "<blockquote></blockquote>"],
    [
      "- ```quote\n  a\n```text\nb\n```",
      '<ul>\n<li>\n<blockquote>\n<p>a</p>\n</blockquote>\n</li>\n</ul>\n<div class="codehilite" data-code-language="Text only"><pre><span></span><code>b\n</code></pre></div>',
    ],
    [
      "```quote\n```python\n1\n```\na\n```\nb",
      '<blockquote>\n<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="m">1</span>\n</code></pre></div>\n<p>a</p>\n</blockquote>\n<p>b</p>',
    ],
    [
      "```spoiler The *plot*\nHe **dies**\n```\nafter",
      '<div class="spoiler-block"><div class="spoiler-header">\n<p>The <em>plot</em></p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>He <strong>dies</strong></p>\n</div></div>\n<p>after</p>',
    ],
    [
      "```spoiler\na\n```",
      '<div class="spoiler-block"><div class="spoiler-header">\n</div><div class="spoiler-content" aria-hidden="true">\n<p>a</p>\n</div></div>',
    ],
    [
      "```spoiler a\n```quote\nb\n```\n```",
      '<div class="spoiler-block"><div class="spoiler-header">\n<p>a</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<blockquote>\n<p>b</p>\n</blockquote>\n</div></div>',
    ],
  ])("%j", (source, expected) => {
    expect(html(source)).toBe(expected);
  });
});
