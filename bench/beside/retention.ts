/**
 * Are sends held while messages go whose days are over?
 *
 * Setup: 2,000,000 messages of 90 days in 50 channels, of which half are to go. The job begins when the server has
 * loaded the organization, and does 200 batches of 500 messages in one run. A user sends fifty small messages a second,
 * for twenty seconds before anything is over, and as long as the run lasts.
 *
 * Units: ms of sends from when they were due to their answers, and of the longest pause of the server's event loop.
 * Messages deleted a second, and CPU ms of Parley and of PostgreSQL for a thousand of them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { channelMessages, startCommunity } from "../harness/community.ts";
import { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import { percentiles } from "../harness/statistics.ts";
import { LoadProcess } from "../load/fleet.ts";

const messages = 2_000_000;
const quickMessages = 20_000;
const people = 200;
/** Seeded messages are of the last 90 days. */
const keptDays = 45;
const sendEveryMs = 20;
const beforeMs = 20_000;
const quickBeforeMs = 2_000;
const lookEveryMs = 500;
const answerMs = 60_000;
/** A run has ended when nothing more was deleted for so long. */
const lullMs = 4_000;
const longestRunMs = 900_000;
/** The bounds that `long-commands` has. */
const mostPauseMs = 100;
const mostSendP99Ms = 250;

export const retention: Bench = {
  name: "retention",
  question: "Are sends held while messages go whose days are over, in an organization of 2,000,000?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const count = setup.quick ? quickMessages : messages;
    const { parley, channelIds } = await startCommunity(setup, database, {
      users: people,
      channels: [{ name: "sends", subscribers: 10 }],
      seeded: { channels: 50, channelsEach: 10, messages: count },
    });
    const sends = channelMessages(parley.owner, channelIds.get("sends")!);
    const load = new LoadProcess(setup, "sends");
    const measured = async (server: Parley, name: string, during: () => Promise<number>): Promise<Row> => {
      setup.log(name);
      const postgresCpu = database.countCpu();
      const cpuBefore = server.cpuMicroseconds();
      await server.watchLoop();
      await load.beginSteady({ port: server.port, requests: sends, everyMs: sendEveryMs });
      const startedAt = performance.now();
      const deleted = await during();
      const seconds = (performance.now() - startedAt) / 1000;
      const { latenciesMs, failures } = await load.endSteady(answerMs);
      if (failures.length > 0) throw new Error(failures[0]);
      const thousands = deleted / 1000;
      return {
        state: name,
        deleted,
        perSecond: deleted / seconds,
        p50Ms: percentiles(latenciesMs).p50,
        p99Ms: percentiles(latenciesMs).p99,
        maxMs: Math.max(...latenciesMs),
        pauseMs: await server.longestPauseMs(),
        cpuMs: deleted === 0 ? "" : (server.cpuMicroseconds() - cpuBefore) / 1000 / thousands,
        postgresMs: deleted === 0 ? "" : postgresCpu.read() / 1000 / thousands,
      };
    };
    const before = await measured(parley, "nothing is over", async () => {
      await sleep(setup.quick ? quickBeforeMs : beforeMs);
      return 0;
    });
    await parley.call("PATCH", "/api/v1/realm", { message_retention_days: keptDays });
    await parley.end();
    const deletedBefore = await countDeleted(database);
    const server = await Parley.start(setup, database);
    const during = await measured(server, "a run of the job", () => lullAfter(database, deletedBefore));
    await load.end();
    await server.end();
    return {
      columns: [
        { key: "state", label: "meanwhile" },
        { key: "deleted", label: "deleted", digits: 0 },
        { key: "perSecond", label: "a second", digits: 0 },
        { key: "p50Ms", label: "sends p50 ms", digits: 1 },
        { key: "p99Ms", label: "p99 ms", digits: 1 },
        { key: "maxMs", label: "longest ms", digits: 0 },
        { key: "pauseMs", label: "longest pause ms", digits: 1 },
        { key: "cpuMs", label: "Parley CPU ms/1,000", digits: 0 },
        { key: "postgresMs", label: "PostgreSQL CPU ms/1,000", digits: 0 },
      ],
      rows: [before, during],
      bounds: [
        {
          what: "longest pause of the event loop in ms",
          value: Number(during["pauseMs"]),
          limit: mostPauseMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: "sends meanwhile, p99 in ms",
          value: Number(during["p99Ms"]),
          limit: mostSendP99Ms,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [`Of ${count.toLocaleString("en")} messages. What one run does not get to goes ten minutes later.`],
    };
  },
};

/** Waits until a run of the job has ended. Returns how many it deleted. */
async function lullAfter(database: BenchPostgres, before: number): Promise<number> {
  const until = performance.now() + longestRunMs;
  let [deleted, changedAt] = [0, 0];
  while (changedAt === 0 || performance.now() - changedAt < lullMs) {
    if (performance.now() > until) throw new Error(`the run did not end: ${deleted} are deleted`);
    await sleep(lookEveryMs);
    const now = (await countDeleted(database)) - before;
    if (now > deleted) [deleted, changedAt] = [now, performance.now()];
  }
  return deleted;
}

/** Rows of messages that were deleted so far, as PostgreSQL counts them: looking costs nothing. */
async function countDeleted({ sql }: BenchPostgres): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select n_tup_del::int as count from pg_stat_user_tables where relname = 'messages'`;
  return row!.count;
}
