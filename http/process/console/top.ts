/** `parley top`: what a server is busy with, in a terminal, again and again until it is interrupted. */
import { statfs } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { redisBus } from "../../../storage/cluster/bus-redis.ts";
import { firstDatabase } from "../../../storage/directory/database-list.ts";
import { firstOf } from "../../../storage/failures.ts";
import {
  findActivity,
  findLongStatements,
  findStoredWork,
  findUploadSpace,
  findWaiting,
} from "../../../storage/operations.ts";
import { type Sql, StorageUnavailable, translate } from "../../../storage/postgres.ts";
import { findRealms, readInstallation } from "../../../storage/realms.ts";
import type { AdminResult, Values } from "../admin.ts";
import type { Config } from "../config.ts";
import { openNamed } from "../homes/command-storage.ts";
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

/** One of the server's databases, and the nodes of the cluster that it has for itself. */
interface Place {
  sql: Sql;
  source: NodeSource;
  close(): Promise<void>;
}

/** Shows it until SIGINT on a terminal, and once elsewhere. @throws CoordinationUnavailable */
export async function showTop(storage: RunningStorage, config: Config, { once, json }: Values): Promise<AdminResult> {
  const places = new Map<string, Place>();
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  try {
    if (once || json || !process.stdout.isTTY) return describeTop(await lookAtAll(storage, config, places));
    process.once("SIGINT", interrupt);
    for (;;) {
      const shown = describeTop(await lookAtAll(storage, config, places));
      if (interrupted.signal.aborted) return shown;
      process.stdout.write(`${clear}${shown.text}\n`);
      await delay(everyMs, undefined, { signal: interrupted.signal }).catch(() => {});
    }
  } finally {
    process.off("SIGINT", interrupt);
    for (const place of places.values()) await place.close();
  }
}

async function openPlace(first: RunningStorage, config: Config, name: string): Promise<Place> {
  const storage = await openNamed(first, config, name);
  const closeStorage = storage === first ? async () => {} : storage.close;
  try {
    const { sql } = storage.database;
    const { redisUrl } = config;
    const source = redisUrl === undefined ? noNodes : await redisBus(redisUrl, await readInstallation(sql));
    return { sql, source, close: () => source.close().finally(closeStorage) };
  } catch (error) {
    await closeStorage();
    throw error;
  }
}

/** @param places those that are open; one that was away is opened when it answers */
async function lookAtAll(storage: RunningStorage, config: Config, places: Map<string, Place>) {
  const looks = new Map<string, Look | undefined>();
  for (const name of [firstDatabase, ...(config.databases?.keys() ?? [])]) {
    try {
      const place = places.get(name) ?? (await openPlace(storage, config, name));
      places.set(name, place);
      looks.set(name, await look(place));
    } catch (error) {
      if (name === firstDatabase || !(translate(error) instanceof StorageUnavailable)) throw error;
      looks.set(name, undefined);
    }
  }
  // The command may run on another machine than the server.
  const disk = await statfs(storage.dataDir).catch(() => undefined);
  return { now: Date.now() / 1000, looks, disk };
}

type Look = Awaited<ReturnType<typeof look>>;

async function look({ sql, source }: Place) {
  const [nodes, realms, waiting, work, space, activity, statements] = await Promise.all([
    source.nodes(),
    findRealms(sql),
    findWaiting(sql),
    findStoredWork(sql),
    findUploadSpace(sql, maxRealms),
    findActivity(sql),
    findLongStatements(sql, maxStatements),
  ]);
  return { nodes, realms, waiting, work, space, activity, statements };
}

/** For people, and for programs: the first database, the others below it. */
function describeTop({ now, looks, disk }: Awaited<ReturnType<typeof lookAtAll>>): AdminResult {
  const free = disk && { free_bytes: disk.bsize * disk.bavail, size_bytes: disk.bsize * disk.blocks };
  const all = [...looks].map(([name, seen]) => ({ name, ...(seen ? describeLook(seen, now) : away) }));
  const [first, others] = [firstOf(all), all.slice(1)];
  const lines = [
    `Parley  ${new Date(now * 1000).toISOString()}`,
    "",
    ...first.lines,
    ...(free ? [`Disk  ${size(free.free_bytes)} of ${size(free.size_bytes)} free`] : []),
    ...others.flatMap(({ name, lines }) => ["", `Database ${name}`, "", ...lines]),
  ];
  const databases = Object.fromEntries(others.map(({ name, data }) => [name, data]));
  return { text: lines.join("\n"), data: { ...first.data, disk: free, ...(others.length > 0 && { databases }) } };
}

const away = { lines: ["It cannot be reached."], data: { is_away: true } };

/** What one database knows. @param now UNIX seconds */
function describeLook({ nodes, realms, waiting, work, space, activity, statements }: Look, now: number) {
  const names = new Map(realms.map(({ id, name }) => [id, name]));
  const told = describeNodes(nodes, names, now);
  const spaceOf = new Map(space.map(({ realm_id, bytes }) => [realm_id, bytes]));
  const organizations = realms
    .map(({ id, name, host }) => ({ id, name, host, upload_bytes: spaceOf.get(id) ?? 0 }))
    .sort((one, other) => other.upload_bytes - one.upload_bytes)
    .slice(0, maxRealms);
  const lines = [
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
  ];
  return { lines, data: { ...told.data, organizations, outgoing: waiting, ...work, database: activity, statements } };
}

function size(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let place = 0;
  let rest = bytes;
  while (rest >= 1024 && place < units.length - 1) [rest, place] = [rest / 1024, place + 1];
  return `${rest.toFixed(place === 0 ? 0 : 1)} ${units[place]}`;
}
