import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { RawConnection } from "../../../bench/builds/raw-http.ts";
import { loadUws } from "../../../http/server/builds/uws.ts";
import type { TemplatedApp, us_listen_socket } from "../../../http/server/builds/uws-interface.ts";
import { httpBuilds } from "../../support/server/http-builds.ts";

describe.each(httpBuilds)("uWebSockets.js, %s", (only) => {
  const { uws, flavour, build } = loadUws(only);
  const open: us_listen_socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) uws.us_listen_socket_close(socket);
  });

  /** Serves `routes` on a free loopback port. */
  async function serve(routes: (app: TemplatedApp) => void): Promise<{ url: string; port: number }> {
    const app = uws.App();
    routes(app);
    const socket = await new Promise<us_listen_socket | false>((resolve) => {
      app.listen("127.0.0.1", 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
    });
    if (socket === false) throw new Error("could not listen");
    open.push(socket);
    const port = uws.us_socket_local_port(socket);
    return { url: `http://127.0.0.1:${port}`, port };
  }

  it("answers hello with its status, headers and body", async () => {
    expect(flavour).toBe(only);
    if (only === "native") expect(build).toMatch(/^\S+ 20\.\d+\.\S+ \(\w+ \w+, Node ABI \d+\)$/);
    const { url } = await serve((app) =>
      app.get("/hello", (res) => {
        res.writeStatus("418 I'm a teapot").writeHeader("X-Kind", "tea").writeHeader("X-Kind", "green").end("hello");
      }),
    );
    const response = await fetch(`${url}/hello`);
    expect([response.status, response.statusText]).toEqual([418, "I'm a teapot"]);
    expect(response.headers.get("x-kind")).toBe("tea, green");
    expect(response.headers.get("content-length")).toBe("5");
    expect(await response.text()).toBe("hello");
  });

  it("gives method, path, query, parameters, headers and address as they were sent", async () => {
    const { url } = await serve((app) =>
      app.any("/users/:id/*", (res, req) => {
        const headers: Record<string, string> = {};
        req.forEach((key, value) => {
          headers[key] = value;
        });
        const address = Buffer.from(res.getRemoteAddressAsText()).toString();
        const seen = [req.getMethod(), req.getUrl(), req.getQuery() ?? "", req.getParameter(0), req.getHeader("x-who")];
        res.end(JSON.stringify([...seen, headers["x-who"], req.getHeader("x-none"), address]));
      }),
    );
    const response = await fetch(`${url}/users/a%20b/rest?q=%C3%A4&q=2`, {
      method: "PATCH",
      headers: { "X-Who": "me" },
    });
    const path = "/users/a%20b/rest";
    expect(await response.json()).toEqual(["patch", path, "q=%C3%A4&q=2", "a%20b", "me", "me", "", "127.0.0.1"]);
    const bare = (await (await fetch(`${url}/users/1/`)).json()) as string[];
    expect(bare.slice(0, 4)).toEqual(["get", "/users/1/", "", "1"]);
  });

  it("asks a fixed path before a parameter before a wildcard, and goes on when a handler yields", async () => {
    const { url } = await serve((app) =>
      app
        .any("/*", (res) => res.end("wildcard"))
        .any("/a/:x", (res) => res.end("parameter"))
        .any("/a/b", (res) => res.end("fixed"))
        .any("/yield", (_res, req) => void req.setYield(true)),
    );
    const bodies = ["/a/b", "/a/c", "/a/c/d", "/yield"].map(async (path) => (await fetch(url + path)).text());
    expect(await Promise.all(bodies)).toEqual(["fixed", "parameter", "wildcard", "wildcard"]);
  });

  it("hands over a large body whole, with one last piece, also when it is empty", async () => {
    const { url } = await serve((app) =>
      app.post("/echo", (res) => {
        const pieces: Buffer[] = [];
        let lasts = 0;
        res.onAborted(() => {});
        res.onData((chunk, isLast) => {
          pieces.push(Buffer.from(Buffer.from(chunk)));
          if (isLast) lasts += 1;
          if (isLast) res.cork(() => res.writeHeader("X-Lasts", String(lasts)).end(Buffer.concat(pieces)));
        });
      }),
    );
    for (const body of ["", "x", "ä€😀".repeat(100_000)]) {
      const response = await fetch(`${url}/echo`, { method: "POST", body });
      expect(response.headers.get("x-lasts")).toBe("1");
      expect((await response.text()) === body).toBe(true);
    }
  });

  it("answers later, in pieces, and HEAD with a length and no body", async () => {
    const { url } = await serve((app) =>
      app
        .get("/later", (res) => {
          res.onAborted(() => {});
          setImmediate(() => res.cork(() => res.writeStatus("200 OK").end("late")));
        })
        .get("/pieces", (res) => {
          res.write("one ");
          res.write(new TextEncoder().encode("two"));
          res.end();
        })
        .head("/later", (res) => res.writeHeader("Content-Length", "4").endWithoutBody()),
    );
    expect(await (await fetch(`${url}/later`)).text()).toBe("late");
    expect(await (await fetch(`${url}/pieces`)).text()).toBe("one two");
    expect((await fetch(`${url}/later`, { method: "HEAD" })).headers.get("content-length")).toBe("4");
  });

  it("streams a body larger than the socket takes at once", async () => {
    const body = Buffer.alloc(24 * 1024 * 1024, "0123456789abcdef");
    const { url } = await serve((app) =>
      app.get("/big", (res) => {
        res.onAborted(() => {});
        const sendFrom = (offset: number): boolean => {
          for (let at = offset; at < body.length; ) {
            const [isTaken, isDone] = res.tryEnd(body.subarray(at, at + 65_536), body.length);
            if (isDone) return true;
            if (!isTaken) return false;
            at = res.getWriteOffset();
          }
          return true;
        };
        if (!sendFrom(0)) res.onWritable((offset) => sendFrom(offset));
      }),
    );
    const received = Buffer.from(await (await fetch(`${url}/big`)).arrayBuffer());
    expect(received.equals(body)).toBe(true);
  });

  it("tells once when the client leaves, and then refuses any use of the reply", async () => {
    const aborts: number[] = [];
    const abandoned = withResolvers<unknown>();
    const arrived = withResolvers<void>();
    const { port } = await serve((app) =>
      app.get("/poll", (res) => {
        res.onAborted(() => {
          aborts.push(1);
          setImmediate(() => {
            try {
              res.end("too late");
              abandoned.resolve("no error");
            } catch (error) {
              abandoned.resolve(error);
            }
          });
        });
        arrived.resolve();
      }),
    );
    const client = connect(port, "127.0.0.1", () => client.write("GET /poll HTTP/1.1\r\nHost: x\r\n\r\n"));
    await arrived.promise;
    client.destroy();
    expect(await abandoned.promise).toBeInstanceOf(Error);
    expect(aborts).toEqual([1]);
  });

  it("tells of a client that leaves while it is written to after the handler, not within", async () => {
    const told = withResolvers<{ within: boolean; offset: number }>();
    let client: Socket | undefined;
    let within = true;
    const { port } = await serve((app) =>
      app.get("/", (res) => {
        let offset = 0;
        res.onAborted(() => told.resolve({ within, offset }));
        client!.resetAndDestroy();
        res.cork(() => {
          res.onWritable(() => true);
          const bytes = Buffer.alloc(1024 * 1024);
          for (let isTaken = true; isTaken && offset < 64 * bytes.length; offset = res.getWriteOffset())
            [isTaken] = res.tryEnd(bytes, 64 * bytes.length);
        });
        within = false;
      }),
    );
    client = connect(port, "127.0.0.1", () => client!.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    const { within: wasWithin, offset } = await told.promise;
    expect(wasWithin).toBe(false);
    expect(offset).toBeLessThan(64 * 1024 * 1024);
  });

  it("does not call an ended reply aborted, and refuses a second end", async () => {
    let isAborted = false;
    let second: unknown;
    const { url } = await serve((app) =>
      app.get("/", (res) => {
        res.onAborted(() => {
          isAborted = true;
        });
        res.end("first", true);
        try {
          res.end("second");
        } catch (error) {
          second = error;
        }
      }),
    );
    const response = await fetch(`${url}/`);
    expect(await response.text()).toBe("first");
    expect(second).toBeInstanceOf(Error);
    // A second round trip: the first connection's close was handled before it.
    await (await fetch(`${url}/`)).text();
    expect(isAborted).toBe(false);
  });

  it("answers what came over an idle connection while the process was busy", async () => {
    const { port } = await serve((app) => app.get("/", (res) => void res.end("here")));
    const connection = RawConnection.open(port);
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await connection.answer();
    // The time for which a connection may idle, spent outside the loop.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 12_500);
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect((await connection.answer()).body).toBe("here");
    connection.socket.destroy();
  });

  it("says false when the port is taken", async () => {
    const { port } = await serve((app) => app.get("/", (res) => res.end()));
    const result = await new Promise((resolve) => {
      uws.App().listen("127.0.0.1", port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
    });
    expect(result).toBe(false);
  });
});

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
