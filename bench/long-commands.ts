/**
 * For how long does one request that changes very much hold up everybody else's?
 *
 * Setup: 10,000 people, everybody in two channels with 25,000 unread messages each, all of one topic; private channels
 * beside, a thousand of them of one person. Each request is sent alone, once, with `--only TEXT` those whose names hold
 * the text. A quiet user sends fifty small messages a second beside.
 *
 * Units, while the request is answered and half a second longer: ms of the longest pause of the server's event loop. ms
 * of others' sends from when they were due to their answers. CPU ms of Parley and of PostgreSQL.
 */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { channelMessages, type Member, startCommunity } from "./harness/community.ts";
import type { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { percentiles } from "./harness/statistics.ts";
import { LoadProcess } from "./load/fleet.ts";
import { type Account, basic } from "./load/request.ts";

const people = 10_000;
const quickPeople = 100;
const messages = 50_000;
const quickMessages = 2_000;
const manyChannels = 1_000;
const quickManyChannels = 20;
const sendEveryMs = 20;
const answerMs = 60_000;
const lullMs = 500;

/** The bounds that the project set itself. */
const mostPauseMs = 100;
const mostSendP99Ms = 250;

interface Case {
  name: string;
  run(): Promise<number | string>;
}

export const longCommands: Bench = {
  name: "long-commands",
  question: "For how long does one request that changes very much hold up everybody else's?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const amount = setup.quick ? quickManyChannels : manyChannels;
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: setup.quick ? quickPeople : people,
      channels: [{ name: "hall", subscribers: 10 }],
      seeded: { channels: 2, channelsEach: 2, messages: setup.quick ? quickMessages : messages },
      write: oneTopic,
    });
    const load = new LoadProcess(setup, "quiet");
    const sends = channelMessages(members[0]!, channelIds.get("hall")!);
    const rows: Row[] = [];
    for (const { name, run } of await cases(parley, members, database, amount)) {
      if (setup.only !== undefined && !name.includes(setup.only)) continue;
      setup.log(name);
      const postgresCpu = database.countCpu();
      const cpuBefore = parley.cpuMicroseconds();
      await parley.watchLoop();
      await load.beginSteady({ port: parley.port, requests: sends, everyMs: sendEveryMs });
      const startedAt = performance.now();
      const status = await run();
      const tookMs = performance.now() - startedAt;
      await sleep(lullMs);
      const { latenciesMs, failures } = await load.endSteady(answerMs);
      const pauseMs = await parley.longestPauseMs();
      const row: Row = {
        request: name,
        status,
        tookMs,
        pauseMs,
        sendP99Ms: percentiles(latenciesMs).p99,
        sendMaxMs: Math.max(...latenciesMs),
        cpuMs: (parley.cpuMicroseconds() - cpuBefore) / 1000,
        postgresMs: postgresCpu.read() / 1000,
      };
      setup.log(`  ${JSON.stringify(row)} ${failures.slice(0, 2).join()}`);
      rows.push(row);
    }
    await load.end();
    await parley.end();
    const greatest = (key: string): number => Math.max(...rows.map((row) => row[key] as number));
    return {
      columns: [
        { key: "request", label: "request" },
        { key: "status", label: "answered" },
        { key: "tookMs", label: "after ms", digits: 0 },
        { key: "pauseMs", label: "longest pause ms", digits: 1 },
        { key: "sendP99Ms", label: "others' sends p99 ms", digits: 1 },
        { key: "sendMaxMs", label: "longest ms", digits: 1 },
        { key: "cpuMs", label: "Parley CPU ms", digits: 0 },
        { key: "postgresMs", label: "PostgreSQL CPU ms", digits: 0 },
      ],
      rows,
      bounds: [
        {
          what: "longest pause of the event loop in ms",
          value: greatest("pauseMs"),
          limit: mostPauseMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: "others' sends meanwhile, p99 in ms",
          value: greatest("sendP99Ms"),
          limit: mostSendP99Ms,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: ["Each request changes what the next one finds, so each is sent once."],
    };
  },
};

/** All messages into one topic, and nothing of them read. */
async function oneTopic(sql: postgres.Sql): Promise<void> {
  await sql`update messages set topic = 'long'`;
}

async function cases(
  parley: Parley,
  members: readonly Member[],
  { sql }: BenchPostgres,
  amount: number,
): Promise<Case[]> {
  const channels = await sql<{ id: number; name: string; first: number }[]>`
    select c.id::int, c.name, min(m.id)::int as first from channels c join messages m on m.channel_id = c.id
    where c.name like 'seeded %' group by c.id order by c.id`;
  const [one, two] = [channels[0]!, channels[1]!];
  const reader = members[1]!;
  const leaver = members[2]!;
  const ids = members.map(({ userId }) => userId);
  let groupId = 0;
  const ask = async (
    method: string,
    path: string,
    fields: Readonly<Record<string, unknown>>,
    account: Account = parley.owner,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const values = Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    return send(parley.port, method, path, basic(account), new URLSearchParams(values).toString());
  };
  const simple = (name: string, ...request: Parameters<typeof ask>): Case => ({
    name,
    run: async () => {
      const { status, body } = await ask(...request);
      return status === 200 ? status : `${status} ${String(body["msg"]).slice(0, 60)}`;
    },
  });
  const named = (word: string) => Array.from({ length: amount }, (_, index) => ({ name: `${word} ${index}` }));
  await ask("POST", "/users/me/subscriptions", { subscriptions: [{ name: "few" }], principals: ids.slice(0, 10) });
  const [few] = await sql<{ id: number }[]>`select id::int from channels where name = 'few'`;
  return [
    simple("mark a topic read", "POST", "/mark_topic_as_read", { stream_id: one.id, topic_name: "long" }, reader),
    simple("mark a channel read", "POST", "/mark_stream_as_read", { stream_id: two.id }, reader),
    simple("mark everything read", "POST", "/mark_all_as_read", {}, members[3]!),
    simple(
      "flags for a narrow",
      "POST",
      "/messages/flags/narrow",
      {
        anchor: "newest",
        num_before: 5000,
        num_after: 0,
        op: "add",
        flag: "starred",
        narrow: [],
      },
      members[4]!,
    ),
    simple("move a topic to another", "PATCH", `/messages/${one.first}`, {
      topic: "longer",
      propagate_mode: "change_all",
    }),
    simple("move a topic to a channel of everybody", "PATCH", `/messages/${one.first}`, {
      stream_id: two.id,
      propagate_mode: "change_all",
    }),
    simple("move a topic to a channel of few", "PATCH", `/messages/${one.first}`, {
      stream_id: few!.id,
      propagate_mode: "change_all",
    }),
    simple(
      "subscribe one to many new channels",
      "POST",
      "/users/me/subscriptions",
      {
        subscriptions: named("plain"),
      },
      leaver,
    ),
    simple("subscribe many to many", "POST", "/users/me/subscriptions", {
      subscriptions: named("shared"),
      principals: ids.slice(0, 100),
    }),
    simple("make many private channels of many", "POST", "/users/me/subscriptions", {
      subscriptions: named("secret"),
      principals: [leaver.userId, ...ids.slice(10, 100)],
      invite_only: true,
    }),
    simple(
      "unsubscribe one from many",
      "DELETE",
      "/users/me/subscriptions",
      {
        subscriptions: named("plain").map(({ name }) => name),
      },
      leaver,
    ),
    {
      name: "make a group of everybody",
      run: async () => {
        const { status, body } = await ask("POST", "/user_groups/create", {
          name: "everybody here",
          description: "",
          members: ids,
        });
        groupId = Number(body["group_id"]);
        return status;
      },
    },
    {
      name: "take everybody out of a group",
      run: async () => (await ask("POST", `/user_groups/${groupId}/members`, { delete: ids })).status,
    },
    {
      name: "put everybody into a group",
      run: async () => (await ask("POST", `/user_groups/${groupId}/members`, { add: ids })).status,
    },
    simple("settings of many", "PATCH", "/settings", {
      target_users: { user_ids: ids },
      enable_sounds: false,
    }),
    simple("make a channel of everybody private", "PATCH", `/streams/${two.id}`, { is_private: true }),
    simple("unsubscribe everybody", "DELETE", "/users/me/subscriptions", {
      subscriptions: [two.name],
      principals: ids,
    }),
    simple("archive a channel of everybody", "DELETE", `/streams/${one.id}`, {}),
    simple("invite many", "POST", "/invites", {
      invitee_emails: Array.from({ length: 4_900 }, (_, index) => `new${index}@people.example`).join(","),
      stream_ids: [few!.id],
    }),
    simple("deactivate who has very much", "DELETE", `/users/${leaver.userId}`, {}),
    simple("bring them back", "POST", `/users/${leaver.userId}/reactivate`, {}),
    simple("delete a topic", "POST", `/streams/${few!.id}/delete_topic`, { topic_name: "longer" }),
  ];
}

/** `fetch` would give up after five minutes, which the longest of these take. */
async function send(
  port: number,
  method: string,
  path: string,
  authorization: string,
  body: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
  const sent = request({ host: "127.0.0.1", port, method, path: `/api/v1${path}`, headers });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode!, body: (await json(answer)) as Record<string, unknown> };
}
