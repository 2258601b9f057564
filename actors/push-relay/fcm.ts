/**
 * Google's push service, FCM's HTTP v1 API, by a service account. Source: Firebase, "Migrate from legacy FCM APIs to
 * HTTP v1" and the reference of `projects.messages`; RFC 7523 for the access token.
 */
import { importPKCS8, SignJWT } from "jose";
import { memberOf } from "../text/json-object.ts";
import type { SendOutcome } from "./outcome.ts";

const scope = "https://www.googleapis.com/auth/firebase.messaging";
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const timeoutMs = 5000;
/** An access token is renewed so long before its end. */
const renewedBeforeMs = 60_000;

/** The file that Google gives out for a service account. */
export interface ServiceAccount {
  project_id: string;
  client_email: string;
  private_key: string;
  token_uri: string;
}

export interface FcmNotification {
  token: string;
  data: Readonly<Record<string, unknown>>;
  priority: "high" | "normal";
}

export class FcmSender {
  #access: { token: string; until: number } | undefined;

  /** @param url `https://fcm.googleapis.com` */
  constructor(
    private readonly url: string,
    private readonly account: ServiceAccount,
  ) {}

  /** Never throws. */
  async send({ token, data, priority }: FcmNotification): Promise<SendOutcome> {
    const message = {
      token,
      // The service takes texts alone.
      data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, textOf(value)])),
      android: { priority: priority.toUpperCase() },
    };
    try {
      const response = await fetch(`${this.url}/v1/projects/${this.account.project_id}/messages:send`, {
        method: "POST",
        headers: { authorization: `Bearer ${await this.#accessToken()}`, "content-type": "application/json" },
        body: JSON.stringify({ message }),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      return response.status === 200 ? "sent" : this.#judge(response.status, text);
    } catch (error) {
      return { reason: `FCM: ${error instanceof Error ? error.message : String(error)}`, isPassing: true };
    }
  }

  #judge(status: number, text: string): SendOutcome {
    if (/"errorCode":\s*"UNREGISTERED"/.test(text)) return "gone";
    if (status === 401) this.#access = undefined;
    return { reason: `FCM: ${status} ${text.slice(0, 200)}`, isPassing: status === 401 || status >= 429 };
  }

  async #accessToken(): Promise<string> {
    if (this.#access && Date.now() < this.#access.until) return this.#access.token;
    const { client_email, private_key, token_uri } = this.account;
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(client_email)
      .setAudience(token_uri)
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(await importPKCS8(private_key, "RS256"));
    const response = await fetch(token_uri, {
      method: "POST",
      body: new URLSearchParams({ grant_type: grantType, assertion }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`no access token: ${response.status} ${(await response.text()).slice(0, 200)}`);
    const given: unknown = await response.json();
    const [access_token, expires_in] = [memberOf(given, "access_token"), memberOf(given, "expires_in")];
    if (typeof access_token !== "string" || typeof expires_in !== "number") throw new Error("no access token");
    this.#access = { token: access_token, until: Date.now() + expires_in * 1000 - renewedBeforeMs };
    return access_token;
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
