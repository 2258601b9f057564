/**
 * A real Prometheus and a real Alertmanager watch three nodes that are written to. While nothing is wrong none of the
 * alerts of deploy/alerts.yaml rings. Then things go wrong one after the other, and each rings its own. A second stands
 * for a minute of the rules.
 *
 * `npm run rehearsal` (after `npm run build`) needs Debian's `prometheus` and `prometheus-alertmanager`, and twenty
 * minutes of a machine with nothing else to do. `PARLEY_REHEARSAL` is "all", or parts of the names of faults or alerts,
 * with commas between. What rings is printed with how long it took.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksMonitoring, Monitoring } from "../../support/alerts/monitoring.ts";
import { SmallDisk } from "../../support/alerts/small-disk.ts";
import { TestCluster } from "../../support/faults/cluster.ts";
import { startRedis, type TestRedis } from "../../support/server/redis.ts";
import { type Pair, startPair } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";
import type { Fault, Stage } from "./fault.ts";
import { faults } from "./faults.ts";
import { mildFaults } from "./mild-faults.ts";

const wanted = process.env["PARLEY_REHEARSAL"];
const why = wanted ? lacksMonitoring && `${lacksMonitoring} is not here` : "PARLEY_REHEARSAL says so";
const quietMs = wanted === "all" ? 90_000 : 1000;
const ringsWithinMs = 180_000;
/** Some rules wait for six hours. */
const ringsLaterWithinMs = 450_000;

interface Lasting {
  fault: Fault;
  since: number;
  over(): Promise<void>;
}

describe.skipIf(why)(`alerts of a real Prometheus${why ? ` (skipped: ${why})` : ""}`, () => {
  let redis: TestRedis;
  let pair: Pair;
  let disk: SmallDisk | undefined;
  let collector: Server;
  let cluster: TestCluster;
  let monitoring: Monitoring;
  let stage: Stage;
  let isCollecting = true;
  const [lines, missed]: [string[], string[]] = [[], []];
  beforeAll(async () => {
    [redis, pair, disk] = await Promise.all([startRedis(), startPair(), SmallDisk.mount()]);
    collector = createServer((_request, response) => response.writeHead(isCollecting ? 200 : 503).end());
    await new Promise<void>((done) => collector.listen(0, "127.0.0.1", done));
    const databaseUrl = `postgres://parley@${pair.primary.host}/parley`;
    cluster = await TestCluster.start({
      databaseUrl,
      redisUrl: redis.url,
      hasWires: true,
      disk: disk?.folder,
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
    stage = { cluster, redis, pair, databaseUrl, disk, setCollecting: (is) => (isCollecting = is) };
  }, 600_000);
  afterAll(async () => {
    await monitoring?.stop();
    await cluster?.stop();
    await Promise.all([redis?.stop(), pair?.stop(), disk?.unmount()]);
    collector?.close();
    console.log(lines.join("\n"));
  }, 120_000);

  const isChosen = ({ name, rings, ringsLater = [] }: Fault) =>
    wanted === "all" || wanted?.split(",").some((part) => [name, ...rings, ...ringsLater].join().includes(part));
  it("ring for what is wrong, and for nothing else", async () => {
    const inQuiet: string[] = [];
    await cluster.survive({ queues: 6, senders: 3 }, async () => {
      const quietUntil = performance.now() + quietMs;
      await until("a quiet while to be over", () => performance.now() > quietUntil, quietMs * 2);
      if (wanted === "all") inQuiet.push(...monitoring.rungAt.keys());
      const lasting: Lasting[] = [];
      for (const fault of mildFaults.filter(isChosen)) lasting.push(...(await rehearse(fault)));
      for (const one of lasting) await waitFor(one);
      for (const fault of faults.filter(isChosen)) await rehearse(fault);
    });
    expect({ inQuiet, missed }).toEqual({ inQuiet: [], missed: [] });
  }, 3_600_000);

  /** @returns the fault if it is not over yet */
  async function rehearse(fault: Fault): Promise<Lasting[]> {
    const { name, rings, ringsLater } = fault;
    const lacks = fault.lacks?.(stage);
    if (lacks !== undefined) {
      tell(`${name}: skipped, ${lacks}`);
      return [];
    }
    const ringing = rings.filter((alert) => monitoring.isRinging(alert));
    const since = performance.now();
    const over = await fault.happen(stage);
    await listen(name, rings, since, ringing, ringsWithinMs);
    if (ringsLater) return [{ fault, since, over }];
    await over();
    await until("the cluster to heal", async () => ((await cluster.writerCount()) ?? 0) > 0);
    return [];
  }

  async function waitFor({ fault: { name, ringsLater = [] }, since, over }: Lasting): Promise<void> {
    await listen(`${name}, still`, ringsLater, since, [], since + ringsLaterWithinMs - performance.now());
    await over();
  }

  /** Waits until all ring, and tells what has begun to. @param ringing those that did before */
  async function listen(name: string, rings: readonly string[], since: number, ringing: string[], ms: number) {
    const { rungAt } = monitoring;
    const isHeard = (alert: string) => ringing.includes(alert) || (rungAt.get(alert) ?? 0) > since;
    await until(`${name} to ring`, () => rings.every(isHeard), ms).catch(() => {});
    const heard = [...rungAt].filter(([, at]) => at > since);
    const words = heard.map(([alert, at]) => `${alert} after ${((at - since) / 1000).toFixed(0)} s`);
    const before = ringing.map((alert) => `${alert} rang before`);
    const never = rings.filter((alert) => !isHeard(alert));
    missed.push(...never);
    tell(`${name}: ${[...words, ...before, ...never.map((alert) => `${alert} NEVER`)].join(", ") || "nothing new"}`);
  }

  function tell(line: string): void {
    lines.push(line);
    console.log(line);
  }
});
