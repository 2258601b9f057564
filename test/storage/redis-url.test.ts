/** Sentinels that know which of several Redis is the master, as `REDIS_URL` names them. */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig } from "../../http/process/config.ts";
import { connectRedis, redisReady } from "../../storage/cluster/redis.ts";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { dataFolder } from "../support/server/folder.ts";
import { until } from "../support/time/until.ts";

const password = "a secret: of Redis";
const processes = new Map<number, ChildProcess>();
const exits: Promise<unknown>[] = [];

/** Starts a Redis, or a Sentinel with `--sentinel` among its arguments; resolves when it answers. */
async function start(port: number, args: string[]): Promise<void> {
  const child = spawn("redis-server", args, { stdio: ["ignore", "ignore", "inherit"] });
  processes.set(port, child);
  exits.push(new Promise((done) => child.once("exit", done)));
  const connection = connectRedis(`redis://:${encodeURIComponent(password)}@127.0.0.1:${port}`);
  try {
    await redisReady(connection, 60_000);
  } finally {
    connection.close();
  }
}

let ports: [number, number, number];
beforeAll(async () => {
  ports = [await freePort(), await freePort(), await freePort()];
  const [master, replica, sentinel] = ports;
  const folder = await dataFolder("sentinel");
  const shared = [
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--dir",
    folder,
    "--requirepass",
    password,
    "--masterauth",
    password,
  ];
  await start(master, ["--port", String(master), ...shared]);
  await start(replica, ["--port", String(replica), ...shared, "--replicaof", "127.0.0.1", String(master)]);
  const file = join(folder, "sentinel.conf");
  await writeFile(
    file,
    `port ${sentinel}
bind 127.0.0.1
dir ${folder}
requirepass "${password}"
sentinel monitor chat 127.0.0.1 ${master} 1
sentinel auth-pass chat "${password}"
sentinel down-after-milliseconds chat 500
sentinel failover-timeout chat 2000
`,
  );
  await start(sentinel, [file, "--sentinel"]);
}, 120_000);
afterAll(async () => {
  for (const child of processes.values()) child.kill("SIGKILL");
  await Promise.all(exits);
});

/** Their ports, of those that are up. https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/ */
async function replicasKnown(sentinel: number): Promise<number[]> {
  const connection = connectRedis(`redis://:${encodeURIComponent(password)}@127.0.0.1:${sentinel}`);
  try {
    await redisReady(connection, 60_000);
    const replicas = (await connection.run((client) => client.call("sentinel", "replicas", "chat"))) as string[][];
    const fields = replicas.map((pairs) => (name: string) => pairs[pairs.indexOf(name) + 1]);
    return fields.filter((field) => field("flags") === "slave").map((field) => Number(field("port")));
  } finally {
    connection.close();
  }
}

it("commands go to the master, and to the new one after a failover", async () => {
  const [master, replica, sentinel] = ports;
  const secret = encodeURIComponent(password);
  const url = `redis+sentinel://:${secret}@127.0.0.1:1,127.0.0.1:${sentinel}/chat/0?sentinel_password=${secret}`;
  expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url);
  const connection = connectRedis(url);
  try {
    await redisReady(connection, 60_000);
    const portInUse = async () =>
      Number(/^tcp_port:(\d+)/m.exec(await connection.run((client) => client.info("server")))![1]);
    expect(await portInUse()).toBe(master);
    await connection.run((client) => client.set("kept", "yes"));
    await until("the replica to have it", () =>
      connection.run((client) => client.wait(1, 100)).then((count) => count === 1),
    );
    // A Sentinel asks the master for its replicas every ten seconds. It makes none the master that it has not heard of.
    await until("the Sentinel to know the replica", async () => (await replicasKnown(sentinel)).includes(replica));
    processes.get(master)!.kill("SIGKILL");
    const takesChanges = () =>
      connection
        .run((client) => client.set("later", "yes"))
        .then(
          () => true,
          () => false,
        );
    await until("the replica to be the master", takesChanges, 200_000);
    expect(await portInUse()).toBe(replica);
    expect(await connection.run((client) => client.get("kept"))).toBe("yes");
    // As when the Sentinel names another master while the client is still on its way to one.
    connection.client.disconnect();
    await until("the client to come back from an end of its own", takesChanges);
  } finally {
    connection.close();
  }
}, 300_000);

it("a Redis Cluster is refused in one sentence", async () => {
  const port = await freePort();
  const folder = await dataFolder("redis-cluster");
  const started = start(port, [
    ...["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
    ...["--requirepass", password, "--cluster-enabled", "yes"],
  ]);
  await expect(started).rejects.toThrow("REDIS_URL names a Redis Cluster. Name one Redis, or Sentinels.");
}, 60_000);

it("what is wrong with an address is said in one sentence, without its password", () => {
  for (const url of [
    "http://redis:secret@host",
    "redis://:secret@a,b",
    "redis://:secret@a:port",
    "redis://:secret@a/one",
    "redis+sentinel://:secret@a,b",
    "redis+sentinel://:secret@a:99999/chat",
  ]) {
    expect(() => readConfig({ REDIS_URL: url })).toThrow(/^REDIS_URL .*\.$/);
    expect(() => readConfig({ REDIS_URL: url })).not.toThrow(/secret/);
  }
});
