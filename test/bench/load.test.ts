import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { closedLoop } from "../../bench/load/closed-loop.ts";
import { type Answer, AnswerParser, Reader } from "../../bench/load/connection.ts";
import { PollSet } from "../../bench/load/poll-set.ts";
import { basic, form, get } from "../../bench/load/request.ts";
import { runRounds } from "../../bench/load/rounds.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return (server.address() as AddressInfo).port;
}

test("answers are found however their bytes are cut", () => {
  const answers = ["", "a", "x".repeat(300), '{"ä":"\r\n\r\n"}'].map((body, index) => ({ status: 200 + index, body }));
  const bytes = Buffer.from(
    answers
      .map(
        ({ status, body }) =>
          `HTTP/1.1 ${status} OK\r\nDate: now\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
      .join(""),
  );
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (places) => {
      const cuts = [0, ...places.sort((a, b) => a - b), bytes.length];
      const found: { status: number; body: string }[] = [];
      const parser = new AnswerParser((answer: Answer) =>
        found.push({ status: answer.status, body: answer.body.toString() }),
      );
      for (let index = 1; index < cuts.length; index++) {
        const piece = Buffer.from(bytes.subarray(cuts[index - 1], cuts[index]));
        parser.push(piece);
        piece.fill(0); // as the shared read buffer is overwritten
      }
      expect(found).toEqual(answers);
    }),
  );
});

test("what is not an answer, or has no length, is refused", () => {
  const parse = (text: string) => () => new AnswerParser(() => {}).push(Buffer.from(text));
  expect(parse("nonsense\r\n\r\n")).toThrow("not an HTTP answer");
  expect(parse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")).toThrow("without Content-Length");
});

test("a closed loop sends each request in turn, with its account, and keeps the bodies in order", async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""} ${text}`);
      const body = JSON.stringify(request.url);
      response.writeHead(200, { "Content-Length": body.length }).end(body);
    });
  });
  const account = { email: "a@b.example", apiKey: "key" };
  const requests = [get("/one?x=1"), form("POST", "/two", { content: "a & b", to: [7] }, account)];
  const result = await closedLoop({
    port: await listen(server),
    requests,
    concurrency: 2,
    count: 5,
    keepBodies: true,
    timeoutMs: 60_000,
  });
  expect(result.bodies).toEqual(['"/one?x=1"', '"/two"', '"/one?x=1"', '"/two"', '"/one?x=1"']);
  expect(result.latenciesMs).toHaveLength(5);
  expect(seen.sort()[0]).toBe("GET /one?x=1  ");
  expect(seen.at(-1)).toBe(`POST /two ${basic(account)} content=a+%26+b&to=%5B7%5D`);
});

test("a closed loop fails on an error answer and on a server that says nothing", async () => {
  const failing = await listen(
    createServer((_, response) => void response.writeHead(429, { "Content-Length": 2 }).end("no")),
  );
  const load = { requests: [get("/")], concurrency: 1, count: 3, timeoutMs: 60_000 };
  await expect(closedLoop({ ...load, port: failing })).rejects.toThrow("429: no");
  const silent = await listen(createServer(() => {}));
  await expect(closedLoop({ ...load, port: silent, timeoutMs: 200 })).rejects.toThrow("0 of 3 answers");
});

/** Long polls as the API has them, on node:http; `deliver` decides what an answer holds. */
function pollServer(deliver: (id: number) => object[]): Server {
  let lastId = 0;
  const held: (() => void)[] = [];
  return createServer((request, response) => {
    const say = (body: object): void => {
      const text = JSON.stringify(body);
      response.writeHead(200, { "Content-Length": Buffer.byteLength(text) }).end(text);
    };
    if (request.method === "POST") {
      lastId++;
      request.resume();
      say({ id: lastId });
      for (const wake of held.splice(0)) wake();
      return;
    }
    const known = Number(/last_event_id=(-?\d+)/.exec(request.url!)![1]);
    const reply = (): void => say({ events: deliver(lastId).filter((event) => (event as { id: number }).id > known) });
    if (known < lastId) reply();
    else held.push(reply);
  });
}

const account = { email: "a@b.example", apiKey: "key" };
const queues = ["q0", "q1", "q2"].map((queueId) => ({ queueId, account, lastEventId: 0 }));
const message = [form("POST", "/api/v1/messages", {})];

async function run(server: Server, rounds: number, messagesPerRound: number, isHolding: boolean): Promise<number> {
  const port = await listen(server);
  const reader = new Reader();
  let fail: (error: Error) => void = () => {};
  const fault = new Promise<never>((_, reject) => {
    fail = reject;
  });
  fault.catch(() => {});
  const polls = new PollSet(port, reader, queues, fail);
  const load = { messages: message, audience: queues.length, timeoutMs: 60_000 };
  try {
    await polls.park();
    if (isHolding) {
      polls.isHolding = true;
      await runRounds(port, reader, polls, { ...load, rounds: 1, messagesPerRound: 1, isCollecting: false }, fault);
    }
    const result = await runRounds(
      port,
      reader,
      polls,
      { ...load, rounds, messagesPerRound, isCollecting: isHolding },
      fault,
    );
    expect(result.latenciesMs.length).toBeGreaterThan(0);
    return result.delivered;
  } finally {
    polls.close();
  }
}

test("rounds deliver each message to each queue once", async () => {
  const one = pollServer((id) => [{ id, type: "message" }]);
  expect(await run(one, 5, 1, false)).toBe(15);
});

test("held polls collect a burst together", async () => {
  const all = pollServer((id) => Array.from({ length: id }, (_, index) => ({ id: index + 1, type: "message" })));
  expect(await run(all, 3, 4, true)).toBe(36);
});

test("a queue that brings an event twice is found out", async () => {
  const server = pollServer((id) => [{ id, type: "message" }]);
  const stuck = createServer((request, response) => {
    if (request.method === "POST") return void server.emit("request", request, response);
    const text = JSON.stringify({ events: [{ id: 7, type: "message" }] });
    response.writeHead(200, { "Content-Length": text.length }).end(text);
  });
  await expect(run(stuck, 1, 1, false)).rejects.toThrow("event 7 after event 7");
});
