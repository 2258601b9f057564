/** A look-alike of Google's: access tokens for a service account, and FCM's HTTP v1 API. It takes no unknown field. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { jwtVerify } from "jose";
import type { JsonObject } from "../client/api.ts";

const email = "sender@project.iam.example.com";
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

interface Answer {
  status: number;
  body: JsonObject;
}

export class TestGoogle {
  /** Messages that were taken. */
  readonly delivered: JsonObject[] = [];
  readonly faults: string[] = [];
  readonly gone = new Set<string>();
  /** Access tokens that it gave out, and that count. */
  readonly access = new Set<string>();
  /** What it says to each message first; undefined: it looks at it. */
  answer: () => Answer | undefined = () => undefined;
  readonly #keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  readonly #server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const { url = "", headers } = request;
      void (url === "/token" ? this.#giveAccess(text) : this.#take(url, headers.authorization, text)).then(
        ({ status, body }) =>
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      );
    });
  });

  /** For `PARLEY_FCM_URL`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The file of a service account. */
  get credentials(): string {
    return JSON.stringify({
      type: "service_account",
      project_id: "project",
      client_email: email,
      private_key: this.#keys.privateKey.export({ type: "pkcs8", format: "pem" }),
      token_uri: `${this.url}/token`,
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #giveAccess(text: string): Promise<Answer> {
    const form = new URLSearchParams(text);
    if (form.get("grant_type") !== grantType) return { status: 400, body: { error: "unsupported_grant_type" } };
    const { payload, protectedHeader } = await jwtVerify(form.get("assertion")!, this.#keys.publicKey, {
      issuer: email,
      audience: `${this.url}/token`,
    });
    if (protectedHeader.alg !== "RS256" || payload.exp! - payload.iat! > 3600) this.faults.push("assertion");
    if (payload["scope"] !== "https://www.googleapis.com/auth/firebase.messaging") this.faults.push("scope");
    const access_token = randomBytes(16).toString("hex");
    this.access.add(access_token);
    return { status: 200, body: { access_token, expires_in: 3599, token_type: "Bearer" } };
  }

  async #take(url: string, authorization: string | undefined, text: string): Promise<Answer> {
    const given = this.answer();
    if (given) return given;
    if (!this.access.has((authorization ?? "").replace(/^Bearer /, "")))
      return { status: 401, body: { error: { code: 401, status: "UNAUTHENTICATED" } } };
    if (url !== "/v1/projects/project/messages:send") this.faults.push(url);
    const { message, ...more } = JSON.parse(text) as {
      message: { token: string; data: JsonObject; android: JsonObject };
    };
    if (Object.keys(more).length > 0 || Object.keys(message).sort().join() !== "android,data,token")
      this.faults.push(text);
    if (!Object.values(message.data).every((value) => typeof value === "string")) this.faults.push("data is no text");
    if (!["HIGH", "NORMAL"].includes(message.android["priority"] as string)) this.faults.push("priority");
    if (this.gone.has(message.token)) {
      const type = "type.googleapis.com/google.firebase.fcm.v1.FcmError";
      const details = [{ "@type": type, errorCode: "UNREGISTERED" }];
      return { status: 404, body: { error: { code: 404, message: "Requested entity was not found.", details } } };
    }
    this.delivered.push(message);
    return { status: 200, body: { name: "projects/project/messages/1" } };
  }
}
