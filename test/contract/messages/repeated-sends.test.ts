/**
 * A send that names itself (`queue_id`, `local_id`) is stored once, however often and in whatever company it is
 * repeated.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [person] = server.people("Rita Repeats");
beforeAll(setUp);

describe("twelve copies of one send at once", () => {
  it("are one message in a topic that is there, and in one that is new", async () => {
    const narrow = (topic: string) => [
      { operator: "channel", operand: "general" },
      { operator: "topic", operand: topic },
    ];
    for (const localId of ["1.01", "1.02"]) {
      expect((await sendTogether(12, { type: "channel", to: "general", topic: "repeats" }, localId)).size).toBe(1);
    }
    expect(await copies(narrow("repeats"))).toBe(2);
  });

  it("are one direct message in a conversation that is new", async () => {
    const other = await server.addUser("Otto Other");
    expect((await sendTogether(12, { type: "direct", to: [other.id] }, "2.01")).size).toBe(1);
    expect(await copies([{ operator: "dm", operand: [other.id] }])).toBe(1);
  });

  it("and sends with other names beside them are messages of their own", async () => {
    const answers = await Promise.all(
      ["3.01", "3.02", "3.01", "3.03", "3.02"].map((localId) =>
        sendTogether(2, { type: "channel", to: "general", topic: "others" }, localId),
      ),
    );
    expect(new Set(answers.flatMap((ids) => [...ids])).size).toBe(3);
  });
});

async function setUp(): Promise<void> {
  queueId = expectSuccess(await person.client.post("/register", { event_types: ["message"] }))["queue_id"] as string;
}

let queueId: string;

async function sendTogether(times: number, target: Record<string, unknown>, localId: string): Promise<Set<unknown>> {
  const send = { content: "once", queue_id: queueId, local_id: localId, ...target };
  const answers = await Promise.all(Array.from({ length: times }, () => person.client.post("/messages", send)));
  return new Set(answers.map((answer) => expectSuccess(answer)["id"]));
}

async function copies(narrow: unknown[]): Promise<number> {
  const answer = await person.client.get("/messages", { anchor: "newest", num_before: 100, num_after: 0, narrow });
  return (expectSuccess(answer)["messages"] as unknown[]).length;
}
