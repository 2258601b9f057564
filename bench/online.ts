/**
 * What does everybody cost who is online and asks each minute what changed since the minute before?
 *
 * Setup: so many people, all of them online. All report once, in turn, which makes the minute before. Then the first
 * ones report again, each with the `last_update_id` of their report before: each lacks all others' reports. All accept
 * gzip. The newest update is asked for some times in a minute, and who reported between is given the one before.
 *
 * Units: µs of CPU of the server's process per request; cores that so many people take at a request a minute.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Member, startCommunity } from "./harness/community.ts";
import { repeat } from "./harness/measure.ts";
import type { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { requestFigures, runRequests } from "./harness/requests.ts";
import { Setup } from "./harness/setup.ts";
import { LoadProcess } from "./load/fleet.ts";
import { form } from "./load/request.ts";

const sizes = [2_000, 8_000, 32_000];
const quickSizes = [100, 200, 400];
const callers = 2_000;
const quickCallers = 50;
const concurrency = 4;
/** How often the newest update is looked at in a minute. */
const looks = 40;
const minuteSecs = 60;
/** Reports of one person within a second count once. */
const secondMs = 1_100;
const microseconds = 1e6;

/** The bounds that the project set itself. */
const boundedPeople = 8_000;
const mostCores = 0.1;
/** A request may grow by so much more than not at all: compressed bytes are written for each person. */
const mostExponent = 0.5;

const path = "/api/v1/users/me/presence";
const report = (member: Member, params: object): string =>
  form("POST", path, { status: "active", new_user_input: false, slim_presence: true, ...params }, member).replace(
    "\r\n",
    "\r\nAccept-Encoding: gzip\r\n",
  );

export const online: Bench = {
  name: "online",
  question: "What does everybody cost who asks each minute what changed in presence since the minute before?",
  async run(setup) {
    const rows: Row[] = [];
    for (const people of setup.quick ? quickSizes : sizes) {
      const part = new Setup(`online-${people}`, setup.quick);
      try {
        rows.push(await measure(part, people));
      } finally {
        await part.end();
      }
    }
    const [small, large] = [rows[0]!, rows.at(-1)!];
    const growth = (key: string): number => Math.log(Number(large[key]) / Number(small[key]));
    const bounded = rows.find((row) => row["people"] === boundedPeople) ?? large;
    return {
      columns: [
        { key: "people", label: "people online", digits: 0 },
        { key: "serverMicroseconds", label: "µs CPU/request", digits: 0 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs/request", digits: 1 },
        { key: "bytes", label: "bytes", digits: 0 },
        { key: "cores", label: "cores for all", digits: 3 },
        { key: "p50Ms", label: "p50 ms", digits: 2 },
        { key: "p99Ms", label: "p99 ms", digits: 2 },
      ],
      rows,
      bounds: [
        {
          what: `cores for ${bounded["people"]} people online`,
          value: Number(bounded["cores"]),
          limit: mostCores,
          sense: "most",
          kind: "machine",
        },
        {
          what: "exponent of the CPU per request, by the people online",
          value: growth("serverMicroseconds") / growth("people"),
          limit: mostExponent,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [],
      notes: [],
    };
  },
};

async function measure(setup: Setup, people: number): Promise<Row> {
  const database = await BenchPostgres.start(setup);
  const { parley, members } = await startCommunity(setup, database, { users: people, channels: [] });
  const load = new LoadProcess(setup, "online");
  const count = Math.min(people, setup.quick ? quickCallers : callers);
  const runs = await repeat(async () => {
    const seen = await minute(parley, load, members);
    const requests = members
      .slice(0, count)
      .map((member, place) => report(member, { last_update_id: seen[Math.floor((place * looks) / people)] }));
    return runRequests(parley, load, database, { requests, concurrency, count });
  });
  const figures = requestFigures(runs, count);
  const cores = (figures.serverMicroseconds * people) / minuteSecs / microseconds;
  setup.log(`${people} people: ${figures.serverMicroseconds.toFixed(0)} µs`);
  return { people, ...figures, cores };
}

/** All report once, in turn. Returns the newest update before each part of them. */
async function minute(parley: Parley, load: LoadProcess, members: readonly Member[]): Promise<number[]> {
  const { port } = parley;
  const ask = (requests: readonly string[], keepBodies: boolean) =>
    load.closedLoop({ port, requests, concurrency, count: requests.length, keepBodies, timeoutMs: 300_000 });
  const newest = async (after: number): Promise<number> => {
    const { bodies } = await ask([report(members[0]!, { last_update_id: after }).replace("gzip", "identity")], true);
    return (JSON.parse(bodies[0]!) as { presence_last_update_id: number }).presence_last_update_id;
  };
  const seen = [await newest(-1)];
  await sleep(secondMs);
  const part = members.length / looks;
  for (let look = 0; look < looks; look++) {
    const some = members.slice(Math.floor(look * part), Math.floor((look + 1) * part));
    await ask(
      some.map((member) => report(member, { ping_only: true })),
      false,
    );
    seen.push(await newest(seen.at(-1)!));
  }
  await sleep(secondMs);
  return seen;
}
