/**
 * Three PostgreSQLs under Patroni, and three nodes that are written to. The leader is killed, paused, cut off, replaced
 * in good order, or does not know whether it leads. It comes back, and is wound back where it is ahead. Each commit is
 * on a quorum of them before it is confirmed. So nothing that was acknowledged is lost, nothing is stored twice, no
 * queue ends, and no id is given out twice.
 *
 * `PARLEY_FAILOVER_SCHEDULES=5 PARLEY_FAILOVER_SECONDS=120 npm run failover` (after `npm run build`) tries five
 * schedules; by itself it tries one. It needs Patroni (`.ci/install-schemathesis FOLDER patroni.txt`, its `bin` on the
 * PATH), etcd (Debian's `etcd-server`) and PostgreSQL's commands. `PARLEY_FAILOVER_FROM` is the first seed,
 * `PARLEY_FAILOVER_MODE=strict` refuses commits also while no standby is there. `PARLEY_FAILOVER_FRONT=haproxy` has
 * each node reach PostgreSQL by an HAProxy that asks Patroni who leads. `PARLEY_FAILOVER_ONLY` names one kind of fault.
 */
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksPatroni } from "../../support/failover/member.ts";
import { Patroni } from "../../support/failover/patroni.ts";
import { Watch } from "../../support/failover/watch.ts";
import { TestCluster } from "../../support/faults/cluster.ts";
import { mulberry32 } from "../../support/faults/fault-schedule.ts";
import { startRedis, type TestRedis } from "../../support/server/redis.ts";
import { until } from "../../support/time/until.ts";

const schedules = Number(process.env["PARLEY_FAILOVER_SCHEDULES"] ?? 0);
const seconds = Number(process.env["PARLEY_FAILOVER_SECONDS"] ?? 120);
const firstSeed = Number(process.env["PARLEY_FAILOVER_FROM"] ?? randomInt(2 ** 31));
const isStrict = process.env["PARLEY_FAILOVER_MODE"] === "strict";
const isBehindProxy = process.env["PARLEY_FAILOVER_FRONT"] === "haproxy";
const only = process.env["PARLEY_FAILOVER_ONLY"];
const why = schedules === 0 ? "PARLEY_FAILOVER_SCHEDULES says how many" : lacksPatroni && `${lacksPatroni} is not here`;
const nodeCount = 3;
/** Each sender stays with its node, so that one that is cut off holds up none but its own. */
const load = { queues: 12, senders: 6, isPinned: true };
const outputShown = 12_000;

const kinds: Readonly<Record<string, (patroni: Patroni) => Promise<void>>> = {
  "PostgreSQL killed": (patroni) => patroni.kill("PostgreSQL"),
  "machine killed": (patroni) => patroni.kill("machine"),
  "killed while Patroni is paused": (patroni) => patroni.killWhilePaused(),
  switchover: (patroni) => patroni.switchover(),
  "leader paused": (patroni) => patroni.pauseLeader(),
  "leader cut off": (patroni) => patroni.partition(),
  "leader ahead": (patroni) => patroni.leadAhead(),
  "etcd away": (patroni) => patroni.stopEtcd(15_000),
};

interface Silence {
  whole: number;
  own: number;
}

describe.skipIf(why)(`a leader that changes${why ? ` (skipped: ${why})` : ""}`, () => {
  let redis: TestRedis;
  let patroni: Patroni;
  let cluster: TestCluster;
  const silences: (Silence & { kind: string })[] = [];
  beforeAll(async () => {
    [redis, patroni] = await Promise.all([startRedis(), Patroni.start(isStrict)]);
    const urls: string[] = [];
    for (let index = 0; index < nodeCount; index++) urls.push(await patroni.urlForClient(isBehindProxy));
    const environment = {
      PARLEY_DATABASE_CONNECTIONS: "8",
      ...(isStrict && { PARLEY_DATABASE_SYNCHRONOUS: "required" }),
    };
    cluster = await TestCluster.start({ databaseUrl: urls, redisUrl: redis.url, environment });
  }, 600_000);
  afterAll(async () => {
    await cluster?.stop();
    await Promise.all([redis?.stop(), patroni?.stop()]);
    console.log(table(silences));
  }, 120_000);

  const seeds = Array.from({ length: schedules }, (_, index) => firstSeed + index);
  it.each(seeds)(
    "of seed %i loses nothing and heals",
    async (seed) => {
      const random = mulberry32(seed);
      const names = Object.keys(kinds).filter((kind) => kind.includes(only ?? ""));
      const lines: string[] = [];
      const watch = new Watch(patroni, cluster.nodes);
      const happened: { kind: string; from: number; to: number }[] = [];
      try {
        const figures = await cluster.survive(load, async (acknowledged) => {
          const end = performance.now() + seconds * 1000;
          while (performance.now() < end) {
            const kind = names[Math.floor(random() * names.length)]!;
            const from = performance.now();
            lines.push(`${new Date().toISOString()} ${kind}`);
            await kinds[kind]!(patroni);
            const goal = acknowledged() + 50;
            await until("sends to go on", () => acknowledged() >= goal, 120_000);
            happened.push({ kind, from, to: performance.now() });
            lines.push(`${new Date().toISOString()} sends go on`);
            await patroni.settle();
          }
        });
        await watch.stop();
        for (const { kind, from, to } of happened)
          silences.push({ kind, ...silenceOf(watch, figures.acknowledgedAt, { from, to }) });
        console.log(`seed ${seed}: ${happened.length} faults, ${figures.acknowledged} acknowledged`);
        expect(watch.dishonest(figures.acknowledgedAt).join("\n")).toBe("");
      } catch (error) {
        const outputs = [...cluster.nodes.map((node) => node.output()), ...patroni.members.map(({ output }) => output)];
        console.log([String(error), ...lines, ...outputs.map((one) => one.slice(-outputShown))].join("\n----\n"));
        throw error;
      } finally {
        await watch.stop();
      }
    },
    (seconds + 900) * 1000,
  );
});

/** The longest time without an acknowledged send, and what of it was not PostgreSQL's, in ms. */
function silenceOf(watch: Watch, acknowledgedAt: readonly number[], happened: { from: number; to: number }): Silence {
  const times = acknowledgedAt.filter((time) => time >= happened.from - 1000 && time <= happened.to);
  const silences = times.slice(1).map((to, index) => ({ from: times[index]!, to }));
  const longest = silences.reduce((one, other) => (other.to - other.from > one.to - one.from ? other : one));
  return { whole: longest.to - longest.from, own: watch.lateBy(longest) };
}

/** For each kind of fault: how often, and the median and longest times in ms. */
function table(silences: readonly (Silence & { kind: string })[]) {
  const told = (all: readonly number[]) => {
    const sorted = all.toSorted((a, b) => a - b);
    return `${sorted[Math.floor(sorted.length / 2)]!.toFixed(0)} | ${sorted.at(-1)!.toFixed(0)}`;
  };
  const row = (name: string, of: readonly Silence[]) =>
    `| ${name} | ${of.length} | ${told(of.map(({ whole }) => whole))} | ${told(of.map(({ own }) => own))} |`;
  const kindsSeen = [...new Set(silences.map(({ kind }) => kind))];
  return [
    "| fault | times | silence ms, median | longest | after PostgreSQL stores again ms, median | longest |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...kindsSeen.map((kind) =>
      row(
        kind,
        silences.filter((silence) => silence.kind === kind),
      ),
    ),
    ...(silences.length > 0 ? [row("all", silences)] : []),
  ].join("\n");
}
