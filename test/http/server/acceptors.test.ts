/** Connections that come all at once are taken at once, and none that waits is lost when the server ends. */
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { loadUws } from "../../../http/server/builds/uws.ts";
import type { us_listen_socket } from "../../../http/server/builds/uws-interface.ts";
import { listen } from "../../../http/server/server.ts";
import { startTestServer } from "../../support/server/server.ts";

const request = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
const clients: Socket[] = [];

/** So many connections, each with the beginning of its answer or "reset". All wait for the loop when it returns. */
function comeAtOnce(port: number, count: number): Promise<string>[] {
  return Array.from({ length: count }, () => {
    const client = connect(port, "127.0.0.1");
    clients.push(client);
    client.write(request);
    return new Promise((resolve) => {
      client.once("data", (bytes) => resolve(bytes.toString("latin1", 0, 12)));
      client.once("error", () => resolve("reset"));
      client.once("close", () => resolve("reset"));
    });
  });
}

/** Counts turns of the event loop, each of which takes as long as one of a busy server. */
function busyLoop(busyMs: number): { turns: number; end(): void } {
  const loop = { turns: 0, end: () => clearImmediate(next) };
  const turn = (): void => {
    loop.turns++;
    for (const until = performance.now() + busyMs; performance.now() < until; );
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  return loop;
}

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

describe("our own build", () => {
  const { uws } = loadUws("javascript");
  const open: us_listen_socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) uws.us_listen_socket_close(socket);
  });

  it("takes many connections in a turn of the loop when many come", async () => {
    const socket = await new Promise<us_listen_socket | false>((listened) => {
      const app = uws.App().get("/hello", (res) => res.end("hello"));
      app.listen("127.0.0.1", 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, listened);
    });
    if (socket === false) throw new Error("could not listen");
    open.push(socket);
    const loop = busyLoop(2);
    const seen: number[] = [];
    // As many in one go as find room in the kernel's line, until few turns are enough for them.
    for (let round = 0; round < 20 && !(seen.at(-1)! < 500); round++) {
      const before = loop.turns;
      const answers = await Promise.all(comeAtOnce(uws.us_socket_local_port(socket), 1000));
      expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 200"]));
      seen.push(loop.turns - before);
    }
    loop.end();
    expect(seen.at(-1)).toBeLessThan(500);
  });
});

it("who waits to be taken when a listener closes is answered", async () => {
  const { server, stop } = await startTestServer();
  try {
    const listener = await listen(server.app, { host: "127.0.0.1", port: 0, sharePort: false });
    const answers = comeAtOnce(listener.port, 300);
    await listener.close();
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["HTTP/1.1 404"]));
  } finally {
    await stop();
  }
});
