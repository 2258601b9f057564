/**
 * How much of Zulip's own cases comes out the same. They are not part of this project: they are the fixture
 * "markdown test cases" of zulip/zulip, zerver/tests. Name a copy of that file:
 *
 *     PARLEY_MARKDOWN_CASES=FILE npx vitest run --project tests test/actors/markdown/cases-of-zulip.test.ts
 *
 * It tells what differs. docs/markdown.md says why.
 */
import { readFileSync } from "node:fs";
import { parseDocument } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { html, realmContext } from "./realm-context.ts";

interface Cases {
  regular_tests: { name: string; input: string; expected_output: string; translate_emoticons?: boolean }[];
  /** Text, its HTML with `%s` for a link, and what that link shows. */
  linkify_tests: [text: string, expected: string, link: string][];
}

const file = process.env.PARLEY_MARKDOWN_CASES;
/** Share of the cases whose document is the same: what differs is older, newer, or in the list of the reasons. */
const leastRegular = 170 / 179;
const leastLinks = 68 / 71;

const zulipContext = {
  ...realmContext,
  realmUrl: "http://zulip.testserver",
  findUser: (id: number) => ({ id, full_name: "Zoe" }),
  linkify: () => [],
};

test("the same document is told from another one", () => {
  expect(documentOf("<ul>\n<li>a</li>\n</ul>")).toBe(documentOf("<ul><li>a</li></ul>"));
  expect(documentOf('<a title="b" href="&quot;">x</a>')).toBe(documentOf('<a href="&#34;" title="b">x</a>'));
  for (const other of ["<p>a</p>", "<p>a <b>c</b></p>", "<p>a<b> c</b></p>", '<p>a<b x="y">c</b></p>'])
    expect(documentOf("<p>a<b>c</b></p>")).not.toBe(documentOf(other));
});

describe.skipIf(file === undefined)("of Zulip's cases", () => {
  const cases = file === undefined ? undefined : (JSON.parse(readFileSync(file, "utf8")) as Cases);

  test("texts", () => {
    const found = cases!.regular_tests.map(({ name, input, expected_output, translate_emoticons }) => {
      const context = { ...zulipContext, translatesEmoticons: translate_emoticons === true };
      return compare(name, html(input, context), expected_output);
    });
    expect(tell("texts", found)).toBeGreaterThanOrEqual(leastRegular);
  });

  test("links", () => {
    const found = cases!.linkify_tests.map(([text, expected, link]) => {
      const href = /^[a-z]+:\/\//.test(link) ? link : link.includes("@") ? `mailto:${link}` : `http://${link}`;
      return compare(text, html(text, zulipContext), expected.replace("%s", `<a href="${href}">${link}</a>`));
    });
    expect(tell("links", found)).toBeGreaterThanOrEqual(leastLinks);
  });
});

function compare(name: string, actual: string, expected: string) {
  const [ours, theirs] = [actual, expected].map(withoutProxy) as [string, string];
  return { name, ours, theirs, isEqual: ours === theirs, isSameDocument: documentOf(ours) === documentOf(theirs) };
}

/** Prints what differs. Returns the share that is the same document. */
function tell(what: string, found: ReturnType<typeof compare>[]): number {
  const same = found.filter(({ isSameDocument }) => isSameDocument);
  for (const { name, ours, theirs } of found.filter((one) => !same.includes(one)))
    console.log(`${name}\n  ours   ${JSON.stringify(ours)}\n  theirs ${JSON.stringify(theirs)}`);
  const equal = found.filter(({ isEqual }) => isEqual).length;
  console.log(`${what}: ${same.length} of ${found.length} the same document, ${equal} byte for byte`);
  return same.length / found.length;
}

/** Each server has a place and a key of its own for pictures of other sites. */
const withoutProxy = (text: string): string =>
  text.replaceAll(
    /(?:https:\/\/external-content\.zulipcdn\.net)?\/external_content\/[0-9a-f]+\//g,
    "/external_content/",
  );

interface Node {
  type: string;
  data?: string;
  name?: string;
  attribs?: Record<string, string>;
  children?: Node[];
}

const blocks = new Set("blockquote div li ol root table tbody thead tr ul".split(" "));

/** The tree of some HTML as a text: without white space between blocks, attributes in order, entities decoded. */
function documentOf(text: string): string {
  const write = ({ type, data, name = "root", attribs = {}, children = [] }: Node): string => {
    if (type === "text") return JSON.stringify(data);
    const kept = blocks.has(name)
      ? children.filter((child) => child.type !== "text" || child.data!.trim() !== "")
      : children;
    const attributes = Object.entries(attribs)
      .sort()
      .map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
    return `<${name}${attributes.join("")}>${kept.map(write).join("")}</>`;
  };
  return write(parseDocument(text) as unknown as Node);
}
