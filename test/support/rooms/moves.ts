/** Two channels between which messages are moved, and people who may do so more or less. */
import { beforeAll } from "vitest";
import { expectSuccess, type JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import type { TestServer } from "../server/server.ts";

export function moveRoom(server: TestServer) {
  const [admin, moderator] = server.people(["Admin", 200], ["Moderator", 300]);
  const [ada, bob, guest] = server.people("Ada", "Bob", ["Guest", 600]);
  const from = server.channel("from", [admin, moderator, ada, bob, guest]);
  const into = server.channel("into", [admin, moderator, ada]);
  beforeAll(async () => {
    // Two old messages, so that the channels' first ones stay put unless a test is about them.
    await admin.say(from.id, "first of from", "begin");
    await admin.say(into.id, "first of into", "begin");
  });

  return {
    ...{ admin, moderator, ada, bob, guest, from, into },
    /** Moves a message, without a notice where it comes to. */
    move: (person: Person, id: number, params: JsonObject) =>
      person.client.patch(`/messages/${id}`, { send_notification_to_new_thread: false, ...params }),
    read: (person: Person, id: number) => person.read(id, { apply_markdown: false, allow_empty_topic_name: true }),
    /** Texts of a topic's messages, oldest first. */
    async contentsOf(channel: number, topic: string): Promise<string[]> {
      const narrow = [
        ["channel", channel],
        ["topic", topic],
      ];
      const params = { anchor: "newest", num_before: 50, num_after: 0, narrow, apply_markdown: false };
      const reply = expectSuccess(await admin.client.get("/messages", params));
      return (reply["messages"] as { content: string }[]).map(({ content }) => content);
    },
    setChannel: async (id: number, settings: JsonObject) =>
      expectSuccess(await server.owner.client.patch(`/streams/${id}`, settings)),
    groupId: (name: string) => server.groupNamed(name),
    nobody: () => server.groupNamed("role:nobody"),
    /** Makes messages older. */
    async age(ids: number[], seconds: number) {
      const { sql } = server.database;
      await sql`update messages set sent_at = sent_at - ${seconds} where id in ${sql(ids)}`;
    },
  };
}
