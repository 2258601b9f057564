/**
 * 10,000 random and mutated requests over the whole route table, by an owner and by a member. There is no 5xx and no
 * crash, JSON wherever the API promises it, and no stall of the event loop over a second. The seed is in the test's
 * name.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../http/api/routes.ts";
import { type FuzzRequest, fuzzRequests } from "../support/fuzz/requests.ts";
import type { Person } from "../support/people/person.ts";
import { startTestServer, type TestServer } from "../support/server/server.ts";
import { LongestTurn } from "../support/time/cpu.ts";
import { until } from "../support/time/until.ts";

/** Seeds that once failed stay. */
const pinned: number[] = [];
const seeds = [...pinned, Number(process.env["FUZZ_SEED"] ?? 20_261_121)];
const requestsPerSeed = 10_000;
const longestStallMs = 1000;
const atOnce = 8;

let server: TestServer;
let people: Person[];
beforeAll(async () => {
  server = await startTestServer();
  people = [server.owner, await server.addUser("Mel")];
});
afterAll(() => server.stop());

/** What would end the fuzzing rather than be fuzzed: the organization itself, and the accounts that do it. */
const left = (request: FuzzRequest) =>
  (/\/realm\/deactivate|\/users\/me$|api_key|\/settings|\/events/.test(request.path) && request.method !== "GET") ||
  /\/events/.test(request.path);

async function send(request: FuzzRequest, person: Person): Promise<{ status: number; text: string; type: string }> {
  const hasBody = request.method !== "GET" && request.method !== "HEAD";
  const response = await fetch(`${server.url}${request.path}${request.query ? `?${request.query}` : ""}`, {
    method: request.method,
    redirect: "manual",
    headers: {
      authorization: `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`,
      ...(request.contentType && { "content-type": request.contentType }),
    },
    ...(hasBody && request.body !== "" && { body: request.body }),
  });
  return { status: response.status, text: await response.text(), type: response.headers.get("content-type") ?? "" };
}

describe("fuzzing the route table", () => {
  it.each(seeds)(
    "seed %i: no 5xx, no stall, no crash",
    async (seed) => {
      const requests = fc
        .sample(fuzzRequests(routes), { seed, numRuns: requestsPerSeed })
        .filter((request) => !left(request));
      expect(requests.length).toBeGreaterThan(requestsPerSeed * 0.9);
      const failures: string[] = [];
      const statuses = new Map<number, number>();
      const longestTurn = new LongestTurn();
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < requests.length && failures.length < 20) {
          const number = next++;
          const request = requests[number]!;
          const { status, text, type } = await send(request, people[number % 7 === 0 ? 1 : 0]!);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          const isApi = request.path.startsWith("/api/v1/");
          // The relay's and the database's own words are errors too, but not here: both are fine.
          if (status >= 500) failures.push(`${status} ${JSON.stringify(request)}: ${text.slice(0, 300)}`);
          else if (isApi && text !== "" && !/json/.test(type))
            failures.push(`not JSON (${type}): ${JSON.stringify(request)}`);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      const longestMs = longestTurn.stop();
      expect(failures).toEqual([]);
      expect(statuses.get(200) ?? 0, "some requests must get through").toBeGreaterThan(300);
      expect(longestMs, "processor time of the longest turn, ms").toBeLessThan(longestStallMs);
      // Just after all that, a commit may be slow on a busy machine, which /health tells.
      await until("the server to be well", async () => (await fetch(`${server.url}/health`)).ok);
    },
    240_000,
  );
});
