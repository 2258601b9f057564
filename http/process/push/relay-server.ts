/** `parley push-relay` over HTTP: what servers ask of it, and whether it lives. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { RelayRefusal } from "../../../actors/push-relay/refusal.ts";
import type { PushRelay } from "../../../actors/push-relay/relay.ts";
import { StorageUnavailable } from "../../../storage/postgres.ts";

const maxBodyBytes = 1024 * 1024;
/** A report has half a kB for each organization of a server, of which there may be 10,000. */
const maxReportBytes = 16 * maxBodyBytes;
const prefix = "/api/v1/remotes/";

export interface RelayServerOptions {
  host: string;
  port: number;
  log: { error(fields: object, message: string): void };
}

export interface RelayListener {
  port: number;
  close(): Promise<void>;
}

/** Begins to listen. @throws Error when the port is taken */
export async function listenForServers(
  relay: PushRelay,
  { host, port, log }: RelayServerOptions,
): Promise<RelayListener> {
  const server = createServer((request, response) => {
    answer(relay, request).then(
      (body) => send(response, 200, { result: "success", msg: "", ...body }),
      (error: unknown) => {
        if (error instanceof RelayRefusal)
          return send(response, error.status, { result: "error", code: error.code, msg: error.message });
        log.error({ err: error }, "the push relay failed");
        const status = error instanceof StorageUnavailable ? 503 : 500;
        return send(response, status, { result: "error", code: "INTERNAL_SERVER_ERROR", msg: "Internal server error" });
      },
    );
  });
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function answer(relay: PushRelay, request: IncomingMessage): Promise<object> {
  const [path = ""] = (request.url ?? "").split("?");
  if (request.method === "GET" && path === "/health") return {};
  const isStatus = path === `${prefix}server/analytics/status`;
  if (!path.startsWith(prefix) || request.method !== (isStatus ? "GET" : "POST"))
    throw new RelayRefusal(404, "BAD_REQUEST", "Not found");
  const text = await bodyOf(request, path === `${prefix}server/analytics` ? maxReportBytes : maxBodyBytes);
  const { authorization } = request.headers;
  return relay.answer({ endpoint: path.slice(prefix.length), authorization, fields: fieldsOf(request, text) });
}

async function bodyOf(request: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new RelayRefusal(413, "BAD_REQUEST", "The request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function fieldsOf({ headers }: IncomingMessage, text: string): unknown {
  if (headers["content-type"] !== "application/json") return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    throw new RelayRefusal(400, "BAD_REQUEST", "Malformed JSON");
  }
}
