/** Joining by a link that anybody may use: where there is mail, only with an address that somebody reads. */
import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { linkIn, testSmtp } from "../../support/server/smtp.ts";
import { until } from "../../support/time/until.ts";

const smtp = testSmtp();
const server = testServer({
  environment: () => ({ PARLEY_SMTP_URL: smtp.url, PARLEY_MAIL_FROM: "chat@example.org" }),
  alsoOn: ["two nodes"],
});
const bare = testServer();
const { owner } = server;

const person = { full_name: "New Person", password: "a fine password" };

describe("whoever has a link that anybody may use", () => {
  it("is let in with no address that they only typed, and reads nothing", async () => {
    const link = await newLink();
    const reply = await submit(link, { ...person, email: "boss@corp.example" });
    expect(reply.status).toBe(200);
    expect(reply.headers.getSetCookie()).toEqual([]);
    expect(await userOf("boss@corp.example")).toBeUndefined();
    const page = await open(link);
    expect(page.text).not.toContain('name="password"');
  });

  it("joins by the link that was sent to their address, once; the address is known to be theirs", async () => {
    const joining = await joiningLink(await newLink(), "ann@corp.example");
    // Programs that look at links make no account.
    const page = await open(joining);
    expect(page.text).toContain('value="ann@corp.example"');
    expect(page.text).toContain('name="password"');
    expect(await userOf("ann@corp.example")).toBeUndefined();
    expect((await submit(joining, { ...person, password: "short" })).status).toBe(400);
    const tricked = await anybody().post(joining, person, { root: true, headers: { Origin: "https://evil.example" } });
    expect(tricked.status).toBe(400);
    const reply = await submit(joining, { ...person, email: "boss@corp.example" });
    expect(reply.status).toBe(302);
    expect(reply.headers.getSetCookie().join()).toContain("sessionid=");
    expect(await userOf("boss@corp.example")).toBeUndefined();
    expect(await userOf("ann@corp.example")).toMatchObject({ has_unconfirmed_email: false });
    expect((await submit(joining, person)).status).toBe(404);
    expect((await open(joining)).status).toBe(404);
  });

  it("has one link, the newest, for a day", async () => {
    const link = await newLink();
    const first = await joiningLink(link, "twice@corp.example");
    const second = await joiningLink(link, "Twice@corp.example");
    expect((await open(first)).status).toBe(404);
    expect((await open(second)).status).toBe(200);
    await server.database.sql`update one_time_links set expires_at = expires_at - 86400 where user_id is null`;
    expect((await open(second)).status).toBe(404);
    expect((await submit(second, person)).status).toBe(404);
  });

  it("joins no more once the invitation is taken back, also with an address that was confirmed", async () => {
    const link = await newLink();
    const joining = await joiningLink(link, "slow@corp.example");
    const { invites } = expectSuccess(await owner.client.get("/invites")) as { invites: { id: number }[] };
    for (const { id } of invites) expectSuccess(await owner.client.delete(`/invites/multiuse/${id}`));
    expect((await submit(joining, person)).status).toBe(404);
    expect(await userOf("slow@corp.example")).toBeUndefined();
  });

  it("learns of no account: the answer is the same, and only whoever reads the address is told", async () => {
    const link = await newLink();
    const answers = await Promise.all(
      [owner.email, "stranger@corp.example"].map((email) => submit(link, { ...person, email })),
    );
    expect(answers[0]!.status).toBe(answers[1]!.status);
    expect(answers[0]!.text).toBe(answers[1]!.text);
    const [mail] = await smtp.to(owner.email);
    const page = await open(pathIn(mail!.text));
    expect(page.text).toContain("has an account");
    expect((await submit(pathIn(mail!.text), person)).text).toContain("has an account");
  });

  it("is refused an address of another domain at once, without an email", async () => {
    const link = await newLink();
    expectSuccess(await owner.client.post("/realm/domains", { domain: "corp.example", allow_subdomains: false }));
    await owner.setRealm({ emails_restricted_to_domains: true });
    try {
      expect((await submit(link, { ...person, email: "a@other.example" })).status).toBe(400);
      expect((await submit(link, { ...person, email: "no address" })).status).toBe(400);
      const joining = await joiningLink(link, "ben@corp.example");
      expect((await submit(joining, person)).status).toBe(302);
    } finally {
      await owner.setRealm({ emails_restricted_to_domains: false });
    }
    await until("all to be sent", async () => (await server.database.sql`select from emails`).length === 0);
    expect(smtp.mails.some(({ to }) => to === "a@other.example")).toBe(false);
  });

  it("sends a stranger a few emails at most", async () => {
    const link = await newLink();
    const ask = async () => (await submit(link, { email: "victim@other.example" })).status;
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
  });

  it("leaves no secret of the link in the database but its hash", async () => {
    const token = (await joiningLink(await newLink(), "hash@corp.example")).split("/").at(-2)!;
    const rows = await server.database.sql<{ text: string }[]>`
      select coalesce((select json_agg(e)::text from emails e), '') ||
        coalesce((select json_agg(l)::text from one_time_links l), '') as text`;
    expect(token).toHaveLength(32);
    expect(rows[0]!.text).not.toContain(token);
  });
});

describe("without mail, where only addresses of some domains are let in", () => {
  it("nobody gets in, or another address, by typing one: an administrator has to name it", async () => {
    const { client } = bare.owner;
    const member = await bare.addUser("Member");
    expectSuccess(await client.post("/realm/domains", { domain: "corp.example", allow_subdomains: false }));
    const { invite_link } = expectSuccess(await client.post("/invites/multiuse"));
    await bare.owner.setRealm({ emails_restricted_to_domains: true });
    const join = async (link: string, email: string) =>
      (await new ApiClient({ url: bare.url }).post(pathOf(link), { ...person, email }, { root: true })).status;
    expect(await join(invite_link as string, "boss@corp.example")).toBe(400);
    const ofMember = await member.client.post("/invites", { invitee_emails: "boss@corp.example", stream_ids: [] });
    expect(await join(linkOf(ofMember), "boss@corp.example")).toBe(400);
    const refusal = expectError(await member.client.patch("/settings", { email: "boss@corp.example" }), 400);
    expect(refusal["msg"]).toContain("sends no email");
    expect((await bare.state()).userByEmail("boss@corp.example")).toBeUndefined();
    const ofOwner = await client.post("/invites", { invitee_emails: "boss@corp.example", stream_ids: [] });
    expect(await join(linkOf(ofOwner), "")).toBe(302);
  });
});

const anybody = () => new ApiClient({ url: server.url, userAgent: "Browser/1.0" });
const pathOf = (link: string): string => new URL(link, server.url).pathname;
const pathIn = (text: string): string => pathOf(linkIn(text, "/accounts/join/"));
const linkOf = (reply: Awaited<ReturnType<ApiClient["get"]>>): string =>
  (expectSuccess(reply)["links"] as [{ invite_link: string }])[0].invite_link;
const open = (path: string) => anybody().get(path, {}, { root: true });
const submit = (path: string, fields: Record<string, string>) => anybody().post(path, fields, { root: true });
const userOf = async (email: string) => (await server.state()).userByEmail(email);

/** The path of a new link that anybody may use. */
async function newLink(): Promise<string> {
  return pathOf(expectSuccess(await owner.client.post("/invites/multiuse"))["invite_link"] as string);
}

/** The path of the link that is sent to somebody who asks to join. */
async function joiningLink(link: string, email: string): Promise<string> {
  const before = smtp.mails.filter(({ to }) => to === email).length;
  expect((await submit(link, { email })).status).toBe(200);
  return pathIn((await smtp.to(email, before + 1)).at(-1)!.text);
}
