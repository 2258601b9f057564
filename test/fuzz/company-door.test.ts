/**
 * What a provider of identities, a browser that comes back from one, and a directory may send: values of wrong types,
 * huge ones, and those that have broken servers before. Nothing is answered by a bug's 500, what is refused leaves
 * everything as it was, and the server goes on. `PARLEY_FUZZ_DOOR=20` sends twenty times as many, of the seed
 * `PARLEY_FUZZ_FROM`.
 */
import fc from "fast-check";
import { SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { routes } from "../../http/api/routes.ts";
import type { Page } from "../support/client/plain-browser.ts";
import { exchangeRaw } from "../support/client/raw-exchange.ts";
import { type Directory, directoryOf, type ScimResource } from "../support/client/scim.ts";
import { hostileRequests, wire } from "../support/fuzz/hostile-bodies.ts";
import { nastyTexts } from "../support/fuzz/requests.ts";
import { lyingProvider, now } from "../support/identities/lying-provider.ts";
import { longestTurnOf } from "../support/time/cpu.ts";

const seed = Number(process.env["PARLEY_FUZZ_FROM"] ?? 20_261_128);
const times = Number(process.env["PARLEY_FUZZ_DOOR"] ?? 1);
const timeoutMs = 45_000;

const { server, service, provider, begun, finished } = lyingProvider({
  groups: { "/math": "Mathematicians", constructor: "Constructors" },
  roles: { administrator: ["/admins"], moderator: ["toString"] },
  channels: { "/math": ["math"] },
});

/** Before each: what the provider says of itself is asked for once, and has a place for more claims. */
beforeEach(() => {
  provider.answers["/.well-known/openid-configuration"] = () =>
    provider.json({ ...provider.described(), userinfo_endpoint: `${service.url}/me` });
});

afterAll(async () => {
  const health = await fetch(`${server.url}/health`);
  expect(health.status).toBe(200);
});

/** Values of every kind, and of sizes that nobody needs. */
const values: readonly unknown[] = [
  ...nastyTexts,
  ...[null, true, 0, -1, 1e308, 2 ** 53, [], {}, [[]], [null], [{}], [["/math"]], { length: 1e9 }, { "/math": true }],
  ...[
    JSON.parse('{"__proto__":{"a":1}}'),
    { toString: 1 },
    { toJSON: "x", valueOf: 1 },
    { constructor: { name: "x" } },
  ],
  "/math",
  ["/math", "/admins", 7, null],
  "x".repeat(100_000),
  "😀".repeat(20_000),
  Array.from({ length: 50_000 }, (_, n) => (n % 2 === 0 ? n : null)),
  nested(2000),
];
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...values) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

function nested(levels: number): unknown {
  let inner: unknown = "x";
  for (let level = 0; level < levels; level++) inner = [inner];
  return inner;
}

/** Some of these names, each with any value; mostly one, since what is refused for one hides the others. */
const oddly = (names: readonly string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...names), value).map((one) => Object.fromEntries([one])) },
    fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4, noNullPrototype: true }),
  );

const sample = <T>(arbitrary: fc.Arbitrary<T>, count: number): T[] =>
  fc.sample(arbitrary, { numRuns: count * times, seed });

/** Everything that a log-in or a directory could have changed. */
async function everything(): Promise<string> {
  const { users, groups } = await server.state();
  const members = [...groups.byId.keys()].map((id) => [...groups.directMembers(id)]);
  return JSON.stringify([[...users.values()], [...groups.byId.values()], members]);
}

/** Milliseconds of processor time in one turn of the event loop, the test's own part included. */
const longestTurnMs = 100;

async function inShortTurns(what: string, work: () => Promise<void>): Promise<void> {
  expect(await longestTurnOf(work), `processor time of the longest turn, ms: ${what}`).toBeLessThan(longestTurnMs);
}

/** The sentence of a page that refuses. */
const reasonIn = ({ text }: Page): string => /role="alert"[^>]*>([^<]*)</.exec(text)?.[1] ?? "";

describe(`seed ${seed}: what a provider says of somebody`, () => {
  const person = ["email", "email_verified", "name", "groups", "sid", "_claim_names", "_claim_sources", "__proto__"];
  const protocol = ["sub", "iss", "aud", "exp", "iat", "nbf", "azp", "nonce", "at_hash", "constructor"];
  const claims = fc.oneof(
    { weight: 4, arbitrary: oddly(person) },
    { weight: 1, arbitrary: oddly([...person, ...protocol]) },
  );

  it("lets somebody in as a whole, or refuses and changes nothing", async () => {
    let subjects = 0;
    let came = 0;
    for (const [told, besides] of sample(fc.tuple(claims, claims), 60)) {
      const before = await everything();
      provider.answers["/me"] = () => provider.json({ sub: `odd${subjects}`, ...besides });
      const { page, self } = await finished({ sub: `odd${subjects++}`, ...told });
      const what = `${JSON.stringify(told).slice(0, 300)} ${JSON.stringify(besides).slice(0, 300)}: ${reasonIn(page)}`;
      const isIn = page.status === 302;
      if (isIn) came++;
      expect([302, 400, 401, 503], what).toContain(page.status);
      // An answer that is too large is not read.
      if (page.status === 503) expect(reasonIn(page)).toContain("its answer has more than");
      expect(await self(), what).toBe(isIn ? 200 : 401);
      if (!isIn) expect(await everything(), what).toBe(before);
    }
    expect(came).toBeGreaterThan(10);
  });

  it("of a megabyte is not read, whatever it is, in short turns", async () => {
    const many = Array.from({ length: 100_000 }, (_, n) => n);
    const texts = [
      JSON.stringify({ sub: "x".repeat(2 ** 20) }),
      JSON.stringify(Object.fromEntries(many.map((n) => [`k${n}`, 1]))),
      JSON.stringify({ keys: many.map(() => ({ kty: "RSA" })) }),
      "[".repeat(2 ** 20),
    ];
    for (const place of ["/me", "/token"])
      for (const text of texts)
        await inShortTurns(`${place} ${text.slice(0, 20)}`, async () => {
          const flow = await begun();
          const id_token = await provider.token(flow.nonce, { sub: "large" });
          provider.answers["/token"] = () => provider.json({ access_token: "a", token_type: "Bearer", id_token });
          provider.answers[place] = () => provider.json(text);
          const page = await flow.browser.get(flow.callback);
          expect([page.status, reasonIn(page)]).toEqual([503, expect.stringContaining("256 KiB")]);
          delete provider.answers[place];
        });
  });

  it("with 50,000 groups gives what the first thousands of them give", async () => {
    const groups = Array.from({ length: 50_000 }, (_, n) => `g${n}`);
    const claimed = async (sub: string, all: string[]) => {
      provider.answers["/me"] = () => provider.json({ sub, groups: all });
      return finished({ sub });
    };
    const short = Array.from({ length: 50_000 }, () => "a");
    await inShortTurns("50,000 groups", async () => {
      // Some 380 kB: more than is read of any answer.
      expect((await claimed("many", ["/math", ...groups])).page.status).toBe(503);
      const { page, self } = await claimed("short", ["/math", ...short]);
      expect([page.status, await self()]).toEqual([302, 200]);
    });
    const { users, groups: known } = await server.state();
    const person = [...users.values()].find(({ delivery_email }) => delivery_email === "short@example.net");
    expect(known.hasDirectMember(known.findByName("Mathematicians")!.id, person!.id)).toBe(true);
  });
});

describe(`seed ${seed}: a browser that comes back`, () => {
  const field = fc.constantFrom(
    "state",
    "code",
    "iss",
    "error",
    "error_description",
    "session_state",
    "nonce",
    "id_token",
  );
  const text = fc.oneof(fc.constantFrom(...nastyTexts), fc.string({ maxLength: 30, unit: "binary" }));
  const change = fc.record({ field, text, how: fc.constantFrom("set", "append", "delete", "raw") });
  const answer = fc.oneof(
    fc.record({ status: fc.constantFrom(200, 201, 204, 302, 400, 401, 500), body: value }),
    fc.record({
      status: fc.constant(200),
      body: fc.record({ access_token: value, token_type: value, id_token: value }),
    }),
  );

  it("with anything but what it was given is not logged in, and the right answer is taken once", async () => {
    for (const { changes, answered, cut } of sample(
      fc.record({ changes: fc.array(change, { maxLength: 3 }), answered: answer, cut: fc.nat({ max: 400 }) }),
      80,
    )) {
      const flow = await begun();
      const kept = flow.browser.cookies(server.url).get("log-in")!;
      const url = new URL(flow.callback);
      let raw = "";
      for (const { field: name, text: given, how } of changes) {
        if (how === "set") url.searchParams.set(name, given);
        else if (how === "append") url.searchParams.append(name, given);
        else if (how === "delete") url.searchParams.delete(name);
        else raw += `&${name}=%zz%${name}[]=${new URLSearchParams({ x: given })}`;
      }
      provider.answers["/token"] = () => ({ ...provider.json(answered.body ?? ""), status: answered.status });
      if (cut % 4 === 0) flow.browser.cookies(server.url).set("log-in", kept.slice(0, cut));
      const page = await flow.browser.get(`${url.href}${raw}`);
      const what = `${url.search.slice(0, 300)}${raw.slice(0, 100)} ${JSON.stringify(answered).slice(0, 300)}`;
      expect([400, 401, 413, 414, 431, 503], `${what}: ${page.text.slice(0, 500)}`).toContain(page.status);
      if (page.status === 503) expect(reasonIn(page), what).toMatch(/its answer has more than|it answered 5/);
      expect(await flow.self(), what).toBe(401);
    }
    const flow = await begun();
    const kept = flow.browser.cookies(server.url).get("log-in")!;
    expect(await flow.end(await provider.token(flow.nonce, { sub: "right", groups: [] }))).toMatchObject({
      status: 302,
    });
    flow.browser.cookies(server.url).set("log-in", kept);
    expect(await flow.browser.get(flow.callback)).toMatchObject({ status: 401 });
  });
});

describe(`seed ${seed}: a token of a log-out`, () => {
  const event = "http://schemas.openid.net/event/backchannel-logout";
  const fields = ["iss", "aud", "iat", "exp", "nbf", "jti", "events", "sub", "sid", "nonce", "__proto__"];
  const claims = oddly(fields);
  const header = oddly(["alg", "kid", "typ", "crit", "b64", "jwk", "jku", "x5c", "zip"]);

  it("that is no right one ends nothing, and one that names another ends theirs alone", async () => {
    const stays = await finished({ sub: "stays", sid: "kept", groups: [] });
    const send = async (logout_token: string) =>
      (
        await fetch(`${server.url}/accounts/logout/backchannel/main/`, {
          method: "POST",
          body: new URLSearchParams({ logout_token }),
        })
      ).status;
    const cases = fc.record({
      told: claims,
      head: header,
      kind: fc.constantFrom("signed", "signed", "head", "text"),
      number: fc.nat(),
    });
    for (const { told, head, kind, number } of sample(cases, 100)) {
      const good = {
        iss: service.url,
        aud: "parley",
        iat: now(),
        jti: `j${number}`,
        events: { [event]: {} },
        sub: "other",
      };
      const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
      const text =
        kind === "signed"
          ? await signed({ ...good, ...told })
          : kind === "head"
            ? `${encode({ alg: "RS256", ...head })}.${encode(good)}.${(await signed(good)).split(".")[2]}`
            : nastyTexts[number % nastyTexts.length]!;
      expect([200, 400, 413], `${kind} ${JSON.stringify([told, head]).slice(0, 400)}`).toContain(await send(text));
    }
    expect(await stays.self()).toBe(200);
    expect(
      await send(
        await signed({
          iss: service.url,
          aud: "parley",
          iat: now(),
          jti: "last",
          events: { [event]: {} },
          sub: "stays",
        }),
      ),
    ).toBe(200);
    expect(await stays.self()).toBe(401);
  });

  /** As the provider signs, whatever the claims are. */
  const signed = (told: Record<string, unknown>) =>
    new SignJWT(told).setProtectedHeader({ alg: "RS256", kid: provider.keys.kid }).sign(provider.keys.privateKey);
});

describe(`seed ${seed}: a directory`, () => {
  let directory: Directory;
  let user: ScimResource;
  let group: ScimResource;
  beforeAll(async () => {
    directory = await directoryOf(server);
    user = await directory.createUser("target@example.com", { externalId: "one" });
    group = await directory.resource("POST", "/Groups", { displayName: "Target", members: [{ value: user.id }] });
  });

  /** Answers of SCIM's own kind, and nothing done by those that refuse. */
  const check = (status: number, text: string, isSame: boolean, what: string): void => {
    // What SCIM has and this server has not.
    const isBug = status >= 500 && !(status === 501 && text.includes("urn:ietf:params:scim"));
    expect({ isBug, isSame: status < 400 || isSame }, `${what}: ${status} ${text.slice(0, 300)}`).toEqual({
      isBug: false,
      isSame: true,
    });
  };

  it("is answered at every route, whatever the bytes are, and refused without anything done", async () => {
    const endpoints = routes.filter(({ path }) => path.startsWith("^/scim/v2/"));
    const port = Number(new URL(server.url).port);
    for (const hostile of sample(hostileRequests(endpoints), 150)) {
      const { method, path } = hostile.request;
      const { pieces, isWhole, ending } = wire(hostile, `Bearer ${directory.token}`);
      // The server waits for the rest of what is cut; that is `bodies.test.ts`'s.
      if (!isWhole || !path.startsWith("/scim/")) continue;
      const before = await everything();
      const { answers, isLate } = await exchangeRaw(port, { pieces, ending, timeoutMs, isHead: method === "HEAD" });
      expect(isLate, path).toBe(false);
      for (const { status, body } of answers)
        check(status, body, before === (await everything()), `${method} ${path} ${hostile.kind}`);
    }
  });

  it("that sends a group of 50,000 in one request is told to send it in several, in short turns", async () => {
    const ids = Array.from({ length: 50_000 }, (_, n) => String(1_000_000 + n));
    const members = ids.map((id) => ({ value: id }));
    const operations = ids.map((id) => ({ op: "add", path: "members", value: [{ value: id }] }));
    for (const [method, sent] of [
      ["PUT", JSON.stringify({ displayName: "Target", members: ids })],
      ["PUT", JSON.stringify({ displayName: "Target", members })],
      ["PATCH", JSON.stringify({ Operations: operations })],
      // Nearly as many as one request may have, all of them nobody.
      ["PATCH", JSON.stringify({ Operations: [{ op: "add", path: "members", value: ids.slice(0, 19_000) }] })],
    ] as const) {
      const before = await everything();
      await inShortTurns(`${method} of ${sent.length} characters`, async () => {
        const { status, body } = await directory.ask(method, `/Groups/${group.id}`, sent);
        check(status, JSON.stringify(body), before === (await everything()), method);
        expect(status).toBe(400);
      });
    }
  });

  const words = [
    "userName",
    "emails",
    "members",
    "value",
    "type",
    "active",
    "name.givenName",
    "externalId",
    "displayName",
  ];
  const odd = [
    "__proto__",
    "constructor",
    "urn:ietf:params:scim:schemas:core:2.0:User:userName",
    "$ref",
    "meta.created",
  ];
  const signs = '[ ] ( ) eq co pr not and or "x" "\\ 1e9 true null . \u0000'.split(" ");
  const path = fc
    .array(fc.constantFrom(...words, ...odd, ...signs), { minLength: 1, maxLength: 8 })
    .map((all) => all.join(" "));
  const tight = fc.oneof(
    path,
    path.map((given) => given.replaceAll(" ", "")),
    fc.constantFrom(...words, ...nastyTexts),
  );

  it("that changes hostile paths to hostile values changes all of it or nothing", async () => {
    const op = fc.oneof(fc.constantFrom("add", "replace", "remove", "Add", "REPLACE"), value);
    const operation = fc.record({ op, path: fc.oneof(tight, value), value }, { requiredKeys: ["op"] });
    const body = fc.record({
      Operations: fc.oneof(
        { weight: 9, arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: operation }, value), { maxLength: 3 }) },
        { weight: 1, arbitrary: value },
      ),
    });
    const whole = oddly([...words, "name", "photos", "roles", "userType", "schemas", ...odd]);
    const statuses: number[] = [];
    for (const [patch, more, isUser] of sample(fc.tuple(body, whole, fc.boolean()), 60)) {
      const document = { ...(isUser ? { userName: "target@example.com" } : { displayName: "Target" }), ...more };
      const place = isUser ? `/Users/${user.id}` : `/Groups/${group.id}`;
      for (const [method, at, sent] of [
        ["PATCH", place, patch],
        ["PUT", place, document],
        ["POST", isUser ? "/Users" : "/Groups", document],
      ] as const) {
        const before = await everything();
        const { status, body: said } = await directory.ask(method, at, sent);
        statuses.push(status);
        check(
          status,
          JSON.stringify(said),
          before === (await everything()),
          `${method} ${at} ${JSON.stringify(sent).slice(0, 500)}`,
        );
      }
    }
    for (const kind of [200, 400]) expect(statuses.filter((status) => status === kind).length).toBeGreaterThan(5);
  });

  it("that looks for hostile filters finds something, or is told why not", async () => {
    const number = fc.oneof({ weight: 3, arbitrary: fc.constant("3") }, fc.constantFrom(...nastyTexts));
    const plain = fc
      .tuple(fc.constantFrom(...words), fc.constantFrom("eq", "co", "GT", "ne"), fc.constantFrom('"x"', "1e9", "null"))
      .map((parts) => parts.join(" "));
    const wanted = fc.record({
      filter: fc.oneof(tight, plain),
      count: number,
      startIndex: number,
      attributes: tight,
    });
    let found = 0;
    for (const query of sample(wanted, 80))
      for (const kind of ["Users", "Groups"]) {
        const search = new URLSearchParams(query).toString();
        const { status, body } = await directory.ask("GET", `/${kind}?${search}`);
        if (status === 200) found++;
        check(status, JSON.stringify(body), true, search.slice(0, 500));
      }
    expect(found).toBeGreaterThan(5);
  });
});
