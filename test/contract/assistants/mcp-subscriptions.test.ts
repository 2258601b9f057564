import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ alsoOn: ["native build"], environment: { PARLEY_MCP: "on" } });
const [ada, bob, eve, mia] = server.people("Ada", "Bob", "Eve", "Mia");
const plans = server.channel("plans", [ada, bob]);

describe("an assistant that listens", () => {
  it("is told of messages, edits, moves and deletions in the topics and channels it names, and of no others", async () => {
    const secret = await ada.channel("closed", { invite_only: true, subscribers: [ada.id] });
    const elsewhere = await ada.channel("elsewhere", { subscribers: [ada.id] });
    const [topic, other] = [uriOf(plans.id, "Release Plan"), uriOf(plans.id, "lunch")];
    const channel = uriOf(elsewhere);
    await listening(bob.apiKey, [topic, channel, uriOf(secret), "parley://nothing"], async ({ heard, honored }) => {
      expect(honored).toEqual({ resourceSubscriptions: [topic, channel] });
      await ada.say(secret, "unheard", "Release Plan");
      const id = await ada.say(plans, "first", "release plan");
      await until("the send to be heard", () => heard.length === 1);
      expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "second" }));
      await until("the edit to be heard", () => heard.length === 2);
      expectSuccess(await ada.client.patch(`/messages/${id}`, { topic: "lunch" }));
      await until("the move to be heard", () => heard.length === 3);
      await ada.say(plans, "not named", "lunch");
      // He is not subscribed to it.
      await ada.say(elsewhere, "in a public channel", "t");
      await until("the public channel to be heard", () => heard.length === 4);
      const last = await ada.say(plans, "soon gone", "release plan");
      await until("the last one to be heard", () => heard.length === 5);
      expectSuccess(await server.owner.client.delete(`/messages/${last}`));
      await until("the deletion to be heard", () => heard.length === 6);
      expect(heard).toEqual([topic, topic, topic, channel, topic, topic]);
      expect(heard).not.toContain(other);
    });
  });

  it("is told that the list of channels has changed, if it wants to know", async () => {
    await listening(bob.apiKey, undefined, async ({ heard, honored }) => {
      expect(honored).toEqual({ resourcesListChanged: true });
      await ada.channel("new for bob", { subscribers: [ada.id, bob.id] });
      await until("the new channel to be heard", () => heard.includes("list"));
    });
  });

  it("has a queue while it listens only, which ends before those of people's clients", async () => {
    expect(await queuesOf(eve.id)).toBe(0);
    const { environment } = await server.realm();
    Object.assign(environment.limits, { maxQueuesPerUser: 2 });
    const own = await eve.queue({ event_types: ["message"] });
    await listening(eve.apiKey, [uriOf(plans.id)], async ({ closed }) => {
      expect(await queuesOf(eve.id)).toBe(2);
      // One more than there may be.
      await eve.queue({ event_types: ["message"] });
      expect(await closed).toBe("remote");
    });
    const { queueId: queue_id, lastEventId: last_event_id } = own;
    expectSuccess(await eve.client.get("/events", { queue_id, last_event_id, dont_block: true }));
    await listening(mia.apiKey, [uriOf(plans.id)], async () => expect(await queuesOf(mia.id)).toBe(1));
    await until("the queue to be gone", async () => (await queuesOf(mia.id)) === 0);
  });
});

const uriOf = (id: number, topic?: string) =>
  `parley://channel/${id}${topic === undefined ? "" : `/topic/${encodeURIComponent(topic)}`}`;

/** How many queues of an account all nodes hold. */
async function queuesOf(userId: number): Promise<number> {
  const realms = await server.realms();
  return realms.reduce((sum, realm) => sum + [...memoryOf(realm, eventQueues).fanOut.queuesOf(userId)].length, 0);
}

interface Listening {
  /** Resources that have changed, and "list". */
  heard: string[];
  honored: object;
  closed: Promise<string>;
}

async function listening(
  apiKey: string,
  resources: string[] | undefined,
  use: (listening: Listening) => Promise<void>,
): Promise<void> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const requestInit = { headers: { Authorization: `Bearer ${apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  client.setNotificationHandler("notifications/resources/list_changed", () => void heard.push("list"));
  try {
    const filter = resources
      ? { resourceSubscriptions: resources }
      : { resourcesListChanged: true, toolsListChanged: true };
    const subscription = await client.listen(filter);
    await use({ heard, honored: subscription.honoredFilter, closed: subscription.closed });
  } finally {
    await client.close();
  }
}
