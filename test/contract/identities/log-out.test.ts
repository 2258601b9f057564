/** A provider says that somebody has logged out there: their log-ins by it end, with what was opened through them. */
import { describe, expect, it } from "vitest";
import { lyingProvider, newKeys, now } from "../../support/identities/lying-provider.ts";

const { server, service, provider, finished } = lyingProvider();

describe("a log-out at the provider", () => {
  it("ends one log-in by its name there, and every one of a person by theirs", async () => {
    const [one, two, other] = [
      await finished({ sub: "lot", sid: "first" }),
      await finished({ sub: "lot", sid: "second" }),
      await finished({ sub: "other", sid: "first of another" }),
    ];
    const all = async () => [await one.self(), await two.self(), await other.self()];
    expect(await all()).toEqual([200, 200, 200]);
    expect(await logOut({ sid: "first" })).toBe(200);
    expect(await all()).toEqual([401, 200, 200]);
    expect(await logOut({ sub: "lot", sid: "of nothing" })).toBe(200);
    expect(await all()).toEqual([401, 200, 200]);
    expect(await logOut({ sub: "lot" })).toBe(200);
    expect(await all()).toEqual([401, 401, 200]);
  });

  it("ends queues, and a poll that waits", async () => {
    const { browser, self } = await finished({ sub: "poller", sid: "poll" });
    const queues = async () =>
      (await server.database.sql`select from event_queues where session_hash is not null`).length;
    const others = await queues();
    const csrf = browser.cookies(server.url).get("csrftoken")!;
    const registered = await browser.post(
      `${server.url}/json/register`,
      { event_types: '["message"]' },
      { "x-csrftoken": csrf },
    );
    const { queue_id, last_event_id } = JSON.parse(registered.text);
    expect(await queues()).toBe(others + 1);
    const poll = browser.get(`${server.url}/json/events?queue_id=${queue_id}&last_event_id=${last_event_id}`);
    expect(await logOut({ sub: "poller" })).toBe(200);
    // A poll that waited is answered with nothing, and one that came late is refused.
    expect((await poll).text).not.toContain('"type"');
    expect(await queues()).toBe(others);
    expect(await self()).toBe(401);
  });

  it.each([
    ["for somebody else", { aud: "somebody-else" }],
    ["of another issuer", { iss: "https://elsewhere.example" }],
    ["that is old", { iat: now() - 1000 }],
    ["without a time", { iat: undefined }],
    ["of a log-in", { nonce: "nonce" }],
    ["of another event", { events: { "http://schemas.example/other": {} } }],
    ["without an event", { events: undefined }],
    ["with a list of events", { events: ["http://schemas.openid.net/event/backchannel-logout"] }],
    ["without a name", { jti: undefined }],
    ["of nobody", { sub: undefined }],
    ["of a number", { sub: 7 }],
  ])("%s ends nothing", async (_, claims) => {
    const flow = await finished({ sub: "stays" });
    expect(await logOut({ sub: "stays", ...claims })).toBe(400);
    expect(await flow.self()).toBe(200);
  });

  it("ends nothing a second time, when somebody else signs it, or when it is no token", async () => {
    const flow = await finished({ sub: "once" });
    const token = await signed({ sub: "nobody" });
    expect([await send(token), await send(token)]).toEqual([200, 400]);
    const before = service.at("/keys").length;
    const stranger = await newKeys("stranger");
    for (let times = 0; times < 5; times++) expect(await send(await signed({ sub: "once" }, stranger))).toBe(400);
    // What anybody may send makes the server ask for keys once a minute.
    expect(service.at("/keys").length - before).toBeLessThanOrEqual(1);
    const [head, body] = (await signed({ sub: "once" })).split(".");
    for (const wrong of ["", "x", "a.b.c", `${head}.${body}.`, "x".repeat(8000)]) expect(await send(wrong)).toBe(400);
    expect(await flow.self()).toBe(200);
  });

  it("by a provider that nobody named is refused", async () => {
    expect(await send(await signed({ sub: "x" }), "unnamed")).toBe(400);
  });
});

const events = { "http://schemas.openid.net/event/backchannel-logout": {} };

function signed(claims: Record<string, unknown>, keys = provider.keys): Promise<string> {
  const told = { iss: service.url, aud: "parley", iat: now(), jti: crypto.randomUUID(), events, ...claims };
  return provider.sign(told, keys);
}

async function send(logout_token: string, by = "main"): Promise<number> {
  const body = new URLSearchParams({ logout_token });
  return (await fetch(`${server.url}/accounts/logout/backchannel/${by}/`, { method: "POST", body })).status;
}

const logOut = async (claims: Record<string, unknown>): Promise<number> => send(await signed(claims));
