/** A person with 50,000 messages is erased while others chat. The command line is killed on the way, and goes on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { commandFile, runCommand } from "../../support/server/command-line.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ nodeCount: 2 });
const [ada, gus] = server.people("Ada", "Gustavo");
const hall = server.channel("hall", [ada, gus]);
const many = 50_000;

it("goes in batches, and on after a kill, and sends come between", async () => {
  const { sql } = server.database;
  const first = await gus.say(hall, "the first");
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select -n, realm_id, recipient_id, channel_id, sender_id, topic, 'x', '<p>x</p>', sent_at, 'test'
    from messages, generate_series(1, ${many - 1}::int) n where id = ${first}`;
  const named = await ada.say(hall, "Where is @**Gustavo**?");
  const left = async () => {
    const [row] = await sql<
      { count: number }[]
    >`select count(*)::int as count from messages where sender_id = ${gus.id}`;
    return row!.count;
  };
  const { config } = server.server.app;
  const environment = {
    DATABASE_URL: config.databaseUrl!,
    REDIS_URL: config.redisUrl!,
    PARLEY_DATA_DIR: config.dataDir,
    PORT: String(server.server.port),
  };
  const args = ["user", "erase", "--email", gus.email, "--messages", "delete", "--confirm", "Gustavo"];
  const killed = spawn(process.execPath, [commandFile, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    stdio: "ignore",
  });
  let isOver = false;
  const sending = (async () => {
    let sent = 0;
    for (; !isOver; sent++) await ada.say(hall, `still here ${sent}`);
    return sent;
  })();
  try {
    await until("some of them to go", async () => (await left()) < many);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    expect(await left()).toBeGreaterThan(0);
    const [row] = await sql`select finished_at, names from erasures`;
    expect(row).toEqual({ finished_at: null, names: ["Gustavo"] });
    const ended = await runCommand(["user", "erase", "--id", String(gus.id), "--json"], environment);
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ user_id: gus.id, gone: { messages: many, mentions: 1 } });
  } finally {
    isOver = true;
  }
  expect(await sending).toBeGreaterThan(10);
  expect(await left()).toBe(0);
  expect((await ada.read(named))["content"]).toContain(`>Deleted user ${gus.id}<`);
  for (const realm of await server.realms())
    await until("every node to know", () => realm.state.knownUser(gus.id).full_name === `Deleted user ${gus.id}`);
}, 600_000);
