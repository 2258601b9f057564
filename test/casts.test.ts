/** How often the product tells the compiler something instead of showing it, and how long its functions are. */
import { join } from "node:path";
import {
  isAsExpression,
  isFunctionLikeDeclaration,
  isNonNullExpression,
  isTypeReferenceNode,
  type Node,
} from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { expect, it } from "vitest";
import { layers, root } from "./support/tree/imports.ts";

/** The numbers of today. They only ever get smaller. */
const mostCasts = 173;
const mostAssertions = 172;
const mostLongFunctions = 7;

/** A function and the closures in it can be read on one screen. */
const mostLines = 60;

it("the product casts, asserts and goes on no more than it did", () => {
  const found = survey();
  expect(found.files).toBeGreaterThan(1000);
  expect(found.long.length, `functions of more than ${mostLines} lines:\n${found.long.join("\n")}`).toBeLessThanOrEqual(
    mostLongFunctions,
  );
  expect(found.casts, "`as`, but for `as const`").toBeLessThanOrEqual(mostCasts);
  expect(found.assertions, "`!` behind an expression").toBeLessThanOrEqual(mostAssertions);
});

function survey() {
  const found = { files: 0, casts: 0, assertions: 0, long: [] as string[] };
  const seen = new Set<string>();
  const api = new API({ cwd: root });
  try {
    const configs = ["tsconfig.json", "http/web/tsconfig.json"].map((name) => join(root, name));
    for (const { rootFiles, program } of api.updateSnapshot({ openProjects: configs }).getProjects())
      for (const path of rootFiles) {
        const name = path.slice(root.length + 1);
        if (seen.has(name) || !layers.some((layer) => name.startsWith(`${layer}/`))) continue;
        seen.add(name);
        const source = program.getSourceFile(path);
        if (!source) throw new Error(`${name} is not read`);
        found.files++;
        const linesOf = (start: number, end: number) => source.text.slice(start, end).split("\n").length;
        const visit = (node: Node): void => {
          if (isAsExpression(node)) {
            const isConst = isTypeReferenceNode(node.type) && node.type.getText(source) === "const";
            if (!isConst) found.casts++;
          }
          if (isNonNullExpression(node)) found.assertions++;
          const lines = isFunctionLikeDeclaration(node) ? linesOf(node.getStart(source), node.end) : 0;
          if (lines > mostLines) found.long.push(`${name}:${linesOf(0, node.getStart(source))} has ${lines}`);
          node.forEachChild(visit);
        };
        source.forEachChild(visit);
      }
  } finally {
    api.close();
  }
  return found;
}
