/** Mail that becomes messages: into channels, and as answers to emails about missed messages. */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { type HandedMail, handOver, mailIn } from "../../support/client/hand-over.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { testSmtp } from "../../support/server/smtp.ts";
import { until } from "../../support/time/until.ts";

const smtp = testSmtp();
const server = testServer({ environment: () => ({ ...smtp.environment, ...mailIn }) });
const { owner } = server;
const [ada, bob] = server.people("Ada", "Bob");

describe("mail to a channel's address", () => {
  it("is posted in the topic of its subject, with its sender, without quotes and signature, once", async () => {
    const room = await server.addChannel("Größe & more", [ada]);
    const address = await addressOf(ada, room);
    expect(address).toMatch(/^chat\+gro-e-more\.[0-9a-f]{32}\.show-sender@in\.example\.org$/);
    expect(await addressOf(ada, room)).toBe(address);
    const raw = mail({
      subject: "Re: AW: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=",
      text: "Hello **you**\n\nAm 24.11. schrieb Eve <eve@example.net>:\n> old\n> words\n\n-- \nCarl, CEO",
      id: "<one@example.net>",
    });
    expect(await deliver([address], raw)).toEqual([ok]);
    const other = address.replace(".show-sender", "");
    expect(await deliver([other], raw.replace("<one@", "<two@"))).toEqual([ok]);
    // The answer was lost, so it comes again.
    expect(await deliver([address], raw)).toEqual([ok]);
    const messages = await messagesIn(ada, room);
    expect(messages.map(({ subject, content, sender_full_name }) => [subject, content, sender_full_name])).toEqual([
      ["Grüße", "From: Carl <carl@example.net>\nHello **you**", "Notification Bot"],
      ["Grüße", "Hello **you**", "Notification Bot"],
    ]);
  });

  it("keeps what its options say, and turns HTML into Markdown", async () => {
    const room = await server.addChannel("options", [ada]);
    const plain = (await addressOf(ada, room, { sender_id: ada.id })).replace(".show-sender", "");
    const text = "Mine\n\nOn Monday Eve <e@example.net> wrote:\n> theirs\n\n-- \nfooter";
    const html =
      '<p>From <b>HTML</b>: <a href="https://example.net/x">link</a><script>x</script><img src="https://t/1"></p>';
    for (const option of ["", "+include-quotes", ".include-footer", ".prefer-html"])
      expect(await deliver([plain.replace("@", `${option}@`)], mail({ text, html, id: `<o${option}@x>` }))).toEqual([
        ok,
      ]);
    expect(await deliver([plain], mail({ html, id: "<h@x>" }))).toEqual([ok]);
    const [own, quotes, footer, chosen, only] = (await messagesIn(ada, room)).map(({ content }) => content);
    expect(own).toBe("Mine");
    expect(quotes).toContain("> theirs");
    expect(footer).toMatch(/^Mine[\s\S]*footer$/);
    expect(chosen).toBe("From HTML: [link](https://example.net/x)");
    expect(only).toBe(chosen);
    expect((await messagesIn(ada, room))[0]!.sender_id).toBe(ada.id);
  });

  it("is posted from its first words on, however many blank lines are before them", async () => {
    const room = await server.addChannel("late", [ada]);
    const address = (await addressOf(ada, room)).replace(".show-sender", "");
    const blank = " \n\t\n\n".repeat(60_000);
    expect(await deliver([address], mail({ text: `${blank}late words\n`, id: "<late@x>" }))).toEqual([ok]);
    expect(await deliver([address], mail({ html: `${blank}<p>late HTML</p>`, id: "<html@x>" }))).toEqual([ok]);
    expect(await deliver([address], mail({ text: blank, id: "<blank@x>" }))).toEqual([ok]);
    const said = (await messagesIn(ada, room)).map(({ content }) => content);
    expect(said).toEqual(["late words", "late HTML", "(No email body)"]);
  });

  it("brings its attachments along, as uploads of the account that posts it", async () => {
    const room = await server.addChannel("files", [ada]);
    const address = await addressOf(ada, room, { sender_id: ada.id });
    const files = [...Array(22).keys()].map((n) => ({ name: `a ${n}.txt`, content: `file ${n}` }));
    expect(await deliver([address], mail({ text: "see", files, id: "<f@x>" }))).toEqual([ok]);
    const [message] = await messagesIn(ada, room);
    const links = [...message!.content.matchAll(/\[(.*?)\]\((\/user_uploads\/.*?)\)/g)];
    expect(links).toHaveLength(20);
    expect(message!.content).toContain("(2 attachments were left out");
    const found = await ada.client.get(links[3]![2]!, {}, { root: true });
    expect({ status: found.status, text: found.text }).toMatchObject({ status: 200, text: "file 3" });
  });

  it("brings an attachment of very many short lines, sent as they are", async () => {
    const room = await server.addChannel("lines", [ada]);
    const lines = "1,2\n".repeat(400_000);
    const part = `--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename="lines.csv"\n\n${lines}--b--`;
    expect(await deliver([await addressOf(ada, room)], mail({ text: "see" }).replace("--b--", part))).toEqual([ok]);
    const [message] = await messagesIn(ada, room);
    const [url] = /\/user_uploads\/[^)]*/.exec(message!.content)!;
    const found = await ada.client.get(url, {}, { root: true });
    expect(found.text === lines).toBe(true);
  });

  it("is refused where its person may post no more, and leaves no file behind", async () => {
    const room = await server.addChannel("closed", [ada]);
    const asBot = await addressOf(ada, room);
    const asAda = await addressOf(ada, room, { sender_id: ada.id });
    const admins = await server.groupNamed("role:administrators");
    expectSuccess(
      await owner.client.patch(`/streams/${room}`, { can_send_message_group: JSON.stringify({ new: admins }) }),
    );
    const before = await uploads();
    const files = [{ name: "x.txt", content: "x" }];
    const answers = await deliver([asBot, asAda], mail({ text: "hi", files }));
    for (const answer of answers) expect(answer).toMatch(/^550 5\.7\.1 You do not have permission to post/);
    expect(await messagesIn(owner, room)).toEqual([]);
    expect(await uploads()).toBe(before);
  });

  it("has an address only for those who read the channel, and for senders of theirs", async () => {
    const hidden = await server.addChannel("hidden", [bob], { invite_only: true });
    const ask = (by: Person, params: JsonObject = {}) => by.client.get(`/streams/${hidden}/email_address`, params);
    expectError(await ask(ada), 400, "BAD_REQUEST");
    expectError(await ask(bob, { sender_id: ada.id }), 400, "BAD_REQUEST");
    const bot = await server.addBot(bob, "mailer");
    const addresses = [await addressOf(bob, hidden), await addressOf(bob, hidden, { sender_id: bot.id })];
    expect(new Set(addresses).size).toBe(2);
    expect(await deliver([addresses[1]!], mail({ text: "by the bot" }))).toEqual([ok]);
    expect((await messagesIn(bob, hidden))[0]!.sender_id).toBe(bot.id);
  });

  it("that nobody has is refused when it is named", async () => {
    const nobody = `chat+x.${"0".repeat(32)}@in.example.org`;
    expect(
      await deliver([nobody, `mm${"0".repeat(32)}@in.example.org`, "ada@example.org"], mail({ text: "x" })),
    ).toEqual(Array(3).fill("550 5.1.1 There is no such address."));
  });

  it("ends a loop: programs that answer, mail of servers like this one, hops, and a count", async () => {
    const room = await server.addChannel("loops", [ada]);
    const address = await addressOf(ada, room);
    const dropped = [
      mail({ text: "away", headers: "Auto-Submitted: auto-replied" }),
      mail({ text: "own", id: "<6b1c0d2e-0000-4000-8000-0123456789ab.parley@example.org>" }),
    ];
    for (const raw of dropped) expect(await deliver([address], raw)).toEqual([ok]);
    expect(await deliver([address], mail({ text: "bounce" }), "")).toEqual([ok]);
    const hops = "Received: from a by b; Mon, 1 Jan 2024 00:00:00 +0000\n".repeat(51).trim();
    expect((await deliver([address], mail({ text: "hops", headers: hops })))[0]).toMatch(/^554 5\.4\.6/);
    expect(await messagesIn(ada, room)).toEqual([]);
    // A program may begin, six times an hour.
    const answers: string[] = [];
    for (let n = 0; n < 8; n++)
      answers.push(
        ...(await deliver([address], mail({ text: `alarm ${n}`, headers: "Auto-Submitted: auto-generated" }))),
      );
    expect(answers.filter((answer) => answer === ok)).toHaveLength(6);
    expect(answers.at(-1)).toMatch(/^450 4\.7\.1/);
    expect(await messagesIn(ada, room)).toHaveLength(6);
  });

  it("is refused where the trusted mail server says that it is forged, whatever others say", async () => {
    const room = await server.addChannel("forged", [ada]);
    const address = await addressOf(ada, room);
    const results = (text: string) => mail({ text, headers: `Authentication-Results: ${text}` });
    const fails = [
      "mx.example.org; dmarc=fail (p=none) header.from=example.net",
      "MX.example.org 1; spf=fail smtp.mailfrom=example.net",
    ];
    for (const text of fails) expect((await deliver([address], results(text)))[0]).toMatch(/^550 5\.7\.1/);
    const passes = ["other.example.org; dmarc=fail", "mx.example.org; spf=fail; dkim=pass header.d=example.net"];
    for (const text of passes) expect(await deliver([address], results(text))).toEqual([ok]);
  });

  it("made to break what reads it is refused, or posted as far as it says something, and others go on", async () => {
    const room = await server.addChannel("hostile", [ada]);
    const address = await addressOf(ada, room);
    const deep = Array.from(
      { length: 400 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`,
    ).join("");
    const hostile = [
      `From: a@example.net\n${deep}`,
      Buffer.from([0, 255, 254, 10, 10, 0, 1, 2]),
      `From: a@example.net\nSubject: ${"x".repeat(300_000)}\n\nhi`,
      `From: a@example.net\nContent-Type: text/html\n\n${"<div>".repeat(20_000)}`,
      `From: a@example.net\nContent-Type: text/plain; charset=none-such\n\n${"On ".repeat(50_000)}`,
    ];
    for (const raw of hostile) expect((await deliver([address], raw))[0]).toMatch(/^(?:250|550|554) /);
    expect((await deliver([address], "x".repeat(3 * 1024 * 1024)))[0]).toMatch(/^552 /);
    expect(await deliver([await addressOf(bob, room)], mail({ subject: "after", text: "fine" }))).toEqual([ok]);
    expect((await messagesIn(ada, room)).at(-1)).toMatchObject({
      subject: "after",
      content: expect.stringMatching(/fine$/),
    });
  });
});

describe("an answer to an email about missed messages", () => {
  const passed = "Authentication-Results: mx.example.org; dkim=pass (ok) header.d=example.com";

  it("is posted as its person's where the conversation is, in one thread of emails", async () => {
    const carl = await someone();
    const room = await server.addChannel("answers", [ada, carl]);
    const first = await send({ type: "channel", to: room, topic: "old", content: `@**${carl.name}** well?` });
    const asked = await nextEmail(carl);
    expect(asked.from).toBe("chat@example.org");
    expect(asked.header("from")).toMatch(/^"?Ada \(.*\)"? </);
    const replyTo = asked.header("reply-to")!.replace(/[<>]/g, "");
    expect(replyTo).toMatch(/^chat\+mm[0-9a-f]{32}@in\.example\.org$/);
    expectSuccess(await owner.client.patch(`/messages/${first}`, { topic: "new", propagate_mode: "change_all" }));
    const raw = mail({
      from: carl.email,
      text: `Yes!\n\nOn Monday Ada (x) <chat@example.org> wrote:\n> well?`,
      headers: passed,
    });
    expect(await deliver([replyTo], raw)).toEqual([ok]);
    const messages = await messagesIn(ada, room);
    expect(messages.at(-1)).toMatchObject({ sender_id: carl.id, subject: "new", content: "Yes!" });
    await send({ type: "channel", to: room, topic: "new", content: `@**${carl.name}** good` });
    await send({ type: "direct", to: [carl.id], content: "psst" });
    const [topic, direct] = [await nextEmail(carl, /#/), await nextEmail(carl, /Direct/)];
    expect(topic.header("references")).toMatch(/^<[0-9a-f]{32}\.thread\.parley@example\.org>$/);
    expect(topic.header("in-reply-to")).toBe(topic.header("references"));
    expect(direct.header("references")).not.toBe(topic.header("references"));
    const back = direct.header("reply-to")!;
    expect(await deliver([back], mail({ from: carl.email, text: "to you alone", headers: passed }))).toEqual([ok]);
    expect((await directMessages(ada, carl)).at(-1)).toMatchObject({ sender_id: carl.id, content: "to you alone" });
  });

  it("is taken only from the account's own address, shown to be theirs, and from a person", async () => {
    const carl = await someone();
    await send({ type: "direct", to: [carl.id], content: "hello" });
    const to = [(await nextEmail(carl)).header("reply-to")!];
    const before = (await directMessages(ada, carl)).length;
    const refused = [
      mail({ from: bob.email, text: "not mine", headers: passed }),
      mail({ from: carl.email, text: "unproven" }),
      mail({ from: carl.email, text: "forged", headers: "Authentication-Results: elsewhere.example.org; dmarc=pass" }),
      mail({
        from: carl.email,
        text: "other domain",
        headers: "Authentication-Results: mx.example.org; spf=pass smtp.mailfrom=evil.example",
      }),
      mail({ from: carl.email, text: "two senders", headers: `${passed}\nFrom: ${bob.email}` }),
    ];
    for (const raw of refused) expect((await deliver(to, raw))[0]).toMatch(/^550 5\.7\.1/);
    const away = mail({ from: carl.email, text: "I am away", headers: `${passed}\nAuto-Submitted: auto-generated` });
    expect(await deliver(to, away)).toEqual([ok]);
    expectSuccess(await owner.client.delete(`/users/${carl.id}`));
    expect((await deliver(to, mail({ from: carl.email, text: "gone", headers: passed })))[0]).toMatch(/^550 5\.7\.1/);
    expect(await directMessages(ada, carl)).toHaveLength(before);
  });
});

const ok = "250 2.0.0 Accepted";

interface MailParts {
  from?: string;
  subject?: string;
  text?: string;
  html?: string;
  id?: string;
  headers?: string;
  files?: { name: string; content: string }[];
}

let mails = 0;
/** A mail as mail programs write it. */
function mail({
  from = "Carl <carl@example.net>",
  subject = "Hi",
  text,
  html,
  id,
  headers,
  files = [],
}: MailParts): string {
  const part = (type: string, content: string) => `--b\nContent-Type: ${type}; charset=utf-8\n\n${content}\n`;
  const attached = files.map(
    ({ name, content }) =>
      `--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content).toString("base64")}\n`,
  );
  return [
    ...(headers === undefined ? [] : [headers]),
    `From: ${from}`,
    "To: somebody",
    `Subject: ${subject}`,
    `Message-ID: ${id ?? `<m${++mails}@example.net>`}`,
    "MIME-Version: 1.0",
    `Content-Type: multipart/${files.length > 0 ? "mixed" : "alternative"}; boundary=b`,
    "",
    (text === undefined ? "" : part("text/plain", text)) +
      (html === undefined ? "" : part("text/html", html)) +
      attached.join("") +
      "--b--",
  ].join("\n");
}

const deliver = (to: string[], raw: HandedMail["raw"], from = "carl@example.net") =>
  handOver(server.server.mailPort!, { from, to, raw });

async function addressOf(by: Person, channelId: number, params: JsonObject = {}): Promise<string> {
  return expectSuccess(await by.client.get(`/streams/${channelId}/email_address`, params))["email"] as string;
}

interface Message {
  subject: string;
  content: string;
  sender_full_name: string;
  sender_id: number;
}

async function messagesOf(by: Person, narrow: object[]): Promise<Message[]> {
  const params = {
    narrow: JSON.stringify(narrow),
    anchor: "newest",
    num_before: 100,
    num_after: 0,
    apply_markdown: false,
  };
  const messages = expectSuccess(await by.client.get("/messages", params))["messages"] as Message[];
  return messages.filter(
    ({ sender_full_name, content }) => sender_full_name !== "Notification Bot" || !content.includes("created"),
  );
}
const messagesIn = (by: Person, channelId: number) => messagesOf(by, [{ operator: "channel", operand: channelId }]);
const directMessages = (by: Person, other: Person) => messagesOf(by, [{ operator: "dm", operand: [other.id] }]);

const uploads = async () => (await server.database.sql`select from attachments`).length;

let people = 0;
/** Somebody who has never been seen online. */
const someone = () => server.addUser(`Reader ${++people}`);

async function send(params: JsonObject): Promise<number> {
  return expectSuccess(await ada.client.post("/messages", params))["id"] as number;
}

const told = new Set<string>();
/** The next email to somebody about what they missed, when the time has passed that people wait. */
async function nextEmail({ id, email }: Person, subject = /./) {
  const found = () => smtp.mails.find((mail) => mail.to === email && !told.has(mail.id) && subject.test(mail.subject));
  await until("an email about what was missed", async () => {
    const due = await server.database.sql`
      update missed_messages set due_at = 0 where user_id = ${id} and due_at > 0 returning message_id`;
    // The server remembers when the next one is due until it hears of a message.
    if (due.length > 0) await send({ type: "direct", to: [ada.id], content: "a note" });
    return found() !== undefined;
  });
  const mail = found()!;
  told.add(mail.id);
  return mail;
}
