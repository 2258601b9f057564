/**
 * A tiny day of `npm run bench -- day`: 50 people with full clients join, work, lose their server at noon, and read an
 * announcement. What it measures is no matter here, but that everybody gets through it.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../../dist/bench/main.js", import.meta.url));
const timeoutMs = 900_000;

it("everybody gets through a tiny day, and nothing is lost on the way", { timeout: timeoutMs }, async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, "day", "--quick", "--json"]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const rows = lines.filter((line) => "phase" in line);
  const measured = rows.filter(({ secs }) => secs !== undefined);
  expect(measured.map(({ phase, online }) => [phase, online])).toEqual([
    ["joins", 25],
    ["work", 50],
    ["deploy", 50],
    ["announcement", 50],
    ["afternoon", 50],
    ["evening", 5],
  ]);
  for (const row of measured)
    expect(row).toMatchObject({ nodeMs: positive, postgresMs: positive, residentMib: positive });
  expect(rows.slice(measured.length).map(({ phase }) => phase)).toEqual(["a day", "Zulip's documentation"]);
  const broken = lines.filter(({ kind, kept }) => kind === "portable" && kept === false);
  expect(broken, stderr).toEqual([]);
  // All of them have read the announcement.
  expect(rows[3]).toMatchObject({ seenP99Ms: positive });
});

const positive = expect.toSatisfy((value) => typeof value === "number" && value > 0);
