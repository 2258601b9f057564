/**
 * The floor under fan-out: raw uWebSockets.js that holds long polls and answers them, and does nothing else. No
 * accounts, no queues, no JSON, no disk; the least that this HTTP server can cost per delivered event.
 *
 *   GET  /api/v1/events?…&last_event_id=N   held until an event newer than N is published to its group
 *        the same with Accept: text/event-stream: kept, and each event is written to it
 *   POST /api/v1/messages  to=…             publishes one event: to every poll, or with `to=[G]` to those of group G
 *
 * An answer has the headers and the body of a sample taken from Parley in the same run, encoded once per event. Every
 * poll is answered in a later tick than the publish, in a `cork` of its own. A server that decides asynchronously must
 * do so.
 */

import { loadUws } from "../../http/server/builds/uws.ts";
import type { HttpResponse } from "../../http/server/builds/uws-interface.ts";
import { answer } from "../harness/child.ts";
import { emptyStamp, stampMark } from "../load/paced.ts";

export interface Template {
  /** Status line and headers of a sample answer. */
  head: string;
  /** Its body. The floor puts its own event ids in place of the sample's, counting on from there. */
  body: string;
  /** Polls are split by queue number: queue `q7` of 5 groups is in group 2. */
  groups: number;
  /** Publishes carry a stamp (see `load/paced.ts`) that the event must repeat. */
  hasStamps: boolean;
}

interface Group {
  lastEventId: number;
  body: Buffer;
  held: Set<HttpResponse>;
  streams: Set<HttpResponse>;
}

/** uWebSockets.js writes these itself. */
const ownHeaders = new Set(["date", "uwebsockets", "content-length", "transfer-encoding", "connection"]);

const { uws, build } = loadUws("native");
let status = "200 OK";
let headers: (readonly [name: string, value: string])[] = [];
let bodyBefore = "";
let bodyAfter = "";
let hasStamps = false;
let groups: Group[] = [];
let lastEventId = 0;

const encode = (stamp: string): Buffer => {
  const text = bodyBefore + lastEventId + bodyAfter;
  return Buffer.from(hasStamps ? text.replaceAll(emptyStamp, stamp) : text);
};

const reply = (res: HttpResponse, body: Buffer | string): void => {
  res.cork(() => {
    if (status !== "200 OK") res.writeStatus(status);
    for (const [name, value] of headers) res.writeHeader(name, value);
    res.end(body);
  });
};

const groupOf = (query: string): Group => {
  if (groups.length === 1) return groups[0]!;
  const at = query.indexOf("queue_id=q") + "queue_id=q".length;
  return groups[Number.parseInt(query.slice(at, query.indexOf("&", at)), 10) % groups.length]!;
};

const app = uws.App();

app.get("/api/v1/events", (res, req) => {
  const query = req.getQuery() ?? "";
  const group = groupOf(query);
  if (req.getHeader("accept") === "text/event-stream") {
    res.onAborted(() => group.streams.delete(res));
    group.streams.add(res);
    res.cork(() => {
      for (const [name, value] of headers) res.writeHeader(name, value);
      res.write("retry: 1000\n\n");
    });
    return;
  }
  const known = Number(query.slice(query.lastIndexOf("=") + 1));
  let isGone = false;
  res.onAborted(() => {
    isGone = true;
    group.held.delete(res);
  });
  if (known >= group.lastEventId) group.held.add(res);
  else setImmediate(() => isGone || reply(res, group.body));
});

app.post("/api/v1/messages", (res) => {
  let text = "";
  let isGone = false;
  res.onAborted(() => {
    isGone = true;
  });
  res.onData((chunk, isLast) => {
    text += Buffer.from(chunk).toString("latin1");
    if (!isLast) return;
    const target = /(?:^|&)to=%5B(\d+)%5D/.exec(text)?.[1];
    lastEventId++;
    const stampAt = text.indexOf(stampMark);
    const body = encode(text.slice(stampAt, stampAt + emptyStamp.length));
    const published = target === undefined ? groups : [groups[Number(target) % groups.length]!];
    const publishedId = lastEventId;
    setImmediate(() => {
      if (!isGone) reply(res, `{"result":"success","msg":"","id":${publishedId}}`);
      for (const group of published) {
        group.lastEventId = publishedId;
        group.body = body;
        const { held } = group;
        group.held = new Set();
        for (const poll of held) reply(poll, body);
        for (const stream of group.streams) stream.cork(() => stream.write(body));
      }
    });
  });
});

answer({
  /** Takes a new template and forgets all polls. Returns the event id that polls begin at. */
  imitate(template: Template): number {
    const [statusLine = "", ...lines] = template.head.trimEnd().split("\r\n");
    status = statusLine.slice("HTTP/1.1 ".length);
    headers = lines
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as const)
      .filter(([name]) => !ownHeaders.has(name.toLowerCase()));
    const piece = /^id: (\d+)$/m.exec(template.body);
    const firstId = piece
      ? Number(piece[1])
      : (JSON.parse(template.body) as { events: { id: number }[] }).events.at(-1)!.id;
    const mark = piece ? "id: " : '"id":';
    const at = template.body.lastIndexOf(mark + firstId) + mark.length;
    const unstamped = (text: string): string =>
      template.hasStamps ? text.replaceAll(new RegExp(`${stampMark}\\d+`, "g"), emptyStamp) : text;
    bodyBefore = unstamped(template.body.slice(0, at));
    bodyAfter = unstamped(template.body.slice(at + String(firstId).length));
    hasStamps = template.hasStamps;
    lastEventId = firstId;
    groups = Array.from({ length: template.groups }, () => ({
      lastEventId: firstId,
      body: Buffer.alloc(0),
      held: new Set(),
      streams: new Set(),
    }));
    return firstId;
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
