/** Our own build of the HTTP server reads the same requests however the network cuts them. */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHead } from "../../../http/server/builds/request-head.ts";
import { loadUws } from "../../../http/server/builds/uws.ts";
import type { us_listen_socket } from "../../../http/server/builds/uws-interface.ts";

describe("any pieces", () => {
  const { uws } = loadUws("javascript");
  let listener: us_listen_socket;
  let port: number;
  beforeAll(async () => {
    await new Promise<void>((listening) =>
      uws
        .App()
        .any("/*", (res, req) => {
          const [method, address, mark] = [req.getMethod(), req.getUrl(), req.getHeader("x-mark")];
          const pieces: Buffer[] = [];
          let isGone = false;
          res.onAborted(() => {
            isGone = true;
          });
          const answer = () => {
            if (isGone) return;
            const body = `<${method} ${address} ${mark} ${Buffer.concat(pieces).toString("latin1")}>`;
            res.cork(() => {
              if (method === "head") res.writeHeader("X-Answer", body).endWithoutBody();
              else res.end(body);
            });
          };
          if (address === "/unread") answer();
          else
            res.onData((chunk, isLast) => {
              pieces.push(Buffer.from(Buffer.from(chunk)));
              if (isLast && address === "/later") setImmediate(answer);
              else if (isLast) answer();
            });
        })
        .listen("127.0.0.1", 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
          listener = socket as us_listen_socket;
          port = uws.us_socket_local_port(listener);
          listening();
        }),
    );
  });
  afterAll(() => uws.us_listen_socket_close(listener));

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])("of thirty requests at random, seed %i", async (seed) => {
    const { below, pick } = random(seed);
    const expected: string[] = [];
    let bytes = "";
    for (let count = 0; count < 30; count++) {
      const method = pick(["GET", "HEAD", "POST", "PATCH", "QUERY"]);
      const path = pick(["/", "/later", "/unread"]);
      const body = "\r\n0 :GET/H".repeat(below(200)).slice(0, below(1500));
      const mark = `${count}${"m".repeat(below(8) === 0 ? 9_000 : 5)}`;
      const head = `${pick(["", "\r\n"])}${method} ${path} HTTP/1.1\r\nhOST: x\r\nX-Mark: \t${mark}  \r\n`;
      const isChunked = below(2) === 0;
      const hasBody = method !== "GET" && method !== "HEAD";
      if (!hasBody) bytes += `${head}\r\n`;
      else if (isChunked) {
        let chunks = "";
        for (let at = 0; at < body.length; ) {
          const piece = body.slice(at, at + 1 + below(400));
          chunks += `${piece.length.toString(16)}${pick(["", ";a=b", ';c="d"'])}\r\n${piece}\r\n`;
          at += piece.length;
        }
        bytes += `${head}Transfer-Encoding: Chunked\r\n\r\n${chunks}0\r\n${pick(["", "X-Sum: 1\r\nY: 2\r\n"])}\r\n`;
      } else bytes += `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      const isRead = hasBody && path !== "/unread";
      expected.push(`<${method.toLowerCase()} ${path} ${mark} ${isRead ? body : ""}>`);
    }
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    let received = "";
    socket.on("data", (some) => {
      received += some.toString("latin1");
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    bytes += "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.slice(at, at + 1 + below(pick([2, 40, 3_000])));
      socket.write(piece, "latin1");
      at += piece.length;
      await new Promise((sent) => setImmediate(sent));
    }
    await closed;
    expect(received.match(/<[a-z]+ \/[^>]*>/g)).toEqual([...expected, "<get /  >"]);
  });
});

describe("a head is refused", () => {
  const head = (lines: string, line = "POST / HTTP/1.1") => readHead(`${line}\r\nHost: x\r\n${lines}\r\n`);
  it.each([
    ["two lengths", "Content-Length: 1\r\nContent-Length: 1\r\n"],
    ["a length and chunks", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"],
    ["another encoding", "Transfer-Encoding: gzip, chunked\r\n"],
    ["two encodings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"],
    ["a list of lengths", "Content-Length: 1, 1\r\n"],
    ["a length that is no number", "Content-Length: 0x1\r\n"],
    ["an empty length", "Content-Length: \r\n"],
    ["a space before a colon", "Content-Length : 1\r\n"],
    ["a folded line", "A: b\r\n Content-Length: 1\r\n"],
    ["a line break without CR", "A: b\nContent-Length: 1\r\n"],
    ["a CR alone", "A: b\rContent-Length: 1\r\n"],
    ["a second host", "Host: y\r\n"],
    ["a name with a byte above ASCII", "\xc4: b\r\n"],
    ["a line without a colon", "GET / HTTP/1.1\r\n"],
  ])("with %s", (_what, lines) => {
    expect(head(lines)).toMatchObject({ status: 400 });
  });

  it("with chunks from a client of HTTP/1.0, which knows none", () => {
    expect(head("Transfer-Encoding: chunked\r\n", "POST / HTTP/1.0")).toMatchObject({ status: 400 });
  });

  it.each([
    ["GET  / HTTP/1.1", 400],
    ["GET / HTTP/1.1 ", 400],
    ["GET / HTTP/11", 400],
    ["GET /a b HTTP/1.1", 400],
    ["GET a HTTP/1.1", 400],
    ["G(T / HTTP/1.1", 400],
    ["GET http://user@x/ HTTP/1.1", 400],
    ["CONNECT x:1 HTTP/1.1", 501],
    ["PRI * HTTP/2.0", 505],
  ])("that begins with %s", (line, status) => {
    expect(head("", line)).toMatchObject({ status });
  });

  it("with an expectation that nobody meets", () => {
    expect(head("Expect: cake\r\nContent-Length: 1\r\n")).toMatchObject({ status: 417 });
  });
});

/** Numbers by Lehmer's generator: the same for the same seed. */
function random(seed: number): { below(limit: number): number; pick<T>(choices: readonly T[]): T } {
  let state = seed;
  const below = (limit: number): number => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state % limit;
  };
  return { below, pick: (choices) => choices[below(choices.length)]! };
}
