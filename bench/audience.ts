/**
 * Does a message for one person cost more when many others are connected?
 *
 * Setup: one organization; first 10 people have a queue and a parked poll each, then 10,000. The owner sends direct
 * messages to ten of them in turn, each as soon as the one before was delivered. All polls stay parked but that of the
 * recipient.
 *
 * Unit: µs of CPU of Parley's process per message sent, delivered and polled for again. A heartbeat per poll and minute
 * is in it.
 */
import { registerQueues, startCommunity } from "./harness/community.ts";
import { cost, over, repeat } from "./harness/measure.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { percentiles } from "./harness/statistics.ts";
import { LoadProcess } from "./load/fleet.ts";
import { form } from "./load/request.ts";
import type { Rounds } from "./load/rounds.ts";

const realmSizes = [10, 1_000, 10_000];
const quickRealmSizes = [10, 100];
const recipients = 10;
const rounds = 4_000;
const quickRounds = 200;

/** The bounds that the project set itself. */
const mostGrowth = 1.2;

export const audience: Bench = {
  name: "audience",
  question: "Does a direct message cost more when 10,000 other queues are live?",
  async run(setup) {
    const sizes = setup.quick ? quickRealmSizes : realmSizes;
    const database = await BenchPostgres.start(setup);
    const { parley, members } = await startCommunity(setup, database, { users: sizes.at(-1)!, channels: [] });
    const load = new LoadProcess(setup, "polls");
    const messages: Rounds = {
      messages: members
        .slice(0, recipients)
        .map((member) =>
          form(
            "POST",
            "/api/v1/messages",
            { type: "direct", to: [member.userId], content: "Just for you: lunch at *one*?" },
            parley.owner,
          ),
        ),
      rounds: setup.quick ? quickRounds : rounds,
      messagesPerRound: 1,
      isCollecting: false,
      audience: 1,
      timeoutMs: 120_000,
    };

    const rows: Row[] = [];
    let queues: Awaited<ReturnType<typeof registerQueues>> = [];
    for (const size of sizes) {
      setup.log(`${size} live queues`);
      queues = [...queues, ...(await registerQueues(parley, load, members.slice(queues.length, size)))];
      await load.park(parley.port, queues);
      const runs = await repeat(() => cost(parley, load, database, () => load.rounds(messages)));
      queues = await load.unpark();
      const perMessage = over(runs, (run) => run.serverMicroseconds / messages.rounds);
      const latency = percentiles(runs.flatMap((run) => run.result.latenciesMs));
      rows.push({
        queues: size,
        parleyMicroseconds: perMessage.median,
        spreadPercent: perMessage.spreadPercent,
        postgresMicroseconds: over(runs, (run) => run.postgresMicroseconds / messages.rounds).median,
        p50Ms: latency.p50,
        p99Ms: latency.p99,
      });
    }

    const costs = rows.map((row) => Number(row["parleyMicroseconds"]));
    return {
      columns: [
        { key: "queues", label: "live queues", digits: 0 },
        { key: "parleyMicroseconds", label: "Parley µs/message", digits: 1 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs/message", digits: 1 },
        { key: "p50Ms", label: "p50 ms", digits: 2 },
        { key: "p99Ms", label: "p99 ms", digits: 2 },
      ],
      rows,
      bounds: [
        {
          what: `CPU per direct message, ${sizes.at(-1)} live queues / ${sizes[0]}`,
          value: costs.at(-1)! / costs[0]!,
          limit: mostGrowth,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [
        {
          file: "audience",
          title: "CPU per direct message",
          xLabel: "live queues in the organization",
          yLabel: "µs of server CPU",
          series: [
            {
              name: "Parley",
              points: rows.map((row) => [Number(row["queues"]), Number(row["parleyMicroseconds"])] as const),
            },
          ],
        },
      ],
      notes: [
        "Messages go one at a time, so each is a commit of its own: under load they share commits and cost less.",
      ],
    };
  },
};
