/** A browser's push service on loopback, and browsers that can read what it is given (RFC 8291). */
import { createECDH, type ECDH, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decrypt } from "http_ece";
import { decodeProtectedHeader, importJWK, jwtVerify } from "jose";
import type { JsonObject } from "../client/api.ts";
import { until } from "../time/until.ts";

interface Delivered {
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

export class TestPushService {
  readonly delivered: Delivered[] = [];
  /** Status of the answers. */
  status: (path: string) => number = () => 201;
  #browsers = 0;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      this.delivered.push({ path, headers, body: Buffer.concat(chunks) });
      response.writeHead(this.status(path)).end();
    });
  });

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  newBrowser(): TestBrowser {
    return new TestBrowser(this, `/browser/${++this.#browsers}`);
  }
}

export class TestBrowser {
  readonly #keys: ECDH = createECDH("prime256v1");
  readonly #secret = randomBytes(16);

  constructor(
    private readonly service: TestPushService,
    readonly path: string,
  ) {
    this.#keys.generateKeys();
  }

  /** Parameters of `POST /web_push`. */
  get subscription() {
    return {
      endpoint: this.service.origin + this.path,
      p256dh: this.#keys.getPublicKey().toString("base64url"),
      auth: this.#secret.toString("base64url"),
    };
  }

  /** What the push service was given for it, decrypted. */
  got(): JsonObject[] {
    return this.#delivered().map(({ body }) => {
      const params = {
        version: "aes128gcm",
        privateKey: this.#keys,
        authSecret: this.#secret.toString("base64url"),
      };
      return JSON.parse(decrypt(body, params).toString()) as JsonObject;
    });
  }

  async get(count: number): Promise<JsonObject[]> {
    await until(`${count} in the browser`, () => this.#delivered().length >= count, 120_000);
    return this.got();
  }

  /** Checks that the newest one was signed with the server's key. Returns what was signed. */
  async checkSignature(publicKey: string): Promise<JsonObject> {
    const { headers } = this.#delivered().at(-1)!;
    const [, token, key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers["authorization"] as string)!;
    if (key !== publicKey) throw new Error("another key");
    const bytes = Buffer.from(publicKey, "base64url");
    const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((part) => part.toString("base64url"));
    const jwk = { kty: "EC", crv: "P-256", x: x!, y: y! };
    const { alg } = decodeProtectedHeader(token!);
    const { payload } = await jwtVerify(token!, await importJWK(jwk, alg!), { audience: this.service.origin });
    return { ...payload, headers };
  }

  #delivered(): Delivered[] {
    return this.service.delivered.filter(({ path }) => path === this.path);
  }
}
