/**
 * What does a directory cost that provisions an organization of a hundred thousand people (SCIM)?
 *
 * Setup: an organization all of whose people a directory knows, and a group of half of them. Requests come one
 * after another, as those of directories do.
 *
 * Units: ms of CPU of Parley's process per request; the longest pause of its event loop, ms; bytes of an answer.
 */
import { startCommunity } from "../harness/community.ts";
import type { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";

const people = 100_000;
const quickPeople = 200;

/** Members of one request: what a body of 20,000 values has room for. */
const mostMembers = 5_000;
const rounds = 20;
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** The bound that the project set itself: nothing holds the event loop for longer. */
const mostPauseMs = 100;

interface Asked {
  method: string;
  path: string;
  body?: object;
}

export const directories: Bench = {
  name: "directories",
  question: "What do a directory's requests cost among 100,000 people, with a group of 50,000?",
  async run(setup) {
    const size = setup.quick ? quickPeople : people;
    const database = await BenchPostgres.start(setup);
    const { parley, members } = await startCommunity(setup, database, {
      users: size,
      channels: [],
      async write(sql) {
        await sql`
          insert into scim_users (user_id, realm_id, user_name, user_name_key, external_id)
          select id, realm_id, delivery_email, lower(delivery_email), 'ext-' || id from users where not is_bot`;
      },
    });
    const fields = { name: "Bench", password: "bench-owner-password" };
    const { token } = await parley.call<{ token: string }>("POST", "/api/v1/realm/scim_tokens", fields);
    const ask = asking(parley, token);
    const ids = members.map(({ userId }) => String(userId));
    const half = ids.slice(0, size / 2).map((value) => ({ value }));
    await parley.watchLoop();
    const { id } = JSON.parse(await ask({ method: "POST", path: "/Groups", body: { displayName: "All" } }));
    const patch = (path: string, Operations: object[]): Asked => ({
      method: "PATCH",
      path,
      body: { schemas: [patchSchema], Operations },
    });
    for (let at = 0; at < half.length; at += mostMembers)
      await ask(patch(`/Groups/${id}`, [{ op: "add", path: "members", value: half.slice(at, at + mostMembers) }]));
    const madeMs = await parley.longestPauseMs();
    const last = members.at(-1)!;
    const member = (index: number) => [{ value: ids[size / 2 + index] }];
    const kinds: [string, (index: number) => Asked][] = [
      ["find by userName", () => get(`/Users?filter=${encodeURIComponent(`userName eq "${last.email}"`)}`)],
      ["find by externalId", () => get(`/Users?filter=${encodeURIComponent(`externalId eq "ext-${last.userId}"`)}`)],
      ["find by part of a name", () => get(`/Users?filter=${encodeURIComponent('displayName co "erson 1999"')}`)],
      ["a page of 100", (index) => get(`/Users?startIndex=${1 + index * 100}&count=100`)],
      ["the group without members", () => get(`/Groups/${id}?excludedAttributes=members`)],
      ["the group", () => get(`/Groups/${id}`)],
      [
        "one more in the group",
        (index) => patch(`/Groups/${id}`, [{ op: "add", path: "members", value: member(index) }]),
      ],
      ["one less", (index) => patch(`/Groups/${id}`, [{ op: "remove", path: `members[value eq "${ids[index]}"]` }])],
    ];
    const rows: Row[] = [];
    for (const [request, of] of kinds) rows.push({ request, ...(await measured(parley, ask, of)) });
    const pauses = rows.map(({ pauseMs }) => Number(pauseMs));
    return {
      columns: [
        { key: "request", label: "request" },
        { key: "cpuMs", label: "ms CPU", digits: 2 },
        { key: "pauseMs", label: "longest pause ms", digits: 1 },
        { key: "bytes", label: "bytes", digits: 0 },
      ],
      rows,
      bounds: [
        {
          what: "longest pause of any, ms",
          value: Math.max(...pauses),
          limit: mostPauseMs,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        `${size} people, ${rounds} requests of each kind; one run. Making the group of ${half.length} held the event ` +
          `loop for ${madeMs.toFixed(1)} ms at most.`,
      ],
    };
  },
};

const get = (path: string): Asked => ({ method: "GET", path });

const asking =
  (parley: Parley, token: string) =>
  async ({ method, path, body }: Asked): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${parley.port}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return text;
  };

async function measured(parley: Parley, ask: (asked: Asked) => Promise<string>, of: (index: number) => Asked) {
  await ask(of(0));
  await parley.watchLoop();
  const before = parley.cpuMicroseconds();
  let bytes = 0;
  for (let index = 1; index <= rounds; index++) bytes = (await ask(of(index))).length;
  const cpuMs = (parley.cpuMicroseconds() - before) / 1000 / rounds;
  return { cpuMs, pauseMs: await parley.longestPauseMs(), bytes };
}
