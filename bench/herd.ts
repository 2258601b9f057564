/**
 * What becomes of a server when everybody comes back at once, as after every deploy?
 *
 * Setup: 8,000 people, all of them in 20 channels, everybody online lately. So many of them ask at once for everything,
 * each on a connection of their own. They ask with the parameters of the web page (`include_subscribers=partial`), and
 * then as clients that want every subscriber. All accept gzip. Somebody sends 25 messages a second beside, and did so
 * for two seconds before; nobody has registered since the start.
 *
 * Units: ms from the first request to an answer. ms of others' sends from when they were due to their answers. MiB of
 * resident memory, the most that was seen. CPU ms of Parley's process per answer, and until the first of them, which a
 * busy machine changes little.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { channelMessages, type Member, startCommunity } from "./harness/community.ts";
import type { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { percentiles } from "./harness/statistics.ts";
import { LoadProcess } from "./load/fleet.ts";
import { everything, webCapabilities } from "./register.ts";

const people = 8_000;
const quickPeople = 300;
const channels = 20;
const herds = [600, 2_500, 10_000];
const quickHerds = [50, 200];
const sendEveryMs = 40;
const lookEveryMs = 50;
const warmUpMs = 2_000;
const answerMs = 300_000;
const mib = 2 ** 20;

/** The bounds that the project set itself, for the largest herd. */
const mostResidentMib = 800;
const mostSendP99Ms = 250;
const mostFirstMs = 1_000;
/** The herd may grow by so much more than linearly. */
const mostExponent = 1.1;

/** What a web client asks for, and one that wants every subscriber. */
const wholeState = (member: Member, subscribers: "partial" | "true"): string =>
  everything(member, {
    client_gravatar: true,
    include_subscribers: subscribers,
    client_capabilities: webCapabilities,
  }).replace("\r\n", "\r\nAccept-Encoding: gzip\r\n");

export const herd: Bench = {
  name: "herd",
  question: "What becomes of a server when everybody comes back at once?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: setup.quick ? quickPeople : people,
      channels: [
        { name: "hall", subscribers: 10 },
        ...Array.from({ length: channels }, (_, place) => ({
          name: `everybody ${place}`,
          subscribers: setup.quick ? quickPeople : people,
        })),
      ],
      async write(sql) {
        const now = Math.floor(Date.now() / 1000);
        await sql`insert into presence (user_id, realm_id, active_at, idle_at, update_id)
          select id, realm_id, ${now}, ${now}, id from users`;
      },
    });
    const load = new LoadProcess(setup, "herd");
    const quiet = new LoadProcess(setup, "quiet");
    const sends = channelMessages(members[0]!, channelIds.get("hall")!);
    const rows: Row[] = [];
    // The first sends of a process take up to 0.6 s by themselves: connections are opened, code is compiled.
    await quiet.beginSteady({ port: parley.port, requests: sends, everyMs: sendEveryMs });
    await sleep(warmUpMs);
    await quiet.endSteady(answerMs);
    for (const subscribers of ["partial", "true"] as const)
      for (const size of setup.quick ? quickHerds : herds) {
        setup.log(`${size} at once, include_subscribers=${subscribers}`);
        const requests = members.map((member) => wholeState(member, subscribers));
        rows.push({ subscribers, size, ...(await measure(parley, load, quiet, sends, requests, size)) });
        setup.log(`  ${JSON.stringify(rows.at(-1))}`);
      }
    await load.end();
    await quiet.end();
    await parley.end();
    const greatest = (key: string): number => Math.max(...rows.map((row) => Number(row[key])));
    const ofPartial = rows.filter((row) => row["subscribers"] === "partial");
    const [small, large] = [ofPartial[0]!, ofPartial.at(-1)!];
    const growth = (key: string): number => Math.log(Number(large[key]) / Number(small[key]));
    const bound = (what: string, key: string, limit: number) =>
      ({ what, value: greatest(key), limit, sense: "most", kind: "machine" }) as const;
    return {
      columns: [
        { key: "subscribers", label: "include_subscribers" },
        { key: "size", label: "at once", digits: 0 },
        { key: "firstMs", label: "first answer ms", digits: 0 },
        { key: "firstCpuMs", label: "CPU ms until it", digits: 0 },
        { key: "lastMs", label: "last ms", digits: 0 },
        { key: "cpuMs", label: "Parley ms/register", digits: 2 },
        { key: "residentMib", label: "resident MiB", digits: 0 },
        { key: "sendP50Ms", label: "others' sends p50 ms", digits: 1 },
        { key: "sendP99Ms", label: "p99 ms", digits: 1 },
        { key: "pauseMs", label: "longest pause ms", digits: 0 },
        { key: "bytes", label: "bytes", digits: 0 },
      ],
      rows,
      bounds: [
        bound("resident memory in MiB", "residentMib", mostResidentMib),
        bound("others' sends meanwhile, p99 in ms", "sendP99Ms", mostSendP99Ms),
        bound("the first answer in ms", "firstMs", mostFirstMs),
        {
          what: "exponent of the time to the last answer, by the size of the herd",
          value: growth("lastMs") / growth("size"),
          limit: mostExponent,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [],
      notes: ["Every answer came with status 200: the bench ends at the first that does not."],
    };
  },
};

async function measure(
  parley: Parley,
  load: LoadProcess,
  quiet: LoadProcess,
  sends: readonly string[],
  requests: readonly string[],
  size: number,
): Promise<Row> {
  let resident = 0;
  let isOver = false;
  const looks: { at: number; cpu: number }[] = [];
  const watch = async (): Promise<void> => {
    for (; !isOver && !parley.hasEnded; await sleep(lookEveryMs)) {
      resident = Math.max(resident, parley.residentBytes());
      looks.push({ at: performance.now(), cpu: parley.cpuMicroseconds() });
    }
  };
  await parley.watchLoop();
  await quiet.beginSteady({ port: parley.port, requests: sends, everyMs: sendEveryMs });
  const watching = watch();
  const cpuBefore = parley.cpuMicroseconds();
  const startedAt = performance.now();
  const { latenciesMs, bytes, wallMs } = await load.closedLoop({
    port: parley.port,
    requests,
    concurrency: size,
    count: size,
    timeoutMs: answerMs,
  });
  const cpuMs = (parley.cpuMicroseconds() - cpuBefore) / 1000 / size;
  const others = await quiet.endSteady(answerMs);
  if (others.failures.length > 0) throw new Error(`A send failed: ${others.failures[0]}`);
  isOver = true;
  await watching;
  const { p50: sendP50Ms, p99: sendP99Ms } = percentiles(others.latenciesMs);
  const firstMs = Math.min(...latenciesMs);
  const firstLook = looks.find(({ at }) => at >= startedAt + firstMs) ?? looks.at(-1);
  return {
    firstMs,
    firstCpuMs: ((firstLook?.cpu ?? cpuBefore) - cpuBefore) / 1000,
    lastMs: wallMs,
    cpuMs,
    residentMib: resident / mib,
    sendP50Ms,
    sendP99Ms,
    pauseMs: await parley.longestPauseMs(),
    bytes: bytes / size,
  };
}
