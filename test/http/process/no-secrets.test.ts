/** Whatever people and programs prove themselves by: none of it is in the log, at any level, nor in the audit log. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { totpCode } from "../../../actors/users/second-factors/totp.ts";
import { readConfig } from "../../../http/process/config.ts";
import { type RunningServer, startServer } from "../../../http/process/main.ts";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import { hiddenField, PlainBrowser } from "../../support/client/plain-browser.ts";
import { claimsOf } from "../../support/identities/newcomer.ts";
import { openIdProvider } from "../../support/identities/open-id-provider.ts";
import { createTestDatabase } from "../../support/server/postgres.ts";

const provider = openIdProvider();
const there: { server?: RunningServer; key: string; undo: (() => Promise<unknown>)[] } = { key: "", undo: [] };
let logged = "";
beforeAll(start);
afterAll(async () => {
  for (const undo of there.undo.reverse()) await undo();
});

const password = "marker-of-passwords correct horse";
const marker = (name: string): string => `marker-of-${name}-`.padEnd(40, "q9");
/** Each secret by its name. */
const secrets = new Map<string, string>();
const keep = (name: string, secret: unknown): string => {
  expect(String(secret).length, name).toBeGreaterThan(5);
  secrets.set(name, String(secret));
  return String(secret);
};

it("passwords and API keys, right and wrong, as a name's companion, in addresses, and as bearer tokens", async () => {
  const { url, owner } = found();
  keep("password", password);
  keep("API key", there.key);
  const anybody = new ApiClient({ url });
  expectSuccess(await anybody.post("/fetch_api_key", { username: "owner@example.com", password }));
  const wrong = keep("wrong password", marker("wrong-passwords"));
  await anybody.post("/fetch_api_key", { username: "owner@example.com", password: wrong });
  await new CookieClient(url).form("/login/", { username: "owner@example.com", password: wrong });
  await owner.patch("/settings", { old_password: wrong, new_password: keep("refused password", "qwertymarker") });
  const key = keep("wrong key", "markerOfKeys9q9q9q9q9q9q9q9q9q9q");
  expect((await new ApiClient({ url, email: "owner@example.com", apiKey: key }).get("/users/me")).status).toBe(401);
  await anybody.get("/user_uploads/1/aa/a.txt", { api_key: key }, { root: true });
  await anybody.get("/user_uploads/1/aa/a.txt", { api_key: there.key }, { root: true });
  await anybody.post("/external/github", { api_key: key });
  for (const token of [key, keep("bearer", marker("bearers"))])
    await fetch(`${url}/mcp`, { method: "POST", body: "{}", headers: { authorization: `Bearer ${token}` } });
  const { api_key } = expectSuccess(await owner.post("/users/me/api_keys", { name: "laptop", password }));
  keep("further key", api_key);
  const token = marker("tokens");
  await anybody.post("/jwt/fetch_api_key", { token: keep("signed token", token) });
});

it("cookies, codes of a second factor, and recovery codes", async () => {
  const { url } = found();
  const login = await fetch(`${url}/login/`, {
    method: "POST",
    body: new URLSearchParams({ username: "owner@example.com", password }),
    redirect: "manual",
  });
  for (const [index, cookie] of login.headers.getSetCookie().entries())
    keep(`cookie ${index}`, /^[^=]+=([^;]*)/.exec(cookie)![1]);
  await fetch(`${url}/json/users/me`, { headers: { cookie: `sessionid=${keep("forged cookie", marker("cookies"))}` } });
  const browser = new CookieClient(url);
  await browser.form("/login/", { username: "owner@example.com", password });
  const secret = keep("TOTP secret", (await browser.ask("POST", "/users/me/second_factor/totp"))["secret"]);
  const code = keep("code", totpCode(secret, Math.floor(Date.now() / 30_000)));
  const { recovery_codes } = await browser.ask("POST", "/users/me/second_factor/totp/confirm", { code });
  const [first] = recovery_codes as string[];
  keep("recovery code", first);
  const asked = await browser.form("/login/", { username: "owner@example.com", password });
  const pending = keep("pending log-in", hiddenField(asked.page, "pending"));
  for (const one of [keep("wrong code", marker("codes")), first!])
    await browser.form("/login/second-factor/", { pending, code: one });
  expect(browser.isLoggedIn).toBe(true);
  await browser.ask("POST", "/users/me/reauthenticate", { code: marker("codes") });
});

it("codes and states of providers, and bearer tokens of directories", async () => {
  const { url, owner } = found();
  const browser = new PlainBrowser(() => "one");
  for (const isTrue of [true, false]) {
    provider.person = claimsOf("nora", "nora@example.net");
    const begun = await browser.get(`${url}/accounts/login/social/main/`);
    const back = await browser.follow(begun, (address) => address.includes("/complete/"));
    const address = new URL(back.location!);
    keep(`state ${isTrue}`, address.searchParams.get("state"));
    keep(`code ${isTrue}`, address.searchParams.get("code"));
    if (!isTrue) address.searchParams.set("code", keep("forged code", marker("oidc-codes")));
    const done = await browser.get(address.href);
    expect(done.status).toBe(isTrue ? 302 : 401);
  }
  keep("client secret", provider.clientSecret);
  await browser.get(`${url}/complete/main/?code=${marker("oidc-codes")}&state=${keep("state", marker("states"))}`);
  const { token } = expectSuccess(await owner.post("/realm/scim_tokens", { name: "directory", password }));
  for (const one of [keep("SCIM token", token), keep("wrong SCIM token", marker("scim"))])
    await fetch(`${url}/scim/v2/Users`, { headers: { authorization: `Bearer ${one}` } });
});

it("is in neither log, which tell of all of it", async () => {
  const { owner } = found();
  const reply = await owner.get("/realm/audit_log", { anchor: "newest", num_before: 1000, format: "jsonl" });
  for (const told of ["user_log_in_refused", "user_logged_in", "user_further_key_created", "realm_scim_token_created"])
    expect(reply.text).toContain(told);
  for (const told of ["API key refused", "log-in refused", "a log-in by a provider failed", '"path":"/complete/main/"'])
    expect(logged).toContain(told);
  expect(secrets.size).toBeGreaterThan(20);
  for (const [name, secret] of secrets)
    for (const [where, text] of Object.entries({ "the log": logged, "the audit log": reply.text })) {
      // Six digits are also in times.
      const isThere = /^\d+$/.test(secret) ? new RegExp(`(?<!\\d)${secret}(?!\\d)`).test(text) : text.includes(secret);
      expect(isThere, `${name} in ${where}`).toBe(false);
      expect(text.includes(encodeURIComponent(secret)) && !/^\d+$/.test(secret), `${name} in ${where}`).toBe(false);
    }
  for (const text of [logged, reply.text]) expect(text).not.toContain("marker-of-");
});

function found(): { url: string; owner: ApiClient } {
  const url = `http://127.0.0.1:${there.server!.port}`;
  return { url, owner: new ApiClient({ url, email: "owner@example.com", apiKey: there.key }) };
}

/** A server that tells everything, with a provider of identities. */
async function start(): Promise<void> {
  const database = await createTestDatabase();
  there.undo.push(() => database.drop());
  const dataDir = await mkdtemp(join(tmpdir(), "parley-no-secrets-"));
  there.undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const stream = new PassThrough();
  stream.on("data", (chunk: Buffer) => (logged += chunk.toString()));
  const config = readConfig({
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: database.url,
    PARLEY_DATA_DIR: dataDir,
    PARLEY_LOG_LEVEL: "trace",
    PARLEY_OWNER_PASSWORD: password,
    PARLEY_RATE_LIMITS: "off",
    PARLEY_OIDC: JSON.stringify({ "*": [{ ...provider.setting, joining: "everybody" }] }),
  });
  const server = await startServer(config, () => {}, stream);
  there.server = server;
  there.undo.push(() => server.stop());
  there.key = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
}
