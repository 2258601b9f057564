/**
 * What does a request cost on average in the traffic of a real server?
 *
 * The mix is the published one of a large Zulip server, by number of requests: presence 36 %, events 44 %, GET /messages 3 %,
 * flags 1.5 %, sends 0.5 %, register 0.3 %; the rest is like static files, for which GET /server_settings stands here.
 *
 * Setup: 1,000 people in 20 channels with 20,000 messages; 100 of them call, 32 at a time. Polls are of queues that have
 * something or are asked with `dont_block`, so that every request is answered at once.
 *
 * Unit: µs of CPU of Parley's process per request, over the whole mix.
 *
 * Source: docs/subsystems/performance.md of github.com/zulip/zulip.
 */
import { registerQueues, startCommunity } from "./community.ts";
import { LoadProcess } from "./load/fleet.ts";
import type { Queue } from "./load/poll-set.ts";
import { form, get } from "./load/request.ts";
import { repeat } from "./measure.ts";
import { BenchPostgres } from "./postgres.ts";
import type { Bench } from "./report.ts";
import { requestFigures, runRequests } from "./requests.ts";

const people = 1_000;
const quickPeople = 120;
const callers = 100;
const channels = 20;
const messages = 20_000;
const quickMessages = 1_000;
const concurrency = 32;
const count = 20_000;
const quickCount = 2_000;

/** Source: issue 5; the published mean of that server is about 14 ms. */
const mostMsPerRequest = 0.14;

type Make = (queue: Queue, place: number) => string;

/** How many of 1,000 requests are of each kind. */
const shares: readonly { perThousand: number; make: Make }[] = [
  {
    perThousand: 360,
    make: ({ account }) =>
      form(
        "POST",
        "/api/v1/users/me/presence",
        { status: "active", ping_only: true, new_user_input: false, slim_presence: true },
        account,
      ),
  },
  {
    perThousand: 440,
    make: ({ account, queueId, lastEventId }) =>
      get(
        `/api/v1/events?queue_id=${encodeURIComponent(queueId)}&last_event_id=${lastEventId}&dont_block=true`,
        account,
      ),
  },
  {
    perThousand: 30,
    make: ({ account }) => get("/api/v1/messages?anchor=newest&num_before=50&num_after=0&apply_markdown=true", account),
  },
  {
    perThousand: 15,
    make: ({ account }) =>
      form(
        "POST",
        "/api/v1/messages/flags/narrow",
        { anchor: "newest", num_before: 20, num_after: 0, narrow: [], op: "add", flag: "read" },
        account,
      ),
  },
  {
    perThousand: 5,
    make: ({ account }, place) =>
      form(
        "POST",
        "/api/v1/messages",
        { type: "channel", to: "mix", topic: `topic ${place % 10}`, content: `Message ${place} of the *mix*.` },
        account,
      ),
  },
  {
    perThousand: 3,
    make: ({ account }) => form("POST", "/api/v1/register", { apply_markdown: true, slim_presence: true }, account),
  },
  { perThousand: 147, make: () => get("/api/v1/server_settings") },
];

export const mix: Bench = {
  name: "mix",
  question: "What does a request cost on average in the published traffic mix of a large server?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const { parley, members } = await startCommunity(setup, database, {
      users: setup.quick ? quickPeople : people,
      channels: [{ name: "mix", subscribers: callers }],
      seededChannels: channels,
      seededMessages: setup.quick ? quickMessages : messages,
    });
    const load = new LoadProcess(setup, "callers");
    const queues = await registerQueues(parley, load, members.slice(0, callers));
    const requests = spreadEvenly(queues);
    const total = setup.quick ? quickCount : count;
    const runs = await repeat(() => runRequests(parley, load, database, { requests, concurrency, count: total }));
    const figures = requestFigures(runs, total);
    return {
      columns: [
        { key: "requests", label: "requests", digits: 0 },
        { key: "serverMicroseconds", label: "Parley µs/request", digits: 1 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs/request", digits: 1 },
        { key: "bytes", label: "bytes/answer", digits: 0 },
        { key: "p50Ms", label: "p50 ms", digits: 2 },
        { key: "p99Ms", label: "p99 ms", digits: 2 },
      ],
      rows: [{ requests: total, ...figures }],
      bounds: [
        {
          what: "mean CPU ms of Parley's process per request",
          value: figures.serverMicroseconds / 1000,
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

/** A thousand requests in which each kind comes at even distances, and the callers take turns. */
function spreadEvenly(queues: readonly Queue[]): string[] {
  const placed = shares.flatMap(({ perThousand, make }) =>
    Array.from({ length: perThousand }, (_, index) => ({ at: (index + 0.5) / perThousand, make })),
  );
  return placed.sort((a, b) => a.at - b.at).map(({ make }, place) => make(queues[place % queues.length]!, place));
}
