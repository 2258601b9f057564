/**
 * What does the request cost that every client makes each minute?
 *
 * Setup: an organization of 10,000 people, all of whom were active in the last hour. Pings come from 100 of them in
 * turn; a full fetch asks for everybody's presence. Beside the ping, in turn: raw uWebSockets.js answering a POST with
 * as many bytes.
 *
 * Unit: µs of CPU of the server's process per request. PostgreSQL's beside it shows whether a query is on the path.
 */
import { startCommunity } from "./harness/community.ts";
import { Floor } from "./harness/floors.ts";
import { alternate, repeat } from "./harness/measure.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { type RequestFigures, requestFigures, runRequests } from "./harness/requests.ts";
import { LoadProcess } from "./load/fleet.ts";
import { form } from "./load/request.ts";

const people = 10_000;
const quickPeople = 100;
const callers = 100;
const concurrency = 32;
/** More than a second of the server's CPU: shorter runs measure its compiler. */
const pings = 100_000;
const quickPings = 500;
const fetches = 100;

/** The bounds that the project set itself. */
const mostOfHello = 2.5;
/** Presences are written behind, many at a time; a query for each ping would cost PostgreSQL more than this. */
const mostPostgresMicroseconds = 5;

export const presence: Bench = {
  name: "presence",
  question: "What do a presence ping and a full fetch cost with 10,000 people, beside a raw uWebSockets.js hello?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const { parley, members } = await startCommunity(setup, database, {
      users: setup.quick ? quickPeople : people,
      channels: [],
      async write(sql) {
        await sql`
          insert into presence (user_id, realm_id, active_at, idle_at, update_id)
          select id, realm_id, extract(epoch from now())::bigint - id % 3600, extract(epoch from now())::bigint, id
          from users where not is_bot on conflict do nothing`;
      },
    });
    const floor = await Floor.start(setup, "uws-hello");
    const load = new LoadProcess(setup, "callers");
    const path = "/api/v1/users/me/presence";
    const ping = {
      requests: members
        .slice(0, callers)
        .map((member) =>
          form("POST", path, { status: "active", ping_only: true, new_user_input: false, slim_presence: true }, member),
        ),
      concurrency,
      count: setup.quick ? quickPings : pings,
    };
    const fetchAll = {
      requests: members
        .slice(0, callers)
        .map((member) =>
          form(
            "POST",
            path,
            { status: "active", ping_only: false, new_user_input: false, last_update_id: -1, history_limit_days: 14 },
            member,
          ),
        ),
      concurrency: 4,
      count: fetches,
    };

    const tried = await runRequests(parley, load, database, { ...ping, count: callers });
    const { result } = await runRequests(floor, load, undefined, { ...ping, count: callers });
    // The head of the floor's answer is shorter than Parley's: its body makes up for it.
    await floor.answerBytes(Math.round((tried.result.bytes - result.bytes) / callers) + "hello".length);
    const [pingRuns, helloRuns] = await alternate(
      () => runRequests(parley, load, database, ping),
      () => runRequests(floor, load, undefined, ping),
    );
    const fetchRuns = await repeat(() => runRequests(parley, load, database, fetchAll));

    const figures = {
      ping: requestFigures(pingRuns, ping.count),
      hello: requestFigures(helloRuns, ping.count),
      fetch: requestFigures(fetchRuns, fetchAll.count),
    };
    const row = (request: string, of: RequestFigures): Row => ({ request, ...of });
    return {
      columns: [
        { key: "request", label: "request" },
        { key: "serverMicroseconds", label: "µs CPU/request", digits: 1 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs/request", digits: 1 },
        { key: "bytes", label: "bytes", digits: 0 },
        { key: "p50Ms", label: "p50 ms", digits: 2 },
        { key: "p99Ms", label: "p99 ms", digits: 2 },
      ],
      rows: [row("ping", figures.ping), row("raw uWebSockets.js", figures.hello), row("full fetch", figures.fetch)],
      bounds: [
        {
          what: "CPU per ping, Parley / raw hello",
          value: figures.ping.serverMicroseconds / figures.hello.serverMicroseconds,
          limit: mostOfHello,
          sense: "most",
          kind: "portable",
        },
        {
          what: "PostgreSQL's CPU per ping in µs: no query on the path",
          value: figures.ping.postgresMicroseconds,
          limit: mostPostgresMicroseconds,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [`Parley runs ${parley.build}, the floor ${floor.build}.`],
    };
  },
};
