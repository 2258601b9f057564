/** Bodies that are taken while they come in, over each HTTP build that loads here. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BodyBudget } from "../../../http/server/body-budget.ts";
import type { BodyStream } from "../../../http/server/body-stream.ts";
import { loadUws } from "../../../http/server/builds/uws.ts";
import type { us_listen_socket } from "../../../http/server/builds/uws-interface.ts";
import { Exchange } from "../../../http/server/exchange.ts";
import { Gzip } from "../../../http/server/gzip.ts";
import { HeaderBlock } from "../../../http/server/header-block.ts";
import { httpBuilds } from "../../support/server/http-builds.ts";
import { until } from "../../support/time/until.ts";

const mebibyte = 1024 * 1024;
const size = 32 * mebibyte;
const maxBytes = 2 * size;

describe.each(httpBuilds)("over the %s build", (flavour) => {
  const { uws } = loadUws(flavour);
  const listening = {
    isDraining: () => false,
    isProxied: false,
    isDevelopment: false,
    jsonHeaders: new HeaderBlock([["X-Build", flavour]]),
    gzip: new Gzip(),
    strictTransport: [],
  };
  const budget = new BodyBudget({ total: 1024 * mebibyte, perCaller: 1024 * mebibyte });
  const bodies: BodyStream[] = [];
  const sockets: Socket[] = [];
  let listener: us_listen_socket;
  let port = 0;

  beforeAll(async () => {
    await new Promise<void>((resolve) =>
      uws
        .App()
        .any("/*", (res, req) => {
          const exchange = new Exchange(res, req, listening);
          const body = exchange.streamBody(
            maxBytes,
            budget.open(() => "somebody"),
          );
          if (exchange.path === "/held") bodies.push(body);
          else
            void sizeOf(body).then(
              (bytes) => exchange.reply(200, [], String(bytes)),
              (error: Error) => exchange.reply(413, [], error.name),
            );
        })
        .listen("127.0.0.1", 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
          listener = socket as us_listen_socket;
          port = uws.us_socket_local_port(listener);
          resolve();
        }),
    );
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    uws.us_listen_socket_close(listener);
  });

  const open = (path: string, head: string): Socket => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    sockets.push(socket);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
    return socket;
  };
  const post = async (path: string, bytes: number) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body: Buffer.alloc(bytes) })).text();

  it("of one that nobody takes little is in memory, and the rest with its client; then all of it comes", async () => {
    const socket = open("/held", `Content-Length: ${size}`);
    socket.write(Buffer.alloc(size, "x"));
    await until("some of it is there", () => budget.bytes > 64 * 1024);
    // Others' bodies have come as a whole by then.
    expect(await post("/", size)).toBe(String(size));
    expect(budget.bytes).toBeLessThan(mebibyte);
    expect(await sizeOf(bodies.pop()!)).toBe(size);
    expect(budget.bytes).toBe(0);
  });

  it("one whose client leaves fails, and gives back its bytes", async () => {
    const socket = open("/held", `Content-Length: ${size}`);
    socket.write(Buffer.alloc(mebibyte, "x"));
    await until("some of it is there", () => budget.bytes > 64 * 1024);
    const taken = sizeOf(bodies.pop()!);
    socket.destroy();
    await expect(taken).rejects.toMatchObject({ name: "ClientGone" });
    expect(budget.bytes).toBe(0);
  });

  it("one that is too large fails at once when its length says so, and otherwise as it comes", async () => {
    const [told] = (await once(open("/", `Content-Length: ${maxBytes + 1}`), "data")) as [Buffer];
    expect(told.toString()).toMatch(/^HTTP\/1.1 413 .*BodyTooLarge$/s);
    const socket = open("/", "Transfer-Encoding: chunked");
    const answered = once(socket, "data");
    const piece = Buffer.alloc(mebibyte);
    for (let bytes = 0; bytes <= maxBytes; bytes += piece.length) {
      socket.write(`${piece.length.toString(16)}\r\n`);
      if (!socket.write(Buffer.concat([piece, Buffer.from("\r\n")]))) await once(socket, "drain");
    }
    expect(String((await answered)[0])).toMatch(/^HTTP\/1.1 413 .*BodyTooLarge$/s);
  });

  it("one that was dropped is heard to its end, and the connection goes on", async () => {
    const socket = open("/held", `Content-Length: ${size}`);
    socket.write(Buffer.alloc(mebibyte, "x"));
    await until("some of it is there", () => budget.bytes > 64 * 1024);
    bodies.pop()!.drop();
    expect(budget.bytes).toBe(0);
    const rest = Buffer.alloc(mebibyte);
    for (let bytes = mebibyte; bytes < size; bytes += rest.length) if (!socket.write(rest)) await once(socket, "drain");
    expect(budget.bytes).toBe(0);
  });
});

async function sizeOf(body: BodyStream): Promise<number> {
  let bytes = 0;
  for await (const piece of body) bytes += piece.length;
  return bytes;
}
