/** Answers that nobody reads: what of them waits is bounded for each caller and for the process, and given back. */
import { connect, type Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { AnswerBudget } from "../../../http/server/answer-budget.ts";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ nodeCount: 1, alsoOn: ["native build"] });
const [mia, max] = server.people("Mia Member", "Max Member");
beforeAll(fill);

describe("answers that wait to be read", () => {
  it("are counted until they are read or their client has gone", async () => {
    await ask(mia);
    expect(answers().bytes).toBeGreaterThan(6 * mebibyte);
    held[0]!.resume();
    await until("all of it to be read", () => answers().bytes === 0);
    await ask(mia);
    held[1]!.destroy();
    await until("the client to be gone", () => answers().bytes === 0);
  });

  it("one account has no more than its part, and is told so; others are answered", async () => {
    server.server.app.answers = new AnswerBudget({ total: 100 * mebibyte, perCaller: 10 * mebibyte });
    await ask(mia);
    const reply = await mia.client.get("/messages", query);
    expect(reply.headers.get("retry-after")).toBe("5");
    expect(expectError(reply, 429, "RATE_LIMIT_HIT")["msg"]).toMatch(/at most 10 MiB/);
    // Small ones go on.
    expectSuccess(await mia.client.get("/messages", { ...query, num_before: "1" }));
    expect((expectSuccess(await max.client.get("/messages", query))["messages"] as object[]).length).toBeGreaterThan(
      500,
    );
  });

  it("all together have no more than fits", async () => {
    server.server.app.answers = new AnswerBudget({ total: 10 * mebibyte, perCaller: 100 * mebibyte });
    await ask(mia);
    const reply = await max.client.get("/messages", query);
    expect(reply.headers.get("retry-after")).toBe("1");
    expect(expectError(reply, 503, "SERVICE_UNAVAILABLE")["msg"]).toMatch(/at most 10 MiB/);
    held[0]!.resume();
    await until("all of it to be read", () => answers().bytes === 0);
    expectSuccess(await max.client.get("/messages", query));
  });

  const held: Socket[] = [];
  afterEach(async () => {
    for (const socket of held.splice(0)) socket.destroy();
    await until("everything to be given back", () => answers().bytes === 0);
  });
  const answers = () => server.server.app.answers;
  const query = { anchor: "newest", num_before: "1000", num_after: "0", narrow: "[]", apply_markdown: "false" };

  /** Asks for megabytes and reads none of them. */
  async function ask({ email, apiKey }: Person): Promise<void> {
    const before = answers().bytes;
    const socket = connect(server.server.port, "127.0.0.1");
    socket.on("error", () => {});
    held.push(socket);
    socket.pause();
    socket.write(
      `GET /api/v1/messages?${new URLSearchParams(query)} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}\r\n\r\n`,
    );
    await until("an answer to wait", () => answers().bytes > before);
  }
});

/**
 * As much as one answer holds, more than a socket takes that nobody reads, and nothing that compression makes small.
 */
async function fill(): Promise<void> {
  const channel = await server.addChannel("hall", [mia, max]);
  const id = await mia.say(channel, "first");
  const { sql } = server.database;
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select 1000000 + n, realm_id, recipient_id, channel_id, sender_id, topic, t.text, '', sent_at, client
    from messages, generate_series(1, 850) n cross join lateral (
      select string_agg(md5(n || '/' || k), '') as text from generate_series(1, 309) k) t
    where id = ${id}`;
}

const mebibyte = 1024 * 1024;
