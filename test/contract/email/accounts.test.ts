/** What accounts get by email, on a real mail server: invitations, passwords, addresses, log-ins. */
import { beforeEach, describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { linkIn, testSmtp } from "../../support/server/smtp.ts";
import { until } from "../../support/time/until.ts";

const smtp = testSmtp();
const server = testServer({
  environment: () => ({ PARLEY_SMTP_URL: smtp.url, PARLEY_MAIL_FROM: "Parley <chat@example.org>" }),
});
const bare = testServer();
const { owner } = server;
beforeEach(() => {
  smtp.refuses = () => undefined;
  smtp.verdict = () => undefined;
});

const password = "a fine password";
const newPassword = "another fine password";

describe("an invitation", () => {
  it("comes by email with the link by which its address joins, and a welcome after that", async () => {
    const reply = expectSuccess(await invite("ivy@example.net"));
    expect(reply).toEqual({ result: "success", msg: "", email_sent: true });
    const [mail] = await smtp.to("ivy@example.net");
    expect(mail!.subject).toBe("Owner invites you to Parley");
    expect(mail!.from).toBe("chat@example.org");
    expect(mail!.header("auto-submitted")).toBe("auto-generated");
    const link = linkIn(mail!.text, "/join/");
    expect(mail!.html).toContain(`href="${link}"`);
    expect(mail!.text).toMatch(/The invitation is good until \w+,? \d+ \w+ 20\d\d at \d\d:\d\d UTC\./);
    const form = { full_name: "Ivy", password };
    expect((await submit(link, form)).status).toBe(302);
    const [, welcome] = await smtp.to("ivy@example.net", 2);
    expect(welcome!.subject).toBe("Welcome to Parley");
    expect(welcome!.text).toContain(server.server.app.config.externalUrl);
    expect(welcome!.text).not.toContain("/accounts/");
  });

  it("is sent again, and not any more once it was taken back", async () => {
    // The mail server asks for these to come later, so that they wait.
    smtp.verdict = (to) => (to === "late@example.net" ? 451 : undefined);
    expectSuccess(await invite("late@example.net"));
    const { invites } = expectSuccess(await owner.client.get("/invites")) as {
      invites: { id: number; email?: string }[];
    };
    const { id } = invites.find(({ email }) => email === "late@example.net")!;
    // It waits for its next attempt then, and is not being sent at this moment.
    await until("it to be put off", async () => (await attemptsOf("late@example.net"))[0] === 1);
    expectSuccess(await owner.client.post(`/invites/${id}/resend`));
    await until("it to be put off again", async () => (await attemptsOf("late@example.net"))[0] === 1);
    expect(await attemptsOf("late@example.net")).toEqual([1]);
    expectSuccess(await owner.client.delete(`/invites/${id}`));
    expect(await attemptsOf("late@example.net")).toEqual([]);
  });

  it("of names that hold links or headers shows them as they are, and makes none of them", async () => {
    const { client } = await server.addUser("Eve");
    expectSuccess(await client.patch("/settings", { full_name: "Win at http://evil.example/x now" }));
    const name = (await owner.client.get("/realm")).body;
    expect(name["result"]).toBeDefined();
    expectSuccess(await owner.client.patch("/realm", { name: "<b>Shop</b> www.evil.example" }));
    try {
      expectSuccess(await client.post("/invites", { invitee_emails: "target@example.net", stream_ids: [] }));
      const [mail] = await smtp.to("target@example.net");
      expect(`${mail!.subject}${mail!.text}`).not.toMatch(/evil\.example|:\/\/evil/);
      expect(mail!.html).not.toContain("<b>Shop");
      expect(mail!.html).toContain("&lt;b&gt;");
    } finally {
      expectSuccess(await owner.client.patch("/realm", { name: "Parley" }));
    }
  });

  it("without a mail server is handed over by whoever makes it: the answer has the link", async () => {
    const params = { invitee_emails: "ivy@example.net", stream_ids: [] };
    const reply = expectSuccess(await bare.owner.client.post("/invites", params));
    const [{ email, invite_link }] = reply["links"] as [{ email: string; invite_link: string }];
    expect({ ...reply, links: [] }).toEqual({ result: "success", msg: "", email_sent: false, links: [] });
    expect(email).toBe("ivy@example.net");
    const page = await fetch(`${bare.url}${new URL(invite_link).pathname}`);
    expect(await page.text()).toContain("ivy@example.net");
  });
});

describe("somebody who forgot their password", () => {
  it("gets back in by a link that works once; log-ins and older links are over", async () => {
    const ada = await server.addUser("Ada");
    const cookies = await logIn(ada, password);
    expect(await isLoggedIn(cookies)).toBe(true);
    await ask(ada.email);
    await smtp.to(ada.email);
    await ask(ada.email.toUpperCase());
    const links = (await smtp.to(ada.email, 2)).map(({ text }) => linkIn(text, "/accounts/reset/"));
    expect((await open(links[0]!)).status).toBe(404);
    expect((await open(links[1]!)).status).toBe(200);
    expect((await submit(links[1]!, { password: "short" })).status).toBe(400);
    expect((await submit(links[1]!, { password: newPassword }, "https://evil.example")).status).toBe(400);
    expect((await submit(links[1]!, { password: newPassword })).status).toBe(200);
    expect((await submit(links[1]!, { password: "yet another password" })).status).toBe(404);
    expect(await isLoggedIn(cookies)).toBe(false);
    expectError(await fetchKey(ada, password), 401);
    expectSuccess(await fetchKey(ada, newPassword));
    expect((await smtp.to(ada.email, 3))[2]!.subject).toBe("Your password for Parley has changed");
  });

  it("ends API keys as well, if they want that", async () => {
    const [kept, ended] = [await server.addUser("Kept"), await server.addUser("Ended")];
    for (const person of [kept, ended]) {
      await ask(person.email);
      const link = linkIn((await smtp.to(person.email))[0]!.text, "/accounts/reset/");
      expect((await open(link)).text).toContain('name="end_api_keys"');
      const ends = person === ended ? { end_api_keys: "true" } : {};
      expect((await submit(link, { password: newPassword, ...ends })).status).toBe(200);
    }
    expectSuccess(await kept.client.get("/users/me"));
    expectError(await ended.client.get("/users/me"), 401);
    expect(expectSuccess(await fetchKey(ended, newPassword))["api_key"]).not.toBe(ended.apiKey);
  });

  it("is answered alike whether there is an account, and nobody else gets anything", async () => {
    const bob = await server.addUser("Bob");
    const left = await server.addUser("Left");
    expectSuccess(await owner.client.delete(`/users/${left.id}`));
    const answers = await Promise.all([bob.email, "nobody@example.net", left.email, "no address"].map(ask));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    await smtp.to(bob.email);
    await until("all to be sent", async () => (await waitingInAll()) === 0);
    expect(smtp.mails.filter(({ to }) => to === "nobody@example.net" || to === left.email)).toEqual([]);
  });

  it("has a day for it, and no link when the account has ended meanwhile", async () => {
    const cy = await server.addUser("Cy");
    await ask(cy.email);
    const link = linkIn((await smtp.to(cy.email))[0]!.text, "/accounts/reset/");
    // A clock set forward would date whatever else is queued meanwhile, and that would wait for a day.
    const age = (secs: number) => server.database.sql`
      update one_time_links set expires_at = expires_at - ${secs} where user_id = ${cy.id}`;
    await age(86_400);
    expect((await open(link)).status).toBe(404);
    await age(-86_400);
    expect((await open(link)).status).toBe(200);
    expectSuccess(await owner.client.delete(`/users/${cy.id}`));
    expect((await open(link)).status).toBe(404);
    expect((await submit(link, { password: newPassword })).status).toBe(404);
  });

  it("is refused after a few for one address, known or not", async () => {
    for (const email of ["many@example.net", owner.email]) {
      for (let index = 0; index < 3; index++) expect((await ask(email)).status).toBe(200);
      const refused = await ask(email);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  it("leaves no secret in the database but its hash", async () => {
    const dan = await server.addUser("Dan");
    await ask(dan.email);
    const token = linkIn((await smtp.to(dan.email))[0]!.text, "/accounts/reset/")
      .split("/")
      .at(-2)!;
    const rows = await server.database.sql<{ text: string }[]>`
      select (select json_agg(e)::text from emails e) || (select json_agg(l)::text from one_time_links l) as text`;
    expect(token).toHaveLength(32);
    expect(rows[0]!.text ?? "").not.toContain(token);
  });

  it("can ask an administrator, who reaches nobody above them", async () => {
    const [fay, admin] = [await server.addUser("Fay"), await server.addUser("Admin", { role: 200 })];
    const send = (by: Person, id: number) => by.client.post(`/users/${id}/password_link`);
    expectError(await send(fay, fay.id), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await send(admin, owner.id), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await send(admin, 99_999), 400);
    expectSuccess(await send(admin, fay.id));
    const [mail] = await smtp.to(fay.email);
    // Who never was here did not ask for a new password.
    expect(mail!.subject).toBe("Your account at Parley");
    expect(mail!.text).toContain(`An account was made for you`);
    expect((await submit(linkIn(mail!.text, "/accounts/reset/"), { password: newPassword })).status).toBe(200);
    expectSuccess(await fetchKey(fay, newPassword));
    expectSuccess(await send(admin, fay.id));
    const again = (await smtp.to(fay.email, 3)).at(-1)!;
    expect(again.text).toContain("Admin, an administrator");
  });

  it("is told where the server sends no email", async () => {
    const page = await fetch(`${bare.url}/accounts/password/reset/`);
    expect(page.status).toBe(400);
    expect(await page.text()).toContain("sends no email");
    const refusal = expectError(await bare.owner.client.post(`/users/${bare.owner.id}/password_link`), 400);
    expect(refusal["msg"]).toContain("sends no email");
  });
});

describe("an account that is deactivated", () => {
  it("hears of it with a comment, or an empty one, and not without", async () => {
    const [moe, ned, pam] = [await server.addUser("Moe"), await server.addUser("Ned"), await server.addUser("Pam")];
    const end = (person: Person, params: JsonObject) => owner.client.delete(`/users/${person.id}`, params);
    expectSuccess(await end(pam, {}));
    expectSuccess(await end(ned, { deactivation_notification_comment: "" }));
    expectSuccess(await end(moe, { deactivation_notification_comment: "Thanks <b>for</b> all" }));
    const [mail] = await smtp.to(moe.email);
    expect(mail!.subject).toBe("Your account at Parley was deactivated");
    expect(mail!.text).toContain("Owner says:\nThanks <b>for</b> all");
    expect(mail!.html).toContain("Thanks &lt;b&gt;for&lt;/b&gt; all");
    const [other] = await smtp.to(ned.email);
    expect(other!.text).not.toContain("says");
    expect(smtp.mails.filter(({ to }) => to === pam.email)).toEqual([]);
  });
});

describe("another address", () => {
  it("is the account's when it was confirmed there; the old one is told before and after", async () => {
    const gil = await server.addUser("Gil");
    expectSuccess(await gil.client.patch("/settings", { email: "gil@new.example" }));
    expect(await addressOf(gil)).toBe(gil.email);
    const [asked] = await smtp.to("gil@new.example");
    const [told] = await smtp.to(gil.email);
    expect(told!.text).toContain("gil@new.example");
    expect(told!.text).not.toContain("/accounts/confirm");
    const link = linkIn(asked!.text, "/accounts/confirm_new_email/");
    // Programs that look at links change nothing.
    expect((await open(link)).status).toBe(200);
    expect(await addressOf(gil)).toBe(gil.email);
    expect((await submit(link, {})).status).toBe(200);
    expect(await addressOf(gil)).toBe("gil@new.example");
    expect((await submit(link, {})).status).toBe(404);
    for (const to of [gil.email, "gil@new.example"])
      expect((await smtp.to(to, 2))[1]!.subject).toBe("Your address for Parley has changed");
  });

  it("that somebody else has taken meanwhile stays theirs", async () => {
    const hal = await server.addUser("Hal");
    expectSuccess(await hal.client.patch("/settings", { email: "wanted@example.com" }));
    const link = linkIn((await smtp.to("wanted@example.com"))[0]!.text, "/accounts/confirm_new_email/");
    await server.addUser("Wanted");
    expect((await submit(link, {})).status).toBe(400);
    expect(await addressOf(hal)).toBe(hal.email);
  });

  it("that a member named for somebody is theirs when they confirm it", async () => {
    const member = await server.addUser("Member");
    expectSuccess(await member.client.post("/invites", { invitee_emails: "jo@example.net", stream_ids: [] }));
    const link = linkIn((await smtp.to("jo@example.net"))[0]!.text, "/join/");
    expect((await submit(link, { full_name: "Jo", password })).status).toBe(302);
    const [, welcome] = await smtp.to("jo@example.net", 2);
    const isUnconfirmed = async () => (await server.state()).userByEmail("jo@example.net")!.has_unconfirmed_email;
    expect(await isUnconfirmed()).toBe(true);
    expect((await submit(linkIn(welcome!.text, "/accounts/confirm_new_email/"), {})).status).toBe(200);
    expect(await isUnconfirmed()).toBe(false);
  });
});

describe("a log-in", () => {
  it("with something new is told once; with the same again, or the first one ever, not", async () => {
    const kim = await server.addUser("Kim");
    const cookies = await logIn(kim, password);
    await logIn(kim, password, cookies);
    expectSuccess(await fetchKey(kim, password));
    const [mail] = await smtp.to(kim.email);
    expect(mail!.text).toContain("With: ParleyTest");
    expect(mail!.text).toContain("From: 127.0.0.1");
    expectSuccess(await fetchKey(kim, password));
    await logIn(kim, password);
    await smtp.to(kim.email, 2);
    await until("all to be sent", async () => (await waitingInAll()) === 0);
    expect(await smtp.to(kim.email)).toHaveLength(2);
  });

  it("names the browser and its system in the language of who reads it", async () => {
    const max = await server.addUser("Max");
    await logIn(max, password);
    expectSuccess(await max.client.patch("/settings", { default_language: "de" }));
    await logIn(max, password, "", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0");
    const [mail] = await smtp.to(max.email);
    expect(mail!.text).toContain("Womit: Firefox unter Linux");
  });

  it("is not told to whoever does not want to be", async () => {
    const lee = await server.addUser("Lee");
    expectSuccess(await fetchKey(lee, password));
    expectSuccess(await lee.client.patch("/settings", { enable_login_emails: false }));
    await logIn(lee, password);
    expect(await attemptsOf(lee.email)).toEqual([]);
    expect(smtp.mails.filter(({ to }) => to === lee.email)).toEqual([]);
  });
});

const anybody = () => new ApiClient({ url: server.url });
const pathOf = (link: string) => new URL(link, server.url).pathname;
const open = (link: string) => anybody().get(pathOf(link), {}, { root: true });
const submit = (link: string, fields: Record<string, string>, origin?: string) =>
  anybody().post(pathOf(link), fields, { root: true, ...(origin && { headers: { Origin: origin } }) });
const ask = (email: string) => submit("/accounts/password/reset/", { email });
const invite = (email: string) => owner.client.post("/invites", { invitee_emails: email, stream_ids: [] });
const fetchKey = ({ email }: Person, password: string) =>
  anybody().post("/fetch_api_key", { username: email, password });

/** Logs a browser in, one that has these cookies. Returns those that it has then. */
async function logIn({ email }: Person, password: string, cookies = "", program?: string): Promise<string> {
  const options = { root: true, headers: { Cookie: cookies, ...(program && { "User-Agent": program }) } };
  const reply = await anybody().post("/login/", { username: email, password }, options);
  expect(reply.status).toBe(302);
  return reply.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0]!)
    .join("; ");
}

async function isLoggedIn(cookies: string): Promise<boolean> {
  return (await anybody().get("/json/users/me", {}, { root: true, headers: { Cookie: cookies } })).status === 200;
}

async function addressOf({ id }: Person): Promise<string> {
  const { user } = expectSuccess(await owner.client.get(`/users/${id}`)) as { user: { delivery_email: string } };
  return user.delivery_email;
}

/** How often those were tried that wait to be sent to an address. */
async function attemptsOf(email: string): Promise<number[]> {
  const rows = await server.database.sql<{ attempts: number }[]>`
    select attempts from emails where recipient = ${email} order by id`;
  return rows.map(({ attempts }) => attempts);
}

async function waitingInAll(): Promise<number> {
  return (await server.database.sql`select from emails`).length;
}

describe("the language of an email", () => {
  it("is its reader's, in the words of links and of letters, from right to left where it goes so", async () => {
    const lena = await server.addUser("Lena");
    expectSuccess(await lena.client.patch("/settings", { default_language: "de" }));
    await submit(`${server.url}/accounts/password/reset/`, { email: lena.email });
    const [german] = await smtp.to(lena.email);
    expect(german!.subject).toBe("Ein neues Passwort für Parley");
    expect(german!.text).toContain("Neues Passwort wählen:");
    expect(german!.html).toContain('<html lang="de" dir="ltr">');
    expectSuccess(await lena.client.patch("/settings", { default_language: "ar" }));
    await submit(`${server.url}/accounts/password/reset/`, { email: lena.email });
    const [, arabic] = await smtp.to(lena.email, 2);
    expect(arabic!.subject).toBe("كلمة مرور جديدة لـ Parley");
    expect(arabic!.html).toContain('<html lang="ar" dir="rtl">');
  });

  it("is the organization's for who has no account yet, and new accounts begin with it", async () => {
    await owner.setRealm({ default_language: "fr" });
    try {
      expectSuccess(await invite("noemie@example.net"));
      const [mail] = await smtp.to("noemie@example.net");
      expect(mail!.subject).toBe("Owner vous invite sur Parley");
      await submit(linkIn(mail!.text, "/join/"), { full_name: "Noemie", password });
      const [, welcome] = await smtp.to("noemie@example.net", 2);
      expect(welcome!.subject).toBe("Bienvenue sur Parley");
    } finally {
      await owner.setRealm({ default_language: "en" });
    }
  });

  it("is one that the server has", async () => {
    expectError(await owner.client.patch("/settings", { default_language: "nl" }), 400);
  });
});
