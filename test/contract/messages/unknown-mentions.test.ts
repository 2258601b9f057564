/** A guest who may know few people learns nobody's name by mentioning an id. */
import { beforeAll, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [known, hidden, guest] = server.people("Kim Known", "Hedda Hidden", ["Guest", 600]);
beforeAll(setUp);

it("in a preview and in a message, whom they may not know of stays text", async () => {
  for (const content of spellings()) {
    const { rendered } = expectSuccess(await guest.client.post("/messages/render", { content }));
    for (const html of [rendered as string, await sent(content)]) {
      expect(html).not.toContain("user-mention");
      if (!content.includes("Hedda")) expect(html).not.toContain("Hedda");
    }
  }
});

it("whom they know, and bots, they mention as ever; so do those who may know of everybody", async () => {
  expect(await sent(`@**|${known.id}**`)).toContain("@Kim Known");
  const bot = await server.addBot(owner, "helper");
  expect(await sent(`@**|${bot.id}**`)).toContain("user-mention");
  for (const content of spellings()) {
    const { rendered } = expectSuccess(await known.client.post("/messages/render", { content }));
    expect(rendered).toContain("Hedda Hidden");
  }
});

it("an edit, a reminder's note and a profile tell no more", async () => {
  const content = `@_**|${hidden.id}**`;
  const said = { type: "channel", to: room, topic: "t", content: "first" };
  const { id } = expectSuccess(await guest.client.post("/messages", said));
  expectSuccess(await guest.client.patch(`/messages/${id}`, { content }));
  const later = Math.floor(Date.now() / 1000) + 3600;
  expectSuccess(
    await guest.client.post("/reminders", { message_id: id, scheduled_delivery_timestamp: later, note: content }),
  );
  const field = expectSuccess(await owner.client.post("/realm/profile_fields", { name: "About", field_type: 2 }));
  expectSuccess(await guest.client.patch("/users/me/profile_data", { data: [{ id: field["id"], value: content }] }));
  const shown = [
    expectSuccess(await guest.client.get(`/messages/${id}`)),
    expectSuccess(await guest.client.get("/reminders")),
    expectSuccess(await guest.client.get("/users/me", { include_custom_profile_fields: true })),
  ];
  for (const answer of shown) {
    expect(JSON.stringify(answer)).toContain(`|${hidden.id}**`);
    expect(JSON.stringify(answer)).not.toContain("Hedda");
  }
});

it("a reminder of a stranger's message does not name them", async () => {
  expectSuccess(
    await owner.client.post("/users/me/subscriptions", {
      subscriptions: [{ name: "room" }],
      principals: [hidden.id],
    }),
  );
  const { id } = expectSuccess(
    await hidden.client.post("/messages", { type: "channel", to: room, topic: "t", content: "from a stranger" }),
  );
  expectSuccess(await hidden.client.delete("/users/me/subscriptions", { subscriptions: ["room"] }));
  const later = Math.floor(Date.now() / 1000) + 3600;
  expectSuccess(await guest.client.post("/reminders", { message_id: id, scheduled_delivery_timestamp: later }));
  const { reminders } = expectSuccess(await guest.client.get("/reminders")) as { reminders: JsonObject[] };
  const text = JSON.stringify(reminders.find((reminder) => reminder["reminder_target_message_id"] === id));
  expect(text).toContain("Unknown user");
  expect(text).not.toContain("Hedda");
});

async function setUp(): Promise<void> {
  for (const person of [known, hidden, guest])
    await person.client.delete("/users/me/subscriptions", { subscriptions: ["general"] });
  room = await server.addChannel("room", [known, guest]);
  const [realm] = await server.realms();
  const members = realm!.state.groups.findByName("role:members")!.id;
  await owner.setRealm({ can_access_all_users_group: { new: members } });
}

let room: number;

const spellings = () =>
  ["@**|ID**", "@_**|ID**", "@**Hedda Hidden|ID**", "@_**Hedda Hidden|ID**", "@**Hedda Hidden**"].map((text) =>
    text.replace("ID", String(hidden.id)),
  );
/** What the guest is shown of a message that they send. */
async function sent(content: string): Promise<string> {
  const said = { type: "channel", to: room, topic: "t", content };
  const { id } = expectSuccess(await guest.client.post("/messages", said));
  return (expectSuccess(await guest.client.get(`/messages/${id}`))["message"] as { content: string }).content;
}
