import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiClient, expectError, expectSuccess } from "./api.ts";

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

let server: Server;
let seen: Seen[];
let answer: (request: Seen, response: ServerResponse) => void;
let client: ApiClient;

beforeEach(async () => {
  seen = [];
  answer = (_request, response) => response.end('{"result":"success","msg":""}');
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const record = { method, url, headers, body: Buffer.concat(chunks).toString() };
    seen.push(record);
    answer(record, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  client = new ApiClient({ url, email: "a@chat.example", apiKey: "k", userAgent: "Thing/2" });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Answers each poll with the next batch, and holds those after the last. */
function serveEvents(batches: { id: number; type: string }[][]): void {
  answer = (_request, response) => {
    const events = batches.shift();
    if (events) response.end(JSON.stringify({ result: "success", msg: "", events }));
  };
}

describe("requests", () => {
  test("carry Basic credentials and the user agent", async () => {
    await client.get("/users/me");
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("a@chat.example:k").toString("base64")}`,
      "user-agent": "Thing/2",
    });
    await new ApiClient({ url: client.url }).get("/server_settings");
    expect(seen[1]?.headers.authorization).toBeUndefined();
  });

  const params = { text: "a b&ü", flag: true, list: [1, "x"], none: null, left: undefined };
  const encoded = "text=a+b%26%C3%BC&flag=true&list=%5B1%2C%22x%22%5D&none=null";

  test("GET sends strings raw and the rest as JSON in the query", async () => {
    await client.get("/messages", params);
    expect(seen[0]).toMatchObject({ method: "GET", url: `/api/v1/messages?${encoded}`, body: "" });
  });

  test.each(["post", "patch", "put", "delete"] as const)("%s sends a urlencoded body", async (method) => {
    await client[method]("/messages", params);
    expect(seen[0]).toMatchObject({ method: method.toUpperCase(), url: "/api/v1/messages", body: encoded });
    expect(seen[0]?.headers["content-type"]).toMatch(/^application\/x-www-form-urlencoded/);
  });

  test("the query and the root can be asked for", async () => {
    await client.delete("/x", { a: 1 }, { encoding: "query" });
    await client.get("/avatar/1", {}, { root: true });
    expect(seen.map(({ url, body }) => url + body)).toEqual(["/api/v1/x?a=1", "/avatar/1"]);
  });

  test("files go as multipart, with the parameters beside them", async () => {
    const files = { file: { filename: "a.txt", content: "hello", type: "text/plain" } };
    await client.post("/user_uploads", { n: 5 }, { files });
    expect(seen[0]?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen[0]?.body).toMatch(/name="n"\r\n\r\n5\r\n/);
    expect(seen[0]?.body).toMatch(/name="file"; filename="a.txt"\r\nContent-Type: text\/plain\r\n\r\nhello\r\n/);
  });
});

describe("answers", () => {
  test("expectSuccess and expectError return the body or quote the answer", async () => {
    expect(expectSuccess(await client.get("/ok"))).toEqual({ result: "success", msg: "" });
    answer = (_request, response) => {
      response.statusCode = 400;
      response.end('{"result":"error","msg":"no","code":"BAD_REQUEST"}');
    };
    const response = await client.post("/bad");
    expect(expectError(response, 400, "BAD_REQUEST")).toMatchObject({ msg: "no" });
    expect(() => expectSuccess(response)).toThrow('POST /bad: expected success, got 400: {"result":"error"');
    expect(() => expectError(response, 401)).toThrow("expected error 401, got 400");
    expect(() => expectError(response, 400, "OTHER")).toThrow("expected error 400 OTHER, got 400");
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
  ] as const)("are asked for compressed, and read from %s", async (encoding, compressed) => {
    answer = (_request, response) => {
      response.setHeader("Content-Encoding", encoding);
      response.setHeader("Set-Cookie", ["a=1", "b=2"]);
      response.end(compressed('{"result":"success","msg":"ü"}'));
    };
    const { body, headers } = await client.get("/large");
    expect([body["msg"], headers.get("content-encoding"), headers.getSetCookie()]).toEqual([
      "ü",
      encoding,
      ["a=1", "b=2"],
    ]);
    expect(seen[0]?.headers["accept-encoding"]).toBe("gzip, deflate");
  });

  test("that do not come are given up, by time or by signal", async () => {
    answer = () => {};
    await expect(client.get("/never", {}, { timeoutMs: 50 })).rejects.toThrow(
      expect.objectContaining({ name: "TimeoutError" }),
    );
    const stop = new AbortController();
    answer = () => stop.abort(new Error("enough"));
    await expect(client.get("/never", {}, { signal: stop.signal })).rejects.toThrow("enough");
    await expect(client.get("/never", {}, { signal: stop.signal })).rejects.toThrow("enough");
    expect(seen).toHaveLength(2);
  });

  test("that break off are an error", async () => {
    answer = (_request, response) => {
      response.setHeader("Content-Length", 10);
      response.write("{");
      setImmediate(() => response.destroy());
    };
    await expect(client.get("/half")).rejects.toThrow();
  });

  test("what is no JSON object is an empty body", async () => {
    answer = (_request, response) => response.end("<html>");
    expect(await client.get("/page")).toMatchObject({ status: 200, body: {}, text: "<html>" });
  });
});

describe("events", () => {
  const event = (id: number, type = "message") => ({ id, type });

  test("drain polls until nothing is left, acknowledging as it goes", async () => {
    serveEvents([[event(1), event(4)], [event(5)], []]);
    const queue = { queueId: "q", lastEventId: -1 };
    expect((await client.drain(queue)).map(({ id }) => id)).toEqual([1, 4, 5]);
    expect(queue.lastEventId).toBe(5);
    const asked = (last: number) => `/api/v1/events?queue_id=q&last_event_id=${last}&dont_block=true`;
    expect(seen.map(({ url }) => url)).toEqual([asked(-1), asked(4), asked(5)]);
  });

  test("an event that is not newer is refused", async () => {
    serveEvents([[event(1)], [event(1)]]);
    await expect(client.drain({ queueId: "q", lastEventId: -1 })).rejects.toThrow(
      "event 1 (message) came after event 1",
    );
  });

  test("nextEvent waits through other events and leaves later ones", async () => {
    serveEvents([[event(1, "heartbeat")], [event(2), event(3, "stream"), event(4)]]);
    const queue = { queueId: "q", lastEventId: 0 };
    expect(await client.nextEvent(queue, ({ type }) => type === "stream")).toEqual(event(3, "stream"));
    expect(queue.lastEventId).toBe(3);
  });

  test("nextEvent gives up at its deadline, naming what came", async () => {
    serveEvents([[event(1, "typing")]]);
    const found = client.nextEvent({ queueId: "q", lastEventId: 0 }, () => false, 100);
    await expect(found).rejects.toThrow("no such event within 100 ms; came: typing");
  });

  test("an error is passed on at once", async () => {
    answer = (_request, response) => {
      response.statusCode = 400;
      response.end('{"result":"error","msg":"Bad event queue ID: q","code":"BAD_EVENT_QUEUE_ID"}');
    };
    const found = client.nextEvent({ queueId: "q", lastEventId: 0 }, () => true);
    await expect(found).rejects.toThrow("BAD_EVENT_QUEUE_ID");
  });
});
