/** `parley nodes`: who is up, which organizations each node serves and writes, and how far its replicas are behind. */
import type { NodeInfo } from "../../storage/cluster/bus.ts";
import { redisBus } from "../../storage/cluster/bus-redis.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import { findRealms, readInstallation } from "../../storage/realms.ts";
import type { AdminResult } from "./admin.ts";
import type { Config } from "./config.ts";
import { withEach } from "./homes/command-storage.ts";
import type { RunningStorage } from "./main.ts";

interface RealmOnNode {
  id: RealmId;
  name: string;
  role: "writer" | "follower";
  position: LogPosition;
  lag_positions: number;
  lag_ms: number;
  queues: number;
}

/** Without Redis a server is one process, which is no node of anything. @throws CoordinationUnavailable */
export async function listNodes(storage: RunningStorage, config: Config): Promise<AdminResult> {
  const { redisUrl } = config;
  if (redisUrl === undefined)
    return { text: "Without REDIS_URL a server is one process: there are no nodes to list.", data: { nodes: [] } };
  const names = new Map<RealmId, string>();
  const away: string[] = [];
  const look = async ({ database: { sql } }: RunningStorage) => {
    const bus = await redisBus(redisUrl, await readInstallation(sql));
    try {
      for (const { id, name } of await findRealms(sql)) names.set(id, name);
      return await bus.nodes();
    } finally {
      await bus.close();
    }
  };
  const infos = await withEach(storage, config, look, (name) => away.push(name));
  const { text, data } = describeNodes(sameNodes(infos.flat()), names, Date.now() / 1000);
  const lines = [
    text,
    ...away.map((name) => `The database ${name} cannot be reached: its organizations are not listed.`),
  ];
  return { text: lines.join("\n"), data: { ...data, ...(away.length > 0 && { away }) } };
}

/** A node has a place in the cluster of each database, under the same name. */
function sameNodes(infos: readonly NodeInfo[]): NodeInfo[] {
  const nodes = new Map<string, NodeInfo>();
  for (const info of infos) {
    const known = nodes.get(info.name);
    nodes.set(info.name, known ? { ...known, realms: [...known.realms, ...info.realms] } : info);
  }
  return [...nodes.values()];
}

/** @param names of organizations, by id @param now UNIX seconds */
export function describeNodes(
  infos: readonly NodeInfo[],
  names: ReadonlyMap<RealmId, string>,
  now: number,
): AdminResult {
  const written = new Map(
    infos.flatMap(({ realms }) => realms.filter(({ isWriter }) => isWriter).map(({ id, position }) => [id, position])),
  );
  const nodes = [...infos]
    .sort((a, b) => a.startedAt - b.startedAt || a.name.localeCompare(b.name))
    .map(({ id, name, version = null, state, startedAt, realms }) => ({
      id,
      name,
      version,
      state,
      started_at: startedAt,
      realms: realms.map(
        (realm): RealmOnNode => ({
          id: realm.id,
          name: names.get(realm.id) ?? "",
          role: realm.isWriter ? "writer" : "follower",
          position: realm.position,
          // What each node said of itself is up to a second old, the writer's perhaps older than the follower's.
          lag_positions: Math.max(0, (written.get(realm.id) ?? realm.position) - realm.position),
          lag_ms: realm.lagMs,
          queues: realm.queues,
        }),
      ),
    }));
  const lines = nodes.flatMap(({ name: node, state, version, started_at, realms }) => [
    `${node}  ${state}, ${version === null ? "an older Parley" : `Parley ${version}`}, up ${duration(now - started_at)}`,
    ...realms.map(({ name, role, position, lag_positions, lag_ms, queues }) => {
      const place = role === "writer" ? "writes" : `follows, ${lag_positions} behind (${lag_ms} ms)`;
      return `  ${name}: ${place}, at ${position}, ${queues} queues`;
    }),
  ]);
  return { text: lines.length > 0 ? lines.join("\n") : "No node is up.", data: { nodes } };
}

/** The two largest units, for people. */
function duration(secs: number): string {
  const units: [name: string, secs: number][] = [
    ["d", 86_400],
    ["h", 3600],
    ["m", 60],
    ["s", 1],
  ];
  let rest = Math.max(0, Math.round(secs));
  const parts = units.map(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? `${count} ${name}` : "";
  });
  return parts.filter(Boolean).slice(0, 2).join(" ") || "0 s";
}
