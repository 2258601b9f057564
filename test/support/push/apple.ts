/** A look-alike of Apple's push service on loopback: HTTP/2 with TLS, token keys, and Apple's own refusals. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { jwtVerify } from "jose";
import type { JsonObject } from "../client/api.ts";

interface Delivered {
  token: string;
  headers: Readonly<Record<string, string>>;
  payload: JsonObject;
}

const headersOfEach = [
  ":authority",
  ":method",
  ":path",
  ":scheme",
  "apns-expiration",
  "apns-priority",
  "apns-push-type",
  "apns-topic",
  "authorization",
  "content-type",
];

export class TestApple {
  readonly delivered: Delivered[] = [];
  readonly faults: string[] = [];
  /** Tokens of apps that are gone. */
  readonly gone = new Set<string>();
  /** Connections so far. */
  sessions = 0;
  /** What it says to each notification first; undefined: it looks at it. */
  answer: () => { status: number; reason: string } | "nothing" | undefined = () => undefined;
  readonly keyId = "ABC123DEFG";
  readonly teamId = "TEAM123456";
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #server: Http2SecureServer;

  constructor(pem: string) {
    this.#server = createSecureServer({ key: pem, cert: pem });
    this.#server.on("session", () => this.sessions++);
    this.#server.on("stream", (stream, headers) => {
      let text = "";
      stream.setEncoding("utf8");
      stream.on("data", (chunk: string) => (text += chunk));
      stream.on("error", () => {});
      stream.on("end", () => void this.#take(stream, headers as Record<string, string>, text));
    });
  }

  /** For `PARLEY_APNS_URL`. */
  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** As in a `.p8` file. */
  get key(): string {
    return (this.#keys.privateKey as KeyObject).export({ type: "pkcs8", format: "pem" }) as string;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "localhost", resolve));
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #take(stream: ServerHttp2Stream, headers: Readonly<Record<string, string>>, text: string): Promise<void> {
    const { status, reason } = (await this.#judge(headers, text)) ?? {};
    if (status === undefined) return;
    stream.respond({ ":status": status, "apns-id": "11111111-2222-4333-8444-555555555555" });
    stream.end(reason === undefined ? "" : JSON.stringify({ reason }));
  }

  async #judge(
    headers: Readonly<Record<string, string>>,
    text: string,
  ): Promise<{ status: number; reason?: string } | undefined> {
    const given = this.answer();
    if (given) return given === "nothing" ? undefined : given;
    const names = Object.keys(headers).sort();
    if (names.join() !== headersOfEach.join()) this.faults.push(`headers ${names.join()}`);
    const [, token] = /^\/3\/device\/([0-9a-f]+)$/i.exec(headers[":path"]!) ?? [];
    if (token === undefined || headers[":method"] !== "POST") return { status: 404, reason: "BadPath" };
    try {
      const jwt = headers["authorization"]!.replace(/^bearer /, "");
      const { payload, protectedHeader } = await jwtVerify(jwt, this.#keys.publicKey, { issuer: this.teamId });
      if (protectedHeader.alg !== "ES256" || protectedHeader.kid !== this.keyId || Object.keys(payload).length !== 2)
        this.faults.push(`token ${JSON.stringify([protectedHeader, payload])}`);
    } catch {
      return { status: 403, reason: "InvalidProviderToken" };
    }
    const [type, priority] = [headers["apns-push-type"], headers["apns-priority"]];
    if (type === "background" && priority !== "5") return { status: 400, reason: "BadPriority" };
    if (Buffer.byteLength(text) > 4096) return { status: 413, reason: "PayloadTooLarge" };
    const payload = JSON.parse(text) as JsonObject;
    if (typeof payload["aps"] !== "object") this.faults.push("no aps");
    if (this.gone.has(token)) return { status: 410, reason: "Unregistered" };
    this.delivered.push({ token, headers, payload });
    return { status: 200 };
  }
}
