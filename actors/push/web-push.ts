/**
 * Web Push: notifications of browsers (RFC 8030). The browser's push service passes them on but cannot read them (RFC
 * 8291), and knows this server by a signature (VAPID, RFC 8292).
 */
import { createECDH } from "node:crypto";
import webPush from "web-push";
import type { BrowserRow, ServerKeys } from "../../storage/notifications/browsers.ts";
import type { AddressRule } from "../outbound/allowed-addresses.mjs";
import { askOutside } from "../outbound/ask-outside.ts";

/** Milliseconds for one notification. */
const timeoutMs = 10_000;
/** Bytes of an answer. It has no content that matters. */
const maxAnswerBytes = 16 * 1024;
const maxEndpoint = 2000;
const publicKeyBytes = 65;
const authBytes = 16;

export const makeServerKeys = (): ServerKeys => webPush.generateVAPIDKeys();

/** What a browser's push subscription consists of. */
export type Subscription = Pick<BrowserRow, "endpoint" | "public_key" | "auth_secret">;

/** Why a subscription cannot be used. Undefined: it can. */
export function subscriptionFault({ endpoint, public_key, auth_secret }: Subscription): string | undefined {
  if (endpoint.length > maxEndpoint || !URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    return `endpoint must be a web address of at most ${maxEndpoint} characters.`;
  if (bytesOf(auth_secret)?.length !== authBytes) return `auth must be ${authBytes} bytes in base64url.`;
  const key = bytesOf(public_key);
  if (key?.length !== publicKeyBytes || !isPoint(key))
    return `p256dh must be a public key on the curve P-256, ${publicKeyBytes} bytes in base64url.`;
  return undefined;
}

/** Undefined for text that is not base64url. */
function bytesOf(text: string): Buffer | undefined {
  return /^[A-Za-z0-9_-]{1,200}={0,2}$/.test(text) ? Buffer.from(text, "base64url") : undefined;
}

function isPoint(key: Buffer): boolean {
  const own = createECDH("prime256v1");
  own.generateKeys();
  try {
    own.computeSecret(key);
    return true;
  } catch {
    return false;
  }
}

export interface WebPush {
  subscription: Subscription;
  keys: ServerKeys;
  payload: object;
  /** Address of the organization, by which the push service can reach its operator. */
  realmUrl: string;
  /** For how long the push service keeps it for a browser that is not there. */
  keptSecs: number;
  isAllowed: AddressRule;
}

export type WebPushOutcome =
  | "sent"
  /** The subscription has ended, or its address is not allowed. */
  | "ended"
  /** The push service will never take this notification. */
  | "refused"
  | { reason: string };

/** Sends one notification. Never throws. */
export async function sendWebPush(push: WebPush): Promise<WebPushOutcome> {
  const { subscription, keys, payload, realmUrl, keptSecs, isAllowed } = push;
  const request = webPush.generateRequestDetails(
    {
      endpoint: subscription.endpoint,
      keys: { p256dh: subscription.public_key, auth: subscription.auth_secret },
    },
    JSON.stringify(payload),
    { vapidDetails: { subject: contactOf(realmUrl), ...keys }, TTL: keptSecs, urgency: "high" },
  );
  const outcome = await askOutside({
    method: "POST",
    url: request.endpoint,
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body: request.body!,
    isAllowed,
    timeoutMs,
    maxBytes: maxAnswerBytes,
  });
  if ("failure" in outcome) return outcome.isLasting ? "ended" : { reason: outcome.failure };
  const { status } = outcome;
  if (status >= 200 && status < 300) return "sent";
  if (status === 404 || status === 410) return "ended";
  if (status === 400 || status === 413) return "refused";
  return { reason: `the push service answered with the status ${status}` };
}

/** Push services take `https:` and `mailto:` only. */
function contactOf(realmUrl: string): string {
  const { protocol, hostname } = new URL(realmUrl);
  return protocol === "https:" && hostname !== "localhost" ? realmUrl : `mailto:push@${hostname}`;
}
