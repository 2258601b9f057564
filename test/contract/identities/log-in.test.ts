/** Logging in by a real OpenID provider: who gets in, who joins, and whose account is asked for. */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { hiddenField } from "../../support/client/plain-browser.ts";
import { identityServer } from "../../support/identities/identity-server.ts";
import { type Claims, claimsOf } from "../../support/identities/newcomer.ts";
import type { Person } from "../../support/people/person.ts";
import { runFile } from "../../support/projects.ts";
import { linkIn } from "../../support/server/smtp.ts";

runFile({ alsoOn: ["two nodes"] });
const { server, smtp, newcomer } = identityServer();
const [ada, adam] = server.people("Ada", ["Adam Admin", 200]);

describe("the ways in", () => {
  it("are listed for applications, and have a button on the page", async () => {
    const { body } = await ada.client.get("/server_settings");
    const methods = body["external_authentication_methods"] as { name: string; login_url: string }[];
    expect(methods.map(({ name }) => name)).toEqual([
      "oidc:main",
      "oidc:invited",
      "oidc:domain",
      "oidc:nobody",
      "browser",
    ]);
    expect(methods[0]).toEqual({
      name: "oidc:main",
      display_name: "Main & Co",
      display_icon: null,
      login_url: "/accounts/login/social/main/",
      signup_url: "/accounts/register/social/main/",
    });
    expect(body["authentication_methods"]).toMatchObject({ "openid connect": true, password: true });
    const pad = "ab".repeat(32);
    const page = await newcomer().browser.get(`${server.url}/login/?mobile_flow_otp=${pad}`);
    expect(page.text).toContain(`href="/accounts/login/social/main/?mobile_flow_otp=${pad}"`);
    expect(page.text).toContain("Log in with Main &#38; Co");
  });

  it("do not include a provider that nobody named", async () => {
    const page = await newcomer().browser.get(`${server.url}/accounts/login/social/other/`);
    expect(page.status).toBe(401);
    expect(page.text).toContain("Nobody logs in here by that provider.");
  });
});

describe("whoever comes for the first time", () => {
  it("gets an account of their own, and comes into the same one from then on", async () => {
    const claims = claimsOf("nora", "nora@example.net");
    const first = newcomer();
    expect(await first.come(claims)).toMatchObject({ status: 302, location: expect.stringMatching(/^http:[^#?]*\/$/) });
    const self = await first.self();
    expect(self).toMatchObject({ full_name: "Nora Newcomer", delivery_email: "nora@example.net", role: 400 });
    const again = newcomer();
    await again.come({ ...claims, name: "Nora Renamed" }, "main", "?next=%23inbox");
    expect(await again.self()).toMatchObject({ user_id: self!.user_id, full_name: "Nora Newcomer" });
  });

  it("chooses a name where the provider's is none, and a phone gets its key after that", async () => {
    const pad = "0f".repeat(32);
    const phone = newcomer();
    const page = await phone.come(claimsOf("x", "x@example.net", "@"), "main", `?mobile_flow_otp=${pad}`);
    expect(page.text).toContain("Name too short!");
    expect((await phone.answer(page, "join", { full_name: "" })).text).toContain("Name too short!");
    const done = await phone.answer(page, "join", { full_name: "Xaver" });
    const query = new URL(done.location!).searchParams;
    const id = Number(query.get("user_id"));
    const sealed = Buffer.from(query.get("otp_encrypted_api_key")!, "hex");
    expect(Buffer.from(sealed.map((byte) => byte ^ 0x0f)).toString("latin1")).toBe(await server.apiKeyOf(id));
    expect(query.get("email")).toBe("x@example.net");
    expect(done.location).toMatch(/^zulip:\/\/login\?/);
    expect(await phone.self()).toBeUndefined();
  });

  it("is refused where only the invited join, and joins as what they were invited as", async () => {
    const claims = claimsOf("ivan", "ivan@example.net", "Ivan");
    const early = await newcomer().come(claims, "invited");
    expect(early.status).toBe(401);
    expect(early.text).toContain("You have no account here that is linked with this log-in.");
    expectSuccess(
      await server.owner.client.post("/invites", { invitee_emails: claims["email"], invite_as: 600, stream_ids: [] }),
    );
    const invited = newcomer();
    await invited.come(claims, "invited");
    expect(await invited.self()).toMatchObject({ full_name: "Ivan", role: 600 });
    const { invites } = expectSuccess(await server.owner.client.get("/invites")) as { invites: unknown[] };
    expect(invites).toEqual([]);
  });

  it("is refused where their domain does not join, where nobody does, and where the organization refuses it", async () => {
    for (const [by, email] of [
      ["domain", "dora@example.com"],
      ["domain", "dora@sub.example.net"],
      ["nobody", "dora@example.net"],
    ] as const)
      expect((await newcomer().come(claimsOf("dora", email, "Dora"), by)).status).toBe(401);
    const disposable = await newcomer().come(claimsOf("dora", "dora@mailinator.com", "Dora"));
    expect(disposable).toMatchObject({ status: 400 });
    expect(disposable.text).toContain("Please use your real email address.");
    const right = newcomer();
    await right.come(claimsOf("dora", "dora@EXAMPLE.net", "Dora"), "domain");
    expect(await right.self()).toMatchObject({ full_name: "Dora" });
  });

  it("joins with no address that the provider does not know to be theirs", async () => {
    for (const claims of [
      { email_verified: false },
      { email_verified: undefined },
      { email: undefined },
      { email: 7 },
    ]) {
      const page = await newcomer().come({ ...claimsOf("u", "unsure@example.net"), ...claims } as Claims);
      expect(page).toMatchObject({ status: 401, text: expect.stringContaining(asks) });
    }
    expect((await server.state()).userByEmail("unsure@example.net")).toBeUndefined();
  });

  it("is told when they press cancel, in words that are not the provider's", async () => {
    const page = await newcomer().come(undefined);
    expect(page.status).toBe(401);
    expect(page.text).toContain("Main &#38; Co did not log you in: access_denied.");
    expect(page.text).not.toContain("aborted");
  });
});

describe("an address", () => {
  it("opens nobody's account: whoever has it now at the provider is asked, and so is whoever comes again", async () => {
    const person = await server.addUser("Paula Present");
    for (let times = 0; times < 2; times++) {
      const thief = newcomer();
      const page = await thief.come(claimsOf("thief", person.email, "Thief"));
      expect(page.text).toContain(asks);
      expect(await thief.self()).toBeUndefined();
    }
    expect(await identities(person)).toMatchObject([{ state: "pending", provider: "main", email: person.email }]);
  });

  it("that changes at the provider leaves a person in their account, with the address that it has", async () => {
    const one = newcomer();
    await one.come(claimsOf("mover", "mover@example.net"));
    const { user_id } = (await one.self())!;
    const later = newcomer();
    await later.come(claimsOf("mover", ada.email));
    expect(await later.self()).toMatchObject({ user_id, delivery_email: "mover@example.net" });
    const heir = newcomer();
    expect((await heir.come(claimsOf("heir", "mover@example.net"))).text).toContain(asks);
    expect(await heir.self()).toBeUndefined();
  });

  it("of a deactivated account is refused, and so is whoever is linked with one", async () => {
    const one = newcomer();
    await one.come(claimsOf("gone", "gone@example.net"));
    const { user_id } = (await one.self())!;
    expectSuccess(await server.owner.client.delete(`/users/${user_id}`));
    for (const sub of ["gone", "another"]) {
      const page = await newcomer().come(claimsOf(sub, "gone@example.net"));
      expect(page).toMatchObject({ status: 401, text: expect.stringContaining("deactivated") });
    }
  });
});

describe("an account is linked", () => {
  it("by its password, of whatever address, and by no other", async () => {
    const person = await server.addUser("Petra Password");
    const claims = claimsOf("petra", "petra@elsewhere.example");
    const browser = newcomer();
    const page = await browser.come(claims, "nobody");
    const wrong = await browser.answer(page, "link", { username: person.email, password: "wrong" });
    expect(wrong).toMatchObject({
      status: 401,
      text: expect.stringContaining("Your username or password is incorrect"),
    });
    expect(await browser.answer(wrong, "link", { username: person.email, password })).toMatchObject({ status: 302 });
    expect(await browser.self()).toMatchObject({ user_id: person.id });
    const again = newcomer();
    await again.come(claims, "nobody");
    expect(await again.self()).toMatchObject({ user_id: person.id, delivery_email: person.email });
    expect((await smtp.to(person.email)).map(({ subject }) => subject)).toContain("You log in to Parley by Main & Co");
    // Once linked it is not linked with another account.
    expect((await browser.answer(page, "link", { username: ada.email, password })).text).toContain(
      "linked with an account already",
    );
  });

  it("by a link that is sent to its address, once", async () => {
    const person = await server.addUser("Mia Mail");
    const claims = claimsOf("mia", person.email.toUpperCase());
    const browser = newcomer();
    expect((await browser.answer(await browser.come(claims), "mail")).text).toContain("Look into your mail");
    const [mail] = await smtp.to(person.email);
    const link = linkIn(mail!.text, "/accounts/identity/confirm/");
    const shown = await browser.browser.get(here(link));
    expect(shown.text).toContain(`${claims["email"]} at Main &#38; Co logs in to the account of ${person.email}`);
    expect(await browser.self()).toBeUndefined();
    expect((await browser.browser.post(here(link), {})).text).toContain("Log in by Main &#38; Co from now on.");
    expect(await browser.browser.post(here(link), {})).toMatchObject({ status: 404 });
    await browser.come(claims);
    expect(await browser.self()).toMatchObject({ user_id: person.id });
  });

  it("by no link of an account that has another address by now, or whose wish was refused", async () => {
    const person = await server.addUser("Lea Later");
    const browser = newcomer();
    await browser.answer(await browser.come(claimsOf("lea", person.email)), "mail");
    const [mail] = await smtp.to(person.email);
    const link = here(linkIn(mail!.text, "/accounts/identity/confirm/"));
    const [waiting] = await identities(person);
    expectSuccess(await person.client.delete(`/identities/${waiting!.id}`));
    expect(await browser.browser.get(link)).toMatchObject({ status: 404 });
    expect(await identities(person)).toEqual([]);
  });

  it("by an administrator, and of an owner by an owner", async () => {
    const person = await server.addUser("Aron Asked");
    for (const [sub, email] of [
      ["aron", person.email],
      ["owner", server.owner.email],
    ] as const)
      await newcomer().come(claimsOf(sub, email));
    const waiting = await identities(adam);
    const idOf = (of: Person) => waiting.find(({ user_id }) => user_id === of.id)!.id;
    expectError(await ada.client.post(`/identities/${idOf(person)}/link`), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await adam.client.post(`/identities/${idOf(server.owner)}/link`), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await adam.client.delete(`/identities/${idOf(server.owner)}`), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await adam.client.post(`/identities/${idOf(person)}/link`));
    expectError(await adam.client.post(`/identities/${idOf(person)}/link`), 400, "BAD_REQUEST");
    const browser = newcomer();
    await browser.come(claimsOf("aron", person.email));
    expect(await browser.self()).toMatchObject({ user_id: person.id });
    expect((await identities(ada)).filter(({ user_id }) => user_id !== ada.id)).toEqual([]);
  });

  it("until that is ended: then its person is asked again", async () => {
    const browser = newcomer();
    const claims = claimsOf("una", "una@example.net");
    await browser.come(claims);
    const { user_id } = (await browser.self())!;
    const { identities: all } = JSON.parse((await browser.browser.get(`${server.url}/json/identities`)).text);
    expect(all).toMatchObject([{ state: "linked", user_id, email: "una@example.net" }]);
    expectError(await ada.client.delete(`/identities/${all[0].id}`), 404);
    expectSuccess(await adam.client.delete(`/identities/${all[0].id}`));
    expectError(await adam.client.delete(`/identities/${all[0].id}`), 404);
    const again = newcomer();
    expect((await again.come(claims)).text).toContain(asks);
    expect(await again.self()).toBeUndefined();
  });
});

describe("what is sealed", () => {
  it("is good in no other step, and not when it was changed", async () => {
    const browser = newcomer();
    const page = await browser.come(claimsOf("sealed", ada.email));
    const arrival = hiddenField(page.text, "arrival");
    const changed = `${arrival.slice(0, 40)}${arrival[40] === "A" ? "B" : "A"}${arrival.slice(41)}`;
    const form = { username: ada.email, password };
    for (const sealed of [changed, "", "x".repeat(19_000)])
      expect(
        await browser.browser.post(`${server.url}/accounts/identity/link/`, { ...form, arrival: sealed }),
      ).toMatchObject({
        status: 404,
      });
    expect(await browser.self()).toBeUndefined();
  });
});

const password = "a fine password";
const asks = "Whose account is it?";

/** A link of an email, at a node of the server. */
const here = (link: string): string => `${server.url}${new URL(link).pathname}`;

async function identities(of: Person) {
  const { identities: all } = expectSuccess(await of.client.get("/identities"));
  return all as { id: number; user_id: number; state: string; provider: string; email: string }[];
}
