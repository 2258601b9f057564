/** Rate limits. One budget for all nodes; each counts for itself while they cannot talk. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRealm } from "../../../actors/organization/changes/create.ts";
import { RateLimiter, rates } from "../../../http/api/rate-limit.ts";
import { readConfig } from "../../../http/process/config.ts";
import type { RateBuckets } from "../../../storage/cluster/rate-buckets.ts";
import { redisRateBuckets } from "../../../storage/cluster/rate-buckets-redis.ts";
import { connectRedis, type RedisConnection, redisReady } from "../../../storage/cluster/redis.ts";
import { ApiClient, type ApiResponse, cursorOf, expectError, expectSuccess } from "../../support/client/api.ts";
import { Person } from "../../support/people/person.ts";
import { newInstallation, testRedis } from "../../support/server/redis.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

/** Long, so that nothing comes back while a test runs, however busy the machine. */
const windowSecs = 36_000;

describe("an organization with limits of its own", () => {
  const server = testServer({ environment: limitsByHost });

  it("has those, the others the general ones, and what it leaves out is as for everybody", async () => {
    const { ownerApiKey: apiKey } = await server.server.app.system.environment.database.transaction((sql) =>
      createRealm(sql, {
        host: "localhost",
        name: "Second",
        owner: { email: "owner@example.com", fullName: "Owner", passwordHash: null },
        now: Math.floor(Date.now() / 1000),
        hasFirstMessages: false,
      }),
    );
    const url = server.urls.map((one) => one.replace("127.0.0.1", "localhost"));
    const second = new ApiClient({ url, email: "owner@example.com", apiKey });
    const anybody = new ApiClient({ url });
    for (const { app } of server.nodes)
      await until(
        "the new organization to answer",
        async () => (await app.system.realmByHost("localhost")).state.row.host === "localhost",
      );
    // A registration, the short way of a poll, the long one.
    const { queueId, lastEventId } = cursorOf(await second.register({ event_types: ["message"] }));
    const poll = () => second.get("/events", { queue_id: queueId, last_event_id: lastEventId, dont_block: true });
    for (let left = 5; left >= 0; left--) expect(remaining(await poll())).toBe(left);
    expectError(await poll(), 429, "RATE_LIMIT_HIT");
    const first = await server.owner.client.get("/users/me");
    expect(first.headers.get("X-RateLimit-Limit")).toBe("300");
    const guess = (client: ApiClient) =>
      client.post("/fetch_api_key", { username: "owner@example.com", password: "not it" });
    for (const status of [401, 401, 429]) expect((await guess(anybody)).status).toBe(status);
    for (const status of [401, 401, 401])
      expect((await guess(new ApiClient({ url: server.urls }))).status).toBe(status);
  });

  it("is set by a JSON object whose words are checked", () => {
    for (const [value, complaint] of [
      ["no JSON", "must be JSON"],
      ['{"a": 1}', "must be an object of objects"],
      ['{"a": {"api": "1/1"}}', 'not "api"'],
      ['{"a": {"api_by_user": "1/0"}}', "PARLEY_RATE_LIMITS_BY_HOST (a, api_by_user) must be like"],
    ] as const)
      expect(() => readConfig({ PARLEY_RATE_LIMITS_BY_HOST: value })).toThrow(complaint);
  });
});

describe("the API", () => {
  const { limit } = rates.api_by_user;
  const environment = { PARLEY_RATE_LIMITS: "on", PARLEY_RATE_LIMIT_API_BY_USER: `${limit}/${windowSecs}` };
  const server = testServer({ environment, alsoOn: ["two nodes", "native build"] });

  it("each request takes one from its user's budget, wherever it goes, and says what is left", async () => {
    const { client } = await newcomer("ada");
    const answers = [];
    for (let count = 0; count < 6; count++) answers.push(await client.get("/users/me"));
    expect(answers.map(remaining)).toEqual([1, 2, 3, 4, 5, 6].map((taken) => limit - taken));
    expect(answers[0]!.headers.get("X-RateLimit-Limit")).toBe(String(limit));
    const reset = Number(answers[5]!.headers.get("X-RateLimit-Reset"));
    const eachSecs = windowSecs / limit;
    expect(reset - Date.now() / 1000).toBeGreaterThan(5 * eachSecs);
    expect(reset - Date.now() / 1000).toBeLessThanOrEqual(6 * eachSecs + 1);
  });

  it("polls take from the same budget", async () => {
    const { client } = await newcomer("bob");
    const cursor = cursorOf(await client.register({ event_types: ["message"] }));
    const before = remaining(await client.get("/users/me"));
    await client.events(cursor.queueId, cursor.lastEventId, { dontBlock: true });
    await until("the poll to be counted", async () => remaining(await client.get("/users/me")) < before - 1);
  });

  it("an empty budget is RATE_LIMIT_HIT with the seconds to wait, on every node, and for nobody else", async () => {
    const [{ client, email, apiKey }, other] = [await newcomer("cleo"), await newcomer("dora")];
    const answers = await Promise.all(Array.from({ length: limit + 20 }, () => client.get("/users/me")));
    const refused = answers.filter(({ status }) => status !== 200);
    // Nodes that cannot ask each other in time, as on a busy machine, count for themselves until they can.
    if (server.nodes.length === 1) expect(refused.length).toBe(20);
    else expect(refused.length).toBeLessThanOrEqual(20);
    const perNode = server.urls.map((url) => new ApiClient({ url, email, apiKey }));
    for (const node of perNode)
      await until("the budget to be empty", async () => {
        const answer = await node.get("/users/me");
        if (answer.status !== 200) refused.push(answer);
        return answer.status !== 200;
      });
    const error = expectError(refused[0]!, 429, "RATE_LIMIT_HIT");
    expect(error["retry-after"]).toBeGreaterThan(0);
    expect(error["retry-after"]).toBeLessThanOrEqual(windowSecs / limit);
    expect(refused[0]!.headers.get("Retry-After")).toBe(String(error["retry-after"]));
    expectSuccess(await other.client.get("/users/me"));
  });

  it("log-ins: five wrong passwords of one name, on all nodes together, and a right one costs nothing", async () => {
    const person = await newcomer("emil");
    const anybody = new ApiClient({ url: server.urls });
    const logIn = (password: string) => anybody.post("/fetch_api_key", { username: person.email, password });
    for (let count = 0; count < 7; count++) expectSuccess(await logIn("a fine password"));
    for (let count = 0; count < 5; count++) expectError(await logIn("wrong"), 401, "AUTHENTICATION_FAILED");
    for (let count = 0; count < 2; count++) expectError(await logIn("a fine password"), 429, "RATE_LIMIT_HIT");
  });

  /** Somebody who has asked nothing so far. */
  async function newcomer(name: string): Promise<Person> {
    const email = `${name}@example.com`;
    const made = expectSuccess(
      await server.owner.client.post("/users", { email, password: "a fine password", full_name: name }),
    );
    const id = made["user_id"] as number;
    const apiKey = await server.apiKeyOf(id);
    return new Person(name, { client: new ApiClient({ url: server.urls, email, apiKey }), id, email, apiKey });
  }
});

describe("buckets that nodes share", () => {
  const redis = testRedis();
  let connections: RedisConnection[];
  beforeAll(async () => {
    connections = [connectRedis(redis.url), connectRedis(redis.url)];
    await Promise.all(connections.map((connection) => redisReady(connection, 60_000)));
  });
  afterAll(() => {
    for (const connection of connections) connection.close();
  });
  const { limit } = rates.authenticate_by_username;
  const name = "authenticate_by_username";

  function nodes(): [RateLimiter, RateLimiter] {
    const installation = newInstallation();
    const [a, b] = connections.map((connection) => new RateLimiter(redisRateBuckets(connection, installation)));
    return [a!, b!];
  }

  it("what one node took, another one counts", async () => {
    const [a, b] = nodes();
    for (let taken = 1; taken <= limit; taken++) {
      const allowance = await (taken % 2 ? a : b).takeShared(name, "ada");
      expect(allowance).toMatchObject({ isAllowed: true, remaining: limit - taken, retryAfterSecs: 0 });
    }
    for (const node of [a, b]) {
      const allowance = await node.takeShared(name, "ada");
      expect(allowance).toMatchObject({ isAllowed: false, remaining: 0 });
      expect(allowance.retryAfterSecs).toBeGreaterThan(300);
    }
    expect(await b.takeShared(name, "bob")).toMatchObject({ isAllowed: true });
  });

  it("what was taken at once the others hear of a moment later, and what was given back at once", async () => {
    const [a, b] = nodes();
    for (let count = 0; count < limit; count++) expect(a.take(name, "ada").isAllowed).toBe(true);
    expect(a.take(name, "ada").isAllowed).toBe(false);
    await a.close();
    expect((await b.takeShared(name, "ada")).isAllowed).toBe(false);
    await a.giveBack(name, "ada");
    expect((await b.takeShared(name, "ada")).isAllowed).toBe(true);
    expect((await b.takeShared(name, "ada")).isAllowed).toBe(false);
  });

  it("when they cannot be reached, or do not answer, each node counts for itself and nobody waits long", async () => {
    const failing: RateBuckets[] = [
      { take: () => Promise.reject(new Error("gone")) },
      { take: () => new Promise(() => {}) },
    ];
    for (const buckets of failing) {
      const node = new RateLimiter(buckets);
      for (let count = 0; count < limit; count++) expect((await node.takeShared(name, "ada")).isAllowed).toBe(true);
      expect((await node.takeShared(name, "ada")).isAllowed).toBe(false);
      await node.close();
    }
  });
});

const remaining = ({ headers }: ApiResponse) => Number(headers.get("X-RateLimit-Remaining"));

/** A function, as it is asked for when the server starts. */
function limitsByHost(): Record<string, string> {
  const own = { localhost: { api_by_user: `7/${windowSecs}`, authenticate_by_username: `2/${windowSecs}` } };
  return {
    PARLEY_RATE_LIMITS: "on",
    PARLEY_RATE_LIMIT_API_BY_USER: `300/${windowSecs}`,
    PARLEY_RATE_LIMITS_BY_HOST: JSON.stringify(own),
  };
}
