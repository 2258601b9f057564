/** Attempts to get in: failures are counted and logged, and past the limit nothing is looked up. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ApiClient, type ApiResponse, expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ environment, nodeCount: 1 });

describe("wrong API keys", () => {
  it("many from one address, one after another or at once: so many are looked up, the others are told to wait", async () => {
    for (const atOnce of [1, 60]) {
      const address = freshAddress();
      const answers: ApiResponse[] = [];
      for (let sent = 0; sent < 60; sent += atOnce)
        answers.push(
          ...(await Promise.all(
            Array.from({ length: atOnce }, (_, n) =>
              me(address, `guess${sent}.${n}.${atOnce}@example.com`, wrongKey()),
            ),
          )),
        );
      expect(statuses(answers)).toEqual({ 401: allowed, 429: 60 - allowed });
      const last = answers.find(({ status }) => status === 429)!;
      expect(expectError(last, 429, "RATE_LIMIT_HIT")["retry-after"]).toBeGreaterThan(0);
    }
  });

  it("many for one account, from as many addresses", async () => {
    const answers = [];
    for (let sent = 0; sent < 20; sent++) answers.push(await me(freshAddress(), "victim@example.com", wrongKey()));
    expect(statuses(answers)).toEqual({ 401: allowed, 429: 20 - allowed });
  });

  it("past the limit one costs no query, and a key that is known still works, from the same address", async () => {
    const address = freshAddress();
    const mel = await server.addUser("Mel");
    expectSuccess(await me(address, mel.email, mel.apiKey));
    const before = await Promise.all(
      Array.from({ length: allowed + 5 }, (_, n) => me(address, `many${n}@example.com`, wrongKey())),
    );
    expect(statuses(before)).toEqual({ 401: allowed, 429: 5 });
    await whileKeysAreLocked(async () => {
      expectError(await me(address, mel.email, wrongKey()), 429, "RATE_LIMIT_HIT");
      expectSuccess(await me(address, mel.email, mel.apiKey));
    });
  });

  it("right keys do not count, however many come at once from one address", async () => {
    const address = freshAddress();
    const people: Person[] = [];
    for (let n = 0; n < 4; n++) people.push(await server.addUser(`Crowd ${n}`));
    // Each spelling is new to the server.
    const spellings = people.flatMap(({ email, apiKey }) =>
      Array.from({ length: allowed }, (_, n) => ({ apiKey, email: " ".repeat(n + 1) + email.toUpperCase() })),
    );
    const answers = await Promise.all(spellings.map(({ email, apiKey }) => me(address, email, apiKey)));
    expect(statuses(answers)).toEqual({ 200: 4 * allowed });
  });

  it("in the address of a file as well", async () => {
    const address = freshAddress();
    const answers = await Promise.all(
      Array.from({ length: allowed + 5 }, () =>
        new ApiClient({ url: server.url }).get(
          "/user_uploads/1/a/b.txt",
          { api_key: wrongKey() },
          { root: true, headers: { "X-Forwarded-For": address } },
        ),
      ),
    );
    expect(statuses(answers)).toEqual({ 401: allowed, 429: 5 });
  });
});

describe("what is kept of who got in", () => {
  it("a few spellings of an account's header, none of them long", async () => {
    const { authenticator } = server.server.app;
    const ann = await server.addUser("Spelling Bee");
    const before = authenticator.size;
    const address = freshAddress();
    for (let n = 0; n < 40; n++) {
      // Capitals for the ones of n in binary.
      const email = [...ann.email].map((char, at) => ((n >> at) & 1 ? char.toUpperCase() : char)).join("");
      expectSuccess(await me(address, email, ann.apiKey));
      expectSuccess(await me(address, `${" ".repeat(n * 50)}${email}`, ann.apiKey));
    }
    expect(authenticator.size - before).toBeLessThanOrEqual(4);
  });
});

it("the kinds are set by settings", async () => {
  const email = "nobody@example.com";
  const address = freshAddress();
  const logIn = () =>
    new ApiClient({ url: server.url }).post(
      "/fetch_api_key",
      { username: email, password: "wrong" },
      { headers: { "X-Forwarded-For": address } },
    );
  for (let count = 0; count < 3; count++) expectError(await logIn(), 401, "AUTHENTICATION_FAILED");
  expectError(await logIn(), 429, "RATE_LIMIT_HIT");
});

it("the log-in page past the limit says when to try again", async () => {
  const address = freshAddress();
  const logIn = () =>
    fetch(`${server.url}/login/`, {
      method: "POST",
      headers: { "X-Forwarded-For": address },
      body: new URLSearchParams({ username: "somebody@example.com", password: "wrong" }),
    });
  for (let count = 0; count < 3; count++) expect((await logIn()).status).toBe(401);
  const refused = await logIn();
  expect(refused.status).toBe(429);
  expect(refused.headers.get("content-type")).toMatch(/^text\/html/);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

describe("wrong passwords for an account", () => {
  it("from one network lock its owner out neither elsewhere nor in a browser they have used", async () => {
    const nora = await server.addUser("Nora");
    const right = "a fine password";
    const [home, cafe] = [freshAddress(), freshAddress()];
    const logIn = async (password: string, address: string, cookie = "") => {
      const reply = await fetch(`${server.url}/login/`, {
        method: "POST",
        redirect: "manual",
        headers: { "X-Forwarded-For": address, Cookie: cookie },
        body: new URLSearchParams({ username: nora.email, password }),
      });
      return { status: reply.status, cookies: reply.headers.getSetCookie().map((line) => line.split(";")[0]!) };
    };
    const { cookies } = await logIn(right, cafe);
    const device = cookies.find((cookie) => cookie.startsWith("device="))!;
    for (let count = 0; count < 3; count++) expect((await logIn("wrong", cafe)).status).toBe(401);
    expect((await logIn(right, cafe)).status).toBe(429);
    expect((await logIn(right, home)).status).toBe(302);
    expect((await logIn(right, cafe, device)).status).toBe(302);
    // A device that somebody made up is known of nobody.
    expect((await logIn(right, cafe, `device=${"x".repeat(32)}`)).status).toBe(429);
    // A known one is counted as well.
    for (let count = 0; count < 3; count++) expect((await logIn("wrong", cafe, device)).status).toBe(401);
    expect((await logIn(right, cafe, device)).status).toBe(429);
  });

  it("from many networks are told to wait in the end", async () => {
    const tries = Array.from({ length: 12 }, () => ({ "X-Forwarded-For": freshAddress() }));
    const answers: ApiResponse[] = [];
    for (const headers of tries) {
      const form = { username: "far@example.com", password: "wrong" };
      answers.push(await new ApiClient({ url: server.url }).post("/fetch_api_key", form, { headers }));
    }
    expect(statuses(answers)).toEqual({ 401: 9, 429: 3 });
  });
});

const allowed = 10;
let addresses = 0;

const freshAddress = () => `198.51.100.${++addresses}`;
const wrongKey = () => randomBytes(16).toString("hex");
const me = (address: string, email: string, apiKey: string, headers: Record<string, string> = {}) =>
  new ApiClient({ url: server.url, email, apiKey }).get(
    "/users/me",
    {},
    { headers: { "X-Forwarded-For": address, ...headers } },
  );
const statuses = (answers: readonly ApiResponse[]) =>
  answers.reduce<Record<number, number>>((counts, { status }) => {
    counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }, {});

/** While nobody may read the table of keys, whoever asks for one waits. */
async function whileKeysAreLocked<T>(body: () => Promise<T>): Promise<T> {
  const { sql } = server.database;
  const lock = await sql.reserve();
  try {
    await lock`begin`;
    await lock`lock table credentials in access exclusive mode`;
    return await body();
  } finally {
    await lock`rollback`;
    lock.release();
  }
}

/** Tests say from which address they come. After an hour one more wrong key of one address would be let through. */
function environment(): Record<string, string> {
  return {
    PARLEY_RATE_LIMITS: "on",
    PARLEY_LOG_LEVEL: "error",
    PARLEY_TRUSTED_PROXIES: "1",
    PARLEY_RATE_LIMIT_REFUSED_KEY_BY_IP: "10/36000",
    PARLEY_RATE_LIMIT_REFUSED_KEY_BY_USER: "10/36000",
    PARLEY_RATE_LIMIT_AUTHENTICATE_BY_USERNAME: "3/36000",
    PARLEY_RATE_LIMIT_AUTHENTICATE_BY_USERNAME_ANYWHERE: "9/36000",
  };
}
