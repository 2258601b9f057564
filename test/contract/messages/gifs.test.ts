/** GIFs of a provider. A server on this machine plays it as its documentation says, badly, and not at all. */
import { beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { giphyAnswer, klipyAnswer } from "../../support/files/gif-answers.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";
import { type ServiceAnswer, webService } from "../../support/server/web-service.ts";

const provider = webService();
const server = testServer({ environment: () => gifsOf("klipy") });
const [ada, bob] = server.people("Ada", "Bob");
beforeEach(() => void Object.assign(provider, { requests: [], answer: () => klipyAnswer(provider.url, ["a cat"]) }));

describe("KLIPY", () => {
  it("is asked by the server for words, or for what many send, and a page at a time", async () => {
    const looked = words();
    provider.answer = () => klipyAnswer(provider.url, ["a cat dances", "a cat sleeps"], "page 2");
    const { gifs, next } = await found(ada, { query: ` ${looked} ` });
    expect(asked()).toEqual({
      pathname: "/v2/search",
      key: "the key",
      q: looked,
      limit: "15",
      media_filter: "tinygif,mediumgif",
      locale: "en",
      contentfilter: "high",
    });
    expect(gifs.map(({ alt, url, width, height }) => ({ alt, url, width, height }))).toEqual([
      { alt: "a cat dances", url: `${provider.url}/0-medium.gif`, width: 220, height: 124 },
      { alt: "a cat sleeps", url: `${provider.url}/1-medium.gif`, width: 220, height: 124 },
    ]);
    expect(next).toBe("page 2");
    await found(ada, { query: looked, from: next });
    expect(asked()).toMatchObject({ q: looked, pos: "page 2" });
    await found(ada, {});
    expect(asked()).toMatchObject({ pathname: "/v2/featured" });
    expect(asked()).not.toHaveProperty("q");
  });

  it("hears no person, and previews come through this server", async () => {
    const { gifs } = await found(bob, { query: words() });
    const { headers } = provider.requests[0]!;
    expect(Object.keys(headers).sort()).toEqual(["accept", "connection", "host", "user-agent"]);
    expect(headers["user-agent"]).toBe("Parley");
    const hex = Buffer.from(`${provider.url}/0-tiny.gif`).toString("hex");
    expect(gifs[0]!.preview_url).toMatch(new RegExp(`^/external_content/[0-9a-f]{40}/${hex}$`));
  });

  it.each([
    [1, "high"],
    [2, "medium"],
    [3, "low"],
    [4, "off"],
  ])("finds what the organization's rating %i allows", async (policy, filter) => {
    await server.owner.setRealm({ gif_rating_policy: policy });
    await found(ada, { query: words() });
    expect(asked()["contentfilter"]).toBe(filter);
    await server.owner.setRealm({ gif_rating_policy: 1 });
  });

  it("finds nothing where the organization has none, also of what was found before", async () => {
    const query = words();
    await found(ada, { query });
    await server.owner.setRealm({ gif_rating_policy: 0 });
    expect(expectError(await ask(ada, { query }), 400)["msg"]).toBe("This organization has no GIFs.");
    await server.owner.setRealm({ gif_rating_policy: 1 });
    expect(provider.requests).toHaveLength(1);
  });

  it("is asked in the language of whoever looks", async () => {
    expectSuccess(await bob.client.patch("/settings", { default_language: "zh-hans" }));
    await found(bob, { query: words() });
    expect(asked()["locale"]).toBe("zh_CN");
  });

  it("is asked once for what many look for, while that is kept", async () => {
    const query = words();
    const pages = await Promise.all([ada, bob, ada].map((person) => found(person, { query })));
    await found(ada, { query });
    // Bob reads another language.
    expect(provider.requests).toHaveLength(2);
    for (const { gifs } of pages) expect(gifs).toHaveLength(1);
  });

  it("has no more than fits a question", async () => {
    expectError(await ask(ada, { query: "x".repeat(101) }), 400);
    expectError(await ask(ada, { from: "x".repeat(201) }), 400);
    expect(provider.requests).toEqual([]);
  });
});

describe("of an answer", () => {
  type Result = Record<string, unknown>;
  const result = (change: (one: Result) => Result) => {
    const { results } = JSON.parse(klipyAnswer(provider.url, ["good", "odd"]).body) as { results: Result[] };
    return { body: JSON.stringify({ results: [change(results[1]!), results[0]!], next: 7 }) };
  };
  const formats = (medium: unknown, tiny: unknown = medium) => ({
    tinygif: { url: tiny, dims: [220, 124] },
    mediumgif: { url: medium },
  });
  const odd: [string, () => ServiceAnswer][] = [
    ["no object", () => result(() => 7 as never)],
    ["no formats", () => result(({ media_formats: _, ...one }) => one)],
    ["formats of another kind", () => result((one) => ({ ...one, media_formats: [] }))],
    ["a script", () => result((one) => ({ ...one, media_formats: formats("javascript:alert(1)//.gif") }))],
    ["data", () => result((one) => ({ ...one, media_formats: formats("data:image/gif;base64,R0lGOD.gif") }))],
    ["another host", () => result((one) => ({ ...one, media_formats: formats("https://evil.example/a.gif") }))],
    ["a host like it", () => result((one) => ({ ...one, media_formats: formats("https://evilklipy.com/a.gif") }))],
    [
      "a name before the host",
      () => result((one) => ({ ...one, media_formats: formats("https://a@klipy.com/a.gif") })),
    ],
    ["no https", () => result((one) => ({ ...one, media_formats: formats("http://static.klipy.com/a.gif") }))],
    ["a page", () => result((one) => ({ ...one, media_formats: formats("https://static.klipy.com/a.html") }))],
    [
      "one long address",
      () => result((one) => ({ ...one, media_formats: formats(`https://static.klipy.com/${"a".repeat(3000)}.gif`) })),
    ],
    ["no address", () => result((one) => ({ ...one, media_formats: formats(7) }))],
    [
      "another preview",
      () =>
        result((one) => ({ ...one, media_formats: formats(`${provider.url}/a.gif`, "https://evil.example/a.gif") })),
    ],
    [
      "no sides",
      () =>
        result((one) => ({
          ...one,
          media_formats: { ...formats(`${provider.url}/a.gif`), tinygif: { url: `${provider.url}/a.gif` } },
        })),
    ],
    [
      "sides of another kind",
      () =>
        result((one) => ({
          ...one,
          media_formats: {
            ...formats(`${provider.url}/a.gif`),
            tinygif: { url: `${provider.url}/a.gif`, dims: ["1e9", -1] },
          },
        })),
    ],
  ];
  it.each(odd)("one GIF with %s is left out, and the others are shown", async (_what, answer) => {
    provider.answer = answer;
    const { gifs, next } = await found(ada, { query: words() });
    expect(gifs.map(({ alt }) => alt)).toEqual(["good"]);
    expect(next).toBe("");
  });

  it("words are one line of what can be shown, and addresses end no Markdown", async () => {
    const url = `${provider.url}/a_(b).gif`;
    provider.answer = () =>
      result((one) => ({
        ...one,
        content_description: ` a\0\u202e\n  cat ${"x".repeat(500)}`,
        media_formats: formats(url),
      }));
    const [gif] = (await found(ada, { query: words() })).gifs;
    expect(gif!.alt).toMatch(/^a\ufffd cat x+$/);
    expect([...gif!.alt].length).toBe(150);
    expect(gif!.url).toBe(`${provider.url}/a_%28b%29.gif`);
  });

  it("no more are shown than were asked for", async () => {
    provider.answer = () =>
      klipyAnswer(
        provider.url,
        Array.from({ length: 100 }, (_, at) => `${at}`),
      );
    expect((await found(ada, { query: words() })).gifs).toHaveLength(15);
  });

  const none: [string, ServiceAnswer][] = [
    ["an error", { status: 500, body: '{"results":[]}' }],
    ["a refused key", { status: 401, body: '{"error":"bad key"}' }],
    ["too much", { status: 429 }],
    ["a redirect", { status: 302, headers: { Location: "http://169.254.169.254/" } }],
    ["a page", { headers: { "Content-Type": "text/html" }, body: "<!doctype html><script>alert(1)</script>" }],
    ["nothing", {}],
    ["no object", { body: "null" }],
    ["no list", { body: '{"results":{"length":3}}' }],
    ["a deep list", { body: `{"results":${"[".repeat(5000)}${"]".repeat(5000)}}` }],
    ["megabytes", { body: JSON.stringify({ results: [], more: "x".repeat(4 * 1024 * 1024) }) }],
  ];
  it("that does not come is a sentence as well", async () => {
    provider.answer = () => undefined;
    expectError(await ask(ada, { query: words() }), 502, "GIFS_UNAVAILABLE");
    expect(provider.requests).toHaveLength(1);
  });

  it.each(none)("that is %s is a sentence, and the provider is asked again", async (_what, answer) => {
    const query = words();
    provider.answer = () => answer;
    expect(expectError(await ask(ada, { query }), 502, "GIFS_UNAVAILABLE")["msg"]).toContain("try again later");
    provider.answer = () => klipyAnswer(provider.url, ["a cat"]);
    expect((await found(ada, { query })).gifs).toHaveLength(1);
  });
});

it("GIPHY is asked in its own way, and what is rated higher is left out", async () => {
  const other = await startTestServer(gifsOf("giphy"));
  try {
    provider.answer = () =>
      giphyAnswer(
        provider.url,
        [
          ["a dog runs", "g"],
          ["too much", "r"],
          ["odd", "x"],
          ["b", "y"],
        ],
        40,
      );
    await other.owner.setRealm({ gif_rating_policy: 3 });
    const query = "d".repeat(60);
    expectSuccess(await other.owner.client.patch("/settings", { default_language: "zh-hans" }));
    const { gifs, next } = await found(other.owner, { query });
    expect(asked()).toEqual({
      pathname: "/v1/gifs/search",
      api_key: "the key",
      q: "d".repeat(50),
      limit: "15",
      offset: "0",
      rating: "pg-13",
      lang: "zh-CN",
      fields: "title,alt_text,rating,images.fixed_width,images.downsized_medium",
    });
    expect(gifs.map(({ alt }) => alt)).toEqual(["a dog runs", "b"]);
    expect(gifs[0]).toMatchObject({ url: `${provider.url}/0.gif?cid=1`, width: 200, height: 113 });
    expect(next).toBe("4");
    await found(other.owner, { from: "4" });
    expect(asked()).toMatchObject({ pathname: "/v1/gifs/trending", offset: "4" });
    provider.answer = () => giphyAnswer(provider.url, [["last", "g"]], 5);
    expect((await found(other.owner, { query, from: "4" })).next).toBe("");
    await found(other.owner, { query, from: "no number" });
    expect(asked()["offset"]).toBe("0");
    const state = await other.owner.client.register({ fetch_event_types: ["realm", "giphy", "tenor", "klipy"] });
    expect(state).toMatchObject({ server_gif_provider: "giphy", giphy_api_key: "", klipy_api_key: "" });
  } finally {
    await other.stop();
  }
});

describe("who finds none", () => {
  it("is everybody where the server has no provider, and clients are told", async () => {
    const plain = await startTestServer();
    try {
      expect(expectError(await ask(plain.owner), 400)["msg"]).toBe("This server has no provider of GIFs.");
      const state = await plain.owner.client.register({ fetch_event_types: ["realm"] });
      expect(state["server_gif_provider"]).toBe("");
    } finally {
      await plain.stop();
    }
  });

  it("is whoever has used up their budget, and everybody where the organization has; what is kept costs nothing", async () => {
    const rates = { PARLEY_RATE_LIMIT_GIFS_BY_USER: "2/3600", PARLEY_RATE_LIMIT_GIFS_BY_REALM: "3/3600" };
    const poor = await startTestServer(gifsOf("klipy", rates));
    try {
      const other = await poor.addUser("Other");
      const statusOf = async (person: Pick<Person, "client">, query: string) => (await ask(person, { query })).status;
      for (const query of ["a", "b", "a"]) expect(await statusOf(poor.owner, query)).toBe(200);
      expect(await statusOf(poor.owner, "c")).toBe(429);
      expect(await statusOf(other, "a")).toBe(200);
      expect(await statusOf(other, "c")).toBe(200);
      expect(await statusOf(other, "d")).toBe(429);
      expect(provider.requests).toHaveLength(3);
    } finally {
      await poor.stop();
    }
  });

  it("is everybody where the provider is in the server's own network and the operator has not said so", async () => {
    const inside = await startTestServer(gifsOf("klipy", { PARLEY_ALLOWED_ADDRESSES: "" }));
    try {
      expectError(await ask(inside.owner), 502, "GIFS_UNAVAILABLE");
      expect(provider.requests).toEqual([]);
    } finally {
      await inside.stop();
    }
  });
});

it("a provider is named whole or not at all", () => {
  const read = (more: Record<string, string>) => readConfig(more).gifs;
  const whole = { PARLEY_GIF_PROVIDER: "klipy", PARLEY_GIF_KEY: "x" };
  expect(read({})).toBeUndefined();
  expect(read(whole)).toEqual({ provider: "klipy", key: "x", url: undefined });
  expect(() => read({ PARLEY_GIF_PROVIDER: "klipy" })).toThrow("PARLEY_GIF_KEY is missing");
  for (const name of ["PARLEY_GIF_KEY", "PARLEY_GIF_URL"])
    expect(() => read({ [name]: "https://gifs.example" })).toThrow("PARLEY_GIF_PROVIDER is missing");
  expect(() => read({ ...whole, PARLEY_GIF_PROVIDER: "tenor" })).toThrow("one of giphy, klipy");
  expect(() => read({ ...whole, PARLEY_EXTERNAL_CONTENT: "off" })).toThrow("PARLEY_EXTERNAL_CONTENT must be on");
});

const gifsOf = (name: string, more: Record<string, string> = {}) => ({
  PARLEY_GIF_PROVIDER: name,
  PARLEY_GIF_KEY: "the key",
  PARLEY_GIF_URL: provider.url,
  PARLEY_ALLOWED_ADDRESSES: "127.0.0.1",
  PARLEY_RATE_LIMIT_GIFS_BY_USER: "1000/300",
  ...more,
});

/** Nobody else has asked for the same. */
let count = 0;
const words = () => `cats ${++count}`;
const ask = ({ client }: Pick<Person, "client">, params: Record<string, string> = {}) => client.get("/gifs", params);
interface Found {
  gifs: { alt: string; url: string; preview_url: string; width: number; height: number }[];
  next: string;
}
const found = async (person: Pick<Person, "client">, params: Record<string, string>) =>
  expectSuccess(await ask(person, params)) as unknown as Found;
/** What the provider was asked, as path and parameters. */
const asked = (): Record<string, string> => {
  const { pathname, searchParams } = new URL(provider.requests.at(-1)!.path, provider.url);
  return { pathname, ...Object.fromEntries(searchParams) };
};
