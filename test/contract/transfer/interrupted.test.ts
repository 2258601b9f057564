/** An import that is cut off goes on when the same archive is imported again; nobody sees it before it is whole. */
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
        source: "test",
        host: "cut.example.com",
        url: "https://cut.example.com",
        places: {
          dataDir: server.server.app.config.dataDir,
          uploadPath: (realmId, random, name) => newUploadPath(realmId, name, random),
          storedUpload: storedPath,
          contentType: contentTypeOf,
          firstFrame: () => undefined,
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
  const before = await server.database.sql`select id from realms`;
  const { data } = await importFromZulip(storage, server.server.app.config, { file, "dry-run": true });
  expect(data).toMatchObject({
    people: 14,
    channels: 10,
    groups: 3,
    messages: 465,
    reactions: 169,
    files: 17,
    emoji: 4,
  });
  expect(await server.database.sql`select id from realms`).toEqual(before);
});

it("says what is wrong with a file that is no export", async () => {
  const storage = { database: server.database, url: "", dataDir: "", close: async () => {} };
  const { config } = server.server.app;
  await expect(importFromZulip(storage, config, { file: import.meta.dirname })).rejects.toThrow("it has no realm.json");
  await expect(importFromZulip(storage, config, { file, host: "not a host!" })).rejects.toThrow("--host must be");
  await expect(importFromZulip(storage, config, { file })).rejects.toThrow("--host is missing");
});

const file = join(import.meta.dirname, "../../data/zulip-export/small.tar.gz");

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
