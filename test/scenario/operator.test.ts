/** What whoever runs the server does to accounts and organizations, while it serves on a PostgreSQL of its own. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { ApiClient, expectError, expectSuccess } from "../support/client/api.ts";
import { runCommand } from "../support/server/command-line.ts";
import { dataFolder } from "../support/server/folder.ts";
import { type ServerProcess, startServerProcess } from "../support/server/server-process.ts";
import { until } from "../support/time/until.ts";

const password = "a fine password";
let folder: string;
let environment: Record<string, string>;
let server: ServerProcess;
beforeAll(async () => {
  folder = await dataFolder("operator");
  environment = { PORT: String(await freePort()), PARLEY_DATA_DIR: folder };
  server = await startServerProcess(environment);
}, 300_000);
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What the command says to a program. */
async function command(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand([...args, "--json"], environment);
  expect({ code, stderr }, args.join(" ")).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** What it says when it refuses. */
async function refused(...args: string[]): Promise<string> {
  const { code, stderr } = await runCommand(args, environment);
  expect(code, args.join(" ")).toBe(1);
  return stderr;
}

const anybody = () => new ApiClient({ url: server.url });

/** Logs in on the page, without asking for anything before. Returns the status: 302 is in. */
async function logIn(email: string, password: string): Promise<number> {
  return (await anybody().post("/login/", { username: email, password }, { root: true })).status;
}

async function clientOf(email: string): Promise<ApiClient> {
  const { api_key } = await command("user", "api-key", "--email", email);
  return new ApiClient({ url: server.url, email, apiKey: api_key as string });
}

describe("parley user", () => {
  it("every change counts at once, on the page too", async () => {
    const email = "ada@example.com";
    await command("user", "create", "--email", email, "--name", "Ada", "--password", password);
    expect(await logIn(email, password)).toBe(302);
    const ada = await clientOf(email);

    await command("user", "password", "--email", email, "--password", "another fine password");
    expect(await logIn(email, password)).toBe(401);
    expect(await logIn(email, "another fine password")).toBe(302);

    await command("user", "role", "--email", email, "--role", "administrator");
    expect(expectSuccess(await ada.get("/users/me"))["role"]).toBe(200);

    await command("user", "deactivate", "--email", email);
    expectError(await ada.get("/users/me"), 401);
    expect(await logIn(email, "another fine password")).toBe(401);
    await command("user", "reactivate", "--email", email);
    expectSuccess(await ada.get("/users/me"));

    await command("user", "email", "--email", email, "--new-email", "countess@example.com");
    expect(await logIn(email, "another fine password")).toBe(401);
    expect(await logIn("countess@example.com", "another fine password")).toBe(302);
    const { users } = (await command("user", "list")) as { users: { email: string; role: string }[] };
    expect(users).toContainEqual(expect.objectContaining({ email: "countess@example.com", role: "administrator" }));
  }, 240_000);

  it("deactivates the organization, and brings it back", async () => {
    await command("realm", "deactivate");
    expectError(await anybody().get("/server_settings"), 401, "REALM_DEACTIVATED");
    await command("realm", "reactivate");
    expectSuccess(await anybody().get("/server_settings"));
  }, 240_000);

  it("adds nobody of a table with rows that are wrong, and names each by its line", async () => {
    const file = join(folder, "wrong.csv");
    await writeFile(
      file,
      "email,name,role\ngood@example.com,Good,\nno address,Bad,\nx@example.com,,\nGOOD@example.com,Twice,\ny@example.com,Y,king\n",
    );
    const { code, stderr } = await runCommand(["user", "import", file], environment);
    expect(code).toBe(1);
    expect([...stderr.matchAll(/^ {2}line (\d+): /gm)].map(([, line]) => line)).toEqual(["3", "4", "5", "6"]);
    const { users } = (await command("user", "list")) as { users: { email: string }[] };
    expect(users.map(({ email }) => email)).not.toContain("good@example.com");
  }, 240_000);

  it("logs out of browsers, and of applications by a new key", async () => {
    const email = "bob@example.com";
    await command("user", "create", "--email", email, "--name", "Bob", "--password", password);
    const login = await anybody().post("/login/", { username: email, password }, { root: true });
    const Cookie = login.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0])
      .join("; ");
    const me = () => anybody().get("/json/users/me", {}, { root: true, headers: { Cookie } });
    const bob = await clientOf(email);
    expectSuccess(await me());
    await command("user", "logout", "--email", email);
    expectError(await me(), 401);
    expectSuccess(await bob.get("/users/me"));
    await command("user", "logout", "--email", email, "--new-key");
    expectError(await bob.get("/users/me"), 401);
  }, 240_000);

  it("lists the browsers somebody is logged in with, and logs them out of one", async () => {
    const email = "bea@example.com";
    await command("user", "create", "--email", email, "--name", "Bea", "--password", password);
    expect((await runCommand(["user", "sessions", "--email", email], environment)).stdout).toContain("no browser");
    const cookies: Record<string, string> = {};
    for (const name of ["Phone/1", "Desk/2"]) {
      const options = { root: true, headers: { "User-Agent": name } };
      const login = await anybody().post("/login/", { username: email, password }, options);
      cookies[name] = login.headers
        .getSetCookie()
        .map((cookie) => cookie.split(";")[0])
        .join("; ");
    }
    const me = (name: string) =>
      anybody().get("/json/users/me", {}, { root: true, headers: { Cookie: cookies[name]! } });
    const listed = async () =>
      (await command("user", "sessions", "--email", email))["sessions"] as { id: number; user_agent: string }[];
    const sessions = await listed();
    expect(sessions.map(({ user_agent }) => user_agent).sort()).toEqual(["Desk/2", "Phone/1"]);
    expect(JSON.stringify(sessions)).not.toContain("token");
    const phone = sessions.find(({ user_agent }) => user_agent === "Phone/1")!;
    const told = (await runCommand(["user", "sessions", "--email", email], environment)).stdout;
    expect(told).toMatch(new RegExp(`^${phone.id}\tsince .*Z\tseen .*Z\t.*127\\.0\\.0\\.1\tPhone/1$`, "m"));
    expect(await refused("user", "logout", "--email", "owner@example.com", "--session", String(phone.id))).toContain(
      "Session does not exist",
    );
    expect(await refused("user", "logout", "--email", email, "--session", "all")).toContain("--session");
    expect(await refused("user", "logout", "--email", email, "--session", "1", "--new-key")).toContain("--session");
    await command("user", "logout", "--email", email, "--session", String(phone.id));
    expectError(await me("Phone/1"), 401);
    expectSuccess(await me("Desk/2"));
    expect(await listed()).toMatchObject([{ user_agent: "Desk/2" }]);
  }, 240_000);

  it("lets somebody back in by a link, without mail", async () => {
    const email = "cy@example.com";
    await command("user", "create", "--email", email, "--name", "Cy", "--password", password);
    const { link } = await command("user", "password", "--email", email, "--link");
    const { pathname } = new URL(link as string);
    const set = await anybody().post(pathname, { password: "chosen by myself" }, { root: true });
    expect(set.status).toBe(200);
    expect(await logIn(email, "chosen by myself")).toBe(302);
    expect(await refused("user", "password", "--email", email, "--send-link")).toContain("sends no email");
  }, 240_000);

  it("imports a table, and the same one again", async () => {
    const file = join(folder, "people.csv");
    const rows = [
      "Email;Name;Role;Password",
      '"dan@example.com";"Dan ""the man""; Smith";guest;',
      "",
      "eve@example.com;Eve;;",
    ];
    await writeFile(
      file,
      `\ufeff${rows.map((row) => row.replace('"Dan ""the man""; Smith"', '"Dan; Smith"')).join("\r\n")}\r\n`,
    );
    const outcome = (await command("user", "import", file)) as {
      added: { email: string; link: string }[];
      skipped: string[];
      failed: { email: string }[];
    };
    expect(outcome.added.map(({ email }) => email)).toEqual(["dan@example.com", "eve@example.com"]);
    expect(outcome.failed).toEqual([]);
    const { pathname } = new URL(outcome.added[1]!.link);
    expect((await anybody().post(pathname, { password }, { root: true })).status).toBe(200);
    expect(await logIn("eve@example.com", password)).toBe(302);
    const { users } = (await command("user", "list")) as {
      users: { email: string; full_name: string; role: string }[];
    };
    expect(users).toContainEqual(expect.objectContaining({ full_name: "Dan; Smith", role: "guest" }));
    expect(await command("user", "import", file)).toMatchObject({
      added: [],
      skipped: ["dan@example.com", "eve@example.com"],
    });
  }, 240_000);

  it("leaves an organization its last owner, and says what is wrong", async () => {
    expect(await refused("user", "role", "--email", "owner@example.com", "--role", "member")).toContain(
      "only organization owner",
    );
    expect(await refused("user", "deactivate", "--email", "owner@example.com")).not.toBe("");
    expect(await refused("user", "deactivate", "--email", "nobody@example.com")).toContain("no account under");
    expect(await refused("user", "role", "--email", "owner@example.com", "--role", "king")).toContain("--role must be");
  }, 240_000);
});

describe("parley invite and parley realm", () => {
  it("invites by a link", async () => {
    const { link } = await command("invite", "--role", "guest");
    const { pathname } = new URL(link as string);
    const form = { full_name: "Fay", email: "fay@example.com", password };
    expect((await anybody().post(pathname, form, { root: true })).status).toBe(302);
    const single = await command("invite", "--email", "gil@example.com");
    expect(single).toMatchObject({ email: "gil@example.com", email_sent: false });
    expect((await anybody().get(new URL(single["link"] as string).pathname, {}, { root: true })).text).toContain(
      "gil@example.com",
    );
  }, 300_000);

  it("shows from which networks people come, and lets them come from anywhere", async () => {
    const owner = await clientOf("owner@example.com");
    const decided = async () => expectSuccess(await owner.get("/realm/log_in_policy"))["log_in_policy"];
    const allowed_networks = ["127.0.0.0/8", "::1"];
    expectSuccess(await owner.patch("/realm/log_in_policy", { allowed_networks, session_days: 3 }));
    expect(await command("realm", "networks")).toMatchObject({ allowed_networks });
    expect(await decided()).toMatchObject({ allowed_networks });
    expect(await command("realm", "networks", "--any")).toMatchObject({ allowed_networks: [] });
    expect(await decided()).toMatchObject({ allowed_networks: [], session_days: 3 });
  }, 240_000);

  it("lists, renames, moves and deletes an organization; others stay as they are", async () => {
    const host = "127.0.0.1";
    const made = await command(
      "realm",
      "create",
      "--name",
      "Second",
      "--host",
      host,
      "--owner-email",
      "two@example.com",
    );
    const two = new ApiClient({ url: server.url, email: "two@example.com", apiKey: made["api_key"] as string });
    await until("it to be served", async () => (await two.get("/users/me")).status === 200);
    await command("realm", "rename", "--realm", host, "--name", "Other");
    expect(expectSuccess(await two.post("/register", { fetch_event_types: ["realm"] }))["realm_name"]).toBe("Other");
    await command("realm", "host", "--realm", host, "--host", "second.example.com");
    await until("the first one to have the host", async () => (await two.get("/users/me")).status === 401);
    const { realms } = (await command("realm", "list")) as { realms: { name: string; host: string; people: number }[] };
    expect(realms).toContainEqual(expect.objectContaining({ name: "Other", host: "second.example.com", people: 1 }));
    await command("realm", "host", "--realm", "second.example.com", "--host", host);
    await until("it to be back", async () => (await two.get("/users/me")).status === 200);
    expect(await refused("realm", "delete", "--realm", host)).toContain("--confirm 'Other'");
    expectSuccess(await two.get("/users/me"));
    expectSuccess(await two.post("/messages", { type: "channel", to: "general", topic: "t", content: "c" }));
    await command("realm", "delete", "--realm", host, "--confirm", "Other");
    expect(await two.get("/users/me")).not.toMatchObject({ status: 200 });
    expect((await command("realm", "list"))["realms"]).toHaveLength(1);
    const owner = await clientOf("owner@example.com");
    expectSuccess(await owner.post("/messages", { type: "channel", to: "general", topic: "t", content: "still here" }));
  }, 240_000);
});

describe("parley audit", () => {
  it("verifies a log, also that it goes on from an earlier head, and writes it into a file", async () => {
    const { realms } = (await command("realm", "list")) as { realms: { url: string }[] };
    const host = new URL(realms[0]!.url).hostname;
    const { rows, hash } = await command("audit", "verify");
    expect(rows).toBeGreaterThan(0);
    await command("user", "create", "--email", "late@example.com", "--name", "Late", "--password", password);
    const { stdout } = await runCommand(["audit", "verify", "--head", `${rows}:${hash}`], environment);
    expect(stdout).toMatch(/^The audit log is whole: \d+ rows\. Head \d+:[0-9a-f]{64}$/m);
    expect(await refused("audit", "verify", host, "--head", `${rows}:${"0".repeat(64)}`)).toContain("had another hash");
    const file = join(folder, "audit.jsonl");
    await command("audit", "export", file);
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    const last = JSON.parse(lines.at(-1)!) as Record<string, unknown>;
    expect(last).toMatchObject({ event_type: "user_created", via: "command_line", acting_user_id: null });
    expect(last["user_agent"]).toMatch(/^parley \(.+@.+\)$/);
    expect(lines[0]).toContain("realm_created");
    expect(await refused("audit", "export", file)).toContain("EEXIST");
  });
});
