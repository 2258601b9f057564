/** The package of the client library: its size, what it needs, and the types of its calls. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { apiTypes, typesFile } from "../../support/client/api-types.ts";
import { testServer } from "../../support/server/server.ts";

const root = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
/** What a page that uses the library waits for. */
const maxCompressedBytes = 12_000;

const server = testServer();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-client-"));
  await run(process.execPath, [join(root, "http/client/build.mjs"), join(folder, "dist")]);
  await symlink(folder, join(folder, "node_modules"));
  await symlink(join(folder, "dist"), join(folder, "parley-client"));
  await writeFile(join(folder, "dist/package.json"), '{"type":"module","exports":"./index.js","types":"./index.d.ts"}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const program = `
import { ParleyClient } from "parley-client";
const client = new ParleyClient({ url: process.argv[2], email: process.argv[3], apiKey: process.argv[4] });
const heard = new Promise((resolve) => {
  const followed = client.follow({
    onEvents: (events) => {
      for (const event of events) if (event.type === "message") resolve([event.message.content, followed]);
    },
  });
  void client.call("GET /get_stream_id", { stream: "general" }).then(({ stream_id }) =>
    followed.send({ type: "channel", to: stream_id, topic: "library", content: "by the **package**" }));
});
const [content, followed] = await heard;
await followed.stop();
console.log(content, followed.state.user_id, await followed.ended);
`;

describe("the package of the client library", () => {
  it("asks for a Node no older than the server's, on which it is tried", async () => {
    const engines = async (file: string) => JSON.parse(await readFile(join(root, file), "utf8")).engines.node;
    const [least] = String(await engines("package.json")).split(" ");
    expect(await engines("http/client/package.json")).toBe(least);
  });

  it("is small, and imports nothing", async () => {
    const bundle = await readFile(join(folder, "dist/index.js"));
    expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(maxCompressedBytes);
    expect(bundle.toString()).not.toMatch(/\bimport\b\s*[{("'*]|\brequire\(/);
  });

  it("runs in Node: it calls, follows, sends, and ends", async () => {
    await writeFile(join(folder, "program.mjs"), program);
    const { email, apiKey, id } = server.owner;
    const { stdout } = await run(process.execPath, [join(folder, "program.mjs"), server.url, email, apiKey]);
    expect(stdout).toBe(`<p>by the <strong>package</strong></p> ${id} stopped\n`);
  });

  it("runs what its page of documentation shows", async () => {
    const { email, apiKey } = server.owner;
    const edited = await server.owner.say("general", "words", "library");
    const page = await readFile(join(root, "docs/client-library.md"), "utf8");
    const shown = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, block]) => block!).join("");
    // The port or the key may have a 42 as well.
    const own = shown
      .replace("42", String(edited))
      .replace("http://localhost:9991", server.url)
      .replace("bot@example.com", email)
      .replace("…", apiKey);
    await writeFile(join(folder, "shown.mjs"), own);
    await run(process.execPath, [join(folder, "shown.mjs")]);
    const narrow = [{ operator: "channel", operand: "general" }];
    const query = { anchor: "newest", num_before: 10, num_after: 0, narrow, apply_markdown: false };
    const { messages } = expectSuccess(await server.owner.client.get("/messages", query)) as {
      messages: { content: string }[];
    };
    expect(messages.map(({ content }) => content)).toEqual(expect.arrayContaining(["better words", "hello"]));
  });

  it("has calls of the types that the routes have today (`npm run client-types` writes them)", async () => {
    const [written, today] = [await readFile(typesFile, "utf8"), await apiTypes()];
    const known = new Set(written.split("\n"));
    expect(
      today
        .split("\n")
        .filter((line) => !known.has(line))
        .slice(0, 5),
    ).toEqual([]);
    expect(written === today).toBe(true);
  });

  it("has types that refuse wrong calls", async () => {
    const typed = `import { ParleyClient } from "parley-client";
const client = new ParleyClient({ url: "http://localhost", email: "a@example.com", apiKey: "k" });
export const { messages } = await client.call("GET /messages", { anchor: "newest", num_before: 1, num_after: 0 });
export const id: number = (await client.call("POST /messages", { type: "channel", to: "1", topic: "t", content: "c" })).id;
await client.call("PATCH /messages/{message_id}", { message_id: 7, content: "c" });
// @ts-expect-error: there is no such endpoint
await client.call("GET /nothing", {});
// @ts-expect-error: the message is missing
await client.call("PATCH /messages/{message_id}", { content: "c" });
// @ts-expect-error: messages have no such field
messages[0]!.text;
// @ts-expect-error: a number it is not
await client.call("GET /messages", { anchor: "newest", num_before: "many", num_after: 0 });
`;
    await writeFile(join(folder, "typed.ts"), typed);
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    const options = { strict: true, target: "esnext", module: "nodenext", noEmit: true, lib: ["esnext", "dom"] };
    const config = JSON.stringify({
      compilerOptions: { ...options, types: [], allowImportingTsExtensions: true },
      files: ["typed.ts"],
    });
    await writeFile(join(folder, "tsconfig.json"), config);
    const tsc = join(root, "node_modules/.bin/tsc");
    await run(tsc, ["-p", folder]).catch(({ stdout }: { stdout: string }) => expect(stdout).toBe(""));
  });
});
