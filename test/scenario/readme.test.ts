/** What README.md and docs/ offer to be pasted does what they say, or is named here with the reason why not. */
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDirectories } from "../../actors/identities/directories.ts";
import { parseProviders } from "../../actors/identities/providers.ts";
import { checkFilter } from "../../actors/ldap/connection.ts";
import { echoBots } from "../../http/pages/echo-bots.ts";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess, type JsonObject } from "../support/client/api.ts";
import { createTestDatabase } from "../support/server/postgres.ts";
import { testServer } from "../support/server/server.ts";
import { hasTerminals, startOnTerminal } from "../support/server/server-process.ts";
import { until } from "../support/time/until.ts";
import { mattermostExport, slackExport } from "../support/transfer/others.ts";

/** Several programs start one after the other. */
const busyMs = 600_000;
const root = resolve(import.meta.dirname, "../..");
const server = testServer();
const [cleo] = server.people("Cleo");
let blocks: ReadonlyMap<string, string>;
let folder: string;
beforeAll(async () => {
  const docs = (await readdir(join(root, "docs"))).sort().map((name) => `docs/${name}`);
  const pages = await Promise.all(["README.md", ...docs].map((name) => readFile(join(root, name), "utf8")));
  blocks = blocksOf(pages.join("\n"));
  folder = await mkdtemp(join(tmpdir(), "parley-readme-"));
  await mkdir(join(folder, "var"));
  await writeFile(join(folder, "var/owner.zuliprc"), `[api]\nkey=${server.owner.apiKey}\n`);
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What has each block run, or why nothing does. */
const runBy: Readonly<Record<string, string>> = {
  "Start it, sh": "here; `npm ci` has put this test's own packages in place, and is not run again",
  "Start it, text": "here",
  "The first five minutes, sh": "here",
  "One message, from a request to somebody else's poll, text":
    "nothing: it is drawn. test/signposts.test.ts looks for its files",
  "Two minutes, sh": "here",
  "A stream instead of polls, sh": "here",
  "Write a bot, sh": "here",
  "Write a bot, python": "here, where there is a Python that has the package zulip; else only its syntax is looked at",
  "Write a bot, js": "here",
  "Erasing a person, sh":
    "test/contract/erasure/erase.test.ts and test/scenario/transfer/erasure.test.ts, by other names",
  "Whether it is whole, sh": "test/scenario/operator.test.ts, by another name",
  "A typed client, ts": "test/http/api/openapi-tools.test.ts",
  "The client library, text": "nothing: it is drawn",
  "Calls, js": "test/http/client/package.test.ts",
  "The organization as it changes, js": "test/http/client/package.test.ts",
  "Assistants, text": "nothing: it is drawn",
  "Summaries, text": "nothing: it is drawn",
  "Several nodes, text": "nothing: it is drawn",
  "On three machines, sh": "nothing: it takes machines of their own",
  "On three machines, sh 2": "nothing. Its names are looked at here",
  "On three machines, sh 3": "nothing: it takes machines of their own",
  "Setting them up, text": "test/scenario/nodes.test.ts looks at what the command shows",
  "Files, sh": "nothing: it takes a store. Its names are looked at here",
  "nginx, nginx": "test/http/server/proxies.test.ts",
  "HAProxy, haproxy": "test/http/server/proxies.test.ts",
  "Alerts, yaml": "nothing: it takes Prometheus. test/deploy/monitoring.test.ts tries the rules",
  "Traces, text": "nothing: it is drawn. test/http/process/tracing looks for its spans",
  "Logs, text": "test/http/process/log-levels.test.ts, by another address",
  "Legal holds and compliance exports, text": "nothing: it is drawn",
  "For how long what is kept, text": "nothing: it is drawn",
  "Holds, sh": "test/contract/organization/compliance.test.ts, by what the commands do",
  "Exports, sh": "test/contract/organization/compliance-folder.test.ts, by what the commands do",
  "Setting a provider up, json": "here: the setting takes it",
  "SAML, sh": "nothing: it takes Keycloak and a provider of SAML",
  "Setting it up, json": "here: the setting takes it",
  "Setting it up, json 2": "here: the setting takes it",
  "Who is not in it any more, sh": "test/contract/ldap/missing.test.ts, by what the commands do",
  "Caddy, caddyfile": "test/http/server/proxies.test.ts",
  "Node.js, sh": "nothing: it takes a machine of its own, and packages from elsewhere",
  "Node.js, sh 2": "nothing, as above",
  "Install, sh": "nothing: it takes a machine of its own. Its files are looked at in test/deploy/units.test.ts",
  "Back up, sh": "nothing, as above",
  "Upgrade, sh": "nothing, as above",
  "The image, sh": "nothing: it takes Docker. `.ci/image` builds and starts it by other programs",
  "Kubernetes, sh": "nothing: it takes Docker",
  "Kubernetes, yaml": "nothing: it takes a cluster",
  "Kubernetes, sh 2": "nothing: it takes a cluster. test/deploy/chart.test.ts tries the chart",
  "Kubernetes, sh 3": "nothing, as above",
  "Kubernetes, sh 4": "nothing, as above",
  "Compose, yaml": "nothing: it takes Docker and images of others. Its names are looked at here",
  "systemd, ini": "nothing: it takes systemd. Its names are looked at here, its lines in test/deploy/units.test.ts",
  "systemd, sh": "nothing, as above",
  "1. Find the place, text": "here: the rule is looked for in its machine",
  "2. Write the test first, ts": "here: it is looked for in its file",
  "2. Write the test first, sh": "nothing: `npm test` runs the file. It is looked for here",
  "4. Check, and commit, sh": "nothing: `npm test` does more. Their names are looked at here",
  "4. Check, and commit, text": "nothing: it is a commit of the history",
  "Coming from another Zulip server, sh": "here",
  "Coming from another Zulip server, sh 2": "here",
  "Coming from another Zulip server, sh 3":
    "nothing: it takes Rocket.Chat's MongoDB. test/contract/transfer/import-others.test.ts imports what it writes",
  "Taking an organization along, sh": "here",
  "Find your way, sh": "nothing: the first is what runs this, the others take minutes. Their names are looked at here",
};

describe("README.md", () => {
  it("has no block that nothing looks at, and none is waited for in vain", () => {
    expect([...blocks.keys()].sort()).toEqual(Object.keys(runBy).sort());
  });

  it("has shell commands that a shell can read", () => {
    for (const [name, block] of blocks)
      if (/, sh/.test(name)) expect(spawnSync("sh", ["-n"], { input: block, encoding: "utf8" }).stderr, name).toBe("");
  });

  it("names scripts, programs and settings that there are", async () => {
    const { scripts, bin } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const places = ["Find your way, sh", "Start it, sh", "4. Check, and commit, sh"];
    const commands = places.map((place) => blocks.get(place)!).join("");
    const names = [...commands.matchAll(/^npm (?:run )?([\w:]+)/gm)].map((match) => match[1]!);
    expect(names).toHaveLength(8);
    expect(names.filter((name) => name !== "ci" && !(name in scripts))).toEqual([]);
    const declaring = ["settings", "file-settings"].map((name) => join(root, `http/process/settings/${name}.ts`));
    const declared = (await Promise.all(declaring.map((file) => readFile(file, "utf8")))).join("");
    const [, file, target] = /dockerfile: (\S+), target: (\S+) }/.exec(blocks.get("Compose, yaml")!)!;
    const image = await readFile(join(root, file!), "utf8");
    expect(image).toContain(` AS ${target}\n`);
    expect(image).toContain(bin.parley);
    expect(blocks.get("systemd, ini")).toContain(bin.parley);
    for (const name of ["Compose, yaml", "systemd, ini", "Files, sh", "On three machines, sh 2"]) {
      const block = blocks.get(name)!;
      const settings = [...block.matchAll(/\b(PARLEY_\w+|DATABASE_URL|REDIS_URL)\b/g)].map((match) => match[1]!);
      expect(settings.filter((setting) => !declared.includes(`"${setting}"`))).toEqual([]);
      expect(settings.length).toBeGreaterThan(3);
    }
  });

  it("shows a provider of identities that the setting takes", async () => {
    const file = join(folder, "client-secret");
    await writeFile(file, "a secret\n");
    const block = blocks.get("Setting a provider up, json")!.replace(/(?<="client_secret_file": ")[^"]+/, file);
    const [provider] = parseProviders(block).get("chat.example.com")!;
    expect(provider).toMatchObject({ name: "keycloak", clientSecret: "a secret" });
  });

  it("shows directories that the setting takes", async () => {
    const file = join(folder, "directory");
    await writeFile(file, "a secret\n");
    for (const [name, host] of [
      ["Setting it up, json", "chat.example.com"],
      ["Setting it up, json 2", "*"],
    ] as const) {
      const block = blocks.get(name)!.replaceAll(/(?<="(?:bind_password|ca)_file": ")[^"]+/g, file);
      const directory = parseDirectories(block, checkFilter).get(host);
      expect(directory).toMatchObject({ name: "ldap:main", service: { password: "a secret" }, ca: "a secret\n" });
    }
  });

  it("replays a change that was made: its rule and its test are there", async () => {
    const rule = blocks.get("1. Find the place, text")!.trim();
    expect(await readFile(join(root, "actors/scheduled/machine.ts"), "utf8")).toContain(rule);
    const file = /test\/contract\/\S+/.exec(blocks.get("2. Write the test first, sh")!)![0];
    const lines = (await readFile(join(root, file), "utf8")).split("\n").map((line) => line.trim());
    for (const line of blocks.get("2. Write the test first, ts")!.split("\n")) expect(lines).toContain(line.trim());
  });

  it.skipIf(!hasTerminals)(
    "shows what a terminal is shown by the first start, and its greeting arrives",
    { timeout: busyMs },
    async () => {
      const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
      expect(scripts.start).toBe("node dist/http/process/cli.js serve");
      const [database, port] = await Promise.all([createTestDatabase(), freePort()]);
      const data = await mkdtemp(join(tmpdir(), "parley-first-"));
      const environment = { PORT: String(port), PARLEY_DATA_DIR: data, DATABASE_URL: database.url };
      const first = await startOnTerminal(environment);
      try {
        const masked = (text: string) =>
          text
            .replaceAll(data, "./var")
            .replaceAll(`:${port}`, ":9991")
            .replace(/(Password|API key)( +)\S+/g, "$1$2…")
            .replace(/(owner@example\.com:)[^']+'/, "$1…'");
        expect(masked(first.output())).toContain(masked(blocks.get("Start it, text")!).trimEnd());
        const greeting = /^ +(curl .*)$/m.exec(first.output())![1]!;
        expect(JSON.parse(execFileSync("sh", ["-c", greeting], { encoding: "utf8" }))).toMatchObject({
          result: "success",
        });
      } finally {
        await first.stop();
        await database.drop();
        await rm(data, { recursive: true, force: true });
      }
    },
  );
});

describe("“Two minutes” and the first five", () => {
  it("a poll is answered by what somebody else writes", async () => {
    const { stdout, stderr } = await shell(blocks.get("The first five minutes, sh")!);
    expect(stderr).toBe("");
    const answers = stdout.match(/\{"result":.*?(?=\{"result":|$)/gs)!.map((text) => JSON.parse(text));
    expect(answers.map(({ result }) => result)).toEqual(["success", "success", "success"]);
    const { events } = answers.find((answer) => answer.events);
    expect(events[0].message.content).toContain("Look");
  });

  it("runs as it stands", async () => {
    const { stdout, stderr } = await shell(blocks.get("Two minutes, sh")!);
    expect(stderr).toBe("");
    const answers = stdout.match(/\{"result":.*?(?=\{"result":|$)/gs)!.map((text) => JSON.parse(text));
    expect(answers.map(({ result }) => result)).toEqual(answers.map(() => "success"));
    expect(answers[0].events[0].message.content).toContain("@Ada Lovelace");
    const history = answers.find(({ message_history }) => message_history)!.message_history;
    expect(history.at(-1).content_html_diff).toContain("highlight_text_inserted");
    expect(answers.at(-1).invite_link).toContain("/join/");
  });

  it("has a stream that brings what is written", async () => {
    const { email, apiKey } = cleo;
    const { queue_id } = await cleo.client.register({ event_types: ["message"] });
    const given = `P=$SITE/api/v1; ADA='${email}:${apiKey}'; QUEUE=${queue_id}\nexec `;
    const command = blocks.get("A stream instead of polls, sh")!.trimStart();
    const child = spawn("sh", ["-c", given + command], { env: { ...process.env, SITE: server.url } });
    let heard = "";
    child.stdout.on("data", (text) => {
      heard += text;
    });
    try {
      await until("the stream to begin", () => heard.includes("retry:"), 120_000);
      await server.owner.say("general", "A stream is a poll that stays", "streams");
      await until("the message", () => /^data: \{.*A stream is a poll/m.test(heard), 120_000);
      expect(heard).toMatch(/^retry: \d+\n\n(?:.*\n)*id: \d+\ndata: \{"type":"message"/);
    } finally {
      child.kill();
    }
  });
});

describe("“Write a bot”", () => {
  const python = spawnSync("python3", ["-c", "import zulip"]).status === 0;
  it("shows the bots that the page of the API shows", () => {
    expect(blocks.get("Write a bot, python")).toBe(`${echoBots.python}\n`);
    expect(blocks.get("Write a bot, js")).toBe(`${echoBots.javascript}\n`);
    for (const source of Object.values(echoBots)) expect(source.split("\n").length).toBeLessThanOrEqual(24);
  });

  const bots = [
    ["JavaScript", "js", "echo.mjs", process.execPath, true],
    ["Python", "python", "echo.py", "python3", python],
  ] as const;
  for (const [language, name, file, program, isThere] of bots)
    it.skipIf(!isThere)(`has a bot in ${language} that answers`, { timeout: busyMs }, async () => {
      const commands = blocks.get("Write a bot, sh")!.replace("short_name=echo", `short_name=echo-${name}`);
      const made = JSON.parse((await shell(commands)).stdout.trim()) as JsonObject;
      expect(made).toMatchObject({ result: "success" });
      await writeFile(join(folder, file), blocks.get(`Write a bot, ${name}`)!);
      const bot = spawn(program, [file], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
      try {
        const id = made["user_id"] as number;
        const queues = () => server.database.sql`select 1 from event_queues where user_id = ${id}`;
        await until("the bot to listen", async () => (await queues()).length > 0, 120_000);
        expectSuccess(await cleo.client.post("/messages", { type: "direct", to: [id], content: "Hello, *bot*" }));
        await until("its answer", async () => (await last("dm", [id])) === "Cleo says: Hello, *bot*", 120_000);
        const full = expectSuccess(await cleo.client.get(`/users/${id}`))["user"] as JsonObject;
        await server.addChannel(`bots-${name}`, [cleo]);
        const content = `@**${full["full_name"]}|${id}** are you there?`;
        expectSuccess(
          await cleo.client.post("/messages", { type: "channel", to: `bots-${name}`, topic: "echo", content }),
        );
        const answer = `Cleo says: @_**${full["full_name"]}|${id}** are you there?`;
        await until("its answer", async () => (await last("channel", `bots-${name}`)) === answer, 120_000);
      } finally {
        bot.kill();
      }
    });
});

describe("moving in and out", () => {
  it("imports and exports by the commands that it shows", { timeout: busyMs }, async () => {
    const database = await createTestDatabase();
    const place = await mkdtemp(join(tmpdir(), "parley-moving-"));
    try {
      await copyFile(join(root, "test/data/zulip-export/small.tar.gz"), join(place, "export.tar.gz"));
      await writeFiles(join(place, "slack-export"), slackExport);
      await writeFiles(join(place, "mattermost-export"), mattermostExport);
      const environment = { DATABASE_URL: database.url, PARLEY_DATA_DIR: join(place, "var") };
      const commands = [
        blocks.get("Coming from another Zulip server, sh"),
        blocks.get("Taking an organization along, sh"),
        blocks.get("Coming from another Zulip server, sh 2"),
        "npx parley realm list --json",
      ].join("\n");
      const { stdout } = await shell(commands, environment, place);
      const { realms } = JSON.parse(stdout.trim().split("\n").at(-1)!) as { realms: { host: string | null }[] };
      expect(realms.map(({ host }) => host)).toEqual([null, "chat.example.com"]);
      expect((await readFile(join(place, "organization.tar.gz"))).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    } finally {
      await rm(place, { recursive: true, force: true });
      await database.drop();
    }
  });
});

/** Blocks of code by the heading above and their language; a second one of both is "… 2". */
function blocksOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let heading = "";
  for (const [, title, language, block] of text.matchAll(/^#+ (.*)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (language === undefined) {
      heading = title!;
      continue;
    }
    const name = `${heading}, ${language}`;
    let place = 1;
    while (found.has(place === 1 ? name : `${name} ${place}`)) place++;
    found.set(place === 1 ? name : `${name} ${place}`, block!);
  }
  return found;
}

/** Runs commands as they stand, but for the address of the server and the name of its owner. */
function shell(commands: string, environment: Record<string, string> = {}, cwd = folder) {
  const script = commands
    .replaceAll("http://localhost:9991", server.url)
    .replaceAll("owner@example.com", server.owner.email);
  const npx = `npx() { shift; '${process.execPath}' '${join(root, "dist/http/process/cli.js")}' "$@"; }`;
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment };
  return promisify(execFile)("sh", ["-eu", "-c", `${npx}\n${script}`], { cwd, env, maxBuffer: 2 ** 26 });
}

/** The newest message of a conversation, as it was written. */
async function last(operator: string, operand: unknown): Promise<string> {
  const query = {
    anchor: "newest",
    num_before: 1,
    num_after: 0,
    narrow: [{ operator, operand }],
    apply_markdown: false,
  };
  const client = new ApiClient({ url: server.url, email: cleo.email, apiKey: cleo.apiKey });
  const { messages } = expectSuccess(await client.get("/messages", query)) as { messages: { content: string }[] };
  return messages.at(-1)!.content;
}

async function writeFiles(place: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(place, name)), { recursive: true });
    await writeFile(join(place, name), text);
  }
}
