import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ada, bob, eve] = server.people("Ada", "Bob", "Eve");
beforeAll(setUp);

describe("POST /messages/{message_id}/report", () => {
  it("without a moderation request channel it is BAD_REQUEST", async () => {
    expectError(await report(ada, message, { report_type: "spam" }), 400, "BAD_REQUEST");
  });

  it("the moderators' channel gets a message by the notification bot: who, where, why, with a quotation and a link", async () => {
    await configure(moderation);
    const { eventsOf } = await assertConverges({
      observers: [server.owner.client, ada.client, bob.client],
      act: async () =>
        expectSuccess(await report(ada, message, { report_type: "harassment", description: "it hurts" })),
    });
    expect(eventsOf(ada.client)).toEqual([]);
    expect(eventsOf(bob.client)).toEqual([]);
    const { message: sent } = eventsOf(server.owner.client).find(({ type }) => type === "message") as unknown as {
      message: { id: number; stream_id: number; sender_full_name: string; subject: string; content: string };
    };
    expect(sent).toMatchObject({ stream_id: moderation, sender_full_name: "Notification Bot" });
    expect(sent.subject).toContain("Bob");
    const { raw_content } = expectSuccess(await server.owner.client.get(`/messages/${sent.id}`)) as {
      raw_content: string;
    };
    for (const part of [
      `@_**Ada|${ada.id}**`,
      `@_**Bob|${bob.id}**`,
      "it hurts",
      "rude words",
      `#**room>talk@${message}**`,
    ])
      expect(raw_content).toContain(part);
    expect(raw_content).toContain("Harassment");
  });

  it("all types are taken; others are refused", async () => {
    const { server_report_message_types } = expectSuccess(
      await ada.client.post("/register", { fetch_event_types: ["realm"] }),
    );
    const keys = (server_report_message_types as { key: string }[]).map(({ key }) => key);
    expect(keys).toEqual(["spam", "harassment", "inappropriate", "norms", "other"]);
    for (const report_type of keys) expectSuccess(await report(ada, message, { report_type, description: "because" }));
    expectError(await report(ada, message, { report_type: "boredom", description: "x" }), 400, "BAD_REQUEST");
    expectError(await report(ada, message, {}), 400, "REQUEST_VARIABLE_MISSING");
  });

  it("description: needed for other, at most 1000 code points", async () => {
    expectError(await report(ada, message, { report_type: "other" }), 400, "BAD_REQUEST");
    expectError(await report(ada, message, { report_type: "other", description: "  " }), 400, "BAD_REQUEST");
    expectSuccess(await report(ada, message, { report_type: "other", description: "😀".repeat(1000) }));
    expectError(
      await report(ada, message, { report_type: "spam", description: "😀".repeat(1001) }),
      400,
      "BAD_REQUEST",
    );
  });

  it("only a message that the reporter can read; direct messages by their people", async () => {
    const direct = expectSuccess(
      await bob.client.post("/messages", { type: "direct", to: [ada.id], content: "nasty" }),
    );
    const id = direct["id"] as number;
    const unseen = expectError(await report(eve, id, { report_type: "spam" }), 400, "BAD_REQUEST");
    const absent = expectError(await report(eve, 99_999_999, { report_type: "spam" }), 400, "BAD_REQUEST");
    expect(unseen["msg"]).toBe(absent["msg"]);
    expectSuccess(await report(ada, id, { report_type: "norms" }));
    expect(await newestReport()).toMatch(/reported a direct message to them sent by @_\*\*/);
    const own = expectSuccess(await ada.client.post("/messages", { type: "direct", to: [ada.id], content: "note" }));
    expectSuccess(await report(ada, own["id"] as number, { report_type: "norms" }));
    expect(await newestReport()).toMatch(/reported a note to oneself sent by @_\*\*/);
  });
});

async function newestReport(): Promise<string> {
  const params = {
    anchor: "newest",
    num_before: 1,
    num_after: 0,
    narrow: [{ operator: "channel", operand: moderation }],
    apply_markdown: false,
  };
  const { messages } = expectSuccess(await server.owner.client.get("/messages", params));
  return (messages as { content: string }[])[0]!.content;
}

async function setUp(): Promise<void> {
  const channel = await server.addChannel("room", [ada, bob]);
  moderation = await server.addChannel("moderation", [server.owner], { invite_only: true });
  const sent = await bob.client.post("/messages", {
    type: "channel",
    to: JSON.stringify(channel),
    topic: "talk",
    content: "rude words\n```quote\nand a fence\n```",
  });
  message = expectSuccess(sent)["id"] as number;
}

let message: number;
let moderation: number;

const report = (person: Person, id: number, params: Record<string, unknown>) =>
  person.client.post(`/messages/${id}/report`, params);
const configure = async (id: number) => await server.owner.setRealm({ moderation_request_channel_id: id });
