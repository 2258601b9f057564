/** Words that wait for their index are merged before a commit has to do it. */
import { beforeAll, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer();
const [ada] = server.people("Ada");
const hall = server.channel("hall", [ada]);
const messages = 1_100;

beforeAll(() => server.database.sql`create extension pageinspect`);

it("while messages are sent, and when they move", async () => {
  const some = (round: number) => Array.from({ length: 50 }, (_, n) => ada.say(hall, `figs ${round} of ${n}`, "a"));
  for (let round = 0; round < messages / 50; round++) await Promise.all(some(round));
  expect(await bytesOfWords()).toBeLessThan(512 * 1024);
  await until("words of sends to be merged", async () => (await waiting()) < messages / 2);
  const [first] = await found("a");
  expect(await found("a")).toHaveLength(messages);
  expectSuccess(await server.owner.client.patch(`/messages/${first}`, { topic: "b", propagate_mode: "change_all" }));
  await until("words of moved messages to be merged", async () => (await waiting()) < messages / 2);
  expect(await found("b")).toHaveLength(messages);
});

/** Messages whose words wait. */
async function waiting(): Promise<number> {
  const [row] = await server.database.sql<{ n: number }[]>`
    select n_pending_tuples::int as n from gin_metapage_info(get_raw_page('messages_search', 0))`;
  return row!.n;
}

async function bytesOfWords(): Promise<number> {
  const [row] = await server.database.sql<{ n: number }[]>`select sum(pg_column_size(search))::int as n from messages`;
  return row!.n;
}

async function found(topic: string): Promise<number[]> {
  const narrow = JSON.stringify([
    ["topic", topic],
    ["search", "figs"],
  ]);
  const params = { narrow, anchor: "oldest", num_before: 0, num_after: 2000 };
  const answer = expectSuccess(await ada.client.get("/messages", params));
  return (answer["messages"] as { id: number }[]).map(({ id }) => id);
}
