/**
 * What services post, spoilt: values of other kinds, names that every object has, parts left out or doubled, hostile
 * texts. Each integration makes messages of it that call nobody and hide no address, or refuses it with an error for
 * people. It takes no long time. `PARLEY_FUZZ_REQUESTS` says how many payloads, `FUZZ_SEED` which.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../actors/errors.ts";
import type { Said } from "../../actors/integrations/notice/integration.ts";
import { composed, harmless } from "../../actors/integrations/notice/markdown.ts";
import { Payload } from "../../actors/integrations/notice/payload.ts";
import { integrations } from "../../actors/integrations/table.ts";
import { renderMarkdown } from "../../actors/markdown/render.ts";
import { isStorable } from "../../actors/text/texts.ts";
import { realmContext } from "../actors/markdown/realm-context.ts";
import { type Sample, samples } from "../support/integrations/samples.ts";
import { cpuMs } from "../support/time/cpu.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_123);
const payloads = Number(process.env["PARLEY_FUZZ_REQUESTS"] ?? 5_000);
/** Generous: a machine that is busy with other tests takes a multiple of its time. */
const longestMs = 2000;

/** A link that no payload shows as it is: only a text that was taken for Markdown becomes it. */
const bait = "https://evil.example/";
const hostileTexts = [
  `[click](${bait})`,
  `x](${bait}) [y`,
  `![p](${bait})`,
  `[a][b]\n\n[b]: ${bait}`,
  "@**all**",
  "@*everyone*",
  "@",
  "**all**",
  "*",
  "`",
  "```\n",
  "~~~~ quote\n",
  "/poll x",
  "/me waves",
  "\0\u0007\n\r\t",
  "😀".repeat(400),
  `x${"😀".repeat(400)}`,
  "{{".repeat(2000),
  "[".repeat(5000),
  "<!--".repeat(2000),
  "<script>".repeat(1000),
  "{code}".repeat(1500),
  " *a".repeat(3000),
  "x".repeat(50_000),
  "javascript:alert(1)",
  `https://ok.example/)[click](${bait}`,
  "https://ok.example/`*_[](<>",
];
const hostileValues: readonly unknown[] = [
  null,
  [],
  {},
  0,
  -1,
  1e308,
  true,
  "",
  [null],
  [[]],
  { toString: 1 },
  { length: 1e9 },
  [{}, {}, {}],
];

/** Longer than whatever is shown of names and titles. */
const pairs = "😀".repeat(700);
/** Texts of a payload that are replaced one after the other. */
const mostTexts = 40;

const text = fc.constantFrom(...hostileTexts);
const spoilt = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...hostileValues) });

/** The payload with some of its values spoilt: each by its place in a walk through all. */
function spoil(value: unknown, spoils: ReadonlyMap<number, unknown>, place = { number: 0 }): unknown {
  const own = spoils.get(place.number++);
  if (own !== undefined && typeof value === "string" && typeof own === "string" && place.number % 2 === 0)
    return `${value}${own}`;
  if (own !== undefined) return own;
  if (Array.isArray(value)) return value.map((item) => spoil(item, spoils, place));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, spoil(item, spoils, place)]));
}

/** The payload with one of its texts replaced, by its place among them. */
function replaced(payload: unknown, place: number, text: string): unknown {
  let number = 0;
  return JSON.parse(JSON.stringify(payload), (_, value: unknown) =>
    typeof value === "string" && number++ === place ? text : value,
  );
}

const cases = fc.record({
  sample: fc.constantFrom(...samples),
  spoils: fc.array(fc.tuple(fc.nat(40), spoilt), { minLength: 1, maxLength: 8 }).map((pairs) => new Map(pairs)),
});

/** What the integration says of it; nothing where it refuses it as it should. */
function read({ name, headers = {} }: Sample, payload: unknown): readonly Said[] {
  try {
    const told = integrations
      .get(name)!
      .read({ payload: new Payload(payload), event: Object.values(headers)[0] ?? "", options: {} });
    if (typeof told === "string") return [];
    return "content" in told ? [told] : told;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return [];
    throw error;
  }
}

describe("payloads that no service sends", () => {
  it(`are told harmlessly or refused: seed ${seed}, ${payloads} payloads`, () => {
    let told = 0;
    const check = fc.property(cases, ({ sample, spoils }) => {
      const sent = sample.isForm ? sample.payload : spoil(sample.payload, spoils);
      const started = cpuMs();
      const said = read(sample, sent);
      expect(cpuMs() - started).toBeLessThan(longestMs);
      for (const { topic, content } of said.slice(0, 3)) {
        told++;
        expect([typeof topic, typeof content]).toEqual(["string", "string"]);
        expect(topic).not.toMatch(/[\0-\x1f]/);
        expect(isStorable(topic + content), `${sample.name}: ${content}`).toBe(true);
        const { hasOwnTexts } = integrations.get(sample.name)!;
        const shown = hasOwnTexts ? harmless(content) : composed(content);
        const rendered = renderMarkdown(shown.slice(0, 10_000), realmContext);
        expect(rendered).toMatchObject({
          mentionedUserIds: [],
          mentionedGroupIds: [],
          mentionsChannelWildcard: false,
          mentionsTopicWildcard: false,
        });
        const outside = rendered.html.replaceAll(/<blockquote>[\s\S]*?<\/blockquote>/g, "");
        if (!hasOwnTexts) {
          expect(outside).not.toMatch(/<a href="https:\/\/evil\.example\/"[^>]*>(?!https)/);
          expect(shown).not.toMatch(/^\s*\/(?:me|poll|todo)\b/);
        }
      }
    });
    fc.assert(check, { seed, numRuns: payloads });
    expect(told).toBeGreaterThan(payloads / 3);
  });

  it("are told with no character cut in two", () => {
    const cut = new Set<string>();
    for (const sample of samples.filter(({ isForm }) => !isForm))
      for (const text of [pairs, `x${pairs}`])
        for (let place = 0; place < mostTexts; place++)
          for (const { topic, content } of read(sample, replaced(sample.payload, place, text)))
            if (!isStorable(topic + content)) cut.add(sample.name);
    expect([...cut]).toEqual([]);
  });
});
