/**
 * What does a request cost on average in the traffic of a real server?
 *
 * The mix is the published one of a large Zulip server, by number of requests. Presence 36 %, events 44 %, GET
 * /messages 3 %, flags 1.5 %, sends 0.5 %, register 0.3 %. The rest is like static files, for which GET
 * /server_settings stands here.
 *
 * Setup: 1,000 people in 20 channels with 20,000 messages, of which each has the newest 400 unread. 88 people have a
 * parked poll each, and 32 requests at a time are made in their names. Each send goes to all 88, whose polls are
 * answered and asked again: 5 sends make the 440 polls of 1,000 requests.
 *
 * Unit: µs of CPU of Parley's process, and of PostgreSQL's, per request, over the whole mix.
 *
 * Source: https://github.com/zulip/zulip/blob/main/docs/subsystems/performance.md
 */
import { setTimeout as sleep } from "node:timers/promises";
import { registerQueues, startCommunity } from "./harness/community.ts";
import { repeat } from "./harness/measure.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench } from "./harness/report.ts";
import { requestFigures, runRequests } from "./harness/requests.ts";
import { leaveUnread } from "./harness/unread.ts";
import { LoadProcess } from "./load/fleet.ts";
import { type Account, form, get } from "./load/request.ts";

const people = 1_000;
const quickPeople = 120;
const channels = 20;
const messages = 20_000;
const quickMessages = 1_000;
const unread = 400;
const concurrency = 32;
/** Thousands of requests in one run. */
const thousands = 20;
const quickThousands = 2;
const sendsPerThousand = 5;
const pollsPerThousand = 440;
const callers = pollsPerThousand / sendsPerThousand;
const deliveryMs = 10_000;

/** The bound that the project set itself, with PostgreSQL; the published mean of that server is about 14 ms. */
const mostMsPerRequest = 0.07;

type Make = (account: Account, place: number, channelId: number) => string;

/** How many of 1,000 requests are of each kind; the polls come by themselves. */
const shares: readonly { perThousand: number; make: Make }[] = [
  {
    perThousand: 360,
    make: (account) =>
      form(
        "POST",
        "/api/v1/users/me/presence",
        { status: "active", ping_only: true, new_user_input: false, slim_presence: true },
        account,
      ),
  },
  {
    perThousand: 30,
    make: (account) => get("/api/v1/messages?anchor=newest&num_before=50&num_after=0&apply_markdown=true", account),
  },
  {
    perThousand: 15,
    make: (account) =>
      form(
        "POST",
        "/api/v1/messages/flags/narrow",
        { anchor: "newest", num_before: 20, num_after: 0, narrow: [], op: "add", flag: "read" },
        account,
      ),
  },
  {
    perThousand: sendsPerThousand,
    make: (account, place, channelId) =>
      form(
        "POST",
        "/api/v1/messages",
        { type: "channel", to: [channelId], topic: `topic ${place % 10}`, content: `Message ${place} of the *mix*.` },
        account,
      ),
  },
  {
    perThousand: 3,
    make: (account) => form("POST", "/api/v1/register", { apply_markdown: true, slim_presence: true }, account),
  },
  { perThousand: 147, make: () => get("/api/v1/server_settings") },
];

export const mix: Bench = {
  name: "mix",
  question: "What does a request cost on average in the published traffic mix of a large server?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: setup.quick ? quickPeople : people,
      channels: [{ name: "mix", subscribers: callers }],
      seeded: { channels, channelsEach: channels / 2, messages: setup.quick ? quickMessages : messages },
      write: (sql, all) => leaveUnread(sql, all, unread),
    });
    const load = new LoadProcess(setup, "callers");
    await load.park(parley.port, await registerQueues(parley, load, members.slice(0, callers)));
    const requests = spreadEvenly(members.slice(0, callers), channelIds.get("mix")!);
    const runThousands = setup.quick ? quickThousands : thousands;
    const total = 1000 * runThousands;
    let expected = 0;
    const runs = await repeat(async () => {
      const run = await runRequests(parley, load, database, {
        requests,
        concurrency,
        count: requests.length * runThousands,
      });
      expected += runThousands * pollsPerThousand;
      await delivered(load, expected);
      return run;
    });
    const figures = requestFigures(runs, total);
    return {
      columns: [
        { key: "requests", label: "requests", digits: 0 },
        { key: "serverMicroseconds", label: "Parley µs/request", digits: 1 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs/request", digits: 1 },
        { key: "p50Ms", label: "p50 ms", digits: 2 },
        { key: "p99Ms", label: "p99 ms", digits: 2 },
      ],
      rows: [{ requests: total, ...figures }],
      bounds: [
        {
          what: "mean CPU ms per request, with PostgreSQL",
          value: (figures.serverMicroseconds + figures.postgresMicroseconds) / 1000,
          limit: mostMsPerRequest,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        "The published figure of about 14 ms a request is that server's, on its hardware, and holds all of its processes: a scale, not a peer.",
      ],
    };
  },
};

/** Waits until the polls have brought so many messages: fewer would make the mix another one. */
async function delivered(load: LoadProcess, expected: number): Promise<void> {
  const givenUpAt = performance.now() + deliveryMs;
  while ((await load.delivered()) < expected) {
    if (performance.now() > givenUpAt)
      throw new Error(`${await load.delivered()} of ${expected} events were delivered`);
    await sleep(10);
  }
}

/** A thousand requests less the polls, in which each kind comes at even distances, and the callers take turns. */
function spreadEvenly(accounts: readonly Account[], channelId: number): string[] {
  const placed = shares.flatMap(({ perThousand, make }) =>
    Array.from({ length: perThousand }, (_, index) => ({ at: (index + 0.5) / perThousand, make })),
  );
  return placed
    .sort((a, b) => a.at - b.at)
    .map(({ make }, place) => make(accounts[place % accounts.length]!, place, channelId));
}
