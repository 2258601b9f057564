/** One trace of a message: from the request at one node to its commit at another, and the delivery at both. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { settledWriter } from "../../../support/faults/settled-writer.ts";
import { testServer } from "../../../support/server/server.ts";
import { WebService } from "../../../support/server/web-service.ts";
import { type CollectedSpan, collected } from "../../../support/tracing/otlp.ts";

const collector = new WebService();
beforeAll(() => collector.start());
afterAll(() => collector.stop());
const server = testServer({
  nodeCount: 2,
  environment: () => ({
    PARLEY_OTLP_URL: collector.url,
    // A proxy in front decides what is sampled; of what has no trace yet all is.
    PARLEY_TRUSTED_PROXIES: "1",
    PARLEY_TRACE_SAMPLING: "1",
  }),
});

const waiting = { timeout: 60_000, interval: 200 };
const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };

async function sendFrom(url: string, traceparent: string): Promise<Response> {
  const { email, apiKey, id } = server.owner;
  const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
  return fetch(`${url}/api/v1/messages`, {
    method: "POST",
    headers: { authorization, traceparent },
    body: new URLSearchParams({ type: "direct", to: JSON.stringify([id]), content: "a secret of theirs" }),
  });
}

const spansOf = (traceId: string) => collected(collector).filter((span) => span.traceId === traceId);

it("goes from the socket to the writer's commit and to the delivery at the other node", async () => {
  const writer = await settledWriter(server.nodes);
  const traceId = randomBytes(16).toString("hex");
  const response = await sendFrom(server.urls[1 - writer]!, `00-${traceId}-00f067aa0ba902b7-01`);
  expect(response.status).toBe(200);
  const byId = () => new Map(spansOf(traceId).map((span) => [span.spanId, span]));
  const chain = (span: CollectedSpan | undefined, spans = byId()): CollectedSpan[] =>
    span ? [...chain(spans.get(span.parentSpanId ?? ""), spans), span] : [];
  const wayTo = (kind: number) => chain(spansOf(traceId).find((span) => span.name === "deliver" && span.kind === kind));
  const named = (way: readonly CollectedSpan[]) => way.map(({ name, kind }) => [name, kind]);
  const toCommit = [
    ["POST /messages", kinds.server],
    ["sendMessage", kinds.internal],
    ["forward sendMessage", kinds.client],
    ["take sendMessage", kinds.server],
    ["commit", kinds.client],
  ];
  // Each node tells of its spans now and then, and one may end after those behind it.
  await expect
    .poll(() => named(wayTo(kinds.consumer)), waiting)
    .toEqual([...toCommit, ["publish", kinds.producer], ["deliver", kinds.consumer]]);
  await expect.poll(() => named(wayTo(kinds.internal)), waiting).toEqual([...toCommit, ["deliver", kinds.internal]]);
  const way = wayTo(kinds.consumer);
  expect(way[0]!.parentSpanId).toBe("00f067aa0ba902b7");
  const [follower, atWriter] = [way[0]!.instance, way[3]!.instance];
  expect(follower).not.toBe(atWriter);
  expect(way.map(({ instance }) => instance)).toEqual([
    follower,
    follower,
    follower,
    atWriter,
    atWriter,
    atWriter,
    follower,
  ]);
  expect(wayTo(kinds.internal).at(-1)!.instance).toBe(atWriter);
  const waits = () => spansOf(traceId).find(({ name }) => name === "wait for a commit")?.instance;
  await expect.poll(waits, waiting).toBe(atWriter);
  expect(JSON.stringify(collector.requests)).not.toContain("a secret of theirs");
});

it("has no span of what whoever asks has not sampled, and a new trace of what comes with none or nonsense", async () => {
  const unsampled = randomBytes(16).toString("hex");
  expect((await sendFrom(server.url, `00-${unsampled}-00f067aa0ba902b7-00`)).status).toBe(200);
  const nonsense = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
  const before = collected(collector).length;
  expect((await sendFrom(server.url, nonsense)).status).toBe(200);
  await expect
    .poll(
      () =>
        collected(collector)
          .slice(before)
          .some(({ name }) => name === "POST /messages"),
      waiting,
    )
    .toBe(true);
  expect(spansOf(unsampled)).toEqual([]);
  expect(spansOf("0".repeat(32))).toEqual([]);
});

it("tells refusals by their code, and counts what the collector took", async () => {
  const { client } = server.owner;
  expect((await client.patch("/users/me/subscriptions", { add: "nonsense" })).status).toBe(400);
  expectSuccess(await client.get("/users/me"));
  const requests = () => collected(collector).filter(({ name }) => name === "PATCH /users/me/subscriptions");
  await expect.poll(() => requests().length, waiting).toBe(1);
  const [refused] = requests();
  expect(refused!.attributes).toContainEqual({ key: "http.response.status_code", value: { intValue: "400" } });
  expect(refused!.status).toEqual({});
});
