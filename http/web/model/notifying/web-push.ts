/**
 * Notifications of this browser while no page is open (Web Push). The server knows a browser by its log-in. What is
 * stored in the browser tells who turned them on, so that the next log-in of the same person turns them on again.
 */
import { type Signal, signal } from "@preact/signals";
import { membersOf } from "../../kept.ts";
import { call } from "../../wire/api.ts";
import type { Offline } from "../offline.ts";

export type WebPushState = "unsupported" | "off" | "on";

interface Offer {
  public_key: string;
  is_subscribed: boolean;
}
const turnedOnBy = "parley.webPush";

export class WebPush {
  readonly state: Signal<WebPushState> = signal(
    "serviceWorker" in navigator && "PushManager" in window && "Notification" in window ? "off" : "unsupported",
  );

  constructor(private readonly offline: Offline) {}

  /** Opens what the worker asks for after a click. It may ask while the page is being loaded. */
  listen(): void {
    if (this.state.value === "unsupported") return;
    navigator.serviceWorker.addEventListener("message", ({ data }) => {
      const path = membersOf(data)["open"];
      if (typeof path === "string" && path.startsWith("/#")) location.hash = path.slice(1);
    });
  }

  /** Finds out whether this browser is subscribed. Subscribes again after another log-in of the same person. */
  async begin(me: number): Promise<void> {
    if (this.state.value === "unsupported") return;
    try {
      const registration = await navigator.serviceWorker.getRegistration();
      const subscription = await registration?.pushManager.getSubscription();
      if (!subscription || localStorage.getItem(turnedOnBy) !== String(me)) return;
      const { is_subscribed } = await call<Offer & object>("GET", "/web_push");
      if (!is_subscribed) await tellServer(subscription);
      this.state.value = "on";
    } catch {
      // It stays off, and can be turned on in the settings.
    }
  }

  /** Asks for permission if needed. @returns whether it is on now. @throws ApiError */
  async turnOn(me: number): Promise<boolean> {
    if ((await Notification.requestPermission()) !== "granted") return false;
    const { pushManager } = await this.offline.registerWorker();
    const { public_key } = await call<Offer & object>("GET", "/web_push");
    const applicationServerKey = bytesOf(public_key);
    // A subscription for another server's key cannot be changed.
    await (await pushManager.getSubscription())?.unsubscribe();
    await tellServer(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
    localStorage.setItem(turnedOnBy, String(me));
    this.state.value = "on";
    return true;
  }

  /** @throws ApiError */
  async turnOff(): Promise<void> {
    await call("DELETE", "/web_push");
    localStorage.removeItem(turnedOnBy);
    this.state.value = "off";
    const registration = await navigator.serviceWorker.getRegistration();
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
  }
}

async function tellServer(subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  await call("POST", "/web_push", { endpoint, p256dh: keys?.["p256dh"], auth: keys?.["auth"] });
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
