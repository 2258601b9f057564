import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createOrganization, createUserAccount, permitUser } from "../../../http/process/admin.ts";
import { readConfig } from "../../../http/process/config.ts";
import { openStorage } from "../../../http/process/main.ts";
import { createTestDatabase } from "../../support/server/postgres.ts";

it("parley user permit gives and takes the two permissions, and refuses other words", async () => {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "parley-permit-"));
  const config = readConfig({ DATABASE_URL: database.url, PARLEY_DATA_DIR: dataDir, PARLEY_LOG_LEVEL: "warn" });
  const storage = await openStorage(config, () => {});
  try {
    await createOrganization(storage, config, { name: "Test", "owner-email": "owner@example.com" });
    const email = "ada@example.com";
    await createUserAccount(storage, config, { email, name: "Ada", role: "administrator" });
    const stored = async () => {
      const rows = await storage.database.sql<{ can_create_users: boolean; can_change_user_emails: boolean }[]>`
        select can_create_users, can_change_user_emails from users where delivery_email = ${email}`;
      return [rows[0]!.can_create_users, rows[0]!.can_change_user_emails];
    };
    expect(await stored()).toEqual([false, false]);
    const given = await permitUser(storage, config, { email, "can-create-users": "on" });
    expect(given.data).toMatchObject({ can_create_users: true, can_change_user_emails: false });
    expect(await stored()).toEqual([true, false]);
    await permitUser(storage, config, { email, "can-create-users": "off", "can-change-user-emails": "on" });
    expect(await stored()).toEqual([false, true]);
    await expect(permitUser(storage, config, { email, "can-create-users": "yes" })).rejects.toThrow(/on or off/);
    await expect(permitUser(storage, config, { email: "nobody@example.com" })).rejects.toThrow(/no account/);
  } finally {
    await storage.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
