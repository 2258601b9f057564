/**
 * Answers about messages that were made as large as messages can be: bounded, and complete when asked for bit by bit.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
beforeAll(setUp, 300_000);

describe("GET /messages", () => {
  it("is cut at the far end, and says that there is more", async () => {
    const newest = await fetchMessages({ anchor: "newest", num_before: 5000, num_after: 0 });
    expect(newest.bytes).toBeLessThan(9 * mebibyte);
    expect(newest.got).toEqual(ids.slice(-newest.got.length));
    expect(newest.got.length).toBeLessThan(count);
    expect([newest.found_oldest, newest.found_newest]).toEqual([false, true]);
    const oldest = await fetchMessages({ anchor: "oldest", num_before: 0, num_after: 5000 });
    expect(oldest.got).toEqual(ids.slice(0, oldest.got.length));
    expect([oldest.found_oldest, oldest.found_newest]).toEqual([true, false]);
  });

  it("is cut at both ends around an anchor, which is in it", async () => {
    const anchor = ids[30]!;
    const around = await fetchMessages({ anchor, num_before: 2500, num_after: 2500 });
    expect(around.bytes).toBeLessThan(9 * mebibyte);
    expect([around.found_anchor, around.found_oldest, around.found_newest]).toEqual([true, false, false]);
    const first = ids.indexOf(around.got[0]!);
    expect(around.got).toEqual(ids.slice(first, first + around.got.length));
    expect(around.got.indexOf(anchor)).toBeGreaterThan(10);
    expect(around.got.length - around.got.indexOf(anchor)).toBeGreaterThan(10);
  });

  it("gives every message once to a client that goes on from the last", async () => {
    const seen: number[] = [];
    let anchor = ids.at(-1)! + 1;
    for (let isDone = false; !isDone; ) {
      const page = await fetchMessages({ anchor, include_anchor: false, num_before: 5000, num_after: 0 });
      seen.unshift(...page.got);
      anchor = page.got[0]!;
      isDone = page.found_oldest;
    }
    expect(seen).toEqual(ids);
  });

  it("refuses ids that are too much together, and says so", async () => {
    const refused = expectError(await owner.client.get("/messages", { message_ids: ids }), 400);
    expect(refused["msg"]).toBe("These messages are more than 8 MiB; ask for fewer at a time.");
    const { messages } = expectSuccess(await owner.client.get("/messages", { message_ids: ids.slice(0, 20) }));
    expect(messages).toHaveLength(20);
  });
});

describe("edits", () => {
  it("of large messages: the message stays small, its history is bounded and has every text", async () => {
    const id = await send(`first ${large}`);
    for (let n = 0; n < 20; n++)
      expectSuccess(await owner.client.patch(`/messages/${id}`, { content: `${n} ${large}` }));
    const [message] = (await fetchMessages({ anchor: id, num_before: 0, num_after: 0 })).messages;
    expect(JSON.stringify(message).length).toBeLessThan(400_000);
    const reply = await owner.client.get(`/messages/${id}/history`);
    const { message_history } = expectSuccess(reply) as { message_history: Snapshot[] };
    expect(reply.text.length).toBeLessThan(3_000_000);
    expect(message_history.map(({ content }) => content.split(" ")[0])).toEqual([
      "first",
      ...Array.from({ length: 20 }, (_, n) => String(n)),
    ]);
    // The newest are as they were shown; old ones are their bare text.
    expect(message_history.at(-1)!.rendered_content).toContain('class="emoji emoji-1f600"');
    expect(message_history[0]!.rendered_content).toBe(`<p>first ${large}</p>`);
    for (const snapshot of message_history.slice(1)) expect(snapshot.content_html_diff).toBeTypeOf("string");
  });

  it("are refused once the history is full, and say so; the topic can be changed still", async () => {
    const id = await send("begin");
    const { sql } = server.database;
    const full = JSON.stringify([{ user_id: owner.id, timestamp: 1, prev_content: "x".repeat(1_000_000) }]);
    await sql`update messages set edit_history = ${full}::text::jsonb where id = ${id}`;
    const refused = expectError(await owner.client.patch(`/messages/${id}`, { content: "one more" }), 400);
    expect(refused["msg"]).toMatch(/at most 1000000 characters\. Send a new message/);
    expectSuccess(await owner.client.patch(`/messages/${id}`, { topic: "elsewhere" }));
  });
});

async function setUp(): Promise<void> {
  ids = [];
  for (let n = 0; n < count; n++) ids.push(await send(`${n}${large}`));
}

interface Message {
  id: number;
  content: string;
  edit_history?: { prev_content?: string }[];
}
interface Snapshot {
  content: string;
  rendered_content: string;
  prev_content?: string;
  prev_rendered_content?: string;
  content_html_diff?: string;
}

const mebibyte = 1024 * 1024;
/** 200 kB of HTML. */
const large = "😀".repeat(2_500);
const count = 60;
let ids: number[];

const send = async (content: string) =>
  expectSuccess(await owner.client.post("/messages", { type: "channel", to: "general", topic: "large", content }))[
    "id"
  ] as number;

const fetchMessages = async (params: Record<string, unknown>) => {
  const narrow = [{ operator: "topic", operand: "large" }];
  const reply = await owner.client.get("/messages", { narrow, ...params });
  const body = expectSuccess(reply) as unknown as {
    messages: Message[];
    found_oldest: boolean;
    found_newest: boolean;
    found_anchor: boolean;
  };
  return { ...body, got: body.messages.map(({ id }) => id), bytes: reply.text.length };
};
