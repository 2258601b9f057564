/**
 * What does it cost to mark one message read?
 *
 * Setup: 1,000 people in 10 of 20 channels with 20,000 messages. Each has the newest 400 unread. 8 at once mark one
 * message each, every time another one.
 *
 * Unit: µs of CPU per POST /messages/flags, of Parley's process and PostgreSQL's.
 */
import { startCommunity } from "../harness/community.ts";
import { repeat } from "../harness/measure.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import { requestFigures, runRequests } from "../harness/requests.ts";
import { leaveUnread } from "../harness/unread.ts";
import { LoadProcess } from "../load/fleet.ts";
import { form } from "../load/request.ts";

const people = 1_000;
const quickPeople = 40;
const channels = 20;
const messages = 20_000;
const quickMessages = 2_000;
const unread = 400;
const callers = 100;
const requestsPerRun = 2_000;
const quickRequestsPerRun = 100;
const concurrencies = [1, 8];

/** The bound that the project set itself, with 8 at once. */
const mostMs = 0.3;

export const flags: Bench = {
  name: "flags",
  question: "What does marking one message read cost?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const { parley, members } = await startCommunity(setup, database, {
      users: setup.quick ? quickPeople : people,
      channels: [],
      seeded: { channels, channelsEach: channels / 2, messages: setup.quick ? quickMessages : messages },
      write: (sql, all) => leaveUnread(sql, all, unread),
    });
    const load = new LoadProcess(setup, "readers");
    const readers = members.slice(0, callers);
    const ids = await Promise.all(
      readers.map(async (reader) => {
        const query = new URLSearchParams({
          anchor: "newest",
          num_before: String(unread),
          num_after: "0",
          narrow: JSON.stringify([{ operator: "is", operand: "unread" }]),
        });
        const path = `/api/v1/messages?${query}`;
        const answer = await parley.call<{ messages: { id: number }[] }>("GET", path, {}, reader);
        return answer.messages.map(({ id }) => id);
      }),
    );
    const count = setup.quick ? quickRequestsPerRun : requestsPerRun;
    let marked = 0;
    const rows: Row[] = [];
    for (const concurrency of concurrencies) {
      const runs = await repeat(() => {
        const requests = Array.from({ length: count }, () => {
          const place = marked++ % readers.length;
          const messages = [ids[place]!.pop()!];
          return form("POST", "/api/v1/messages/flags", { messages, op: "add", flag: "read" }, readers[place]!);
        });
        return runRequests(parley, load, database, { requests, concurrency, count });
      });
      const figures = requestFigures(runs, count);
      const totalMs = (figures.serverMicroseconds + figures.postgresMicroseconds) / 1000;
      rows.push({ concurrency, ...figures, totalMs });
    }
    return {
      columns: [
        { key: "concurrency", label: "at once", digits: 0 },
        { key: "serverMicroseconds", label: "Parley µs", digits: 0 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs", digits: 0 },
        { key: "totalMs", label: "together ms", digits: 2 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "p50Ms", label: "p50 ms", digits: 2 },
        { key: "p99Ms", label: "p99 ms", digits: 2 },
      ],
      rows,
      bounds: [
        {
          what: `CPU ms per flag change, ${concurrencies.at(-1)} at once, with PostgreSQL`,
          value: Number(rows.at(-1)!["totalMs"]),
          limit: mostMs,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [],
    };
  },
};
