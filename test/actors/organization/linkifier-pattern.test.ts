import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  type CompiledLinkifier,
  checkReverseTemplate,
  compiledIfValid,
  compileLinkifier,
  findMatches,
  LinkifierError,
  newSearchBudget,
} from "../../../actors/organization/linkifier-pattern.ts";
import { checkPlaygroundUrlTemplate, parseUriTemplate, UriTemplateError } from "../../../actors/text/uri-template.ts";

const issue = compileLinkifier({ pattern: "#(?P<id>[0-9]+)", url_template: "https://tracker.example/{id}" });

function spans(linkifiers: CompiledLinkifier[], text: string): string[] {
  return findMatches(linkifiers, text).map((match) => {
    expect(text.slice(match.start, match.end)).toBe(match.text);
    return `${match.text} ${match.url}`;
  });
}

/** The rule compiled, or the sentence that refuses it. */
function problemOf(pattern: string, url_template = "https://x.example/"): string | undefined {
  try {
    compileLinkifier({ pattern, url_template });
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(LinkifierError);
    return (error as Error).message;
  }
}

describe("compiling a linkifier", () => {
  test("named groups of Python are taken", () => {
    const rule = compileLinkifier({
      pattern: "(?P<org>[\\w-]+)/(?P<repo>[\\w-]+)#(?P<id>\\d+)",
      url_template: "https://github.com/{org}/{repo}/issues/{id}",
    });
    expect(rule.groups).toEqual(["org", "repo", "id"]);
    expect(spans([rule], "see zulip/zulip-mobile#12.")).toEqual([
      "zulip/zulip-mobile#12 https://github.com/zulip/zulip-mobile/issues/12",
    ]);
  });

  test("groups of JavaScript are refused, but not where the letters are text", () => {
    expect(problemOf("#(?<id>[0-9]+)")).toContain("(?P<name>…)");
    expect(problemOf("[(?<]x>")).toBeUndefined();
    expect(problemOf("[]](?<a>x)")).toContain("(?P<name>…)");
    expect(problemOf("\\(?<a>")).toBeUndefined();
  });

  test.each([
    "(",
    "a{2,1}",
    "[z-a]",
    "(?P<a>x)(?P<a>y)",
    "(?=x)",
    "(?<=x)y",
    "(a)\\1",
    "(?P=a)",
    "\\Qx",
    "*",
    "\\",
    "(?P<1a>x)",
    "",
  ])("invalid pattern %j gives a sentence", (pattern) => {
    expect(problemOf(pattern)).toMatch(/^Invalid regular expression: .+\.$/);
  });

  test("a variable that is no group of the pattern is refused", () => {
    expect(problemOf("#(?P<id>[0-9]+)", "https://x.example/{id}/{other}")).toBe(
      "Group “other” in URL template is not present in the linkifier pattern.",
    );
    expect(problemOf("#([0-9]+)", "https://x.example/{id}")).toContain("“id”");
  });

  test.each([
    "https://x/{",
    "https://x/}",
    "https://x/{}",
    "https://x/{=id}",
    "https://x/{id:0}",
    "https://x/{a b}",
    "https://x/ y",
  ])("template %j is refused", (template) => {
    expect(problemOf("#(?P<id>[0-9]+)", template)).toMatch(/^Invalid URL template/);
  });

  test.each(["javascript:alert({id})", "JavaScript:{id}", "data:text/html,{id}", "vbscript:{id}"])(
    "template %j is refused",
    (template) => {
      expect(problemOf("#(?P<id>[0-9]+)", template)).toContain("script or data URL");
    },
  );

  test("a scheme that comes out of the text makes no script link", () => {
    const rule = compileLinkifier({ pattern: "(?P<scheme>[a-z]+)!(?P<rest>\\w+)", url_template: "{scheme}:{rest}" });
    expect(spans([rule], "javascript!alert mailto!x")).toEqual(["mailto!x mailto:x"]);
  });

  test.each([
    "(x{1,1000}){1,1000}",
    "((a{1,100}){1,100}){1,100}",
    "(?:a{1,30}){1,33}",
    "(.{1,31}){1,31}x",
    "\\pL{1000}",
    "(?i)[^\\pL\\pN]{0,999}",
    "(".repeat(490) + ")".repeat(490),
    "a|".repeat(5_000),
  ])("costly pattern %# is refused", (pattern) => {
    expect(problemOf(pattern)).toMatch(/complex|too large|too long|nests too deeply|invalid repeat count/);
  });
});

test("a pattern of large classes is taken, as long as it does not repeat them hundreds of times", () => {
  expect(problemOf("(?i:[\\pL\\pN\\pS])".repeat(50))).toBeUndefined();
  expect(problemOf("(?i)[^\\pL\\pN]{0,400}")).toContain("too complex");
});

describe("finding matches", () => {
  test("a match stands alone", () => {
    const linked = (text: string) => findMatches([issue], text).map((match) => match.text);
    expect(linked("#1")).toEqual(["#1"]);
    for (const text of [
      "a #1",
      "(#1)",
      "'#1'",
      '"#1"',
      ",#1,",
      ":#1:",
      "<#1>",
      "a\u00a0#1",
      "\n#1\n",
      "#1_",
      "#1é".slice(0, 2),
    ]) {
      expect(linked(text), text).toEqual(["#1"]);
    }
    for (const text of ["a#1", "#1a", "é#1", "#1é", "1#1", "/#1", "_#1", "#1\u{10400}", "&#1"])
      expect(linked(text), text).toEqual([]);
  });

  test("neighbours share what stands between them", () => {
    expect(spans([issue], "#1 #2,#3 #4a #5")).toEqual([
      "#1 https://tracker.example/1",
      "#2 https://tracker.example/2",
      "#3 https://tracker.example/3",
      "#5 https://tracker.example/5",
    ]);
  });

  test("the alternative that stands alone is found", () => {
    const rule = compileLinkifier({ pattern: "foo|foobar", url_template: "https://x.example/" });
    expect(spans([rule], "foobar")).toEqual(["foobar https://x.example/"]);
  });

  test("the first linkifier wins, and the result is in the order of the text", () => {
    const long = compileLinkifier({
      pattern: "#(?P<id>[0-9]+)-(?P<c>[0-9]+)",
      url_template: "https://long.example/{id}/{c}",
    });
    expect(spans([issue, long], "#1-2 #3")).toEqual(["#1 https://tracker.example/1", "#3 https://tracker.example/3"]);
    expect(spans([long, issue], "#3 #1-2")).toEqual(["#3 https://tracker.example/3", "#1-2 https://long.example/1/2"]);
  });

  test("values are percent-encoded, and groups that did not match are undefined", () => {
    const rule = compileLinkifier({
      pattern: "ref:(?P<a>[^ @]+)(?:@(?P<b>[^ ]+))?",
      url_template: "https://x.example/{a}{?b}",
    });
    expect(spans([rule], "ref:a/b?<é\"'>@1&2 ref:z ref:\u{1f600}")).toEqual([
      "ref:a/b?<é\"'>@1&2 https://x.example/a%2Fb%3F%3C%C3%A9%22%27%3E?b=1%262",
      "ref:z https://x.example/z",
      "ref:\u{1f600} https://x.example/%F0%9F%98%80",
    ]);
  });

  test("half a character makes no link and no error", () => {
    const rule = compileLinkifier({ pattern: "x(?P<a>.+)", url_template: "https://x.example/{a}" });
    expect(findMatches([rule], "x\ud83d")).toEqual([]);
    const prefix = compileLinkifier({ pattern: "x(?P<a>.+)", url_template: "https://x.example/{a:1}" });
    expect(findMatches([prefix], "x\u{1f600}")).toEqual([]);
  });

  test("an empty match is no link, and ends the search of nothing", () => {
    const rule = compileLinkifier({ pattern: "a*", url_template: "https://x.example/" });
    expect(spans([rule], "b aa b a")).toEqual(["aa https://x.example/", "a https://x.example/"]);
    expect(spans([compileLinkifier({ pattern: "\\b", url_template: "https://x.example/" })], "a b")).toEqual([]);
  });

  test("no linkifiers and no text cost nothing", () => {
    expect(findMatches([], "#1".repeat(5_000))).toEqual([]);
    expect(findMatches([issue], "")).toEqual([]);
  });

  test("links of a long text are found on both sides of every cut, at their own offsets", () => {
    const text = Array.from({ length: 1_100 }, (_, n) => `#${n}`).join(" ");
    const found = findMatches([issue], text);
    expect(found.map((match) => match.text)).toEqual(text.split(" "));
    for (const match of found) expect(text.slice(match.start, match.end)).toBe(match.text);
    // Where nothing can be cut, the rule about neighbours still sees both sides.
    expect(findMatches([issue], `${"x".repeat(1_920)}#1`)).toEqual([]);
    expect(findMatches([issue], `${"/".repeat(1_918)}#12`)).toEqual([]);
    expect(findMatches([issue], `${"/".repeat(1_917)}'#12`)).toEqual([]);
    expect(findMatches([issue], `${"/".repeat(1_916)}'#12`)).toHaveLength(1);
    expect(findMatches([issue], `${"/".repeat(1_915)}'#12,`)).toHaveLength(1);
    expect(findMatches([issue], `${"\u{1f600}".repeat(2_500)} #12`)).toHaveLength(1);
  });

  test("generated texts: matches are ordered, apart, and stand alone", () => {
    const word = compileLinkifier({ pattern: "[a-c]+", url_template: "https://x.example/" });
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "#", "1", "(", "é", "\u{1f600}"), maxLength: 60 });
    fc.assert(
      fc.property(text, (sample) => {
        let last = 0;
        for (const match of findMatches([issue, word], sample)) {
          expect(match.start).toBeGreaterThanOrEqual(last);
          expect(match.end).toBeGreaterThan(match.start);
          expect(sample.slice(0, match.start)).toMatch(/(?:^|[\s'"(,:<])$/u);
          expect(sample.slice(match.end)).not.toMatch(/^[\p{L}\p{N}]/u);
          last = match.end;
        }
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });

  const filler = (unit: string) => unit.repeat(Math.ceil(10_000 / unit.length)).slice(0, 10_000);
  test.each([
    ["(a+)+$", filler("a")],
    ["(a+)+$", `${filler("a")}!`],
    ["(a|a)*b", filler("a")],
    ["(?:a.*b|a)", filler("a ")],
    ["(?:[^x]*x|a)", filler("a ")],
    ["(?:.{1,100}x|.{1,100}y|a)", filler("a ")],
    ["(?:\\pL[^b]{0,200}b|.)", filler("é ")],
    ["(?i)(?:(?:a|b|ab){1,60}c|[a-z])", filler("ab ")],
    ["(?P<x>.*)(?P<y>.*)(?P<z>.*)!", filler("a ")],
    [".", filler("a ")],
  ])("pattern %j is searched for until the budget is spent", (pattern, text) => {
    const linkifiers = Array.from({ length: 5 }, () =>
      compileLinkifier({ pattern, url_template: "https://x.example/" }),
    );
    for (const match of findMatches(linkifiers, text)) expect(text.slice(match.start, match.end)).toBe(match.text);
  });

  test("a spent budget keeps what was found", () => {
    const budget = newSearchBudget(2_000);
    const found = findMatches([issue], "#1 #2 #3 #4 #5 #6 #7 #8", budget);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(8);
    // The other parts of the same message have nothing left.
    expect(findMatches([issue], "#9", budget)).toEqual([]);
    expect(findMatches([issue], "#9")).toHaveLength(1);
  });

  test("a machine that pauses for an hour between two looks at its clock finds the same links", () => {
    const text = Array.from({ length: 200 }, (_, n) => `#${n}`).join(" ");
    let clockMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (clockMs += 3_600_000));
    try {
      expect(findMatches([issue], text)).toHaveLength(200);
    } finally {
      clock.mockRestore();
    }
  });

  test("a phrase of several words is found wherever in a long line it stands", () => {
    const phrase = compileLinkifier({ pattern: "issue (?P<n>[0-9]+) of 9", url_template: "https://x.example/{n}" });
    for (let at = 0; at < 1_000; at += 7) {
      const text = `${"word. ".repeat(at / 6)}see issue 5 of 9, please, ${"and on. ".repeat(100)}`;
      expect(findMatches([phrase], text)).toHaveLength(1);
    }
  });
});

describe("reverse linkifiers", () => {
  const none = { example_input: null, reverse_template: null, alternative_url_templates: [] };
  const check = (rule: Partial<Parameters<typeof checkReverseTemplate>[1]>, linkifier = issue) =>
    checkReverseTemplate(linkifier, { ...none, ...rule });

  test("nothing given is fine", () => expect(check({})).toBeUndefined());

  test("the example must match as a whole", () => {
    expect(check({ example_input: "#12" })).toBeUndefined();
    expect(check({ example_input: "see #12" })).toContain("does not match");
    expect(check({ example_input: "" })).toContain("does not match");
  });

  test("a reverse template needs an example and must give it back", () => {
    expect(check({ reverse_template: "#{id}" })).toContain("Example input is required");
    expect(check({ example_input: "#12", reverse_template: "#{id}" })).toBeUndefined();
    expect(check({ example_input: "#12", reverse_template: "{id}" })).toContain("does not give back");
    expect(check({ example_input: "#12", reverse_template: "#{no}" })).toContain("Group “no”");
  });

  test("doubled braces are literal", () => {
    const braces = compileLinkifier({
      pattern: "\\{(?P<id>\\d+)\\}(?P<rest>x)?",
      url_template: "https://x.example/{id}",
    });
    expect(check({ example_input: "{12}", reverse_template: "{{{id}}}{rest}" }, braces)).toBeUndefined();
    expect(check({ example_input: "{12}", reverse_template: "{{id}}" }, braces)).toContain("does not give back");
    for (const reverse of ["{", "}", "{id", "id}", "{}", "{{{id}}", "{a b}"]) {
      expect(check({ example_input: "{12}", reverse_template: reverse }, braces), reverse).toContain(
        "Invalid reverse template",
      );
    }
  });

  test("alternative templates are RFC 6570 and use only the pattern's groups", () => {
    expect(check({ alternative_url_templates: ["https://a.example/{id}", "https://a.example/{?id}"] })).toBeUndefined();
    expect(check({ alternative_url_templates: ["https://a.example/{id}", "https://a.example/{x}"] })).toContain(
      "Group “x”",
    );
    expect(check({ alternative_url_templates: ["https://a.example/{"] })).toContain("Invalid URL template");
  });
});

describe("URI templates", () => {
  test("variables are listed once, in order, whatever the operator and modifier", () => {
    expect(parseUriTemplate("/{a}{+b:3,c*}{#a}{.d}{/e}{;f}{?g.h}{&i_1}").variables).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
      "f",
      "g.h",
      "i_1",
    ]);
    expect(parseUriTemplate("").variables).toEqual([]);
    expect(parseUriTemplate("/%20é'~").expand({})).toBe("/%20%C3%A9'~");
  });

  test.each([
    "{a",
    "a}",
    "{a{b}}",
    "{,a}",
    "{a,}",
    "{a:}",
    "{a:10000}",
    "{a:x}",
    "{a**}",
    "{.}",
    "{a..b}",
    "{-a}",
    "{!a}",
    "{|a}",
    "%zz",
    "%",
    "a b",
    "<",
    '"',
    "a\u0000",
    "^",
    "`",
    "\\",
    "\ud800",
    "x".repeat(2_001),
  ])("%j is no template", (template) => {
    expect(() => parseUriTemplate(template)).toThrow(UriTemplateError);
  });

  test("a playground has exactly the variable code", () => {
    expect(checkPlaygroundUrlTemplate("https://play.example/?c={code}")).toBeUndefined();
    expect(checkPlaygroundUrlTemplate("https://play.example/{?code}#{code}")).toBeUndefined();
    expect(checkPlaygroundUrlTemplate("https://play.example/")).toContain("must contain the variable");
    expect(checkPlaygroundUrlTemplate("https://play.example/{lang}/{code}")).toContain("exactly one variable");
    expect(checkPlaygroundUrlTemplate("https://play.example/{lang}")).toContain("must contain the variable");
    expect(checkPlaygroundUrlTemplate("https://play.example/{code")).toContain("Invalid URL template");
    expect(checkPlaygroundUrlTemplate("javascript:eval({code})")).toContain("script");
  });
});

test("a stored rule that is none compiles to nothing, so that messages are rendered", () => {
  const rule = (pattern: string, url_template: string) => compiledIfValid({ pattern, url_template });
  expect(rule("#(?P<id>[0-9]+)", "https://bugs.example.com/{id}")).toHaveLength(1);
  expect(rule("file:(?P<path>[A-Za-z0-9_./-]{1,255})", "https://code.example.com/{+path}")).toEqual([]);
  expect(rule("js(?P<id>[0-9]+)", "javascript:alert({id})")).toEqual([]);
  expect(rule("(", "https://bugs.example.com/")).toEqual([]);
  expect(rule("a(?P<b>c)", "{")).toEqual([]);
});
