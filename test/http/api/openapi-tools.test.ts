/** What others make of openapi.json: a strict linter, and a generator of typed clients. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testServer } from "../../support/server/server.ts";

const root = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
const server = testServer();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-openapi-"));
  await writeFile(file("openapi.json"), await (await fetch(`${server.url}/api/v1/openapi.json`)).text());
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const file = (name: string): string => join(folder, name);

describe("openapi.json", () => {
  it("passes redocly's strict rules", async () => {
    expect(await lintProblems("openapi.json")).toEqual([]);
  });

  it("is really looked at: an operation without a summary, and one that nobody may call, are found", async () => {
    const document = JSON.parse(await readFile(file("openapi.json"), "utf8"));
    delete document.paths["/api/v1/messages"].get.summary;
    delete document.paths["/api/v1/messages"].get.security;
    await writeFile(file("worse.json"), JSON.stringify(document));
    const problems = await lintProblems("worse.json");
    expect(problems.map((problem) => problem.split(":")[0]).sort()).toEqual([
      "error operation-summary",
      "error security-defined",
    ]);
  });

  it("makes a typed client that registers, sends and reads: that of docs/, as it stands", async () => {
    const page = await readFile(join(root, "docs/clients.md"), "utf8");
    const program = /```ts\n([\s\S]*?)```/.exec(page)![1]!.replaceAll("http://localhost:9991", server.url);
    await symlink(join(root, "node_modules"), file("node_modules"));
    const bin = join(root, "node_modules/.bin");
    await run(join(bin, "openapi-typescript"), [file("openapi.json"), "-o", file("api.d.ts")]);
    await writeFile(file("client.ts"), program);
    // Types that take anything would be no types.
    const wrong = `${program}
// @ts-expect-error: the queue's id is a text
const id: number = queue!.queue_id;
// @ts-expect-error: messages have no such field
const words = answer!.messages[0]!.text;
// @ts-expect-error: there is no such endpoint
const nothing = api.GET("/api/v1/nothing");
`;
    await writeFile(file("wrong.ts"), wrong);
    const options = {
      strict: true,
      target: "esnext",
      module: "nodenext",
      types: ["node"],
      rewriteRelativeImportExtensions: true,
    };
    await writeFile(file("package.json"), '{"type":"module"}');
    await writeFile(
      file("tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files: ["client.ts", "wrong.ts"] }),
    );
    await run(join(bin, "tsc"), ["-p", folder]).catch(({ stdout }) => expect(stdout).toBe(""));
    const zuliprc = `[api]\nemail=${server.owner.email}\nkey=${server.owner.apiKey}\nsite=${server.url}\n`;
    await writeFile(file("zuliprc"), zuliprc);
    const { stdout } = await run(process.execPath, [file("client.js")], { cwd: folder });
    expect(stdout).toMatch(/^Queue [0-9a-f-]{36}: Hello from a typed client\n$/);
  });
});

/** One line for each error and warning. */
async function lintProblems(name: string): Promise<string[]> {
  const script = join(root, "test/support/client/lint-openapi.mjs");
  const { stdout } = await run(process.execPath, [script, file(name)], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as string[];
}
