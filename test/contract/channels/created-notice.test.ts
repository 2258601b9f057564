/** What a new channel begins with, where the organization wants such notices. */
import { beforeAll, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner } = server;
const [ada, bob] = server.people("Ada", "Bob");
beforeAll(() => owner.setRealm({ send_channel_events_messages: true }));

it.each([
  ["Public", {}],
  ["Private, shared history", { invite_only: true, history_public_to_subscribers: true }],
  ["Private, protected history", { invite_only: true, history_public_to_subscribers: false }],
])("says in 'channel events' who created it and what it is for: %s", async (kind, options) => {
  const subscriptions = [{ name: `subscribed ${kind}`, description: "About **tea**" }];
  const params = { subscriptions, principals: [ada.id, bob.id], ...options };
  expectSuccess(await ada.client.post("/users/me/subscriptions", params));
  expectSuccess(
    await ada.client.post("/channels/create", { name: `created ${kind}`, subscribers: [ada.id], ...options }),
  );
  const [subscribed, created] = [
    await messagesOf(`subscribed ${kind}`, asText),
    await messagesOf(`created ${kind}`, asText),
  ];
  expect(subscribed).toMatchObject([{ subject: "channel events", sender_full_name: "Notification Bot" }]);
  expect(subscribed[0]!["content"]).toBe(said(kind, "About **tea**"));
  expect(created.map(({ content }) => content)).toEqual([said(kind, "*No description.*")]);
});

it("is unread for those who are subscribed with it, and read for who created it", async () => {
  const seen = await assertConverges({
    observers: [ada.client, bob.client],
    act: () =>
      ada.client.post("/users/me/subscriptions", { subscriptions: [{ name: "fresh" }], principals: [ada.id, bob.id] }),
  });
  const notices = seen.eventsOf(bob.client).filter(({ type }) => type === "message");
  expect(notices).not.toEqual([]);
  const [notice] = await messagesOf("fresh");
  const unreadOf = async ({ client }: typeof ada) =>
    (await client.register({ fetch_event_types: ["message", "update_message_flags"] })).unread_msgs!.streams.flatMap(
      ({ unread_message_ids }) => unread_message_ids,
    );
  expect(await unreadOf(ada)).not.toContain(notice!["id"]);
  expect(await unreadOf(bob)).toContain(notice!["id"]);
});

it("is in the organization's language, and tells who was added in theirs", async () => {
  await owner.setRealm({ default_language: "fr" });
  try {
    expectSuccess(await bob.client.patch("/settings", { default_language: "de" }));
    const subscriptions = [{ name: "neuf" }];
    expectSuccess(await ada.client.post("/users/me/subscriptions", { subscriptions, principals: [ada.id, bob.id] }));
    const [notice] = await messagesOf("neuf", asText);
    expect(notice).toMatchObject({ subject: "événements du canal" });
    expect(notice!["content"]).toContain("Canal (**Public**) créé par");
    const [told] = expectSuccess(
      await bob.client.get("/messages", {
        anchor: "newest",
        num_before: 1,
        num_after: 0,
        narrow: [{ operator: "is", operand: "dm" }],
        ...asText,
      }),
    )["messages"] as JsonObject[];
    expect(told!["content"]).toMatch(/hat dich zum Kanal #\*\*neuf\*\* hinzugefügt\.$/);
  } finally {
    expectSuccess(await bob.client.patch("/settings", { default_language: "en" }));
    await owner.setRealm({ default_language: "en" });
  }
});

it("mentions nobody, and is no way out of its quotation", async () => {
  const subscriptions = [{ name: "loud", description: "@**all** ```` @**Bob**" }];
  expectSuccess(await ada.client.post("/users/me/subscriptions", { subscriptions, principals: [ada.id, bob.id] }));
  const [{ flags }] = (await bob.client
    .get("/messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      narrow: [{ operator: "channel", operand: "loud" }],
    })
    .then((answer) => expectSuccess(answer)["messages"])) as [{ flags: string[] }];
  expect(flags).toEqual([]);
});

it("is not said where the organization wants none, nor where a channel is only joined", async () => {
  await bob.subscribe("fresh");
  expect(await messagesOf("fresh")).toHaveLength(1);
  await owner.setRealm({ send_channel_events_messages: false });
  await ada.subscribe("silent");
  expect(await messagesOf("silent")).toEqual([]);
});

const asText = { apply_markdown: false };

function said(kind: string, about: string): string {
  return `**${kind}** channel created by @_**Ada|${ada.id}**. **Description:**\n\`\`\`\` quote\n${about}\n\`\`\`\``;
}

/** The messages of a channel. */
async function messagesOf(name: string, params: JsonObject = {}): Promise<JsonObject[]> {
  const narrow = [{ operator: "channel", operand: name }];
  const found = await ada.client.get("/messages", {
    anchor: "newest",
    num_before: 10,
    num_after: 0,
    narrow,
    ...params,
  });
  return expectSuccess(found)["messages"] as JsonObject[];
}
