import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createOrganization, createUserAccount, showApiKey } from "../../../http/process/admin.ts";
import { type Config, readConfig } from "../../../http/process/config.ts";
import { openStorage, type RunningStorage } from "../../../http/process/main.ts";
import { createTestDatabase } from "../../support/server/postgres.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let dataDir: string;
let config: Config;
let storage: RunningStorage;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "parley-admin-"));
  config = readConfig({
    DATABASE_URL: database.url,
    PARLEY_DATA_DIR: dataDir,
    PARLEY_LOG_LEVEL: "warn",
    PARLEY_URL: "https://chat.example.com:8443",
  });
  storage = await openStorage(config, () => {});
  await createOrganization(storage, config, { name: "First", "owner-email": "owner@example.com" });
});
afterAll(async () => {
  await storage.close();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

it("realm create refuses a host that no request can have, and an owner who could not log in", async () => {
  const create = (host: string, email: string) =>
    createOrganization(storage, config, { name: "Other", host, "owner-email": email });
  for (const host of ["", "two words", "https://other.example.com", "other.example.com/", "-"])
    await expect(create(host, "owner@example.com")).rejects.toThrow(/--host must be/);
  await expect(create("other.example.com", "owner")).rejects.toThrow(/--owner-email must be an email address/);
  const weak = {
    name: "Other",
    host: "other.example.com",
    "owner-email": "owner@example.com",
    "owner-password": "short",
  };
  await expect(createOrganization(storage, config, weak)).rejects.toThrow(/--owner-password: Password must have/);
  expect(await storage.database.sql`select from realms`).toHaveLength(1);
});

it("--realm names each of several organizations, the one that answers to any host by the host of its links", async () => {
  const owner = { name: "Second", host: "Second.example.com", "owner-email": "owner@example.com" };
  const { data } = await createOrganization(storage, config, owner);
  const keyOf = async (realm: string) =>
    (await showApiKey(storage, config, { email: "owner@example.com", realm })).text;
  expect(await keyOf("second.example.com")).toBe((data as { api_key: string }).api_key);
  expect(await keyOf("SECOND.example.com")).toBe(await keyOf("second.example.com"));
  expect(await keyOf("chat.example.com")).not.toBe(await keyOf("second.example.com"));
  await expect(keyOf("third.example.com")).rejects.toThrow("There is no organization under third.example.com.");
  const ada = { email: "ada@example.com", name: "Ada" };
  await expect(createUserAccount(storage, config, ada)).rejects.toThrow(
    "--realm is missing: one of chat.example.com, second.example.com.",
  );
  await createUserAccount(storage, config, { ...ada, realm: "chat.example.com" });
});
