/** The command line beside a server that runs a PostgreSQL of its own on the same data folder. */
import { readFile, rm, stat } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { runCommand } from "../support/server/command-line.ts";
import { dataFolder } from "../support/server/folder.ts";
import { type ServerProcess, startServerProcess } from "../support/server/server-process.ts";
import { until } from "../support/time/until.ts";

let folder: string;
let environment: Record<string, string>;
let server: ServerProcess;
beforeAll(async () => {
  folder = await dataFolder("commands");
  environment = { PORT: String(await freePort()), PARLEY_DATA_DIR: folder };
  server = await startServerProcess(environment);
}, 300_000);
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What the command says to a program. One that finds another at work may tell people that it waits. */
async function command(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand([...args, "--json"], environment);
  expect({ code, stderr: stderr.replace(/^Another parley command is at work in .*\n/, "") }).toEqual({
    code: 0,
    stderr: "",
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function get(path: string, email: string, key: string): Promise<Response> {
  return fetch(`${server.url}/api/v1${path}`, { headers: { Authorization: `Basic ${btoa(`${email}:${key}`)}` } });
}

it("does its work through the server's own PostgreSQL, which serves on, before and after", async () => {
  const email = "ada@example.com";
  const made = await command("user", "create", "--email", email, "--name", "Ada");
  const ada = made["api_key"] as string;
  expect(await (await get("/users/me", email, ada)).json()).toMatchObject({ full_name: "Ada", email });
  expect(await command("user", "api-key", "--email", email)).toMatchObject({ api_key: ada });
  expect(await command("invitations")).toEqual({ invitations: [] });
  expect(await command("migrate")).toEqual({ migrated: true });
  expect(await command("user", "permit", "--email", email, "--can-create-users", "on")).toMatchObject({
    can_create_users: true,
  });

  // What is sent afterwards is the server's own doing again.
  const owner = /key=(\w+)/.exec(await readFile(`${folder}/owner.zuliprc`, "utf8"))![1]!;
  const body = new URLSearchParams({ type: "channel", to: "general", topic: "after", content: "still here" });
  const sent = await fetch(`${server.url}/api/v1/messages`, {
    method: "POST",
    body,
    headers: { Authorization: `Basic ${btoa(`owner@example.com:${owner}`)}` },
  });
  expect(await sent.json()).toMatchObject({ result: "success" });
  expect(server.output()).not.toContain("PostgreSQL is gone");
}, 300_000);

it("is done by the server, which goes on writing, however busy it is", async () => {
  const owner = /key=(\w+)/.exec(await readFile(`${folder}/owner.zuliprc`, "utf8"))![1]!;
  const Authorization = `Basic ${btoa(`owner@example.com:${owner}`)}`;
  const send = () =>
    fetch(`${server.url}/api/v1/messages`, {
      method: "POST",
      body: new URLSearchParams({ type: "channel", to: "general", topic: "busy", content: "and on" }),
      headers: { Authorization },
    });
  let isOver = false;
  const statuses: number[] = [];
  const sending = (async () => {
    while (!isOver) statuses.push((await send()).status);
  })();
  try {
    await until("it to be busy", () => statuses.length > 20);
    for (const name of ["busy-one", "busy-two"]) {
      const before = statuses.length;
      const made = await command("user", "create", "--email", `${name}@example.com`, "--name", name);
      const answer = await get("/users/me", `${name}@example.com`, made["api_key"] as string);
      expect(await answer.json()).toMatchObject({ full_name: name });
      await until("it to go on", () => statuses.length > before + 5);
    }
  } finally {
    isOver = true;
    await sending;
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
}, 300_000);

it("writes a backup while the server serves, which another data folder goes on from", async () => {
  const other = await dataFolder("restored");
  const file = `${other}/backup`;
  try {
    const made = await command("backup", file);
    expect(made).toMatchObject({ file, tables: expect.any(Number), rows: expect.any(Number) });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const refused = await runCommand(["restore", file, "--force"], environment);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Stop that one first") });

    const elsewhere = {
      PORT: String(await freePort()),
      PARLEY_DATA_DIR: `${other}/data`,
      PARLEY_SECRET_KEY_FILE: `${environment["PARLEY_DATA_DIR"]}/secret-key`,
    };
    const restored = await runCommand(["restore", file, "--json"], elsewhere);
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(restored.stdout)).toEqual(made);
    expect((await runCommand(["restore", file], elsewhere)).stderr).toContain("--force removes what is there");
    const { stdout } = await runCommand(["user", "api-key", "--email", "ada@example.com"], elsewhere);
    expect(stdout).toBe((await runCommand(["user", "api-key", "--email", "ada@example.com"], environment)).stdout);
  } finally {
    await rm(other, { recursive: true, force: true });
  }
}, 240_000);

it("says which Parley it is", async () => {
  const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  expect(await runCommand(["--version"], {})).toEqual({ code: 0, stdout: `parley ${version}\n`, stderr: "" });
});

it("does several at once, and works alike when the server has stopped", async () => {
  const names = ["bo", "cy", "di"];
  const made = await Promise.all(
    names.map((name) => command("user", "create", "--email", `${name}@example.com`, "--name", name)),
  );
  for (const [index, name] of names.entries()) {
    const { api_key: key } = made[index] as { api_key: string };
    expect((await get("/users/me", `${name}@example.com`, key)).status).toBe(200);
  }
  expect(await server.stop()).toBe(0);
  expect(await command("user", "api-key", "--email", "bo@example.com")).toMatchObject({ api_key: made[0]!["api_key"] });
}, 300_000);

it("does its work itself when the server was killed, which could not say so", async () => {
  await server.kill({ withDatabase: true });
  const email = "late@example.com";
  const made = await command("user", "create", "--email", email, "--name", "Late");
  server = await startServerProcess(environment);
  expect(await (await get("/users/me", email, made["api_key"] as string)).json()).toMatchObject({ full_name: "Late" });
}, 300_000);
