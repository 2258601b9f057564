/**
 * What does a person cost who reads every second message of a large channel?
 *
 * Setup: a channel of 204,000 messages. People have read every second one of its newest, so that what they have read is
 * so many islands, and all that was before. Each asks for the unread 50 before and 50 after the middle of their
 * islands. Memory answers `is:unread`, and only PostgreSQL answers `is:unread -is:dm`. Each also marks single messages
 * among the islands as read. Before, somebody who has read nothing does all of it, to warm up.
 *
 * Units: CPU ms per request, of Parley's process and of PostgreSQL's; bytes written ahead per flag.
 */
import type postgres from "postgres";
import { type Member, startCommunity } from "../harness/community.ts";
import { repeat } from "../harness/measure.ts";
import type { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import { requestFigures, runRequests } from "../harness/requests.ts";
import { LoadProcess } from "../load/fleet.ts";
import { form, get } from "../load/request.ts";

const full = { islands: [0, 1_000, 10_000, 100_000], requestsPerRun: 20, flagsPerRun: 200 };
const quick = { islands: [0, 20, 200], requestsPerRun: 5, flagsPerRun: 5 };
/** Everybody has so many more unread messages above the islands. Who has no islands marks every second of these. */
const unread = 2_000;

/** The bounds that the project set itself. */
const mostUnreadMs = 10;
const mostFlagRatio = 1.5;
const mostExponent = 0.2;

export const scattered: Bench = {
  name: "scattered",
  question: "What does a person cost who reads every second message of a large channel?",
  async run(setup) {
    const { islands, requestsPerRun: count, flagsPerRun } = setup.quick ? quick : full;
    const messages = 2 * Math.max(...islands) + 2 * unread;
    let base = 0;
    const database = await BenchPostgres.start(setup);
    const { parley, members } = await startCommunity(setup, database, {
      users: islands.length + 1,
      channels: [{ name: "hall", subscribers: islands.length + 1 }],
      async write(sql, all, channelIds) {
        const channelId = channelIds.get("hall")!;
        base = await store(sql, channelId, all, messages);
        for (const [index, size] of islands.entries()) {
          const last = base + messages - unread;
          await sql`
            insert into read_states (user_id, recipient_id, realm_id, ids)
            select ${all[index]!.userId}, recipient_id, realm_id,
              int8multirange(int8range(1, ${last - 2 * size}::bigint)) + coalesce(
                (select range_agg(int8range(n, n, '[]')) from generate_series(${last - 2 * size}::bigint, ${last}::bigint - 1, 2) n), '{}')
            from channels where id = ${channelId}`;
        }
      },
    });
    const load = new LoadProcess(setup, "readers");
    const rows: Row[] = [];
    const ask = (requests: readonly string[], times: number) =>
      runRequests(parley, load, database, { requests, concurrency: 1, count: times });
    let marked = base;
    const markings = (reader: Member) => Array.from({ length: flagsPerRun }, () => marking(reader, (marked += 2)));
    const novice = members.at(-1)!;
    for (const narrow of [[isUnread], [isUnread, isNoDm]])
      await repeat(() => ask([get(unreadPath(narrow, base + messages - unread), novice)], flagsPerRun));
    await repeat(() => ask(markings(novice), flagsPerRun));
    for (const [index, size] of islands.entries()) {
      const reader = members[index]!;
      // It was read.
      const middle = base + messages - unread - Math.max(size, 2);
      const costOf = async (narrow: readonly object[]) => {
        const runs = await repeat(() => ask([get(unreadPath(narrow, middle), reader)], count));
        const { serverMicroseconds, postgresMicroseconds } = requestFigures(runs, count);
        return { parley: serverMicroseconds / 1000, postgres: postgresMicroseconds / 1000 };
      };
      await checkFound(parley, unreadPath([isUnread], middle), reader, Math.min(50, size / 2) + 50);
      const recalled = await costOf([isUnread]);
      const found = await costOf([isUnread, isNoDm]);
      marked = base + messages - unread - 2 * size - 1;
      const before = await database.walPosition();
      const flagRuns = await repeat(() => ask(markings(reader), flagsPerRun));
      const walBytes = Number((await database.walPosition()) - before) / flagsPerRun / (flagRuns.length + 1);
      const flag = requestFigures(flagRuns, flagsPerRun);
      rows.push({
        islands: size,
        recalledMs: recalled.parley + recalled.postgres,
        parleyMs: found.parley,
        postgresMs: found.postgres,
        flagMs: (flag.serverMicroseconds + flag.postgresMicroseconds) / 1000,
        walBytes,
      });
      setup.log(`  ${JSON.stringify(rows.at(-1))}`);
    }
    const [empty, small, large] = [rows[0]!, rows[1]!, rows.at(-1)!];
    const growth = (key: string): number => Math.log(Number(large[key]) / Number(small[key]));
    const exponents = [
      ["postgresMs", "PostgreSQL's CPU per is:unread -is:dm"],
      ["flagMs", "CPU per flag"],
      ["walBytes", "WAL per flag"],
    ] as const;
    return {
      columns: [
        { key: "islands", label: "islands", digits: 0 },
        { key: "recalledMs", label: "is:unread ms", digits: 2 },
        { key: "parleyMs", label: "-is:dm: Parley ms", digits: 2 },
        { key: "postgresMs", label: "PostgreSQL ms", digits: 2 },
        { key: "flagMs", label: "flag ms", digits: 2 },
        { key: "walBytes", label: "WAL bytes", digits: 0 },
      ],
      rows,
      bounds: [
        {
          what: `CPU ms of is:unread with ${large["islands"]} islands`,
          value: Number(large["recalledMs"]),
          limit: mostUnreadMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: `CPU per flag, ${large["islands"]} islands / none`,
          value: Number(large["flagMs"]) / Number(empty["flagMs"]),
          limit: mostFlagRatio,
          sense: "most",
          kind: "portable",
        },
        ...exponents.map(([key, of]) => ({
          what: `exponent of ${of}, by islands`,
          value: growth(key) / growth("islands"),
          limit: mostExponent,
          sense: "most" as const,
          kind: "portable" as const,
        })),
      ],
      plots: [],
      notes: ["The history is written straight into the tables while Parley is not running."],
    };
  },
};

const isUnread = { operator: "is", operand: "unread" };
const isNoDm = { operator: "is", operand: "dm", negated: true };

const unreadPath = (narrow: readonly object[], anchor: number): string =>
  `/api/v1/messages?${new URLSearchParams({ anchor: `${anchor}`, num_before: "50", num_after: "50", narrow: JSON.stringify(narrow) })}`;

const marking = (reader: Member, id: number): string =>
  form("POST", "/api/v1/messages/flags", { messages: [id], op: "add", flag: "read" }, reader);

/** @throws Error unless the reader finds so many */
async function checkFound(parley: Parley, path: string, reader: Member, count: number): Promise<void> {
  const { messages } = await parley.call<{ messages: unknown[] }>("GET", path, {}, reader);
  if (messages.length !== count) throw new Error(`${messages.length} unread messages of ${count} were found`);
}

/** Adds so many messages to the channel, with ids that follow one another. Returns the id before the first. */
async function store(
  sql: postgres.Sql,
  channelId: number,
  [sender]: readonly Member[],
  count: number,
): Promise<number> {
  const [{ last } = { last: "0" }] = await sql<{ last: string }[]>`select coalesce(max(id), 0) as last from messages`;
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select ${last}::bigint + n, realm_id, recipient_id, id, ${sender!.userId}, 'topic', 'Message ' || n,
      '<p>Message ' || n || '</p>', extract(epoch from now())::bigint - ${count} + n, 'bench'
    from generate_series(1, ${count}) as n, channels where id = ${channelId}`;
  // No message that Parley sends later may take one of these ids.
  await sql`select setval('message_id_blocks', greatest((select last_value from message_id_blocks), ${Number(last) + count}) + 1000)`;
  return Number(last);
}
