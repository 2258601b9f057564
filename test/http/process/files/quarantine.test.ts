/** `parley files quarantine`, and what is in quarantine on other ways in and out: mail, imports and exports. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Values } from "../../../../http/process/admin.ts";
import { exportRealm } from "../../../../http/process/export.ts";
import { showQuarantine } from "../../../../http/process/files/quarantine.ts";
import { importFromTeams } from "../../../../http/process/transfer.ts";
import { expectSuccess } from "../../../support/client/api.ts";
import { handOver, mailIn } from "../../../support/client/hand-over.ts";
import { silent, testScriptedClamd } from "../../../support/files/scripted-clamd.ts";
import type { Person } from "../../../support/people/person.ts";
import { testServer } from "../../../support/server/server.ts";
import { readExport } from "../../../support/transfer/exports.ts";
import { importedInto } from "../../../support/transfer/imported.ts";
import { teamsExport } from "../../../support/transfer/teams-export.ts";

const clamd = testScriptedClamd();
const server = testServer({ environment: () => ({ ...clamd.environment, ...mailIn }) });
const [mia, max] = server.people("Mia Member", "Max Member");
beforeAll(() => {
  clamd.script = silent;
});

describe("files quarantine", () => {
  it("lists what waits, the oldest first", async () => {
    expect((await command({})).text).toBe("Nothing is in quarantine.");
    const urls = [await upload("a.txt", "some text"), await upload("b.txt", "other")];
    const { text, data } = await command({});
    expect(data).toMatchObject({
      files: [
        { name: "a.txt", size: 9, owner_id: mia.id, scan_attempts: 0 },
        { name: "b.txt", size: 5 },
      ],
    });
    expect(text.split("\n")).toHaveLength(2);
    expect(text).toMatch(/^\d+ {2}since 20\d\d-.*Z, 0 attempts, next 20\d\d-.*Z, 9 bytes, account \d+: a\.txt\n/);
    for (const url of urls) await command({ delete: await idOf(url) });
  });

  it("releases one, which messages show then, and the audit log says so", async () => {
    const url = await upload("a.mp4", "frames");
    const id = await mia.say(max, `[a](${url})`);
    expect(String((await max.read(id))["content"])).not.toContain("<video");
    await command({ release: await idOf(url) });
    expect(await (await read(max, url)).text()).toBe("frames");
    expect(String((await max.read(id))["content"])).toContain("<video");
    expect(await audited("user_upload_released")).toEqual([{ file_name: "a.mp4", size: 6 }]);
    await expect(command({ release: "4711" })).rejects.toThrow("No file 4711 is in quarantine");
  });

  it("deletes one, with its bytes", async () => {
    const url = await upload("bad.txt", "bad");
    await command({ delete: await idOf(url) });
    expect((await read(mia, url)).status).toBe(404);
    expect(await server.server.app.files.size(`uploads/1/${url.split("/")[4]}`)).toBeUndefined();
    expect(await audited("user_upload_deleted")).toContainEqual({ file_name: "bad.txt", size: 3 });
    await expect(command({ release: "1", delete: "2" })).rejects.toThrow("not both");
  });

  it("touches nothing that is not in quarantine", async () => {
    const url = await upload("clean.txt", "clean");
    const number = await idOf(url);
    await command({ release: number });
    for (const values of [{ release: number }, { delete: number }])
      await expect(command(values)).rejects.toThrow("is in quarantine");
    expect(await (await read(mia, url)).text()).toBe("clean");
  });
});

describe("in quarantine is what comes", () => {
  it("by mail, whose message says so by a link alone", async () => {
    const room = await server.addChannel("by mail", [mia]);
    const { email } = expectSuccess(await mia.client.get(`/streams/${room}/email_address`, { sender_id: mia.id }));
    const raw = [
      "From: Carl <carl@example.net>",
      "Subject: Hi",
      "Message-ID: <one@example.net>",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b\nContent-Type: text/plain\n\nsee\n",
      '--b\nContent-Type: video/mp4\nContent-Disposition: attachment; filename="m.mp4"\n\nframes\n',
      "--b--",
    ].join("\n");
    const port = server.server.mailPort ?? 0;
    expect(await handOver(port, { from: "carl@example.net", to: [String(email)], raw })).toEqual([
      expect.stringMatching(/^250/),
    ]);
    expect((await command({})).data).toMatchObject({ files: [{ name: "m.mp4", owner_id: mia.id }] });
    const { messages } = expectSuccess(
      await mia.client.get("/messages", {
        anchor: "newest",
        num_before: 1,
        num_after: 0,
        narrow: [{ operator: "channel", operand: room }],
      }),
    );
    const [message] = messages as { content: string }[];
    expect(message?.content).toContain("m.mp4");
    expect(message?.content).not.toContain("<video");
    const url = /\/user_uploads\/[^")]*m\.mp4/.exec(message?.content ?? "")?.[0] ?? "";
    expect((await read(mia, url)).status).toBe(423);
    await command({ delete: await idOf(url) });
  });
});

it("an export says what is in quarantine, and has no byte of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-quarantine-"));
  try {
    const [kept, out] = [await upload("kept.txt", "kept"), await upload("out.txt", "out")];
    await command({ release: await idOf(out) });
    const { config } = server.server.app;
    const file = join(folder, "export.tar.gz");
    await exportRealm(storage(), config, { file });
    const tables = await readExport(file);
    const names = (rows: readonly Record<string, unknown>[]) => rows.map((row) => row["file_name"]);
    expect(names(tables["zerver_attachment"] ?? [])).toEqual(expect.arrayContaining(["kept.txt", "out.txt"]));
    expect(names(tables["uploads/records.json"] ?? [])).toContain("out.txt");
    expect(names(tables["uploads/records.json"] ?? [])).not.toContain("kept.txt");
    await command({ delete: await idOf(kept) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

// Last: from then on there are two organizations.
it("an import's files are in quarantine", async () => {
  const { data, clientOf } = await importedInto(server, importFromTeams, teamsExport, "localhost");
  const rows = await server.database.sql<{ waits: boolean }[]>`
      select quarantined_at is not null as waits from attachments where realm_id = ${Number(data["realmId"])}`;
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.every(({ waits }) => waits)).toBe(true);
  const client = await clientOf("ada@example.edu");
  const { attachments } = expectSuccess(await client.get("/attachments"));
  const [own] = attachments as { path_id: string }[];
  expect((await client.get(`/user_uploads/${own?.path_id}`, {}, { root: true })).status).toBe(423);
});

const command = (values: Values) => {
  return showQuarantine(storage(), server.server.app.config, values);
};
const storage = () => ({
  database: server.database,
  url: "",
  dataDir: server.server.app.config.dataDir,
  close: async () => {},
});

async function upload(filename: string, text: string): Promise<string> {
  const files = { file: { filename, content: Buffer.from(text), type: "application/octet-stream" } };
  return String(expectSuccess(await mia.client.post("/user_uploads", {}, { files }))["url"]);
}

async function idOf(url: string): Promise<string> {
  const { attachments } = expectSuccess(await mia.client.get("/attachments"));
  const found = (attachments as { id: number; path_id: string }[]).find(({ path_id }) => url.endsWith(path_id));
  return String(found?.id);
}

async function read({ email, apiKey }: Person, path: string): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
  return fetch(server.url + path, { headers: { authorization } });
}

async function audited(type: string): Promise<unknown[]> {
  const rows = await server.database.sql<{ after: unknown }[]>`
    select entry->'after' as after from audit_log where event_type = ${type} order by num`;
  return rows.map(({ after }) => after);
}
