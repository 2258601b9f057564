/**
 * Web Push: notifications of browsers while no page is open, and of programs that have an endpoint from a distributor
 * (UnifiedPush). Each ends with the log-in or key by which it was registered.
 */
import { boolean, string } from "superstruct";
import { errors } from "../../../actors/errors.ts";
import { addBrowser, isSubscribed, removeBrowser, serverKeysOf } from "../../../actors/push/browsers.ts";
import { described } from "../../../actors/shape.ts";
import type { Holder } from "../../../storage/notifications/browsers.ts";
import { keyHashIn } from "../../api/auth.ts";
import { text } from "../../api/params.ts";
import { type ApiRequest, anyAccount, route } from "../../api/route.ts";

/** The log-in or further key of a request, or else its account's own key. @throws UNAUTHENTICATED_USER */
function holderOf({ session, key, exchange }: Pick<ApiRequest, "session" | "key" | "exchange">): Holder {
  const made = session ?? key;
  const hash = made ? made.tokenHash : keyHashIn(exchange.authorization);
  if (!hash) throw errors.UNAUTHENTICATED_USER();
  return { hash, isOwnKey: made === undefined };
}

const oneOfMany = "Programs with the account's own key share it: this one alone is meant.";

export const getWebPush = route({
  doc: "README.md",
  summary: "Says by which key the server sends notifications by Web Push, and whether it sends them to the caller.",
  auth: anyAccount,
  params: { endpoint: text().optional().describe(oneOfMany) },
  returns: {
    public_key: described(string(), "The server's public key (VAPID), base64url."),
    is_subscribed: described(boolean(), "Whether the caller's browser or program gets notifications."),
  },
  async handle(request) {
    const { realm, user, params } = request;
    const { publicKey } = await serverKeysOf(realm);
    const is_subscribed = await isSubscribed(realm, user, holderOf(request), params.endpoint);
    return { public_key: publicKey, is_subscribed };
  },
});

export const subscribeToWebPush = route({
  doc: "README.md",
  summary: "Has notifications sent to the caller's browser or program until its log-in or API key ends.",
  auth: anyAccount,
  params: {
    endpoint: text().describe("From the browser's `PushSubscription`, or the distributor's."),
    p256dh: text().describe("Its public key, base64url."),
    auth: text().describe("Its secret, base64url."),
  },
  returns: {},
  async handle(request) {
    const { endpoint, p256dh, auth } = request.params;
    const subscription = { endpoint, public_key: p256dh, auth_secret: auth };
    await addBrowser(request.realm, request.user, holderOf(request), subscription);
    return {};
  },
});

export const unsubscribeFromWebPush = route({
  doc: "README.md",
  summary: "Has no more notifications sent to the caller's browser or program.",
  auth: anyAccount,
  params: { endpoint: text().optional().describe(oneOfMany) },
  returns: {},
  async handle(request) {
    await removeBrowser(request.realm, request.user, holderOf(request), request.params.endpoint);
    return {};
  },
});
