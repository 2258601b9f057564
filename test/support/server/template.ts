/**
 * What a test's server begins with: tables, and the first organization with its owner. Both are made once in a run.
 * Each server has a copy of the database and of the data folder.
 */
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { createFirstRealm, noteTold } from "../../../http/process/first-start.ts";
import { migrate } from "../../../storage/migrate.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { rollPartitions } from "../../../storage/realm-log.ts";
import { SecretKey } from "../../../storage/secret-key.ts";
import { checkSecretKey } from "../../../storage/users/credentials.ts";
import { dataFolder } from "./folder.ts";
import { createDatabase, createTestDatabase, type TestDatabase } from "./postgres.ts";

/** What a run's servers are copied from, by name. */
export interface Templates {
  /** URL of a database that has the tables and no organization. */
  empty: string;
  /** URL of a database with the first organization, as `firstOrganization` has it. */
  organization: string;
  /** The data folder that belongs to it. */
  folder: string;
}

/** Text of `testSecretKey`, as settings have it. */
export const testSecret = "7".repeat(64);

/** That of the templates' copies, for connections beside a server. */
export const testSecretKey = new SecretKey(Buffer.from(testSecret, "hex"), "The tests' secret key");

/** The settings that the first organization is made of, as most tests want them. */
export const firstOrganization: Readonly<Record<string, string>> = {
  // Most tests count messages, and are not about those that an organization begins with.
  PARLEY_WELCOME: "off",
  PARLEY_OWNER_EMAIL: "owner@example.com",
  PARLEY_OWNER_PASSWORD: "correct horse",
};

/** Settings that make another first organization. */
const makesAnother = ["PARLEY_WELCOME", "PARLEY_OWNER_EMAIL", "PARLEY_OWNER_PASSWORD", "PARLEY_REALM_NAME"];

/** Makes them on the PostgreSQL at `server`, a URL. */
export async function makeTemplates(server: string): Promise<Templates> {
  const folder = await dataFolder("template");
  await writeFile(join(folder, "secret-key"), testSecret, { mode: 0o600 });
  const empty = await createDatabase(server);
  await withDatabase(empty.url, async (database) => {
    await migrate(database);
    await checkSecretKey(database.sql);
    await rollPartitions(database, Math.floor(Date.now() / 1000));
  });
  const organization = await createDatabase(server, empty.url);
  const config = readConfig({ PARLEY_DATA_DIR: folder, ...firstOrganization });
  await withDatabase(organization.url, async (database) => {
    await createFirstRealm({ database, dataDir: folder }, config);
    // Nor are most tests about the message that a new channel begins with. Those that are turn it on.
    await database.sql`update realms set settings = settings || '{"send_channel_events_messages": false}'`;
  });
  await noteTold(folder);
  return { empty: empty.url, organization: organization.url, folder };
}

/** Nobody is connected to it any more when this resolves. */
async function withDatabase(url: string, use: (database: Database) => Promise<unknown>): Promise<void> {
  const database = connect(url, { maxConnections: 3, secretKey: testSecretKey });
  try {
    await use(database);
  } finally {
    await database.close();
  }
}

/**
 * A database for a server with these settings, and into `dataDir` what belongs to it. Where the settings make another
 * first organization than `firstOrganization`, the server's start makes it.
 */
export async function copyTemplate(settings: Readonly<Record<string, string>>, dataDir: string): Promise<TestDatabase> {
  const { empty, organization, folder } = inject("templates");
  if (makesAnother.some((name) => settings[name] !== firstOrganization[name])) {
    await cp(join(folder, "secret-key"), join(dataDir, "secret-key"));
    return createTestDatabase(empty);
  }
  await cp(folder, dataDir, { recursive: true });
  return createTestDatabase(organization);
}
