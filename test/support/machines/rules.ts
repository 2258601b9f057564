import { readFileSync } from "node:fs";

/**
 * Rules of a machine's table that no test names. Paths are from the repository's root. @throws if there are no rules
 */
export function untestedRules(prefix: string, machine: string, test: string): string[] {
  const rulesIn = (path: string) =>
    new Set(
      readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8").match(new RegExp(`\\b${prefix}\\d+\\b`, "g")),
    );
  const rules = rulesIn(machine);
  if (rules.size < 2) throw new Error(`${machine} has no table of rules ${prefix}1, ${prefix}2, …`);
  const tested = rulesIn(test);
  return [...rules].filter((rule) => !tested.has(rule));
}
