/**
 * Apple's push service by HTTP/2, with token keys. One connection takes many notifications at once, and is made anew
 * when it has ended. Source: Apple, "Sending notification requests to APNs" and "Establishing a token-based connection
 * to APNs".
 */
import { type ClientHttp2Session, connect } from "node:http2";
import { importPKCS8, SignJWT } from "jose";
import { jsonObject } from "../text/json-object.ts";
import type { SendOutcome } from "./outcome.ts";

/** Apple refuses tokens older than an hour, and those that are renewed within 20 minutes. */
const tokenKeptMs = 40 * 60_000;
const timeoutMs = 5000;
/** Seconds that Apple keeps a notification for a phone that is off. */
const keptSecs = 86_400;
const goneReasons = ["Unregistered", "BadDeviceToken", "DeviceTokenNotForTopic", "ExpiredToken"];

export interface ApnsSettings {
  /** `https://api.push.apple.com`, or the sandbox. */
  url: string;
  keyId: string;
  teamId: string;
  /** PKCS 8, as in Apple's `.p8` files. */
  key: string;
  /** Certificates to trust besides, for tests. */
  ca?: string;
}

export interface ApnsNotification {
  token: string;
  /** The application's id. */
  topic: string;
  payload: object;
  priority: 10 | 5 | 1;
  pushType: "alert" | "background";
}

export class ApnsSender {
  #session: ClientHttp2Session | undefined;
  #token: { text: string; madeAt: number } | undefined;

  constructor(private readonly settings: ApnsSettings) {}

  /** Never throws. */
  async send(notification: ApnsNotification): Promise<SendOutcome> {
    try {
      const { status, reason } = await this.#ask(notification, await this.#providerToken());
      if (status === 200) return "sent";
      if (status === 410 || goneReasons.includes(reason)) return "gone";
      if (reason === "ExpiredProviderToken") this.#token = undefined;
      const isPassing = status >= 429 || reason === "ExpiredProviderToken";
      return { reason: `APNs: ${status} ${reason}`, isPassing };
    } catch (error) {
      return { reason: `APNs: ${error instanceof Error ? error.message : String(error)}`, isPassing: true };
    }
  }

  close(): void {
    this.#session?.destroy();
  }

  async #providerToken(): Promise<string> {
    if (this.#token && Date.now() - this.#token.madeAt < tokenKeptMs) return this.#token.text;
    const { key, keyId, teamId } = this.settings;
    const signed = new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: keyId }).setIssuer(teamId).setIssuedAt();
    const text = await signed.sign(await importPKCS8(key, "ES256"));
    this.#token = { text, madeAt: Date.now() };
    return text;
  }

  #connected(): ClientHttp2Session {
    if (this.#session && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const { url, ca } = this.settings;
    const session = connect(url, ca === undefined ? {} : { ca });
    const forget = () => {
      if (this.#session === session) this.#session = undefined;
    };
    // Requests under way learn of it by their own errors.
    session.on("error", forget).on("goaway", forget).on("close", forget);
    session.unref();
    this.#session = session;
    return session;
  }

  #ask(
    { token, topic, payload, priority, pushType }: ApnsNotification,
    providerToken: string,
  ): Promise<{ status: number; reason: string }> {
    return new Promise((resolve, reject) => {
      const stream = this.#connected().request({
        ":method": "POST",
        ":path": `/3/device/${token}`,
        authorization: `bearer ${providerToken}`,
        "content-type": "application/json",
        "apns-topic": topic,
        "apns-push-type": pushType,
        "apns-priority": String(priority),
        "apns-expiration": String(Math.floor(Date.now() / 1000) + keptSecs),
      });
      let status = 0;
      let text = "";
      stream.setEncoding("utf8");
      stream.setTimeout(timeoutMs, () => {
        reject(new Error(`no answer within ${timeoutMs / 1000} s`));
        // A connection that is dead without a word takes no other notification.
        this.#session?.destroy();
      });
      stream.on("response", (headers) => void (status = Number(headers[":status"])));
      stream.on("data", (chunk: string) => void (text = (text + chunk).slice(0, 4096)));
      stream.on("error", reject);
      stream.on("end", () =>
        status === 0 ? reject(new Error("no answer")) : resolve({ status, reason: reasonIn(text) }),
      );
      stream.end(JSON.stringify(payload));
    });
  }
}

function reasonIn(text: string): string {
  return String(jsonObject(text)?.["reason"] ?? "");
}
