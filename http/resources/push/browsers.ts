/** Notifications of browsers while no page is open (Web Push). Only a browser that is logged in can receive them. */
import { boolean, string } from "superstruct";
import { errors } from "../../../actors/errors.ts";
import type { Session } from "../../../actors/event-queue/queue.ts";
import { addBrowser, isSubscribed, removeBrowser, serverKeysOf } from "../../../actors/push/browsers.ts";
import { described } from "../../../actors/shape.ts";
import { text } from "../../api/params.ts";
import { route } from "../../api/route.ts";

/** @throws UNAUTHORIZED */
function hashOf(session: Session | undefined): Buffer {
  if (!session) throw errors.UNAUTHORIZED("This endpoint is for browsers that are logged in.");
  return session.tokenHash;
}

export const getWebPush = route({
  doc: "README.md",
  summary: "Says by which key the server sends notifications to browsers, and whether it sends them to the caller's.",
  auth: ["cookie"],
  params: {},
  returns: {
    public_key: described(string(), "The server's public key (VAPID), base64url."),
    is_subscribed: described(boolean(), "Whether the caller's browser gets notifications."),
  },
  async handle({ realm, session }) {
    const { publicKey } = await serverKeysOf(realm);
    return { public_key: publicKey, is_subscribed: await isSubscribed(realm, hashOf(session)) };
  },
});

export const subscribeToWebPush = route({
  doc: "README.md",
  summary: "Has notifications sent to the caller's browser until it is logged out.",
  auth: ["cookie"],
  params: {
    endpoint: text().describe("From the browser's `PushSubscription`."),
    p256dh: text().describe("Its public key, base64url."),
    auth: text().describe("Its secret, base64url."),
  },
  returns: {},
  async handle({ realm, user, session, params }) {
    const { endpoint, p256dh, auth } = params;
    await addBrowser(realm, user, hashOf(session), { endpoint, public_key: p256dh, auth_secret: auth });
    return {};
  },
});

export const unsubscribeFromWebPush = route({
  doc: "README.md",
  summary: "Has no more notifications sent to the caller's browser.",
  auth: ["cookie"],
  params: {},
  returns: {},
  async handle({ realm, session }) {
    await removeBrowser(realm, hashOf(session));
    return {};
  },
});
