/**
 * A real Prometheus and a real Alertmanager watch three nodes that are written to. While nothing is wrong none of the
 * alerts of deploy/alerts.yaml rings. Then things go wrong one after the other, and each rings its own. A second stands
 * for a minute of the rules.
 *
 * `npm run rehearsal` (after `npm run build`) needs Debian's `prometheus` and `prometheus-alertmanager`, and some ten
 * minutes. `PARLEY_REHEARSAL` is "all", or a part of the faults' names. What rings is printed with how long it took.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksMonitoring, Monitoring } from "../../support/alerts/monitoring.ts";
import { TestCluster } from "../../support/faults/cluster.ts";
import { startPostgres, type TestPostgres } from "../../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../../support/server/redis.ts";
import { until } from "../../support/time/until.ts";
import { type Fault, faults } from "./faults.ts";

const wanted = process.env["PARLEY_REHEARSAL"];
const why = wanted ? lacksMonitoring && `${lacksMonitoring} is not here` : "PARLEY_REHEARSAL says so";
const quietMs = wanted === "all" ? 90_000 : 1000;
const ringsWithinMs = 180_000;

describe.skipIf(why)(`alerts of a real Prometheus${why ? ` (skipped: ${why})` : ""}`, () => {
  let redis: TestRedis;
  let postgres: TestPostgres;
  let collector: Server;
  let cluster: TestCluster;
  let monitoring: Monitoring;
  let isCollecting = true;
  const lines: string[] = [];
  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    collector = createServer((_request, response) => response.writeHead(isCollecting ? 200 : 503).end());
    await new Promise<void>((done) => collector.listen(0, "127.0.0.1", done));
    cluster = await TestCluster.start({
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      hasWires: true,
      environment: {
        PARLEY_OTLP_URL: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
        PARLEY_TRACE_SAMPLING: "1",
        // Nobody listens at either.
        PARLEY_SMTP_URL: "smtp://127.0.0.1:9",
        PARLEY_MAIL_FROM: "chat@example.com",
        PARLEY_CLAMD: "127.0.0.1:9",
        PARLEY_REALM_UPLOAD_QUOTA_MIB: "1",
      },
    });
    monitoring = await Monitoring.start(cluster.nodes.map(({ url }) => url));
  }, 600_000);
  afterAll(async () => {
    await monitoring?.stop();
    await cluster?.stop();
    await Promise.all([redis?.stop(), postgres?.stop()]);
    collector?.close();
    console.log(lines.join("\n"));
  }, 120_000);

  const chosen = faults.filter(({ name }) => wanted === "all" || name.includes(wanted ?? ""));
  it("ring for what is wrong, and for nothing else", async () => {
    const { rungAt } = monitoring;
    const inQuiet: string[] = [];
    await cluster.survive({ queues: 6, senders: 3 }, async () => {
      const quietUntil = performance.now() + quietMs;
      await until("a quiet while to be over", () => performance.now() > quietUntil, quietMs * 2);
      inQuiet.push(...rungAt.keys());
      for (const fault of chosen) await rehearse(fault);
    });
    const missed = chosen.flatMap(({ rings }) => rings).filter((alert) => !rungAt.has(alert));
    expect({ inQuiet, missed }).toEqual({ inQuiet: [], missed: [] });
  }, 3_600_000);

  async function rehearse({ name, rings, happen }: Fault): Promise<void> {
    const { rungAt } = monitoring;
    const before = new Set(rungAt.keys());
    const since = performance.now();
    const setCollecting = (is: boolean) => (isCollecting = is);
    const over = await happen({ cluster, redis, postgres, setCollecting });
    const allRing = () => rings.every((alert) => rungAt.has(alert));
    await until(`${name} to ring`, allRing, ringsWithinMs).catch(() => {});
    await over();
    const heard = [...rungAt].filter(([alert]) => !before.has(alert));
    const words = heard.map(([alert, at]) => `${alert} after ${((at - since) / 1000).toFixed(0)} s`);
    const missing = rings.filter((alert) => !rungAt.has(alert)).map((alert) => `${alert} NEVER`);
    lines.push(`${name}: ${[...words, ...missing].join(", ") || "nothing new"}`);
    console.log(lines.at(-1));
    await until("the cluster to heal", async () => (await cluster.writerCount()) === 1);
  }
});
