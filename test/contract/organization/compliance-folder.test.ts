import { createHash } from "node:crypto";
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { expect, it } from "vitest";
import { exportCompliance } from "../../../http/process/files/compliance.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ada, bob] = server.people("Ada", "Bob");

it("a compliance export has the bytes of files under their SHA-256, each once, and goes on after it was cut", async () => {
  const { channel, texts } = await said();
  const folder = await mkdtemp(join(tmpdir(), "parley-compliance-"));
  try {
    await exportInto(folder, "jsonl");
    const hashes = texts.map(sha256);
    expect((await readdir(join(folder, "files"))).sort()).toEqual([...new Set(hashes)].sort());
    for (const name of hashes) expect(sha256(await readFile(join(folder, "files", name)))).toBe(name);
    const first = await readFile(join(folder, "messages.jsonl"), "utf8");
    const lines = linesOf(first).filter(({ topic }) => topic === "files");
    expect(lines.map(({ attachments }) => attachments.map((file) => file.sha256))).toEqual(
      hashes.map((hash) => [hash]),
    );
    // It was killed between the lines and the place, and in the middle of a file.
    await appendFile(join(folder, "messages.jsonl"), '{"id": 1, "cut');
    await writeFile(join(folder, "files", "unfinished.part"), "cut");
    const later = await ada.say(channel, "later", "files");
    await exportInto(folder, "jsonl");
    const whole = await readFile(join(folder, "messages.jsonl"), "utf8");
    expect(whole.startsWith(first)).toBe(true);
    const added = linesOf(whole.slice(first.length)).map(({ id }) => id);
    expect(added).toEqual([later]);
    const { audit_log } = expectSuccess(
      await server.owner.client.get("/realm/audit_log", { event_types: ["realm_compliance_exported"], num_before: 1 }),
    ) as { audit_log: { after: object }[] };
    expect(audit_log[0]).toMatchObject({ after: { position: later, messages: 1, how: "jsonl" } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it("an email of a compliance export carries its files", async () => {
  const { ids, texts } = await said();
  const folder = await mkdtemp(join(tmpdir(), "parley-compliance-"));
  try {
    await exportInto(folder, "eml");
    for (const [place, id] of ids.entries()) {
      const mail = await PostalMime.parse(await readFile(join(folder, `${id}.eml`)));
      expect(mail.attachments.map(({ filename }) => filename)).toEqual(["paper.txt"]);
      expect(sha256(new Uint8Array(mail.attachments[0]!.content as ArrayBuffer))).toBe(sha256(texts[place]!));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

interface Line {
  id: number;
  topic: string;
  attachments: { sha256: string }[];
}
const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

/** Messages with a file each; two of the files have the same bytes, and one has several pieces. */
async function said() {
  const channel = await ada.channel(`papers ${Math.random()}`, { subscribers: [ada.id, bob.id] });
  const texts = ["a contract", "a contract", "long ".repeat(200_000)];
  const ids: number[] = [];
  for (const content of texts) {
    const files = { file: { filename: "paper.txt", content } };
    const { url } = expectSuccess(await ada.client.post("/user_uploads", {}, { files })) as { url: string };
    ids.push(await ada.say(channel, `[paper](${url})`, "files"));
  }
  return { channel, texts, ids };
}

async function exportInto(file: string, format: string): Promise<void> {
  const { config } = server.server.app;
  await exportCompliance({ database: server.database } as never, config, { file, format });
}
