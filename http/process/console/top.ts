/** `parley top`: what a server is busy with, in a terminal, again and again until it is interrupted. */
import { statfs } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { redisBus } from "../../../storage/cluster/bus-redis.ts";
import {
  findActivity,
  findLongStatements,
  findStoredWork,
  findUploadSpace,
  findWaiting,
} from "../../../storage/operations.ts";
import type { Sql } from "../../../storage/postgres.ts";
import { findRealms, readInstallation } from "../../../storage/realms.ts";
import type { AdminResult, Values } from "../admin.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";
import { describeNodes } from "../nodes.ts";
import { describeQueue } from "./outgoing.ts";

const everyMs = 2000;
const maxStatements = 5;
/** Organizations that are shown, those with most uploads first. */
const maxRealms = 15;
/** Home, and clear what is below. */
const clear = "\x1b[H\x1b[J";

type Nodes = Parameters<typeof describeNodes>[0];

/** Nodes tell each other by Redis; without it there is one process, which nobody else hears of. */
interface NodeSource {
  nodes(): Promise<Nodes>;
  close(): Promise<void>;
}

const noNodes: NodeSource = { nodes: async () => [], close: async () => {} };

/** Shows it until SIGINT on a terminal, and once elsewhere. @throws CoordinationUnavailable */
export async function showTop(
  { database, dataDir }: RunningStorage,
  config: Config,
  { once, json }: Values,
): Promise<AdminResult> {
  const { sql } = database;
  const source = config.redisUrl === undefined ? noNodes : await redisBus(config.redisUrl, await readInstallation(sql));
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  try {
    if (once || json || !process.stdout.isTTY) return describeTop(await look(sql, source, dataDir));
    process.once("SIGINT", interrupt);
    for (;;) {
      const shown = describeTop(await look(database.sql, source, dataDir));
      if (interrupted.signal.aborted) return shown;
      process.stdout.write(`${clear}${shown.text}\n`);
      await delay(everyMs, undefined, { signal: interrupted.signal }).catch(() => {});
    }
  } finally {
    process.off("SIGINT", interrupt);
    await source.close();
  }
}

type Look = Awaited<ReturnType<typeof look>>;

async function look(sql: Sql, source: NodeSource, dataDir: string) {
  const [nodes, realms, waiting, work, space, activity, statements, disk] = await Promise.all([
    source.nodes(),
    findRealms(sql),
    findWaiting(sql),
    findStoredWork(sql),
    findUploadSpace(sql, maxRealms),
    findActivity(sql),
    findLongStatements(sql, maxStatements),
    // The command may run on another machine than the server.
    statfs(dataDir).catch(() => undefined),
  ]);
  return { now: Date.now() / 1000, nodes, realms, waiting, work, space, activity, statements, disk };
}

/** For people, and for programs. */
function describeTop({ now, nodes, realms, waiting, work, space, activity, statements, disk }: Look): AdminResult {
  const names = new Map(realms.map(({ id, name }) => [id, name]));
  const told = describeNodes(nodes, names, now);
  const spaceOf = new Map(space.map(({ realm_id, bytes }) => [realm_id, bytes]));
  const organizations = realms
    .map(({ id, name, host }) => ({ id, name, host, upload_bytes: spaceOf.get(id) ?? 0 }))
    .sort((one, other) => other.upload_bytes - one.upload_bytes)
    .slice(0, maxRealms);
  const free = disk && { free_bytes: disk.bsize * disk.bavail, size_bytes: disk.bsize * disk.blocks };
  const lines = [
    `Parley  ${new Date(now * 1000).toISOString()}`,
    "",
    nodes.length === 0 ? "One process" : told.text,
    "",
    ...organizations.map((each) => `${each.name}  ${each.host ?? "(any host)"}, uploads ${size(each.upload_bytes)}`),
    ...(realms.length > maxRealms ? [`and ${realms.length - maxRealms} more organizations`] : []),
    "",
    ...waiting.map((queue) => describeQueue(queue, Math.floor(now))),
    `imports  ${work.imports} unfinished; exports: ${work.exports} pending`,
    "",
    `PostgreSQL  ${size(activity.bytes)}, ${activity.connections} of ${activity.max_connections} connections; of Parley's ` +
      `${activity.active} busy, ${activity.locked} wait for locks, ${activity.in_transaction} in a transaction, ${activity.idle} idle`,
    ...statements.map(({ seconds, waits_for, text }) => {
      const waits = waits_for === null ? "" : ` (waits: ${waits_for})`;
      return `  ${seconds.toFixed(1)} s${waits}  ${text}`;
    }),
    ...(free ? [`Disk  ${size(free.free_bytes)} of ${size(free.size_bytes)} free`] : []),
  ];
  const data = { ...told.data, organizations, outgoing: waiting, ...work, database: activity, statements, disk: free };
  return { text: lines.join("\n"), data };
}

function size(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let place = 0;
  let rest = bytes;
  while (rest >= 1024 && place < units.length - 1) [rest, place] = [rest / 1024, place + 1];
  return `${rest.toFixed(place === 0 ? 0 : 1)} ${units[place]}`;
}
