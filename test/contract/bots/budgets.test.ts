/** Bots have a budget each, and one together: more bots are not more of the server. */
import { beforeAll, describe, expect, it } from "vitest";
import { rates } from "../../../http/api/rate-limit.ts";
import { cursorOf, expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({
  environment: { PARLEY_RATE_LIMITS: "on", PARLEY_RATE_LIMIT_API_BY_BOTS_OF_OWNER: "600/36000" },
  nodeCount: 1,
});
const [owner] = server.people("Ben Bots");
beforeAll(setUp);

describe("the budget of somebody's bots", () => {
  it("is shared by all of them, and the owner keeps their own", async () => {
    const first = await bots[0]!.client.get("/users/me");
    expect(first.headers.get("X-RateLimit-Limit")).toBe(String(rates.api_by_user.limit));
    spend(shared - 50);
    for (const { client } of bots) {
      const { headers } = await client.get("/users/me");
      expect(headers.get("X-RateLimit-Limit")).toBe(String(shared));
      expect(Number(headers.get("X-RateLimit-Remaining"))).toBeLessThan(rates.api_by_user.limit - 2);
    }
    const { headers } = await owner.client.get("/users/me");
    expect(headers.get("X-RateLimit-Limit")).toBe(String(rates.api_by_user.limit));
  });

  it("polls take from it, too, and what is over it gets 429", async () => {
    const { client } = bots[1]!;
    const cursor = cursorOf(await client.register({ event_types: ["message"] }));
    const ask = () => client.get("/events", { queue_id: cursor.queueId, last_event_id: -1, dont_block: true });
    expectSuccess(await ask());
    spend(shared);
    expectError(await ask(), 429, "RATE_LIMIT_HIT");
  });
});

async function setUp(): Promise<void> {
  bots = [await server.addBot(owner, "one"), await server.addBot(owner, "two")];
}

let bots: Person[];

const shared = rates.api_by_bots_of_owner.limit;
/** As if the owner's bots had asked so often: all but what comes back meanwhile is gone. */
const spend = (count: number) => {
  for (let taken = 0; taken < count; taken++) server.server.app.rateLimiter.take("api_by_bots_of_owner", owner.id);
};
