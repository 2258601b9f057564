/** What README.md offers to be pasted does what it says. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { testServer } from "../support/server/server.ts";

const server = testServer({});

it("“Two minutes” runs as it stands", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const block = /## Two minutes\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)![1]!;
  const folder = await mkdtemp(join(tmpdir(), "parley-readme-"));
  try {
    await mkdir(join(folder, "var"));
    await writeFile(join(folder, "var/owner.zuliprc"), `[api]\nkey=${server.owner.apiKey}\n`);
    const script = block
      .replaceAll("http://localhost:9991", server.url)
      .replaceAll("owner@example.com", server.owner.email);
    const { stdout, stderr } = await promisify(execFile)("sh", ["-eu", "-c", script], { cwd: folder });
    expect(stderr).toBe("");
    const answers = stdout.match(/\{"result":.*?(?=\{"result":|$)/gs)!.map((text) => JSON.parse(text));
    expect(answers.map(({ result }) => result)).toEqual(answers.map(() => "success"));
    expect(answers[0].events[0].message.content).toContain("@Ada Lovelace");
    const history = answers.find(({ message_history }) => message_history)!.message_history;
    expect(history.at(-1).content_html_diff).toContain("highlight_text_inserted");
    expect(answers.at(-1).invite_link).toContain("/join/");
  } finally {
    await rm(folder, { recursive: true });
  }
});
