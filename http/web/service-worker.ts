/**
 * Shows notifications while no page is open (https://www.w3.org/TR/push-api/). It caches nothing and answers no
 * requests. It is one file without imports, so that its name does not change.
 */

/** From `browserMessage` in the server. */
interface PushMessage {
  title: string;
  body: string;
  /** Address of the message, below the origin. */
  path: string;
  tag: string;
}

/** The parts of a service worker's scope that are used here. The DOM library does not have them. */
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface WorkerScope {
  addEventListener(type: "push", listen: (event: Extendable & { data: { json(): unknown } | null }) => void): void;
  addEventListener(
    type: "notificationclick",
    listen: (event: Extendable & { notification: Notification }) => void,
  ): void;
  addEventListener(type: "install", listen: () => void): void;
  skipWaiting(): Promise<void>;
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<PageClient[]>;
    openWindow(path: string): Promise<unknown>;
  };
}
interface PageClient {
  focused: boolean;
  visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}

const worker = self as unknown as WorkerScope;

worker.addEventListener("install", () => void worker.skipWaiting());
worker.addEventListener("push", (event) => event.waitUntil(show(event.data?.json() as PushMessage | undefined)));
worker.addEventListener("notificationclick", (event) => event.waitUntil(open(event.notification)));

const pages = () => worker.clients.matchAll({ type: "window", includeUncontrolled: true });

async function show(message: PushMessage | undefined): Promise<void> {
  // Whoever looks at the page is told there. A hidden page shows the same notification, with the same tag.
  if (!message || (await pages()).some((page) => page.focused && page.visibilityState === "visible")) return;
  const { title, body, tag, path } = message;
  await worker.registration.showNotification(title, { body, tag, data: path, icon: "/static/icon.svg" });
}

async function open(notification: Notification): Promise<void> {
  notification.close();
  const path = String(notification.data);
  const [page] = await pages();
  if (!page) {
    await worker.clients.openWindow(path);
    return;
  }
  page.postMessage({ open: path });
  await page.focus();
}
