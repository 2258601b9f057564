/** The digest of the week by email: who gets one, what it says, and how it ends. */
import { describe, expect, it } from "vitest";
import type { Letter } from "../../../actors/email/letter.ts";
import { digestJob } from "../../../actors/notifications/digest-job.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { testSmtp } from "../../support/server/smtp.ts";

const smtp = testSmtp();
const server = testServer({ environment: () => ({ PARLEY_SMTP_URL: smtp.url, PARLEY_MAIL_FROM: "chat@example.org" }) });
const { owner } = server;
const [ada, bob, here, not] = server.people("Ada", "Bob", "Here", "Not");

/** Nine o'clock tomorrow: by its own clock the server makes none today. */
const day = 86_400;
const now = (Math.floor(Date.now() / 1000 / day) + 1) * day + 9 * 3600;
const weekday = (new Date(now * 1000).getUTCDay() + 6) % 7;

describe("a digest of the week", () => {
  it("is off until the organization wants it, and comes on its day alone, from the morning", async () => {
    await longAgo(ada, bob, here, not, owner);
    expect(await waiting(now)).toEqual([]);
    expectSuccess(await owner.client.patch("/realm", { digest_emails_enabled: true, digest_weekday: weekday }));
    expect(await waiting(now)).toHaveLength(1);
    expect(await waiting(now - 2 * 3600)).toEqual([]);
    expect(await waiting(now + day)).toEqual([]);
    const state = await bob.client.register({ fetch_event_types: ["realm"] });
    expect(state["settings_send_digest_emails"]).toBe(true);
  });

  it("tells people who were away for five days what is new in their channels, once", async () => {
    const [room, secret] = [
      await server.addChannel("room", [ada, bob, here, not]),
      await server.addChannel("other", [ada]),
    ];
    const hidden = { invite_only: true, history_public_to_subscribers: false };
    const closed = await server.addChannel("closed", [ada, bob], hidden);
    for (const content of ["one", "two"]) await send(room, "lunch & <b>", content);
    await send(secret, "not yours", "x");
    await send(closed, "not shared", "x");
    await seen(here, now - 4 * day);
    expectSuccess(await not.client.patch("/settings", { enable_digest_emails: false }));
    await longAgo(not);
    await run();
    const mails = await digests();
    expect(mails.map(({ recipient }) => recipient).sort()).toEqual([ada.email, bob.email].sort());
    const { letter } = mails.find(({ recipient }) => recipient === bob.email)!;
    expect(letter.subject).toBe("What you missed in Parley");
    expect(letter.blocks[0]).toMatchObject({
      kind: "heading",
      text: "#room > lunch & <b>",
      url: expect.stringMatching(new RegExp(`/#narrow/channel/${room}-room/topic/lunch\\S+/near/\\d+$`)),
    });
    expect(letter.blocks[1]).toEqual({ kind: "text", text: "2 messages by one person" });
    expect(JSON.stringify(letter)).not.toMatch(/not yours|not shared/);
    expect(await waiting(now + 60)).toEqual([]);
    await run();
    expect(await digests()).toHaveLength(2);
  });

  it("does not name conversations where emails have none of what is said, and ends with one click", async () => {
    await again();
    expectSuccess(await bob.client.patch("/settings", { message_content_in_email_notifications: false }));
    await longAgo(bob);
    await run();
    expect(await digests()).toHaveLength(4);
    const letter = (await digests()).filter(({ recipient }) => recipient === bob.email).at(-1)!.letter;
    expect(JSON.stringify(letter)).not.toContain("lunch");
    const path = new URL(letter.unsubscribeUrl!).pathname;
    const page = await fetch(server.url + path);
    expect(await page.text()).toContain("digests of the week");
    const german = await fetch(server.url + path, { headers: { "Accept-Language": "de" } });
    expect(await german.text()).toMatch(/<html lang="de"[\s\S]*Keine Wochenübersichten mehr[\s\S]*Ausschalten/);
    const ended = await fetch(server.url + path, { method: "POST", body: "List-Unsubscribe=One-Click" });
    expect(ended.status).toBe(200);
    const { user_settings } = await bob.client.register({ fetch_event_types: ["user_settings"] });
    expect((user_settings as JsonObject)["enable_digest_emails"]).toBe(false);
    await longAgo(bob);
    await again();
    const before = (await digests()).length;
    await run();
    const more = (await digests()).slice(before);
    expect(more.map(({ recipient }) => recipient)).not.toContain(bob.email);
    expect(more.length).toBeGreaterThan(0);
  });

  it("is in the language of its reader", async () => {
    await again();
    expectSuccess(await ada.client.patch("/settings", { default_language: "fr" }));
    await longAgo(ada);
    const before = (await digests()).length;
    await run();
    const { letter } = (await digests()).slice(before).find(({ recipient }) => recipient === ada.email)!;
    expect(letter).toMatchObject({ language: "fr", subject: "Ce que vous avez manqué sur Parley" });
    expect(letter.blocks[1]).toEqual({ kind: "text", text: "2 messages, par une personne" });
    expect(letter.footer).toContain("une fois par semaine");
  });

  it("looks through people once a day where nobody is due", async () => {
    await again();
    expect(await waiting(now)).toHaveLength(1);
    await sql()`delete from presence`;
    await sql()`insert into presence (user_id, realm_id, active_at, update_id) select id, realm_id, ${now}, 1 from users`;
    expect(await waiting(now)).toEqual([]);
    await sql()`delete from presence`;
    expect(await waiting(now + 60)).toEqual([]);
    await again();
    expect(await waiting(now + 60)).toHaveLength(1);
  });
});

const sql = () => server.database.sql;
const send = async (to: number, topic: string, content: string) =>
  expectSuccess(await ada.client.post("/messages", { type: "channel", to, topic, content }));
const waiting = (at: number) => digestJob.findWaiting!(sql(), at);
const run = async () => digestJob.run(await server.realm(), now);

/** They joined ten days ago. The next change of an account writes what its server knows. */
async function longAgo(...people: Person[]): Promise<void> {
  for (const { id } of people) await sql()`update users set date_joined = ${now - 10 * day} where id = ${id}`;
}

async function seen({ id }: Person, at: number): Promise<void> {
  await sql()`
    insert into presence (user_id, realm_id, active_at, update_id) values (${id}, 1, ${at}, 1)
    on conflict (user_id) do update set active_at = ${at}`;
}

/** A week has passed. */
async function again(): Promise<void> {
  await sql()`update digests set sent_at = sent_at - ${7 * day}`;
  await sql()`delete from digest_days`;
}

/** Oldest first. */
const digests = () =>
  sql()<{ recipient: string; letter: Letter }[]>`
    select recipient, letter from emails where kind = 'digest' order by id`;
