/** An import that is cut off goes on when the same archive is imported again; nobody sees it before it is whole. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ZulipExport } from "../../../actors/transfer/zulip/export.ts";
import { importZulip } from "../../../actors/transfer/zulip/import.ts";
import { importFromZulip } from "../../../http/process/transfer.ts";
import { contentTypeOf, newUploadPath, storedPath } from "../../../http/resources/uploads/files.ts";
import { openArchive } from "../../../storage/transfer/archive.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ nodeCount: 1 });

it("goes on after each place at which it was cut off", async () => {
  const archive = await openArchive(file);
  try {
    const from = await ZulipExport.open(archive.folder);
    const seen: string[] = [];
    const run = (stopsAt: number) =>
      importZulip(from, {
        database: server.database,
        create: (make) => server.database.transaction(make),
        source: "test",
        host: "cut.example.com",
        url: "https://cut.example.com",
        places: {
          files: server.server.app.files,
          quarantinedAt: null,
          uploadPath: (realmId, random, name) => newUploadPath(realmId, name, random),
          storedUpload: storedPath,
          contentType: contentTypeOf,
          moves: () => false,
        },
        ownerPasswordHash: "none",
        progress(line) {
          seen.push(line);
          if (seen.length === stopsAt) throw new Error("cut off");
        },
      });
    // Each attempt gets one step further than the one before. One that goes on adds a line to those of the steps.
    let result: Awaited<ReturnType<typeof run>> | undefined;
    for (let stopsAt = 1; result === undefined; stopsAt++) {
      seen.length = 0;
      result = await run(stopsAt).catch((error: Error) => {
        expect(error.message).toBe("cut off");
        return undefined;
      });
      const realms = await server.database.sql<{ is_deactivated: boolean }[]>`
        select is_deactivated from realms where host = 'cut.example.com'`;
      expect(realms.filter((realm) => !realm.is_deactivated)).toHaveLength(result === undefined ? 0 : 1);
      expect(stopsAt).toBeLessThan(20);
    }
    expect(seen[0]).toBe("Going on with what was begun: 1 files of messages are in.");
    expect(await counts(result.realmId)).toEqual({
      users: 16,
      channels: 10,
      messages: 465,
      reactions: 169,
      attachments: 17,
    });
    expect(await server.database.sql`select 1 from imports`).toHaveLength(0);
  } finally {
    await archive.close();
  }
});

it("a dry run tells what would come and changes nothing", async () => {
  const storage = { database: server.database, url: "", dataDir: "", close: async () => {} };
  const before = await server.database.sql`select id from realms order by id`;
  const { data } = await importFromZulip(storage, server.server.app.config, { file, "dry-run": true });
  expect(data).toMatchObject({
    people: 14,
    channels: 10,
    groups: 3,
    messages: 465,
    reactions: 169,
    files: 17,
    emoji: 4,
    left_out: {
      "entries of the audit log": 389,
      "keys of outgoing webhooks, which are new": 1,
      "people's setting: dense_mode": 14,
      "statistics of use": 335,
      "statistics of use, by time": 8,
      "votes of polls and tasks of to-do lists, apart from those that came with them": 7,
      "ways to log in that were enabled there": 11,
    },
  });
  expect(await server.database.sql`select id from realms order by id`).toEqual(before);
});

it("a dry run tells of everything that stays behind", async () => {
  const nobody = 999_999;
  const archive = await openArchive(file);
  const { folder } = archive;
  const change = async (name: string, to: (tables: Record<string, Record<string, unknown>[]>) => void) => {
    const tables = JSON.parse(await readFile(join(folder, name), "utf8"));
    to(tables);
    await writeFile(join(folder, name), JSON.stringify(tables));
  };
  try {
    await change("realm.json", (tables) => {
      Object.assign(tables["zerver_realm"]![0]!, {
        waiting_period_threshold: -7,
        shiny: 3,
        digest_emails_enabled: true,
      });
      Object.assign(tables["zerver_userprofile"]![0]!, { color_scheme: 99, favourite: "figs", bot_type: 4 });
      tables["zerver_hat"] = [{ id: 1 }, { id: 2 }];
      tables["zerver_reaction"]![0]!["message"] = nobody;
      tables["zerver_subscription"]![0]!["user_profile"] = nobody;
      tables["zerver_usertopic"]![0]!["stream"] = nobody;
    });
    await change("messages-000001.json", (tables) => {
      Object.assign(tables["zerver_message"]![0]!, { sender: nobody });
      Object.assign(tables["zerver_message"]![1]!, { recipient: nobody });
    });
    await rm(join(folder, "avatars"), { recursive: true });
    await change("attachment.json", (tables) => {
      tables["zerver_attachment"]![0]!["path_id"] = "5/0/none/none.txt";
      tables["zerver_attachment"]![1]!["owner"] = nobody;
    });
    const [before, after] = [await dryRun(file), await dryRun(folder)];
    const added = Object.entries(after.leftOut).filter(([what, count]) => before.leftOut[what] !== count);
    expect(Object.fromEntries(added)).toEqual({
      "embedded bots, which do nothing here": 1,
      "files of nobody that the export has": 1,
      "files that the export names and does not have": 1,
      "messages by or to nobody that the export has": 2,
      "people's setting, with a value that there is not here: color_scheme": 1,
      "people's setting: favourite": 1,
      "pictures of people that the export does not have": 4,
      "reactions to or by nobody that the export has": 1,
      "rows of zerver_hat": 2,
      "rows of zerver_subscription about nobody or nothing that the export has": 1,
      "rows of zerver_usertopic about nobody or nothing that the export has": 1,
      "setting of the organization, with a value that there is not here: waiting_period_threshold": 1,
      "setting of the organization: shiny": 1,
    });
    expect(after.text).toContain("  2 rows of zerver_hat");
  } finally {
    await archive.close();
  }
});

it("says what is wrong with a file that is no export", async () => {
  const storage = { database: server.database, url: "", dataDir: "", close: async () => {} };
  const { config } = server.server.app;
  await expect(importFromZulip(storage, config, { file: import.meta.dirname })).rejects.toThrow("it has no realm.json");
  await expect(importFromZulip(storage, config, { file, host: "not a host!" })).rejects.toThrow("--host must be");
  await expect(importFromZulip(storage, config, { file })).rejects.toThrow("--host is missing");
});

const file = join(import.meta.dirname, "../../data/zulip-export/small.tar.gz");

async function dryRun(path: string): Promise<{ text: string; leftOut: Record<string, number> }> {
  const storage = { database: server.database, url: "", dataDir: "", close: async () => {} };
  const { config } = server.server.app;
  const { text, data } = await importFromZulip(storage, config, { file: path, "dry-run": true });
  return { text, leftOut: (data as { left_out: Record<string, number> }).left_out };
}

/** Rows of the imported organization. */
async function counts(realmId: number): Promise<Record<string, number>> {
  const { sql } = server.database;
  const [row] = await sql<Record<string, number>[]>`
    select (select count(*)::int from users where realm_id = ${realmId}) as users,
           (select count(*)::int from channels where realm_id = ${realmId}) as channels,
           (select count(*)::int from messages where realm_id = ${realmId}) as messages,
           (select count(*)::int from reactions where realm_id = ${realmId}) as reactions,
           (select count(*)::int from attachments where realm_id = ${realmId}) as attachments`;
  return { ...row };
}
