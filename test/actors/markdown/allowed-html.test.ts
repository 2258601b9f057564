/** HTML that came from elsewhere: what a renderer makes stays as it is, and nothing else passes. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { allowedHtml } from "../../../actors/markdown/allowed-html.ts";
import { renderMarkdown } from "../../../actors/markdown/render.ts";
import * as hostile from "../../../bench/hostile/markdown.ts";
import { realmContext } from "./realm-context.ts";
import { assertSafeHtml } from "./safe-html.ts";

const allowed = (html: string) => allowedHtml(html, "the text");

describe("what our renderer makes comes out as it went in", () => {
  const isKept = (source: string) => {
    const { html } = renderMarkdown(source, realmContext);
    expect(allowedHtml(html, source)).toBe(html);
  };
  test.each([...hostile.repeatedUnits])("%j repeated", (unit) => isKept(hostile.fill(unit)));
  test.each(Object.entries(hostile.hostileFormulas))("formula: %s", (_, tex) => isKept(`\`\`\`math\n${tex}\n\`\`\``));
  test.each([
    "**a** *b* ~~c~~ `d` <time:2020-01-01T00:00:00Z> @**Ada Lovelace** @_**Ada Lovelace** @*support* @**all** @**topic**",
    "#**general** #**general>a b** #**general>a@7** :tada: :parrot: https://a.example/?b=1&c=2 <a@b.example>",
    "| a | b |\n|:-|-:|\n| 1 | 2 |\n\n3. x\n4. y\n\n> q\n\n# h\n\n---",
    "```spoiler x\ny\n```\n```python\nprint('x' + \"<\")\n```\n```math\n\\sum_{i=1}^n \\sqrt{x} \\color{red}{y} \\int\n```",
    "[a](/user_uploads/1/x.png)\n![a](/user_uploads/1/x.gif) ![s](/user_uploads/1/x.mp3) [v](/user_uploads/1/x.mp4)",
    "$$\\begin{matrix} a & b \\\\ c & d \\end{matrix} \\overbrace{x} \\cancel{y} \\fbox{z} \\xrightarrow{a} \\iint$$",
    "https://a.example/b.png\n\nsee https://a.example/c.mp4 https://youtu.be/d ![e](https://a.example/f.mp3)",
    "```latex\n\\frac{a} % b\n```\n```py2\nNone\n```\n***a*** <time:31 Dec 2017> <time:never>",
  ])("%j", isKept);
});

it("keeps what Zulip's renderer makes besides, and posters of ours", () => {
  for (const html of [
    '<div class="youtube-video message_inline_image"><a data-id="dQw4w9WgXcQ" href="https://www.youtube.com/watch?v=dQw4w9WgXcQ"><img src="https://i.example/1.jpg"></a></div>',
    '<p><a href="https://a.example" target="_blank" title="x &gt; y">a</a></p>',
    '<div class="message_inline_image"><a href="/user_uploads/5/a.png" title="a.png"><img data-original-content-type="image/png" data-original-dimensions="20x10" src="/user_uploads/thumbnail/5/a.png/840x560.webp"></a></div>',
    '<div class="message_inline_image message_inline_video"><a href="/user_uploads/5/a.mp4" title="a"><video poster="/user_uploads/thumbnail/5/a.mp4/840x560.webp" preload="metadata" src="/user_uploads/5/a.mp4"></video></a></div>',
    '<div class="spoiler-content" aria-hidden="true">\n<p>x</p>\n<p></div><br>\n</p>',
    '<div class="codehilite"><pre><span></span><code><span class="nb">print</span><span class="p">()</span>\n</code></pre></div>',
  ])
    expect(allowed(html)).toBe(html);
});

describe("nothing else passes", () => {
  it.each([
    ['<div style="position:fixed;top:0;left:0;width:100%;height:100%">x</div>', "<div>x</div>"],
    ['<span style="position:fixed">x</span>', "<span>x</span>"],
    ['<span style="background:url(//a.example)">x</span>', "<span>x</span>"],
    ['<meta http-equiv="refresh" content="0;url=https://a.example"><p>x</p>', "<p>x</p>"],
    ['<base href="https://a.example"><link rel="stylesheet" href="/x"><p>x', "<p>x</p>"],
    ['<form action="https://a.example"><input name="password"><button>Log in</button></form>', "Log in"],
    ['<iframe src="https://a.example">y</iframe><p>x</p>', "<p>x</p>"],
    ["<script>alert(1)</script>x<style>p{}</style>", "x"],
    ["<scr<script></script>ipt>alert(1)</script>", "alert(1)"],
    ['<img src="x" onerror="alert(1)">', "<img>"],
    ['<a href="javascript:alert(1)">x</a>', "<a>x</a>"],
    ['<a href="java&#115;cript:alert(1)">x</a>', "<a>x</a>"],
    ['<a href="&#x6a;avascript:alert(1)">x</a>', "<a>x</a>"],
    ['<a href="java\tscript:alert(1)">x</a>', "<a>x</a>"],
    ["<a href='https://a.example/\"onclick=\"x'>x</a>", '<a href="https://a.example/&quot;onclick=&quot;x">x</a>'],
    ['<video poster="javascript:alert(1)" onerror="x"></video>', "<video></video>"],
    ["<A HREF=javascript:x>x</A>", "x"],
    ['<div id="app" class="modal overlay codehilite" data-x="1">x</div>', '<div class="codehilite">x</div>'],
    ["<em>x<del>y</em>z</del>", "<em>x<del>y</del></em>z"],
    ["<a href='/a'><a href='/b'>x</a></a>", '<a href="/a">x</a>'],
    ["</div>x<!-- <p> -->y<!-- open", "xy"],
    ["1 < 2 > 0 <", "1 &lt; 2 &gt; 0 &lt;"],
    ["<p", "&lt;p"],
    ["<svg><animate onbegin='x'/><a xlink:href='javascript:x'>t</a></svg>", "<svg><a>t</a></svg>"],
    ["<math><mi xlink:href='javascript:x' href='javascript:x' onclick='x'>t</mi></math>", "<math><mi>t</mi></math>"],
  ])("%s", (html, kept) => {
    expect(allowed(html)).toBe(kept);
    assertSafeHtml(kept, { endsParagraphs: true });
  });

  it("of any text comes HTML that no browser can misread, and is not changed again", () => {
    const pieces = fc.constantFrom(
      ...'< > / = " \' ` & ; : a p div span img svg path math mi href src style class onclick title javascript: position:fixed https://a.example \t \n \0 <!-- --> </ <a <p> </p> <a href= <img src= <span style=" /> <script> </script> &#106; &quot; x'.split(
        " ",
      ),
      " ",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const kept = allowed(parts.join(""));
        assertSafeHtml(kept, { endsParagraphs: true });
        expect(allowed(kept)).toBe(kept);
      }),
      { numRuns: 3000, seed: 7 },
    );
  });

  it("a rendering that is too long becomes the text, and elements end somewhere", () => {
    expect(allowedHtml("<p>".repeat(200_000), "a < b")).toBe("<p>a &lt; b</p>");
    const nested = allowed("<blockquote>".repeat(20_000));
    assertSafeHtml(nested);
    expect(nested.length).toBeLessThan(60_000);
  });
});
