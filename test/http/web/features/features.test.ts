/** The table of features: each file that it names is there, and has the case that it names. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const page = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
const rows = page
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [number = "", area = "", feature = "", file = "", title = ""] = line.slice(2, -2).split(" | ");
    return { number, area, feature, file, title };
  });
const present = rows.filter(({ file }) => file !== "–");

describe("features", () => {
  it("are numbered, each once, with what holds it or why it is not there", () => {
    expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_row, index) => index + 1));
    expect(new Set(rows.map(({ feature }) => feature)).size).toBe(rows.length);
    expect(rows.filter(({ title }) => title === "")).toEqual([]);
    expect(rows.filter(({ file, title }) => file === "–" && !title.startsWith("not there: "))).toEqual([]);
  });

  it("are as many as the page says", () => {
    expect(page).toContain(`${present.length} of ${rows.length} are there.`);
  });

  it("are held by cases that exist, in a real browser", () => {
    const missing = present.filter(({ file, title }) => {
      const path = join(import.meta.dirname, "..", `${file}.test.ts`);
      const text = existsSync(path) ? readFileSync(path, "utf8") : "";
      const isInBrowser = /\bskipIf\(!browserPath\)/.test(text);
      return !isInBrowser || !text.includes(`it("${title}"`);
    });
    expect(missing).toEqual([]);
  });
});
