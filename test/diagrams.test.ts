import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { lifecycles, readDocument, redrawn } from "./support/machines/diagrams.ts";

describe("the diagrams in ARCHITECTURE.md", () => {
  it("are drawn from the machines as they are: `npm run diagrams` draws them again", () => {
    const text = readDocument();
    expect(text).toBe(redrawn(text));
  });

  it("show every machine there is", () => {
    const root = resolve(import.meta.dirname, "..");
    const machines = readdirSync(resolve(root, "actors"), { recursive: true, encoding: "utf8" })
      .map((name) => `actors/${name}`)
      .filter((file) => file.endsWith(".ts") && readFileSync(resolve(root, file), "utf8").includes(".createMachine("));
    expect(lifecycles.map(([, file]) => file).sort()).toEqual(machines.sort());
  });
});
