/** Bodies that are read while they go out, over each HTTP build that loads here. */
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadUws } from "../../../http/server/builds/uws.ts";
import type { us_listen_socket } from "../../../http/server/builds/uws-interface.ts";
import { Exchange } from "../../../http/server/exchange.ts";
import { Gzip } from "../../../http/server/gzip.ts";
import { HeaderBlock } from "../../../http/server/header-block.ts";
import { httpBuilds } from "../../support/server/http-builds.ts";

const size = 48 * 1024 * 1024;
const pattern = Buffer.from(Array.from({ length: 251 }, (_, index) => index));
/** The bytes from `offset` on: none of them looks like its neighbours. */
const bytesFrom = (offset: number, length: number): Buffer => {
  const start = offset % pattern.length;
  return Buffer.alloc(length + start, pattern).subarray(start);
};

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
  let listener: us_listen_socket;
  let port = 0;
  let bytesRead = 0;
  let failsAt = Number.POSITIVE_INFINITY;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    await new Promise<void>((resolve) =>
      uws
        .App()
        .any("/*", (res, req) => {
          const exchange = new Exchange(res, req, listening);
          const read = async (offset: number, into: Uint8Array) => {
            if (offset >= failsAt) throw new Error("gone");
            bytesRead += into.length;
            into.set(bytesFrom(offset, into.length));
            return into.length;
          };
          void exchange.replySource(206, [["X-Test", "1"]], { size, read }).catch(() => exchange.reply(500, [], "no"));
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

  const open = (method = "GET"): Socket => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`${method} /user_uploads/x HTTP/1.1\r\nHost: x\r\n\r\n`);
    sockets.push(socket);
    return socket;
  };
  const url = () => `http://127.0.0.1:${port}/user_uploads/x`;

  it("every byte arrives, in order", async () => {
    const response = await fetch(url());
    expect(response.status).toBe(206);
    expect(response.headers.get("x-test")).toBe("1");
    expect(response.headers.get("content-length")).toBe(String(size));
    const got = Buffer.from(await response.arrayBuffer());
    expect(got.length).toBe(size);
    expect(got.equals(bytesFrom(0, size))).toBe(true);
  });

  it("every byte arrives at a client that stops again and again", async () => {
    const socket = open();
    const chunks: Buffer[] = [];
    let total = 0;
    for await (const chunk of socket) {
      chunks.push(chunk as Buffer);
      total += (chunk as Buffer).length;
      if (chunks.length % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (total > size) break;
    }
    const whole = Buffer.concat(chunks);
    const body = whole.subarray(whole.indexOf("\r\n\r\n") + 4);
    expect(body.equals(bytesFrom(0, size))).toBe(true);
  });

  it("of clients that do not read, no more is read than their sockets hold", async () => {
    bytesRead = 0;
    const unread = Array.from({ length: 10 }, () => open());
    await Promise.all(
      unread.map(
        (socket) =>
          new Promise<void>((resolve) =>
            socket.once("data", () => {
              socket.pause();
              resolve();
            }),
          ),
      ),
    );
    // A client that reads all of it comes after whatever the others could take.
    await (await fetch(url())).arrayBuffer();
    expect(bytesRead - size).toBeLessThan((unread.length * size) / 2);
    for (const socket of unread) socket.destroy();
  });

  it("HEAD tells the size and reads nothing", async () => {
    bytesRead = 0;
    const response = await fetch(url(), { method: "HEAD" });
    expect(response.headers.get("content-length")).toBe(String(size));
    expect(bytesRead).toBe(0);
  });

  it("what cannot be read is an error before the first byte, and ends the connection later", async () => {
    failsAt = 0;
    expect((await fetch(url())).status).toBe(500);
    failsAt = 1024 * 1024;
    const cut = await fetch(url());
    await expect(cut.arrayBuffer()).rejects.toThrow();
    failsAt = Number.POSITIVE_INFINITY;
    expect((await fetch(url(), { method: "HEAD" })).status).toBe(206);
  });
});
