/** Attachments and blocks in forms that no program gives them become text or are counted, and break nothing. */
import { expect, test } from "vitest";
import { quotationsOf } from "../../../actors/transfer/conversion/attachments.ts";
import { textOfBlocks } from "../../../actors/transfer/conversion/blocks.ts";
import type { Reading } from "../../../actors/transfer/conversion/reading.ts";
import { Topics } from "../../../actors/transfer/conversion/words.ts";
import { cpuMs } from "../../support/time/cpu.ts";
import { eachColumn, hostile } from "../../support/transfer/imported.ts";

/** A reading that marks what it has read, and counts. */
function reading(): Reading & { notes: Map<string, number> } {
  const notes = new Map<string, number>();
  const note = (what: string, count = 1) => void notes.set(what, (notes.get(what) ?? 0) + count);
  return { notes, note, text: (text) => text, plain: (text) => text, onOther: () => note("other") };
}

const full = {
  pretext: "a",
  author_name: "b",
  title: "c",
  title_link: "https://example.com/d",
  text: "e",
  fields: [{ title: "f", value: "g" }],
  footer: "h",
  image_url: "https://example.com/i",
  blocks: [{ type: "markdown", text: "j" }],
  attachments: [{ text: "k" }],
  actions: [],
};

test("each column of an attachment that is no such leaves the others, or is counted", () => {
  for (const odd of eachColumn(full, hostile)) {
    const read = reading();
    const text = quotationsOf([odd, { text: "next" }], read);
    expect(text).toContain("next");
    // Either it is there, or somebody counted it.
    if (!text.includes("quote\na") && odd["pretext"] === "a") expect(read.notes.get("other")).toBeGreaterThan(0);
  }
  for (const odd of hostile) expect(typeof quotationsOf(odd, reading())).toBe("string");
});

test("a text cannot end the quotation that it stands in", () => {
  expect(quotationsOf([{ text: "```\nout" }], reading())).toBe("````quote\n```\nout\n````");
});

test("quotations and blocks nested without end are read to some depth, and the rest is counted", () => {
  let [quotation, block]: object[] = [{ text: "x" }, { type: "text", text: "x" }];
  for (let depth = 0; depth < 20_000; depth++) {
    quotation = { text: "x", attachments: [quotation] };
    block = { type: "rich_text_section", elements: [block] };
  }
  const read = reading();
  expect(quotationsOf([quotation], read).match(/x/g)).toHaveLength(5);
  expect(read.notes.get("quotations in quotations in quotations")).toBe(1);
  expect(textOfBlocks([{ type: "rich_text", elements: [block] }], read)).toBe("");
  expect(read.notes.get("blocks of messages, of kinds that are not read")).toBe(1);
});

test("each column of a block that is no such is counted, and the next block comes", () => {
  const blocks = [
    {
      type: "section",
      text: { type: "mrkdwn", text: "a" },
      fields: [{ type: "plain_text", text: "b" }],
      accessory: { type: "image", alt_text: "c" },
    },
    {
      type: "context",
      elements: [
        { type: "mrkdwn", text: "d" },
        { type: "image", alt_text: "e" },
      ],
    },
    { type: "image", image_url: "https://example.com/f", alt_text: "g", title: { type: "plain_text", text: "h" } },
    { type: "rich_text", elements: [{ type: "rich_text_quote", elements: [{ type: "text", text: "i" }] }] },
    { type: "table", rows: [[{ type: "raw_text", text: "j|k" }], [{ type: "raw_text", text: "l" }]] },
  ];
  expect(textOfBlocks(blocks, reading())).toBe(
    "a\nb\nc\nd e\n[h](https://example.com/f)\n```quote\ni\n```\n\n| j\\|k |\n| --- |\n| l |\n",
  );
  for (const block of blocks)
    for (const odd of eachColumn(block, hostile)) {
      expect(textOfBlocks([odd, { type: "markdown", text: "next" }], reading())).toContain("next");
    }
});

test("a hundred thousand threads that begin alike have topics of their own, in little time", () => {
  const topics = new Topics();
  const before = cpuMs();
  const free = new Set(Array.from({ length: 100_000 }, () => topics.free("Good morning").toLowerCase()));
  expect(free.size).toBe(100_000);
  expect(topics.free("GOOD MORNING")).toBe("GOOD MORNING (100001)");
  expect(cpuMs() - before).toBeLessThan(20_000);
});
