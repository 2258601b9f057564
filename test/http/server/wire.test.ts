/** What each build of the HTTP server does with bytes that no client library sends. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawConnection, sendApart } from "../../../bench/builds/raw-http.ts";
import { askAsOperator } from "../../support/client/as-operator.ts";
import { httpBuilds, nativeBuild } from "../../support/server/http-builds.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

const isOldBuild = nativeBuild?.includes(" 20.30.") ?? false;

describe.each(httpBuilds)("raw sockets, %s", (flavour) => {
  const isNative = flavour === "native";
  let server: TestServer;
  let port: number;
  beforeAll(async () => {
    server = await startTestServer({ PARLEY_HTTP_BUILD: flavour });
    port = server.server.port;
  });
  afterAll(() => server.stop());

  const open = () => RawConnection.open(port);
  const health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
  /** Waits for PostgreSQL, so it is not answered in the turn in which it came. */
  const login = (head: string, body: string) =>
    `POST /api/v1/fetch_api_key HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n${head}\r\n${body}`;
  const fields = "username=nobody@example.com&password=no";
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

  it("requests in one packet are answered in their order", async () => {
    const paths = ["/health", "/api/v1/server_settings", "/static/icon.svg", "/nowhere", "/login/", "/health"];
    // What is answered at once: the organization is loaded, and what is kept of answers is made.
    for (const path of paths) await (await fetch(`${server.url}${path}`)).text();
    const connection = open();
    connection.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
    const statuses: number[] = [];
    for (const _ of paths) statuses.push((await connection.answer()).status);
    expect(statuses).toEqual([200, 200, 200, 404, 200, 200]);
    connection.close();
  });

  it.skipIf(isNative)("also behind one that has to wait (the native builds end the connection there)", async () => {
    const connection = open();
    connection.send(login(`Content-Length: ${fields.length}\r\n`, fields) + health);
    expect([(await connection.answer()).status, (await connection.answer()).status]).toEqual([401, 200]);
    connection.close();
  });

  it.skipIf(isNative && isOldBuild)("HTTP/1.0 gets an answer (not from 20.30, which is silent)", async () => {
    const connection = open();
    connection.send("GET /health HTTP/1.0\r\n\r\n");
    const [answer, ...others] = await connection.answersUntilClosed();
    expect(answer?.status).toBe(isNative ? 505 : 200);
    expect(others).toEqual([]);
  });

  it("a head comes in two packets", async () => {
    const connection = open();
    await sendApart(connection, port, [
      `GET /health?q=${"q".repeat(1500)}`,
      `${"q".repeat(1500)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]);
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });

  it.skipIf(isNative && isOldBuild)("one of 5 kB too (not to 20.30, which ends the connection)", async () => {
    const connection = open();
    await sendApart(connection, port, [
      `GET /health?q=${"q".repeat(3000)}`,
      `${"q".repeat(2000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]);
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });

  it.skipIf(isNative && isOldBuild).each([
    ["a header without a colon", "GET /health HTTP/1.1\r\nHost x\r\n\r\n"],
    ["a space before a colon", "GET /health HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc"],
    ["a folded header", "GET /health HTTP/1.1\r\nHost: x\r\nFoo: a\r\n b\r\n\r\n"],
    ["no Host", "GET /health HTTP/1.1\r\n\r\n"],
    ["a null byte", "GET /health HTTP/1.1\r\nHost: x\r\nFoo: a\0b\r\n\r\n"],
  ])("a broken head is told 400 (20.30 is silent): %s", async (_what, bytes) => {
    const connection = open();
    connection.send(bytes);
    expect((await connection.answersUntilClosed()).map(({ status }) => status)).toEqual([400]);
  });

  it("a body in chunks is read", async () => {
    const connection = open();
    connection.send(
      login("Transfer-Encoding: chunked\r\n", `${chunk(fields.slice(0, 10))}${chunk(fields.slice(10))}0\r\n\r\n`),
    );
    const answer = await connection.answer();
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([401, "AUTHENTICATION_FAILED"]);
    connection.close();
  });

  const length = `Content-Length: ${fields.length}\r\n`;
  it.each([
    ["two lengths", login(`${length}Content-Length: 0\r\n`, fields)],
    ["the same length twice", login(length + length, fields)],
    ["a list of lengths", login(`Content-Length: ${fields.length}, ${fields.length}\r\n`, fields)],
    ["a length with a sign", login(`Content-Length: +${fields.length}\r\n`, fields)],
    ["a negative length", login("Content-Length: -1\r\n", fields)],
    ["an empty length", login("Content-Length:\r\n", "")],
    ["a length of thirty digits", login(`Content-Length: ${"9".repeat(30)}\r\n`, fields)],
    ["a length and chunks", login(`${length}Transfer-Encoding: chunked\r\n`, "0\r\n\r\n")],
    ["chunks and a length", login(`Transfer-Encoding: chunked\r\n${length}`, "0\r\n\r\n")],
    ["an unknown encoding", login("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")],
    ["two encodings", login("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n")],
    ["a GET with two lengths", "GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 3\r\n\r\n"],
    [
      "a GET with a length and chunks",
      "GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a bad chunk", login("Transfer-Encoding: chunked\r\n", "zz\r\nabc\r\n0\r\n\r\n")],
    ["a chunk of twenty digits", login("Transfer-Encoding: chunked\r\n", `${"f".repeat(20)}\r\nabc\r\n0\r\n\r\n`)],
  ])("where a body ends is said once, or the connection ends: %s", async (_what, bytes) => {
    const connection = open();
    connection.send(bytes + health + health);
    // Whatever is behind it may belong to the body, so nothing there is taken for a request.
    const statuses = (await connection.answersUntilClosed()).map(({ status }) => status);
    expect([[], [400]]).toContainEqual(statuses);
  });

  it.each([
    ["a header", "Foo: bar\r\n\r\n"],
    ["a request", health],
  ])("what follows the last chunk is no request: %s", async (_what, trailer) => {
    for (const head of [
      login("Transfer-Encoding: chunked\r\n", ""),
      health.replace("Host", "Transfer-Encoding: chunked\r\nHost"),
    ]) {
      const connection = open();
      connection.send(`${head}3\r\na=b\r\n0\r\n${trailer}`);
      if (!isNative) connection.socket.end();
      const answers = await connection.answersUntilClosed();
      expect(answers.length).toBeLessThanOrEqual(1);
      if (head.startsWith("POST")) for (const { status } of answers) expect([400, 505]).toContain(status);
    }
  });

  it("a thousand requests in one packet take a turn each, not the loop", async () => {
    const flood = open();
    flood.send(health.repeat(1000));
    const other = open();
    other.send(health);
    expect((await other.answer()).status).toBe(200);
    if (isNative) {
      // A connection that does not wait for its turn is ended.
      expect((await flood.answersUntilClosed()).length).toBeLessThan(100);
    } else for (let index = 0; index < 1000; index++) expect((await flood.answer()).status).toBe(200);
    flood.close();
  });

  it("a connection idles for as long as its answers say, which is longer than the nginx of docs/ keeps it", async () => {
    const page = await readFile(new URL("../../../docs/proxies-and-services.md", import.meta.url), "utf8");
    const nginxMs = Number(/keepalive_timeout (\d+)s;/.exec(page)![1]) * 1000;
    const idle = async (path: string) => {
      const connection = open();
      connection.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const { headers } = await connection.answer();
      const answeredAt = performance.now();
      const toldMs = Number(/^timeout=(\d+)$/.exec(headers.get("keep-alive") ?? "")![1]) * 1000;
      expect(toldMs).toBeGreaterThan(nginxMs);
      expect(await connection.answersUntilClosed()).toEqual([]);
      // By two clocks, of which one may be a little fast.
      expect(performance.now() - answeredAt).toBeGreaterThan(toldMs - 50);
    };
    await Promise.all(["/health", "/api/v1/server_settings", "/login/", "/static/icon.svg"].map(idle));
  }, 300_000);

  it("its own /health tells which build answers", async () => {
    expect(await (await askAsOperator(`${server.url}/health`)).json()).toMatchObject({
      ready: true,
      http: { flavour },
    });
  });
});
