/** Providers that are away, answer rubbish, or lie: one clear sentence, nobody is let in, and the other ways stay. */
import { describe, expect, it } from "vitest";
import { PlainBrowser } from "../../support/client/plain-browser.ts";
import { lyingProvider, newKeys, now } from "../../support/identities/lying-provider.ts";
import type { ServiceAnswer } from "../../support/server/web-service.ts";

const { server, service, provider, begin, begun, finished } = lyingProvider();

describe("a provider that cannot be asked", () => {
  it("is one sentence beside the other ways, whatever it does", async () => {
    const told = async (name: string) => {
      const page = await begin(name);
      expect(page.text).toContain('name="password"');
      return [page.status, /role="alert" id="error">([^<]*)</.exec(page.text)?.[1]];
    };
    const sentence = (reason: string) => `Liar cannot be asked at the moment: ${reason}. Log in another way, or later.`;
    expect(await told("away")).toEqual([503, sentence("it could not be reached (ECONNREFUSED)")]);
    const answer = (given: ServiceAnswer) => (provider.answers["/.well-known/openid-configuration"] = () => given);
    answer(provider.json("{"));
    expect(await told("rubbish")).toEqual([401, expect.stringContaining("What Liar answered is not valid")]);
    answer(provider.json(`{"a":"${"x".repeat(2 ** 20)}"}`));
    expect(await told("huge")).toEqual([503, sentence("its answer has more than 256 KiB")]);
    answer(provider.json({ ...provider.described(), issuer: "https://elsewhere.example" }));
    expect(await told("other")).toEqual([401, expect.stringContaining("What Liar answered is not valid")]);
    answer({ status: 302, headers: { location: "http://127.0.0.1:1/" } });
    expect(await told("moved")).toEqual([401, expect.stringContaining("What Liar answered is not valid")]);
    answer({ status: 502 });
    expect(await told("denied")).toEqual([503, sentence("it answered 502")]);
    answer({ status: 204 });
    expect(await told("empty")).toEqual([401, expect.stringContaining("What Liar answered is not valid")]);
  });

  it("that hangs is given up in a while, and is left alone by all who come meanwhile", async () => {
    provider.answers["/.well-known/openid-configuration"] = () => undefined;
    const asked = () => service.at("/.well-known/openid-configuration").length;
    const before = asked();
    for (const page of await Promise.all(Array.from({ length: 20 }, () => begin("hanging"))))
      expect([page.status, page.text.includes("it did not answer within 8 seconds")]).toEqual([503, true]);
    expect(asked() - before).toBe(1);
  });

  it("is asked once for many who come at the same time, and again a moment later", async () => {
    const before = service.at("/.well-known/openid-configuration").length;
    const all = await Promise.all(Array.from({ length: 30 }, () => begin("main")));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([302]));
    expect(service.at("/.well-known/openid-configuration").length - before).toBe(1);
  });
});

describe("a token", () => {
  it("of the right person lets them in, and its code comes with the proof of who began", async () => {
    const flow = await begun();
    expect(flow.asked.get("code_challenge_method")).toBe("S256");
    expect(flow.asked.get("scope")).toBe("openid email");
    expect(await flow.end(await provider.token(flow.nonce, { sub: "right" }))).toMatchObject({ status: 302 });
    const sent = new URLSearchParams(service.at("/token").at(-1)!.body);
    expect(sent.get("code_verifier")).toMatch(/^[\w-]{43,}$/);
    expect(sent.get("redirect_uri")).toBe(flow.asked.get("redirect_uri"));
    expect(await flow.self()).toBe(200);
  });

  const hour = 3600;
  it.each([
    ["for another audience", { aud: "somebody-else" }],
    ["of another issuer", { iss: "https://elsewhere.example" }],
    ["of another log-in", { nonce: "another" }],
    ["that is over", { exp: now() - hour, iat: now() - 2 * hour }],
    ["that is not good yet", { nbf: now() + hour }],
    ["without a person", { sub: undefined }],
    ["of a person with a name that is none", { sub: "" }],
    ["of a person with a name that is too long", { sub: "x".repeat(256) }],
    ["of a person with a number for a name", { sub: 7 }],
    ["with many audiences and no word of who asked", { aud: ["parley", "other"], azp: "other" }],
  ])("%s lets nobody in", async (_, claims) => {
    const flow = await begun();
    const page = await flow.end(await provider.token(flow.nonce, { sub: "wrong", ...claims }));
    expect(page.status).toBe(401);
    expect(page.text).toMatch(/What Liar answered is not valid|Liar did not say who you are/);
    expect(await flow.self()).toBe(401);
  });

  it("of a clock that is half a minute ahead or behind is good", async () => {
    for (const skew of [-30, 30]) {
      const flow = await begun();
      const claims = { sub: "skewed", iat: now() + skew, nbf: now() + skew, exp: now() + skew + 5 };
      expect(await flow.end(await provider.token(flow.nonce, claims))).toMatchObject({ status: 302 });
    }
  });

  it("that nobody, or somebody else, has signed lets nobody in", async () => {
    const stranger = await newKeys("one");
    const flow = await begun();
    const forged = await provider.token(flow.nonce, { sub: "right" }, stranger);
    expect(await flow.end(forged)).toMatchObject({ status: 401 });
    const second = await begun();
    const [, payload] = (await provider.token(second.nonce, { sub: "right" })).split(".");
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
    expect(await second.end(none)).toMatchObject({ status: 401 });
    expect([await flow.self(), await second.self()]).toEqual([401, 401]);
  });

  it("by keys that were changed a moment ago is good, and by those that were taken away it is not", async () => {
    const old = provider.keys;
    expect(await (await finished({ sub: "right" })).self()).toBe(200);
    provider.keys = await newKeys("two");
    expect(await (await finished({ sub: "right" })).self()).toBe(200);
    const flow = await begun();
    expect(await flow.end(await provider.token(flow.nonce, { sub: "right" }, old))).toMatchObject({
      status: 401,
    });
  });

  it("with claims of wrong types joins nobody, and breaks nothing", async () => {
    for (const claims of [
      { email: ["a@example.net"], email_verified: true },
      { email: { a: 1 }, name: 7 },
      { email: null, name: null },
    ]) {
      const flow = await finished({ sub: "odd", ...claims });
      expect(flow.page).toMatchObject({ status: 401, text: expect.stringContaining("Whose account is it?") });
    }
    const flow = await finished({
      sub: "long",
      email: "long@example.net",
      email_verified: true,
      name: "\u0000<b>`".repeat(1000),
    });
    expect(flow.page.status).toBe(400);
  });
});

describe("coming back", () => {
  it("works once, in the browser that went, and with what the provider was given", async () => {
    const flow = await begun();
    provider.answers["/token"] = () => provider.json({ access_token: "a", token_type: "Bearer", id_token: "x" });
    const asked = () => service.at("/token").length;
    const before = asked();
    const { callback } = flow;
    const strange = callback.replace(/state=[^&]*/, "state=another");
    for (const [browser, url] of [
      [new PlainBrowser(), callback],
      [flow.browser, strange],
      [flow.browser, callback.replace(/state=[^&]*&?/, "")],
      [flow.browser, callback.replace("/complete/main/", "/complete/huge/")],
    ] as const) {
      const page = await browser.get(url);
      expect(page).toMatchObject({ status: 401, text: expect.stringContaining("Please begin again.") });
    }
    expect(asked()).toBe(before);
    const signed = await provider.token(flow.nonce, { sub: "once" });
    const kept = flow.browser.cookies(server.url).get("log-in")!;
    expect(await flow.end(signed)).toMatchObject({ status: 302 });
    flow.browser.cookies(server.url).set("log-in", kept);
    expect(await flow.browser.get(callback)).toMatchObject({ status: 401 });
    expect(asked()).toBe(before + 1);
  });

  it("with another issuer, an error, or no code lets nobody in", async () => {
    for (const change of [
      (query: URLSearchParams) => query.set("iss", "https://elsewhere.example"),
      (query: URLSearchParams) => query.set("error", "<img>"),
      (query: URLSearchParams) => query.delete("code"),
      (query: URLSearchParams) => query.append("code", "second"),
    ]) {
      const flow = await begun();
      const url = new URL(flow.callback);
      change(url.searchParams);
      const page = await flow.browser.get(url.href);
      expect(page.status).toBe(401);
      expect(page.text).not.toContain("<img>");
      expect(await flow.self()).toBe(401);
    }
  });

  it("to a provider that is away by then, or refuses the code, is one sentence", async () => {
    const refused = await begun();
    provider.answers["/token"] = () => ({
      status: 400,
      ...provider.json({ error: "invalid_grant", error_description: "<i>no</i>" }),
    });
    const page = await refused.browser.get(refused.callback);
    expect(page).toMatchObject({
      status: 401,
      text: expect.stringContaining("Liar did not log you in: invalid_grant."),
    });
    const broken = await begun();
    provider.answers["/token"] = () => ({ status: 503 });
    expect(await broken.browser.get(broken.callback)).toMatchObject({
      status: 503,
      text: expect.stringContaining("it answered 503"),
    });
  });
});

describe("a place to go to afterwards", () => {
  it("is one of ours", async () => {
    for (const [next, place] of [
      ["#narrow/is/dm", "/#narrow/is/dm"],
      ["https://elsewhere.example/", "/"],
      ["//elsewhere.example", "/"],
      ["\\\\elsewhere.example", "/"],
    ] as const) {
      const flow = await begun(`?next=${encodeURIComponent(next)}`);
      const page = await flow.end(await provider.token(flow.nonce, { sub: "right" }));
      expect(page.location).toBe(server.url + place);
    }
    expect((await new PlainBrowser().get(`${server.url}/accounts/login/social/main/?mobile_flow_otp=1`)).status).toBe(
      400,
    );
  });
});
