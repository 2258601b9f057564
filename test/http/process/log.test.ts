/** The log: who failed to get in, a line each, and nothing in it with which anybody could get in. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listInvitations } from "../../../http/process/admin.ts";
import { type Config, readConfig } from "../../../http/process/config.ts";
import { openStorage, type RunningServer, startServer } from "../../../http/process/main.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { createTestDatabase } from "../../support/server/postgres.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let dataDir: string;
let config: Config;
let server: RunningServer;
let url: string;
let owner: ApiClient;
let ownerKey: string;
let logged = "";
const password = "correct horse battery";
const lines = () =>
  logged
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "parley-log-"));
  const stream = new PassThrough();
  stream.on("data", (chunk: Buffer) => (logged += chunk.toString()));
  config = readConfig({
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: database.url,
    PARLEY_DATA_DIR: dataDir,
    PARLEY_LOG_LEVEL: "trace",
    PARLEY_OWNER_PASSWORD: password,
    PARLEY_TRUSTED_PROXIES: "1",
  });
  server = await startServer(config, () => {}, stream);
  url = `http://127.0.0.1:${server.port}`;
  ownerKey = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
  owner = new ApiClient({ url, email: "owner@example.com", apiKey: ownerKey });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

it("a refused key and a refused log-in are a line with address, account and the request that its client was told", async () => {
  const options = { headers: { "X-Forwarded-For": "203.0.113.7" } };
  const stranger = new ApiClient({ url, email: "eve@example.com\n{}", apiKey: "0123456789abcdef0123456789abcdef" });
  const refusedKey = await stranger.get("/users/me", {}, options);
  expectError(refusedKey, 401);
  const logIn = { username: "owner@example.com", password: "guessed password" };
  const refusedLogin = await new ApiClient({ url }).post("/fetch_api_key", logIn, options);
  expectError(refusedLogin, 401);
  const told = lines().filter(({ level }) => level === 40);
  expect(told).toMatchObject([
    {
      msg: "API key refused",
      address: "203.0.113.7",
      account: "eve@example.com\n{}",
      request: refusedKey.headers.get("X-Request-Id"),
    },
    {
      msg: "log-in refused",
      address: "203.0.113.7",
      account: "owner@example.com",
      request: refusedLogin.headers.get("X-Request-Id"),
    },
  ]);
  expectSuccess(await owner.get("/users/me"));
  expect(lines().filter(({ level }) => level === 40)).toHaveLength(2);
});

it("no key, password, invitation or temporary address is in it, at any level; the command line shows the links", async () => {
  const anybody = new ApiClient({ url });
  const { invite_link: link } = expectSuccess(await owner.post("/invites/multiuse", { stream_ids: [] })) as {
    invite_link: string;
  };
  expectSuccess(await owner.post("/invites", { invitee_emails: "ada@example.com", stream_ids: [] }));
  const { invites } = expectSuccess(await owner.get("/invites")) as { invites: { id: number; is_multiuse: boolean }[] };
  expectSuccess(await owner.post(`/invites/${invites.find((invite) => !invite.is_multiuse)!.id}/resend`));
  await anybody.get(new URL(link).pathname, {}, { root: true });
  await anybody.get(`${new URL(link).pathname}/nowhere`, {}, { root: true });
  const { url: file } = expectSuccess(
    await owner.post("/user_uploads", {}, { files: { f: { filename: "a.txt", content: "a" } } }),
  ) as { url: string };
  const { url: temporary } = expectSuccess(await owner.get(file)) as { url: string };
  expect((await anybody.get(temporary, {}, { root: true })).status).toBe(200);
  await anybody.get(file, { api_key: ownerKey }, { root: true });
  expectSuccess(await anybody.post("/fetch_api_key", { username: "owner@example.com", password }));
  await anybody.post("/fetch_api_key", { username: "owner@example.com", password: "almost correct horse" });
  const storage = await openStorage(config, () => {});
  const { data } = await listInvitations(storage, config, {});
  await storage.close();
  const shown = data as { invitations: { email: string | null; link: string }[] };
  expect(shown.invitations.map(({ email }) => email).sort()).toEqual(["ada@example.com", null]);
  const links = shown.invitations.map((invitation) => invitation.link);
  // The command line knows no address that somebody asked.
  expect(links.map((address) => new URL(address).pathname)).toContain(new URL(link).pathname);
  const secrets = [
    ownerKey,
    password,
    "almost correct horse",
    ...links.map((address) => new URL(address).pathname.split("/")[2]!),
    temporary.split("/")[3]!,
  ];
  expect(lines().length).toBeGreaterThan(8);
  for (const secret of secrets) expect(logged).not.toContain(secret);
});
