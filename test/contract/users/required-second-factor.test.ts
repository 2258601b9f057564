/** Organizations that require a second factor, with days of grace. */
import { beforeEach, describe, expect, it } from "vitest";
import { totpCode } from "../../../actors/users/second-factors/totp.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [adam, mia, gwen] = server.people(["Adam", 200], ["Mia", 400], ["Gwen", 600]);
const password = "a fine password";
const nobody = { of: "nobody", grace_days: 14 };
beforeEach(() => require(nobody));

describe("of whom it is required", () => {
  it.each([
    ["administrators", [true, false, false]],
    ["members", [true, true, false]],
    ["everyone", [true, true, true]],
    ["nobody", [false, false, false]],
  ] as const)("%s", async (of, concerned) => {
    await require({ of, grace_days: 0 });
    const asked = [];
    for (const person of [adam, mia, gwen]) asked.push((await firstStep(person)).status === 200);
    expect(asked).toEqual(concerned);
  });

  it("is the owners' to decide, and everybody's to know", async () => {
    expectError(await adam.client.patch("/realm/second_factor", nobody), 400, "UNAUTHORIZED_PRINCIPAL");
    for (const wrong of [{ of: "somebody" }, { of: "everyone", grace_days: -1 }, { of: "everyone", grace_days: 366 }])
      expectError(await server.owner.client.patch("/realm/second_factor", wrong), 400);
    await require({ of: "members", grace_days: 3 });
    const { required_second_factor } = expectSuccess(await gwen.client.get("/realm/second_factor"));
    expect(required_second_factor).toEqual({ of: "members", grace_days: 3, since: expect.any(Number) });
  });
});

describe("days of grace", () => {
  it("let people in, lead them to where they set one up, and end", async () => {
    await require({ of: "everyone", grace_days: 1 });
    const day = 86_400;
    expect(await firstStep(mia)).toMatchObject({ status: 302, location: "/#settings/account" });
    expect(await firstStep(mia, { next: "#narrow/is/starred" })).toMatchObject({ location: "/#narrow/is/starred" });
    const { second_factor } = expectSuccess(await mia.client.get("/users/me/second_factor")) as {
      second_factor: { required_from: number };
    };
    expect(Math.abs(second_factor.required_from - Date.now() / 1000 - day)).toBeLessThan(60);
    expectSuccess(await keyFor(mia));
    // The same number of days for others begins anew; of the same people it counts from the first time.
    const since = async () =>
      (expectSuccess(await mia.client.get("/realm/second_factor")) as { required_second_factor: { since: number } })
        .required_second_factor.since;
    const before = await since();
    await require({ of: "everyone", grace_days: 0 });
    expect(await since()).toBe(before);
    expect((await firstStep(mia)).status).toBe(200);
  });
});

describe("when they are over", () => {
  it("a log-in sets one up before it lets anybody in, and shows the recovery codes", async () => {
    const person = await server.addUser("Erin Enrolled");
    await require({ of: "everyone", grace_days: 0 });
    const browser = new CookieClient(server.url);
    const asked = await browser.form("/login/", { username: person.email, password, next: "#inbox" });
    expect(browser.isLoggedIn).toBe(false);
    const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(asked.page)![1]!.replaceAll(" ", "");
    const pending = pendingIn(asked.page);
    const wrong = await browser.form(setUp, { pending, code: "000000" });
    expect(wrong).toMatchObject({ status: 400, page: expect.stringContaining("not the code") });
    expect(wrong.page).toContain(asked.page.match(/<svg.*?<\/svg>/s)![0]);
    expect(browser.isLoggedIn).toBe(false);
    const done = await browser.form(setUp, { pending, code: codeOf(secret) });
    expect(done.status).toBe(200);
    const codes = done.page.match(/([a-z2-7]{4}-){3}[a-z2-7]{4}/g)!;
    expect(new Set(codes).size).toBe(10);
    expect(browser.isLoggedIn).toBe(false);
    const last = await browser.form(setUp, { pending: pendingIn(done.page) });
    expect(last).toMatchObject({ status: 302, location: "/#inbox" });
    expect((await browser.ask("GET", "/users/me"))["user_id"]).toBe(person.id);
    expect(await browser.ask("DELETE", "/users/me/second_factor")).toMatchObject({
      status: 400,
      msg: "Your organization requires a second factor of you.",
    });
    // From then on a code is asked for.
    const next = new CookieClient(server.url);
    const again = await next.form("/login/", { username: person.email, password });
    expect(again.page).toContain("recovery codes");
    expect((await next.form(step, { pending: pendingIn(again.page), code: codes[0]! })).status).toBe(302);
  });

  it("is set up by nobody who was asked for a code, or shows what was sealed for something else", async () => {
    const person = await server.addUser("Ida Intruder");
    await require({ of: "everyone", grace_days: 0 });
    const asked = await firstStep(person);
    const pending = pendingIn(asked.page);
    for (const one of ["", "x", pending.slice(4)])
      expect((await new CookieClient(server.url).form(setUp, { pending: one, code: "000000" })).status).toBe(400);
    const german = new CookieClient(server.url, { "Accept-Language": "de" });
    const { page } = await german.form(setUp, { pending, code: "000000" });
    for (const text of ["Zweiten Faktor einrichten", "Das ist nicht der Code, den deine App jetzt anzeigt."])
      expect(page).toContain(text);
    const about = await fetch(`${server.url}/about/`, { headers: { "Accept-Language": "ja" } });
    expect(await about.text()).toMatch(/<html lang="ja"[\s\S]*このサーバー/);
    // The pending log-in of somebody without a factor is none for the step that takes a code.
    expect((await new CookieClient(server.url).form(step, { pending, code: "000000" })).status).toBe(400);
  });

  it("gives no key for a password; keys that are there go on", async () => {
    await require({ of: "everyone", grace_days: 0 });
    expectError(await keyFor(gwen), 401, "SECOND_FACTOR_REQUIRED");
    expectSuccess(await gwen.client.get("/users/me"));
  });

  it("an administrator still takes a lost one away, and the next log-in sets up another", async () => {
    const person = await server.addUser("Les Loser");
    await require({ of: "everyone", grace_days: 0 });
    const browser = new CookieClient(server.url);
    const asked = await browser.form("/login/", { username: person.email, password });
    const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(asked.page)![1]!.replaceAll(" ", "");
    expect((await browser.form(setUp, { pending: pendingIn(asked.page), code: codeOf(secret) })).status).toBe(200);
    expectSuccess(await server.owner.client.delete(`/users/${person.id}/second_factor`));
    expect((await firstStep(person)).page).toContain("Set up a second factor");
  });
});

const step = "/login/second-factor/";
const setUp = "/login/second-factor/set-up/";
const pendingIn = (page: string): string => /name="pending" value="([^"]+)"/.exec(page)![1]!;
const codeOf = (secret: string): string => totpCode(secret, Math.floor(Date.now() / 30_000));
const firstStep = ({ email }: Person, params = {}) =>
  new CookieClient(server.url).form("/login/", { username: email, password, ...params });
const keyFor = ({ email }: Person) =>
  new ApiClient({ url: server.url }).post("/fetch_api_key", { username: email, password });

/** Has the owner decide, on every node. */
async function require(rule: { of: string; grace_days: number }): Promise<void> {
  expectSuccess(await server.owner.client.patch("/realm/second_factor", rule));
  await server.realms();
}
