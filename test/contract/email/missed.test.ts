/** Emails about missed messages: who gets which, when, once. https://zulip.com/help/email-notifications */
import { describe, expect, it } from "vitest";
import { ApiClient, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { type Mail, testSmtp } from "../../support/server/smtp.ts";
import { until } from "../../support/time/until.ts";

const smtp = testSmtp();
const server = testServer({
  environment: () => ({ PARLEY_SMTP_URL: smtp.url, PARLEY_MAIL_FROM: "chat@example.org" }),
  nodeCount: 2,
});
const { owner } = server;
const [ada] = server.people("Ada");

describe("somebody who is away", () => {
  it("gets one email for each conversation when their time has passed, with links, and not again", async () => {
    const bob = await someone();
    const room = await server.addChannel("plans & > plots", [ada, bob]);
    const first = await send(ada, {
      type: "channel",
      to: room,
      topic: "x/y <z>",
      content: `hi @**${bob.name}** **bold** [in](#narrow/x)`,
    });
    await send(ada, { type: "channel", to: room, topic: "x/y <z>", content: `again @**${bob.name}** <b>` });
    await send(ada, { type: "channel", to: room, topic: "other", content: "nothing for bob" });
    await send(ada, { type: "direct", to: [bob.id], content: "psst" });
    await noted();
    expect(mailsTo(bob)).toEqual([]);
    const mails = await later(bob, 2);
    const [channelMail, direct] = mails[0]!.subject.startsWith("#") ? mails : [mails[1], mails[0]];
    expect(channelMail!.subject).toBe("#plans & > plots > x/y <z>");
    expect(channelMail!.text).toContain("hi @**");
    expect(channelMail!.text).toContain("again @**");
    expect(channelMail!.text).not.toContain("nothing for bob");
    expect(channelMail!.html).toContain("<strong>bold</strong>");
    expect(channelMail!.html).toContain("&lt;b&gt;");
    expect(channelMail!.html).not.toMatch(/\sclass=|href="[^h]/);
    expect(channelMail!.text).toMatch(
      new RegExp(`^http\\S+/#narrow/channel/${room}-\\S+/topic/x.2Fy\\S*/near/${first}$`, "m"),
    );
    expect(direct!.subject).toBe("Direct messages with Ada");
    await later(bob, 2);
    expect(await missed()).toBe(0);
  });

  it("sees emoji as characters, and times in their own zone", async () => {
    const bob = await someone();
    await settings(bob, { timezone: "Europe/Berlin" });
    const content = "fine :thumbs_up: :no_such: at <time:2026-07-01T10:00:00Z>";
    await send(ada, { type: "direct", to: [bob.id], content });
    await noted();
    const [mail] = await later(bob, 1);
    for (const body of [mail!.text, mail!.html])
      expect(body).toMatch(/fine 👍 :no_such: at Wednesday,? 1 July 2026 at 12:00 (?:CEST|GMT\+2)/);
    expect(mail!.text).toMatch(/^Ada, \w+day,? \d/m);
  });

  it("is told of nothing that they have read, or that is gone, or that they may not read any more, by then", async () => {
    const bob = await someone();
    const room = await server.addChannel("secret", [ada, bob], { invite_only: true });
    await send(ada, { type: "channel", to: room, topic: "t", content: `left out @**${bob.name}**` });
    const read = await send(ada, { type: "direct", to: [bob.id], content: "read elsewhere" });
    const gone = await send(owner, { type: "direct", to: [bob.id], content: "deleted" });
    await send(ada, { type: "direct", to: [bob.id, owner.id], content: "this one" });
    await noted();
    expectSuccess(await bob.client.post("/messages/flags", { messages: [read], op: "add", flag: "read" }));
    expectSuccess(await owner.client.delete(`/messages/${gone}`));
    expectSuccess(
      await owner.client.delete("/users/me/subscriptions", { subscriptions: ["secret"], principals: [bob.id] }),
    );
    const [mail] = await later(bob, 1);
    expect(mail!.text).toContain("this one");
    expect(mailsTo(bob)).toHaveLength(1);
  });

  it("is told of nothing in a protected history that they did not receive", async () => {
    const bob = await someone();
    const isProtected = { invite_only: true, history_public_to_subscribers: false };
    const vault = await server.addChannel("vault", [ada, bob], isProtected);
    await send(ada, { type: "channel", to: vault, topic: "t", content: `not for @**${bob.name}**` });
    await noted();
    // They came just after it was sent.
    await server.database.sql`delete from received where user_id = ${bob.id}`;
    await send(ada, { type: "direct", to: [bob.id], content: "this one" });
    await noted();
    const [mail] = await later(bob, 1);
    expect(mail!.text).toContain("this one");
    expect(mailsTo(bob)).toHaveLength(1);
  });

  it("is told by their settings of channels, topics, mentions and people", async () => {
    const room = await server.addChannel("settings", [ada]);
    // Who is mentioned in a topic follows it, unless they do not want that either.
    const noMentions = {
      enable_offline_email_notifications: false,
      automatically_follow_topics_where_mentioned: false,
    };
    const cases: [name: string, settle: (bob: Person) => Promise<unknown>, content: string, isTold: boolean][] = [
      ["a plain message", async () => {}, "plain", false],
      ["@all", async () => {}, "@**all**", true],
      ["@all in a muted channel", (bob) => subscription(bob, room, "is_muted", true), "@**all**", false],
      ["@all in a muted topic", (bob) => topicPolicy(bob, room, 1), "@**all**", false],
      ["@all, not wanted", (bob) => settings(bob, { wildcard_mentions_notify: false }), "@**all**", false],
      ["a mention in a muted topic", (bob) => topicPolicy(bob, room, 1), "@**BOB**", true],
      ["a mention, not wanted", (bob) => settings(bob, noMentions), "@**BOB**", false],
      ["a silent mention", async () => {}, "@_**BOB**", false],
      ["a followed topic", (bob) => topicPolicy(bob, room, 3), "plain", true],
      [
        "a followed topic, not wanted",
        async (bob) => {
          await topicPolicy(bob, room, 3);
          await settings(bob, { enable_followed_topic_email_notifications: false });
        },
        "plain",
        false,
      ],
      ["a channel", (bob) => subscription(bob, room, "email_notifications", true), "plain", true],
      ["every channel", (bob) => settings(bob, { enable_stream_email_notifications: true }), "plain", true],
      [
        "every channel but this one",
        async (bob) => {
          await settings(bob, { enable_stream_email_notifications: true });
          await subscription(bob, room, "email_notifications", false);
        },
        "plain",
        false,
      ],
      ["a mention by somebody muted", (bob) => bob.client.post(`/users/me/muted_users/${ada.id}`), "@**BOB**", false],
    ];
    const people: { bob: Person; name: string; isTold: boolean }[] = [];
    for (const [index, [name, settle, content, isTold]] of cases.entries()) {
      const bob = await someone();
      expectSuccess(
        await owner.client.post("/users/me/subscriptions", {
          subscriptions: [{ name: "settings" }],
          principals: [bob.id],
        }),
      );
      await settle(bob);
      const id = await send(ada, {
        type: "channel",
        to: room,
        topic: "case",
        content: content.replace("BOB", bob.name),
      });
      await noted();
      // Nobody is told of what the next one is about.
      expectSuccess(
        await owner.client.delete("/users/me/subscriptions", { subscriptions: ["settings"], principals: [bob.id] }),
      );
      const told = await server.database.sql`
        select from missed_messages where user_id = ${bob.id} and message_id = ${id}`;
      people.push({ bob, name: `${index} ${name}`, isTold: told.length > 0 });
      expect({ name, isTold: told.length > 0 }).toEqual({ name, isTold });
    }
    expect(people).toHaveLength(cases.length);
  });

  it("is told of no contents where they or the organization do not want that", async () => {
    const bob = await someone();
    await settings(bob, { message_content_in_email_notifications: false });
    await send(ada, { type: "direct", to: [bob.id], content: "a secret" });
    await noted();
    const [mail] = await later(bob, 1);
    expect(mail!.subject).toBe("You missed a message");
    expect(`${mail!.text}${mail!.html}`).not.toMatch(/a secret|Ada/);
  });

  it("ends such emails with one click, without a log-in", async () => {
    const bob = await someone();
    const room = await server.addChannel("clicks", [ada, bob]);
    await subscription(bob, room, "email_notifications", true);
    await send(ada, { type: "direct", to: [bob.id], content: "one" });
    await noted();
    const [mail] = await later(bob, 1);
    expect(mail!.header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const link = /^<(.*)>$/.exec(mail!.header("list-unsubscribe")!)![1]!;
    const { pathname } = new URL(link);
    const anybody = new ApiClient({ url: server.url });
    const forged = pathname.replace(String(bob.id), String(owner.id));
    expect((await anybody.post(forged, {}, { root: true })).status).toBe(404);
    expect((await anybody.get(pathname, {}, { root: true })).status).toBe(200);
    const click = { "List-Unsubscribe": "One-Click" };
    expect((await anybody.post(pathname, click, { root: true })).status).toBe(200);
    await send(ada, { type: "direct", to: [bob.id], content: "two" });
    await send(ada, { type: "channel", to: room, topic: "t", content: "three" });
    await noted();
    expect(await server.database.sql`select from missed_messages where user_id = ${bob.id}`).toHaveLength(0);
  });
});

it("whom Welcome Bot writes to is told of that by no email", async () => {
  expectSuccess(await owner.client.patch("/realm", { welcome_message_custom_text: "Hello" }));
  const bob = await someone();
  expectSuccess(await owner.client.patch("/realm", { welcome_message_custom_text: "" }));
  const sent = await server.database.sql<{ content: string }[]>`
    select m.content from messages m join direct_conversations d on d.recipient_id = m.recipient_id
    where ${bob.id} = any(d.user_ids)`;
  expect(sent).toHaveLength(1);
  await noted();
  expect(await server.database.sql`select from missed_messages where user_id = ${bob.id}`).toEqual([]);
});

it("who is there, a bot, or has an address that nobody confirmed, gets nothing", async () => {
  const here = await someone();
  expectSuccess(await here.client.post("/users/me/presence", { status: "active", new_user_input: true }));
  const bot = await server.addBot(ada, "helper");
  // An address that a member named is confirmed later.
  expectSuccess(await ada.client.post("/invites", { invitee_emails: "joined@example.net", stream_ids: [] }));
  const [invitation] = await smtp.to("joined@example.net");
  const link = /\/join\/[\w/-]+/.exec(invitation!.text)![0];
  const form = { full_name: "Joined", password: "a fine password" };
  expect((await new ApiClient({ url: server.url }).post(link, form, { root: true })).status).toBe(302);
  const joined = (await server.state()).userByEmail("joined@example.net")!;
  expect(joined.has_unconfirmed_email).toBe(true);
  for (const { id } of [here, bot, joined]) await send(ada, { type: "direct", to: [id], content: "hello" });
  await noted();
  const ids = [here.id, bot.id, joined.id];
  const told = await server.database.sql<{ user_id: number }[]>`select user_id from missed_messages`;
  expect(told.filter(({ user_id }) => ids.includes(user_id))).toEqual([]);
});

let people = 0;
/** Somebody who has never been seen online. */
const someone = () => server.addUser(`Person ${++people}`);
const settings = async (bob: Person, values: JsonObject) => expectSuccess(await bob.client.patch("/settings", values));
const topicPolicy = async (bob: Person, stream_id: number, visibility_policy: number) =>
  expectSuccess(await bob.client.post("/user_topics", { stream_id, topic: "case", visibility_policy }));
const subscription = async (bob: Person, stream_id: number, property: string, value: boolean) =>
  expectSuccess(
    await bob.client.post("/users/me/subscriptions/properties", {
      subscription_data: [{ stream_id, property, value }],
    }),
  );

async function send(by: Person, params: JsonObject): Promise<number> {
  return expectSuccess(await by.client.post("/messages", params))["id"] as number;
}

/** Waits until it was decided of every message who is told. */
async function noted(): Promise<void> {
  await until(
    "every message to be looked at",
    async () => {
      const rows = await server.database.sql<{ done: boolean }[]>`
      select c.message_id >= (select max(id) from messages where realm_id = c.realm_id) as done from notification_cursors c`;
      return rows[0]?.done === true;
    },
    60_000,
  );
}

const missed = async () => (await server.database.sql`select from missed_messages`).length;
const mailsTo = ({ email }: Person): Mail[] => smtp.mails.filter(({ to }) => to === email);

/** What somebody has been sent when the time has passed that people wait. */
async function later(bob: Person, count: number): Promise<Mail[]> {
  await server.database.sql`update missed_messages set due_at = due_at - 200`;
  // The server remembers when the next one is due until it hears of a message.
  await send(ada, { type: "direct", to: [ada.id], content: "a note" });
  await until("everybody to be told", async () => (await missed()) === 0, 60_000);
  await until(
    "all emails to be sent",
    async () => (await server.database.sql`select from emails`).length === 0,
    60_000,
  );
  const subjects = mailsTo(bob).map(({ subject }) => subject);
  expect(subjects, subjects.join("; ")).toHaveLength(count);
  return mailsTo(bob);
}
