/** Log-ins of applications on phones and desktops, which are made in a browser that is not logged in by them. */
import { createDecipheriv, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { totpCode } from "../../../actors/users/second-factors/totp.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import { hiddenField, type Page, PlainBrowser } from "../../support/client/plain-browser.ts";
import { identityServer } from "../../support/identities/identity-server.ts";
import { claimsOf } from "../../support/identities/newcomer.ts";
import type { Person } from "../../support/people/person.ts";
import { runFile } from "../../support/projects.ts";

runFile({ alsoOn: ["two nodes"] });
const { server, smtp, newcomer } = identityServer();

describe("a phone", () => {
  it("gets its key by a provider, sealed with its pad, and its person is told of the log-in", async () => {
    const first = newcomer();
    const claims = claimsOf("phone", "phone@example.net", "Phoebe");
    await first.come(claims);
    const { user_id } = (await first.self())!;
    const pad = randomBytes(32);
    const phone = newcomer();
    const { location } = await phone.come(claims, "main", `?mobile_flow_otp=${pad.toString("hex")}`);
    const query = new URL(location!).searchParams;
    expect(location).toMatch(/^zulip:\/\/login\?/);
    expect([...query.keys()].sort()).toEqual(["email", "otp_encrypted_api_key", "realm", "user_id"]);
    const sealed = Buffer.from(query.get("otp_encrypted_api_key")!, "hex");
    expect(Buffer.from(sealed.map((byte, index) => byte ^ pad[index]!)).toString("latin1")).toBe(
      await server.apiKeyOf(user_id),
    );
    expect(query.get("email")).toBe("phone@example.net");
    expect(query.get("user_id")).toBe(String(user_id));
    // The origin that the application was told, or that of the node which took the browser back.
    const origins = server.urls.map((url) => url.replace("127.0.0.1", "localhost"));
    expect([server.url, ...origins]).toContain(query.get("realm"));
    expect(await phone.self()).toBeUndefined();
    const mails = await smtp.to("phone@example.net", 2);
    expect(mails.map(({ subject }) => subject)).toContain("A new log-in to Parley");
  });

  it("gets nothing for a pad that is none", async () => {
    for (const pad of ["", "ab", "x".repeat(64), "ab".repeat(33)])
      for (const path of ["/login/", "/accounts/login/social/main/"])
        for (const name of ["mobile_flow_otp", "desktop_flow_otp"]) {
          const page = await new PlainBrowser().get(`${server.url}${path}?${name}=${pad}`);
          expect([page.status, page.text.includes("Invalid OTP")]).toEqual([400, true]);
        }
  });
});

describe("a desktop application", () => {
  it("takes a token from the clipboard, once, and is logged in; the browser is not", async () => {
    const key = randomBytes(32);
    const claims = claimsOf("desk", "desk@example.net", "Desmond");
    const browser = newcomer();
    const page = await browser.come(claims, "main", `?desktop_flow_otp=${key.toString("hex")}&next=%23inbox`);
    expect(await browser.self()).toBeUndefined();
    const token = tokenIn(page, key);
    expect(page.text).not.toContain(token);
    const application = newcomer();
    const path = `/accounts/login/subdomain/${token}`;
    expect(await application.browser.get(`${server.urls.at(-1)}${path}`)).toMatchObject({
      status: 302,
      location: `${server.urls.at(-1)}/#inbox`,
    });
    expect(await application.self()).toMatchObject({ full_name: "Desmond" });
    const thief = newcomer();
    expect(await thief.browser.get(`${server.url}${path}`)).toMatchObject({ status: 400 });
    expect(await thief.browser.get(`${server.url}/accounts/login/subdomain/x`)).toMatchObject({ status: 400 });
    expect(await thief.self()).toBeUndefined();
  });

  it("is given one by a password as well, which opens nothing once its person is logged out everywhere", async () => {
    const person = await server.addUser("Dora Desktop");
    const key = randomBytes(32);
    const browser = new PlainBrowser();
    const form = await browser.get(`${server.url}/login/?desktop_flow_otp=${key.toString("hex")}`);
    const desktop_flow_otp = hiddenField(form.text, "desktop_flow_otp");
    const page = await browser.post(`${server.url}/login/`, { username: person.email, password, desktop_flow_otp });
    await server.owner.client.delete(`/users/${person.id}`);
    const application = await browser.get(`${server.urls.at(-1)}/accounts/login/subdomain/${tokenIn(page, key)}`);
    expect(application.status).toBe(400);
  });
});

describe("a second factor", () => {
  it("is asked for before anything is linked, and after a provider", async () => {
    const person = await server.addUser("Fay Factor");
    const secret = await enrol(person);
    const claims = claimsOf("fay", "fay@elsewhere.example");
    const browser = newcomer();
    const page = await browser.come(claims, "nobody", `?mobile_flow_otp=${"00".repeat(32)}`);
    const asked = await browser.answer(page, "link", { username: person.email, password });
    expect(asked.text).toContain('autocomplete="one-time-code"');
    const early = newcomer();
    expect((await early.come(claims, "nobody")).text).toContain("Whose account is it?");
    await server.database.sql`update totp_factors set last_step = 0 where user_id = ${person.id}`;
    const fields = { pending: hiddenField(asked.text, "pending"), code: codeOf(secret) };
    const done = await browser.browser.post(`${server.url}/login/second-factor/`, fields);
    expect(done.location).toContain(`user_id=${person.id}`);
    const later = newcomer();
    expect((await later.come(claims, "nobody")).text).toContain('autocomplete="one-time-code"');
    expect(await later.self()).toBeUndefined();
  });
});

const password = "a fine password";

/** The token that a page has for the application with this key. */
function tokenIn({ text }: Page, key: Buffer): string {
  const sealed = Buffer.from(/id="token" value="([0-9a-f]+)"/.exec(text)![1]!, "hex");
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12)).setAuthTag(sealed.subarray(-16));
  return decipher.update(sealed.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
}

const codeOf = (secret: string): string => totpCode(secret, Math.floor(Date.now() / 30_000));

/** Turns somebody's second factor on. Returns its secret. */
async function enrol(person: Person): Promise<string> {
  const browser = new CookieClient(server.url);
  await browser.form("/login/", { username: person.email, password });
  const secret = String((await browser.ask("POST", "/users/me/second_factor/totp"))["secret"]);
  const done = await browser.ask("POST", "/users/me/second_factor/totp/confirm", { code: codeOf(secret) });
  expect(done["status"]).toBe(200);
  return secret;
}
