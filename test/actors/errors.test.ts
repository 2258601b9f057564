import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { errors } from "../../actors/errors.ts";

/** Codes that nothing throws yet, each with its reason. A shipped code is never used for anything else. */
const notThrown: Record<string, string> = {
  PASSWORD_AUTH_DISABLED: "no organization can do without passwords",
};

describe("the table of errors", () => {
  it("has no code that nothing throws, but for those with a reason", () => {
    const unused = Object.keys(errors).filter((code) => !new RegExp(`errors\\.${code}\\b|"${code}"`).test(sources));
    expect(unused).toEqual(Object.keys(notThrown));
  });

  it("has every code that is thrown by its name", () => {
    const thrown = [...sources.matchAll(/\bnew ApiError\(\s*\d+,\s*"([A-Z_]+)"/g)].map(([, code]) => code!);
    expect(thrown.length).toBeGreaterThan(3);
    expect(thrown.filter((code) => !Object.hasOwn(errors, code))).toEqual([]);
  });

  it("has every code that the documentation names", () => {
    const words = pages.flatMap((text) => [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, word]) => word!));
    const codes = words.filter((word) => !/^PARLEY_|_URL$/.test(word));
    expect(codes.length).toBeGreaterThan(3);
    expect(codes.filter((code) => !Object.hasOwn(errors, code))).toEqual([]);
  });
});

const root = resolve(import.meta.dirname, "../..");
/** The server's code, without the table itself and without the page, which has errors of its own. */
const sources = ["actors", "http", "storage"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith(".ts") && name !== "actors/errors.ts" && !/^http\/(?:web|client)\//.test(name))
  .map((name) => readFileSync(join(root, name), "utf8"))
  .join("\n");

const pages = ["ARCHITECTURE.md", ...readdirSync(join(root, "docs")).map((name) => join("docs", name))]
  .filter((name) => name.endsWith(".md"))
  .map((name) => readFileSync(join(root, name), "utf8"));
