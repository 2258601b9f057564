/** Texts made to be slow or harmful come out harmless. What each costs is measured by `npm run bench -- hostile`. */
import { describe, expect, test } from "vitest";
import { maxHtmlUnits } from "../../../actors/markdown/limits.ts";
import { renderMarkdown } from "../../../actors/markdown/render.ts";
import * as hostile from "../../../bench/hostile/markdown.ts";
import { realmContext } from "./realm-context.ts";
import { assertSafeHtml } from "./safe-html.ts";

function assertHarmless(source: string): void {
  const { html } = renderMarkdown(source, realmContext);
  assertSafeHtml(html);
  expect(html.length).toBeLessThanOrEqual(maxHtmlUnits);
}

test.each(["[a](/user_uploads/1/%00)", "![a](/user_uploads/1/x%00.png)", "https://a.example/%00.png"])(
  "%s brings no null character, which PostgreSQL refuses",
  (source) => {
    const rendered = renderMarkdown(source, realmContext);
    expect(JSON.stringify(rendered)).not.toContain("\\u0000");
    expect(rendered.attachmentPathIds).toEqual([]);
  },
);

describe("10,000 characters of anything come out harmless", () => {
  test.each(hostile.repeatedUnits)("%j repeated", (unit) => assertHarmless(hostile.fill(unit)));
  test.each(hostile.nestedPairs)("%j nested until %j", (open, close) => assertHarmless(hostile.nest(open, close)));
  test.each([1, 8, 64, 512])("a table of %i columns with empty rows", (columns) =>
    assertHarmless(hostile.emptyTable(columns)),
  );
  test.each(hostile.codeLanguages)("hostile code in %s", (language) => {
    for (const unit of hostile.codeUnits) hostile.hostileCode(language, unit).forEach(assertHarmless);
  });
  test.each(Object.entries(hostile.hostileFormulas))("formula: %s", (_name, tex) =>
    assertHarmless(`\`\`\`math\n${tex}\n\`\`\``),
  );
});
