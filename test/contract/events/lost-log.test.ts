/**
 * The database loses the newest changes while a server runs, as when an older state of it is put back. The server finds
 * out by its next commit, shows what is there, and ends the queues whose clients were told of what is not.
 */
import { expect, it } from "vitest";
import { type ApiClient, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer();

const send = async (client: ApiClient, content: string) =>
  expectSuccess(await client.post("/messages", { type: "channel", to: "general", topic: "loss", content }))[
    "id"
  ] as number;
const register = async (client: ApiClient) => {
  const { queue_id, last_event_id } = expectSuccess(await client.post("/register", { event_types: ["message"] }));
  return { queue_id: queue_id as string, last_event_id: last_event_id as number };
};
const poll = (client: ApiClient, queue: { queue_id: string; last_event_id: number }) =>
  client.get("/events", { ...queue, dont_block: true });

it("an event that a node of the version before published is not taken for a lost one", async () => {
  const { client } = server.owner;
  const before = await send(client, "from the older one");
  const queue = await register(client);
  const [realm] = server.server.app.system.realms();
  const position = realm!.position + 1;
  // Such a node does not say that its row is not stored.
  realm!.loaded!.follow([
    { position, json: JSON.stringify({ e: { type: "typing", op: "start" }, a: { to: "realm" } }) },
  ]);
  await server.database.sql`update realms set writer_epoch = writer_epoch + 1`;
  expect(await send(client, "from this one")).toBeLessThan(before + 50_000);
  const { events } = expectSuccess(await poll(client, { ...queue, last_event_id: position })) as { events: unknown[] };
  expect(events).toHaveLength(1);
});

it("queues of clients that saw what is lost end, others go on, and no id is given out again", async () => {
  const { client } = server.owner;
  const { sql } = server.database;
  await send(client, "kept");
  const [before, told] = [await register(client), await register(client)];
  const lost = await send(client, "lost");
  const { events } = expectSuccess(await poll(client, told)) as { events: { id: number }[] };
  const seen = { ...told, last_event_id: events.at(-1)!.id };
  const afterwards = await register(client);
  expectSuccess(await poll(client, seen));

  await sql`delete from realm_log where position > ${before.last_event_id}::bigint`;
  await sql`delete from messages where id >= ${lost}`;
  // The first send finds it out.
  const next = await send(client, "after");
  expect(next).toBeGreaterThan(lost + 50_000);

  for (const gone of [seen, afterwards]) {
    const { status, body } = await poll(client, gone);
    expect([status, body["code"]]).toEqual([400, "BAD_EVENT_QUEUE_ID"]);
  }
  let contents: string[] = [];
  await until("the other queue to have the new message", async () => {
    const answer = expectSuccess(await poll(client, before)) as { events: { message?: { content: string } }[] };
    contents = answer.events.flatMap(({ message }) => message?.content ?? []);
    return contents.length > 0;
  });
  expect(contents).toEqual(["after"]);
});
