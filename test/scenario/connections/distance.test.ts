/**
 * How often a change waits for a PostgreSQL that is far away. Round trips are counted, so the figures are the same on
 * every machine.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { restartJob } from "../../../actors/realm/own-commands.ts";
import { type FarPostgres, startFarPostgres } from "../../../bench/distance/far-postgres.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { ownJob } from "../../support/time/own-job.ts";

let far: FarPostgres;
beforeAll(async () => {
  far = await startFarPostgres(inject("databaseUrl"), 50);
});
afterAll(() => far.close());

// It makes a commit of its own, about a second after the start.
ownJob(restartJob);
const server = testServer({
  nodeCount: 1,
  leadTo(databaseUrl) {
    const url = new URL(far.url);
    url.pathname = new URL(databaseUrl).pathname;
    return url.href;
  },
});
const { owner } = server;
const [anna] = server.people("Anna");
const hall = server.channel("hall", [owner, anna]);

/** The connections that commits go over. Jobs have others. */
const commits = new Set<number>();

/** The round trips of a request over the connections of commits: each with its statements in short. */
async function tripsOf(request: () => Promise<unknown>): Promise<string[]> {
  far.takeTrips();
  await request();
  const trips = far.takeTrips();
  for (const { connection, statements } of trips)
    if (statements.some((one) => isFence.test(one))) commits.add(connection);
  return trips
    .filter(({ connection, statements }) => commits.has(connection) && !statements.every((one) => byTheWay.test(one)))
    .map(({ statements }) =>
      statements
        .filter((one) => !beside.test(one))
        .map(inShort)
        .join(", "),
    );
}
const isFence = /with fence as/;
/** Whether the term is the newest, and what other nodes have posted: not once for each request. */
const byTheWay = /^\s*(listen|begin)|writer_epoch as epoch|letters|pg_is_in_recovery/;
/** Such a statement may travel with a commit. */
const beside = /writer_epoch as epoch|from letters|pg_is_in_recovery/;
const inShort = (statement: string): string =>
  /with fence as .*(insert|update)/s.test(statement)
    ? "fenced commit"
    : isFence.test(statement)
      ? "fence"
      : (/^\s*(begin|commit|select)/.exec(statement)?.[1] ?? "write");

const send = async (params: JsonObject = {}): Promise<number> => {
  const message = { type: "channel", to: hall.id, topic: "far", content: "hi", ...params };
  return expectSuccess(await anna.client.post("/messages", message))["id"] as number;
};

describe("round trips to PostgreSQL", () => {
  it("a lone send takes one, also over a connection that has carried none", async () => {
    await send();
    // Commits take turns on a few connections.
    for (let sent = 0; sent < 4; sent++) expect(await tripsOf(() => send())).toEqual(["fenced commit"]);
    await send({ type: "direct", to: [owner.id] });
    expect(await tripsOf(() => send({ type: "direct", to: [owner.id] }))).toEqual(["fenced commit"]);
  });

  it("a command that only the realm's state decides takes two, with what the audit log is told", async () => {
    const describeHall = (description: string) => owner.client.patch(`/streams/${hall.id}`, { description });
    const rename = (full_name: string) => owner.client.patch(`/users/${anna.id}`, { full_name });
    const audited = ["begin, fence, write", "write, write, commit"];
    expect(await tripsOf(() => describeHall("far away"))).toEqual(audited);
    expect(await tripsOf(() => rename("Anne"))).toEqual(audited);
  });

  it("a message that begins a topic takes three: whether it does, and two for what else it changes", async () => {
    expect(await tripsOf(() => send({ topic: "new" }))).toEqual([
      "select",
      "begin, fence, write, write",
      "write, commit",
    ]);
  });

  it("a command reads with the fence, and writes with its end", async () => {
    const id = await send();
    const react = () => owner.client.post(`/messages/${id}/reactions`, { emoji_name: "tada" });
    expect(await tripsOf(react)).toEqual(["begin, fence, select", "select", "write, write, commit"]);
  });
});
