import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HighlightTerms, highlightHtml, highlightSubject } from "../../../actors/narrow/highlight.ts";
import { parseSearch } from "../../../actors/narrow/search-terms.ts";
import { stemEnglish } from "../../../actors/text/english-stem.ts";

/** Terms as somebody writes them. Those that mean nothing beside others mean something alone. */
const searched = (written: string[]) => new HighlightTerms(written.flatMap((term) => parseSearch(term).wanted));
const html = (text: string, ...terms: string[]) => highlightHtml(text, searched(terms));
const subject = (text: string, ...terms: string[]) => highlightSubject(text, searched(terms));
const h = (text: string) => `<span class="highlight">${text}</span>`;
const unmark = (text: string) => text.replaceAll(/<span class="highlight">(.*?)<\/span>/gs, "$1");

describe("highlighting content", () => {
  test("words are marked whole, in any case, by stem", () => {
    expect(html("<p>She RUNS; he was running a run.</p>", "run")).toBe(
      `<p>She ${h("RUNS")}; he was ${h("running")} a ${h("run")}.</p>`,
    );
    expect(html("<p>connected connection connect connectedness cone</p>", "Connections")).toBe(
      `<p>${h("connected")} ${h("connection")} ${h("connect")} connectedness cone</p>`,
    );
    expect(html("<p>prerun runway</p>", "run")).toBe("<p>prerun runway</p>");
  });

  test("tags, attributes and entities are left alone", () => {
    const link = '<a href="https://run.example/run" title="run">run</a>';
    expect(html(`<p class="run">${link}</p>`, "run")).toBe(
      `<p class="run"><a href="https://run.example/run" title="run">${h("run")}</a></p>`,
    );
    expect(html("<p>a &amp; b &lt;p&gt; amp</p>", "amp", "lt", "p", "gt", "39")).toBe(
      `<p>a &amp; b &lt;${h("p")}&gt; ${h("amp")}</p>`,
    );
    expect(html("<p>it&#39;s 39</p>", "39", "x27")).toBe(`<p>it&#39;s ${h("39")}</p>`);
  });

  test("words beyond ASCII", () => {
    expect(html("<p>Größe GRÖSSE größe \u{1f600} 你好</p>", "größe", "你好")).toBe(
      `<p>${h("Größe")} ${h("GRÖSSE")} ${h("größe")} \u{1f600} ${h("你好")}</p>`,
    );
  });

  test("a phrase is marked as one, where its words follow one another", () => {
    expect(html("<p>the lazy dogs and a lazy, dog. lazy cat dog</p>", "lazy-dog")).toBe(
      `<p>the ${h("lazy dogs")} and a ${h("lazy, dog")}. lazy cat dog</p>`,
    );
    expect(html("<p>a <strong>lazy</strong> dog</p>", "lazy-dog")).toBe(
      `<p>a <strong>${h("lazy")}</strong> ${h("dog")}</p>`,
    );
    expect(html("<p>a b c</p>", "a-b", "b-c")).toBe(`<p>${h("a b c")}</p>`);
    expect(html("<p>dogs dogs</p>", "dog")).toBe(`<p>${h("dogs")} ${h("dogs")}</p>`);
    expect(html("<p>don&#39;t stop</p>", "stop")).toBe(`<p>don&#39;t ${h("stop")}</p>`);
  });

  test("stop words match nothing beside others, in a phrase they count", () => {
    expect(html("<p>the end of the day</p>", "the end")).toBe(`<p>the ${h("end")} of the day</p>`);
    expect(html("<p>the end of the day, the end</p>", "end-of")).toBe(`<p>the ${h("end of")} the day, the end</p>`);
  });

  test("no terms, no marks", () => {
    expect(html("<p>a</p>")).toBe("<p>a</p>");
    expect(html("<p>a</p>", "", "  ", "!?")).toBe("<p>a</p>");
  });

  test("formulas are left alone", () => {
    const formula = "<math><mi>x</mi><annotation>x</annotation></math>";
    expect(html(`<p>x ${formula} x</p>`, "x")).toBe(`<p>${h("x")} ${formula} ${h("x")}</p>`);
    expect(html("<mathx>x</mathx>", "x")).toBe(`<mathx>${h("x")}</mathx>`);
  });

  test("unclosed markup is left alone", () => {
    expect(html("x <a x", "x")).toBe(`${h("x")} <a x`);
    expect(html("x <math>x x", "x")).toBe(`${h("x")} <math>x x`);
  });

  test("generated documents: without the marks they are as before", () => {
    const part = fc.constantFrom(
      "run",
      "Runs",
      " ",
      "dog",
      "lazy",
      "&amp;",
      "<b>",
      "</b>",
      '<i title="run">',
      "</i>",
      ".",
      "é",
      "<br>",
    );
    const document = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(document, (text) => {
        const marked = html(text, "run", "lazy-dog", "amp", "title");
        expect(unmark(marked)).toBe(text);
        expect(marked.replace(/<[^>]*>/g, "")).toBe(text.replace(/<[^>]*>/g, ""));
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });
});

describe("highlighting a topic", () => {
  test("it is escaped, with or without marks", () => {
    expect(subject("<script>alert('run')</script> & \"run\"", "run")).toBe(
      `&#60;script&#62;alert(&#39;${h("run")}&#39;)&#60;/script&#62; &#38; &#34;${h("run")}&#34;`,
    );
    expect(subject("<b>")).toBe("&#60;b&#62;");
    expect(subject("")).toBe("");
    expect(subject("&lt; lt", "lt")).toBe(`&#38;${h("lt")}; ${h("lt")}`);
  });

  test("words match as in content", () => {
    expect(subject("Deploying the deployment", "deploy")).toBe(`${h("Deploying")} the ${h("deployment")}`);
  });
});

describe("stems", () => {
  // What PostgreSQL's ts_lexize('english_stem', …) gives.
  test.each([
    ["caresses", "caress"],
    ["ponies", "poni"],
    ["ties", "tie"],
    ["cries", "cri"],
    ["gas", "gas"],
    ["this", "this"],
    ["kiwis", "kiwi"],
    ["agreed", "agre"],
    ["feed", "feed"],
    ["hopping", "hop"],
    ["hoping", "hope"],
    ["luxuriated", "luxuri"],
    ["added", "add"],
    ["happy", "happi"],
    ["cry", "cri"],
    ["by", "by"],
    ["say", "say"],
    ["relational", "relat"],
    ["conditional", "condit"],
    ["organization", "organ"],
    ["fulness", "ful"],
    ["happiness", "happi"],
    ["possibly", "possibl"],
    ["technology", "technolog"],
    ["replacement", "replac"],
    ["adoption", "adopt"],
    ["generous", "generous"],
    ["generate", "generat"],
    ["communication", "communic"],
    ["controlling", "control"],
    ["rate", "rate"],
    ["skies", "sky"],
    ["news", "news"],
    ["proceeding", "proceed"],
    ["youth", "youth"],
    ["boyish", "boyish"],
    ["Dogs", "dog"],
    ["naïve", "naïve"],
    ["ab", "ab"],
    ["x1s", "x1s"],
  ])("%s has the stem %s", (word, stem) => {
    expect(stemEnglish(word)).toBe(stem);
  });
});

describe("highlighting hostile texts changes nothing but its marks", () => {
  const terms = ["a a a a a a a a a a a a a a a a b", "running", ...Array.from({ length: 60 }, (_, i) => `a x${i}`)];
  test.each([
    ["one word repeated", "a ".repeat(50_000)],
    ["one long word", "a".repeat(100_000)],
    ["open angle brackets", "<".repeat(100_000)],
    ["open formulas", "<math>".repeat(20_000)],
    ["ampersands", "&".repeat(100_000)],
    ["long entities", "&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".repeat(3_000)],
    ["matches", "<p>running</p>".repeat(7_000)],
  ])("%s", (_name, text) => {
    const compiled = searched(terms);
    expect(unmark(highlightHtml(text, compiled))).toBe(text);
    expect(highlightSubject(text.slice(0, 1_000), compiled).length).toBeGreaterThan(0);
  });
});
