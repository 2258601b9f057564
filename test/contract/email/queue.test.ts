/** The queue of emails: a mail server that is away, slow or strict, and several nodes that send. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { testSmtp } from "../../support/server/smtp.ts";
import { until } from "../../support/time/until.ts";

const smtp = testSmtp();
const environment = () => ({
  PARLEY_SMTP_URL: smtp.url,
  PARLEY_MAIL_FROM: "chat@example.org",
  PARLEY_LOG_LEVEL: "silent",
});
const server = testServer({ environment, nodeCount: 2 });
beforeAll(setUp);
beforeEach(takeAll);

describe("an email", () => {
  it("is sent once, though several nodes send", async () => {
    const addresses = await invite("many", 60);
    await until("all to be sent", async () => (await waiting()).length === 0, 60_000);
    expect(sentTo("many")).toEqual(addresses.sort());
  });

  it("comes, once, when the mail server has been away for an hour", async () => {
    await smtp.stop();
    const addresses = await invite("away", 5);
    for (let minutes = 0; minutes < 60; minutes += 10) {
      const before = await attempts();
      await until("another attempt", async () => (await attempts()) > before, 60_000);
      ahead += 600;
    }
    expect(await waiting()).toHaveLength(addresses.length);
    await smtp.start();
    await until("all to be sent", async () => (await waiting()).length === 0, 60_000);
    expect(sentTo("away")).toEqual(addresses.sort());
  });

  it("that is to come later comes later, and holds up no other", async () => {
    smtp.verdict = (to) => (to === "grey-0@example.net" ? 451 : undefined);
    const addresses = await invite("grey", 3);
    await until("the others to be sent", async () => (await waiting()).length === 1, 60_000);
    await until("it to be put off", async () => (await attempts()) === 1);
    const offered = smtp.offered;
    smtp.verdict = () => undefined;
    ahead += 60;
    await until("it to be sent", async () => (await waiting()).length === 0, 60_000);
    expect(smtp.offered).toBe(offered + 1);
    expect(sentTo("grey")).toEqual(addresses.sort());
  });

  it("that is refused for good is given up, for its recipient or what is in it", async () => {
    smtp.refuses = (to) => (to === "refused-0@example.net" ? 550 : undefined);
    smtp.verdict = (to) => (to === "refused-1@example.net" ? 554 : undefined);
    await invite("refused", 3);
    await until("all to be done with", async () => (await waiting()).length === 0, 60_000);
    expect(sentTo("refused")).toEqual(["refused-2@example.net"]);
  });

  it("whose time is over is not sent any more", async () => {
    await smtp.stop();
    const [address] = await invite("late", 1, { invite_expires_in_minutes: 60 });
    await until("an attempt", async () => (await attempts()) > 0, 60_000);
    ahead += 2 * 3600;
    await smtp.start();
    await until("it to be given up", async () => (await waiting()).length === 0, 60_000);
    expect(sentTo("late")).not.toContain(address);
  });
});

async function invite(name: string, count: number, more: object = {}): Promise<string[]> {
  const addresses = Array.from({ length: count }, (_, index) => `${name}-${index}@example.net`);
  expectSuccess(
    await server.owner.client.post("/invites", { invitee_emails: addresses.join(","), stream_ids: [], ...more }),
  );
  return addresses;
}

const sentTo = (name: string) =>
  smtp.mails
    .map(({ to }) => to)
    .filter((to) => to.startsWith(`${name}-`))
    .sort();

const waiting = () => server.database.sql<{ attempts: number }[]>`select attempts from emails`;
const attempts = async () => (await waiting()).reduce((sum, row) => sum + row.attempts, 0);

/** How far the clock that the nodes go by is ahead, in seconds. */
let ahead: number;

function setUp(): void {
  ahead = 0;
  for (const { app } of server.nodes) app.system.environment.clock = () => Math.floor(Date.now() / 1000) + ahead;
}

function takeAll(): void {
  smtp.refuses = () => undefined;
  smtp.verdict = () => undefined;
}
