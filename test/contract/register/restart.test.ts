import { describe, expect, it } from "vitest";
import { restartJob } from "../../../actors/realm/own-commands.ts";
import { cursorOf, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MODERN, registerParams } from "../../support/convergence/client-profile.ts";
import { testServer } from "../../support/server/server.ts";
import { ownJob } from "../../support/time/own-job.ts";
import { until } from "../../support/time/until.ts";

const run = ownJob(restartJob);
const server = testServer({ alsoOn: ["native build", "streams"] });
const { owner } = server;

describe("spec §7: a restart event is sent to kept queues", () => {
  it.each([
    ["a modern", MODERN],
    ["an old", LEGACY],
  ])("once, with what the server is now, to %s client", async (_name, profile) => {
    await runJob();
    const state = await owner.client.register(registerParams(profile));
    const { generation } = (await server.realm()).environment.coordination;
    await setTold(generation - 1);
    await runJob();
    await runJob();
    const events = await owner.drain(cursorOf(state));
    expect(events.filter(({ type }) => type === "restart")).toEqual([
      {
        id: expect.any(Number),
        type: "restart",
        zulip_version: state["zulip_version"],
        zulip_merge_base: state["zulip_merge_base"],
        zulip_feature_level: state["zulip_feature_level"],
        server_generation: generation,
      },
    ]);
  });

  it("whose client asked for them, and not by the first server that an organization has", async () => {
    await runJob();
    const queue = await owner.queue({ event_types: ["message", "restart"] });
    const messages = await owner.queue({ event_types: ["message"] });
    await setTold(null);
    await runJob();
    expectSuccess(
      await owner.client.post("/messages", { type: "channel", to: "general", topic: "restart", content: "between" }),
    );
    await setTold(1);
    await runJob();
    const typesFor = async (cursor: typeof queue) => (await owner.drain(cursor)).map(({ type }) => type);
    expect(await typesFor(queue)).toEqual(["message", "restart"]);
    expect(await typesFor(messages)).toEqual(["message"]);
  });

  it("also where the servers before were killed before they had told of themselves", async () => {
    const queue = await owner.queue({ event_types: ["restart"] });
    await setTold(null);
    const { database, id } = await server.realm();
    const early = () => database.sql`update event_queues set generation = 1 where realm_id = ${id} returning id`;
    await until("the queue is stored", async () => (await early()).length > 0);
    await runJob();
    expect((await owner.drain(queue)).map(({ type }) => type)).toEqual(["restart"]);
  });
});

const runJob = async () => run(await server.realm(), Math.floor(Date.now() / 1000));
/** As if the realm's clients had been told of another server than this one. */
async function setTold(generation: number | null): Promise<void> {
  const { database, id } = await server.realm();
  await database.sql`update realms set server_generation = ${generation} where id = ${id}`;
}
