/** What the history must hold after a load, whatever happened meanwhile, and what every queue must have got. */
import { expect } from "vitest";
import { type ApiClient, expectSuccess } from "../client/api.ts";
import { until } from "../time/until.ts";
import type { Poller, Sender } from "./load.ts";

const pageSize = 4000;

/**
 * Waits until every queue has the last message, and checks: acknowledged is stored once, and queues agree with the
 * history.
 */
export async function checkHistory(
  client: ApiClient,
  place: { channelId: number; topic: string },
  senders: readonly Sender[],
  pollers: readonly Poller[],
): Promise<void> {
  const history = await readHistory(client, place);
  const stored = new Map(history.map(({ id, content }) => [id, content]));
  expect(new Set(stored.values()).size, "a message is stored twice").toBe(history.length);
  const lost = senders
    .flatMap((sender) => sender.acknowledged)
    .filter(({ id, content }) => stored.get(id!) !== content);
  expect(lost, "acknowledged, but not in the history").toEqual([]);
  const contents = new Set(stored.values());
  const refused = senders.flatMap(({ sent }) => sent).filter(({ isRefused }) => isRefused);
  expect(
    refused.filter(({ content }) => contents.has(content)),
    "told that nothing was done, but stored",
  ).toEqual([]);
  const ids = [...stored.keys()].sort((a, b) => a - b);
  expect(
    [...senders, ...pollers].flatMap(({ bugs }) => bugs),
    "answers that no fault excuses",
  ).toEqual([]);
  const isDone = (poller: Poller) => poller.lost !== undefined || poller.messageIds.at(-1) === ids.at(-1);
  await until("every queue to have the last message", () => pollers.every(isDone), 60_000);
  for (const poller of pollers) {
    expect(poller.lost, "a queue was given up").toBeUndefined();
    expect(poller.messageIds, "the history's messages, in order, each once").toEqual(ids);
    expect(poller.places, "each message has one place in the log").toEqual(pollers[0]!.places);
    expect(descents(poller.eventIds), "event ids go up").toEqual([]);
  }
}

/** Where ids do not go up: some before it, and that id. */
const descents = (ids: readonly number[]): number[][] =>
  ids.flatMap((id, index) =>
    index > 0 && id <= ids[index - 1]! ? [ids.slice(Math.max(0, index - 5), index + 1)] : [],
  );

async function readHistory(
  client: ApiClient,
  { channelId, topic }: { channelId: number; topic: string },
): Promise<{ id: number; content: string }[]> {
  const narrow = [
    { operator: "channel", operand: channelId },
    { operator: "topic", operand: topic },
  ];
  const all: { id: number; content: string }[] = [];
  for (let anchor = 0; ; anchor = all.at(-1)!.id + 1) {
    const body = expectSuccess(
      await client.get("/messages", { anchor, num_before: 0, num_after: pageSize, apply_markdown: false, narrow }),
    );
    const page = body["messages"] as { id: number; content: string }[];
    all.push(...page.map(({ id, content }) => ({ id, content })));
    if (page.length < pageSize) return all;
  }
}
