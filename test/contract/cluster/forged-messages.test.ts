/** Somebody who is no node forges messages in the Redis that nodes meet in, and junk under all of their keys. */
import { pack } from "msgpackr";
import { describe, expect, it } from "vitest";
import { connectRedis, redisReady } from "../../../storage/cluster/redis.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { askAsOperator } from "../../support/client/as-operator.ts";
import { junk } from "../../support/faults/junk.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ environment: { PARLEY_LOG_LEVEL: "error" }, nodeCount: 2 });

describe("two nodes", () => {
  it("do nothing for who forges a message, count it, and serve on whatever is under their keys", async () => {
    const mallory = await server.addUser("Mallory");
    const forger = connectRedis(server.redis!.url);
    await redisReady(forger, 60_000);
    const redis = forger.client;
    const command = {
      kind: "command",
      id: 1,
      realm: 1,
      name: "updateUser",
      args: { actorId: server.owner.id, userId: mallory.id, role: 100 },
      by: { userId: server.owner.id, keyVersion: 1 },
    };
    const channels = (await redis.pubsub("CHANNELS", "parley:*")) as string[];
    expect(channels.length).toBe(3);
    for (const channel of channels)
      for (const bytes of [
        pack(["somebody", command]),
        pack(["somebody", 1, Date.now(), command]),
        ...Object.values(junk),
      ])
        await redis.publish(channel, bytes);
    for (let round = 0; round < 3; round++) {
      for (const key of await redis.keys("parley:*")) {
        // At once: a node may write the key again as soon as it is gone.
        const anew = redis.multi().del(key);
        if (round === 0) anew.set(key, "junk");
        else if (round === 1) anew.rpush(key, "junk");
        else anew.xadd(key, "*", "m", "x");
        await anew.exec();
      }
      for (let count = 0; count < 4; count++)
        await until("a send", async () => {
          const { status } = await server.owner.client.post("/messages", {
            type: "direct",
            to: [mallory.id],
            content: `round ${round}, ${count}`,
          });
          return status === 200;
        });
    }
    forger.close();
    const { user } = expectSuccess(await server.owner.client.get(`/users/${mallory.id}`)) as { user: { role: number } };
    expect(user.role).toBe(400);
    expect((await refusals()).length).toBeGreaterThan(0);
    await until("both replicas to be the same", async () => {
      const [one, two] = await server.realms();
      return one!.position === two!.position;
    });
  });
});

const refusals = async () => {
  const texts = await Promise.all(server.urls.map(async (url) => (await askAsOperator(`${url}/metrics`)).text()));
  return texts.flatMap((text) =>
    [...text.matchAll(/^parley_cluster_refused_total\{.*\} (\d+)$/gm)].map(([, n]) => Number(n)),
  );
};
