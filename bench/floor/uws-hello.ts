/**
 * The floor under any short request: raw uWebSockets.js that answers every GET and POST with the same bytes, at once.
 */

import { loadUws } from "../../http/server/builds/uws.ts";
import { answer } from "../harness/child.ts";

const { uws, build } = loadUws("native");
let body: Buffer = Buffer.from("hello");

const app = uws.App();
app.get("/*", (res) => {
  res.writeHeader("Content-Type", "application/json").end(body);
});
app.post("/*", (res) => {
  res.onAborted(() => {});
  res.onData((_chunk, isLast) => {
    if (isLast) res.cork(() => res.writeHeader("Content-Type", "application/json").end(body));
  });
});

answer({
  /** Answers with so many bytes from now on. */
  answerBytes(count: number): void {
    body = Buffer.alloc(count, "x");
  },
  /** Listens on a free port of the loopback interface and returns it, with the name of the build. */
  listen(): Promise<{ port: number; build: string }> {
    return new Promise((resolve, reject) => {
      app.listen("127.0.0.1", 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket === false) reject(new Error("could not listen"));
        else resolve({ port: uws.us_socket_local_port(socket), build });
      });
    });
  },
});
process.on("disconnect", () => process.exit());
