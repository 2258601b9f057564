/**
 * Three PostgreSQLs under Patroni, and three nodes that are written to. The leader is killed, paused, cut off, replaced
 * in good order, or does not know whether it leads. It comes back, and is wound back where it is ahead. Each commit is
 * on a quorum of them before it is confirmed. So nothing that was acknowledged is lost, nothing is stored twice, no
 * queue ends, and no id is given out twice.
 *
 * `PARLEY_FAILOVER_SCHEDULES=5 PARLEY_FAILOVER_SECONDS=120 npm run failover` (after `npm run build`) tries five
 * schedules; by itself it tries one. It needs Patroni (`.ci/install-schemathesis FOLDER patroni.txt`, its `bin` on the
 * PATH), etcd (Debian's `etcd-server`) and PostgreSQL's commands. `PARLEY_FAILOVER_FROM` is the first seed,
 * `PARLEY_FAILOVER_MODE=strict` refuses commits also while no standby is there.
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
const only = process.env["PARLEY_FAILOVER_ONLY"];
const why = schedules === 0 ? "PARLEY_FAILOVER_SCHEDULES says how many" : lacksPatroni && `${lacksPatroni} is not here`;
const nodeCount = 3;
const outputShown = 12_000;

const kinds: Readonly<Record<string, (patroni: Patroni) => Promise<void>>> = {
  "PostgreSQL killed": (patroni) => patroni.kill("PostgreSQL"),
  "machine killed": (patroni) => patroni.kill("machine"),
  switchover: (patroni) => patroni.switchover(),
  "leader paused": (patroni) => patroni.pauseLeader(),
  "leader cut off": (patroni) => patroni.partition(),
  "leader ahead": (patroni) => patroni.leadAhead(),
  "etcd away": (patroni) => patroni.stopEtcd(15_000),
};

describe.skipIf(why)(`a leader that changes${why ? ` (skipped: ${why})` : ""}`, () => {
  let redis: TestRedis;
  let patroni: Patroni;
  let cluster: TestCluster;
  const gaps: { kind: string; silence: number; afterPromotion?: number; afterFirstCommit?: number }[] = [];
  beforeAll(async () => {
    [redis, patroni] = await Promise.all([startRedis(), Patroni.start(isStrict)]);
    const urls: string[] = [];
    for (let index = 0; index < nodeCount; index++) urls.push(await patroni.urlForClient());
    const environment = {
      PARLEY_DATABASE_CONNECTIONS: "8",
      ...(isStrict && { PARLEY_DATABASE_SYNCHRONOUS: "required" }),
    };
    cluster = await TestCluster.start({ databaseUrl: urls, redisUrl: redis.url, environment });
  }, 600_000);
  afterAll(async () => {
    await cluster?.stop();
    await Promise.all([redis?.stop(), patroni?.stop()]);
    console.log(table(gaps));
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
        const figures = await cluster.survive({ queues: 12, senders: 6 }, async (acknowledged) => {
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
          gaps.push({ kind, ...gapsOf(watch, figures.acknowledgedAt, from, to) });
        console.log(`seed ${seed}: ${happened.length} faults, ${figures.acknowledged} acknowledged`);
        expect(watch.dishonest(figures.acknowledgedAt)).toEqual([]);
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

function gapsOf(watch: Watch, acknowledgedAt: readonly number[], from: number, to: number) {
  const times = acknowledgedAt.filter((time) => time >= from - 1000 && time <= to);
  const silence = times.reduce((most, time, index) => Math.max(most, time - (times[index - 1] ?? time)), 0);
  const index = watch.promotions.findIndex(({ at }) => at >= from && at <= to);
  return { silence, ...(index >= 0 && watch.gaps(acknowledgedAt)[index]) };
}

/** For each kind of fault: how often, and the median and longest times in ms. */
function table(gaps: readonly { kind: string; silence: number; afterPromotion?: number; afterFirstCommit?: number }[]) {
  const told = (all: readonly (number | undefined)[]) => {
    const sorted = all.filter((one) => one !== undefined).sort((a, b) => a - b);
    const [median, longest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return `${median?.toFixed(0) ?? "-"} | ${longest?.toFixed(0) ?? "-"}`;
  };
  const lines = [...new Set(gaps.map(({ kind }) => kind))].map((kind) => {
    const of = gaps.filter((gap) => gap.kind === kind);
    const columns = [
      of.map((gap) => gap.silence),
      of.map((gap) => gap.afterPromotion),
      of.map((gap) => gap.afterFirstCommit),
    ];
    return `| ${kind} | ${of.length} | ${columns.map(told).join(" | ")} |`;
  });
  const head =
    "| fault | times | silence ms, median | longest | after the promotion | longest | after PostgreSQL's first commit | longest |";
  return [head, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", ...lines].join("\n");
}
