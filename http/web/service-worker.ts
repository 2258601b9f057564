/**
 * Shows notifications while no page is open (https://www.w3.org/TR/push-api/), and lets the page open without a server:
 * with what it was shown last. It asks the server first, and answers from what it kept only when there is no answer. It
 * is one file without imports, so that its name does not change.
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
interface FetchAsked extends Extendable {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface WorkerScope {
  addEventListener(type: "push", listen: (event: Extendable & { data: { json(): unknown } | null }) => void): void;
  addEventListener(
    type: "notificationclick",
    listen: (event: Extendable & { notification: Notification }) => void,
  ): void;
  addEventListener(type: "install", listen: () => void): void;
  addEventListener(type: "activate", listen: (event: Extendable) => void): void;
  addEventListener(type: "fetch", listen: (event: FetchAsked) => void): void;
  addEventListener(type: "message", listen: (event: Extendable & { data: unknown }) => void): void;
  skipWaiting(): Promise<void>;
  registration: ServiceWorkerRegistration;
  clients: {
    claim(): Promise<void>;
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
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("push", (event) => event.waitUntil(show(event.data?.json() as PushMessage | undefined)));
worker.addEventListener("notificationclick", (event) => event.waitUntil(open(event.notification)));
worker.addEventListener("message", (event) => event.waitUntil(obey(event.data)));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  if (request.mode === "navigate") {
    if (pathname === "/") event.respondWith(serverFirst(event, request, pageCache, "/"));
  } else if (isHashed.test(pathname)) event.respondWith(keptFirst(event, request));
  else if (request.method === "POST" && pathname === "/json/register")
    event.respondWith(serverFirst(event, request, dataCache, registerKey, withoutQueue));
  else if (request.method === "GET" && isKept.test(pathname))
    event.respondWith(serverFirst(event, request, dataCache, request.url));
});

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

/** The page and its files, and what the server told this person. */
const pageCache = "parley-page";
const dataCache = "parley-data";
/** A key for the answer to a POST, which caches take none for. */
const registerKey = "/kept/register";
/** Files whose name changes with their content. */
const isHashed = /^\/static\/web\/.+-[\w-]{8}\.\w+$/;
/** Lists of messages, topics of channels, and who subscribes. */
const isKept = /^\/json\/(?:messages|users\/me\/\d+\/topics|streams\/\d+\/members)$/;
/** Answers that are kept; the oldest ones go. */
const maxKept = 80;

/** An order of the page: to keep the files that it may need. */
async function obey(data: unknown): Promise<void> {
  const keep = typeof data === "object" && data !== null && "keep" in data ? data.keep : undefined;
  if (!Array.isArray(keep)) return;
  const cache = await caches.open(pageCache);
  const wanted = new Set(keep.map((path) => new URL(String(path), location.origin).href));
  for (const request of await cache.keys()) {
    // Files of an older version of the page.
    if (request.url.includes("/static/web/") && !wanted.delete(request.url)) await cache.delete(request);
  }
  for (const url of wanted) await cache.add(url).catch(() => {});
}

async function keptFirst(event: Extendable, request: Request): Promise<Response> {
  const cache = await caches.open(pageCache);
  const kept = await cache.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) event.waitUntil(cache.put(request, answer.clone()));
  return answer;
}

type Change = (answer: Response) => Promise<Response>;

/** @param change makes of an answer what is kept of it */
async function serverFirst(
  event: Extendable,
  request: Request,
  name: string,
  key: string,
  change: Change = async (answer) => answer,
): Promise<Response> {
  try {
    const answer = await fetch(request);
    if (answer.status === 200 && !answer.redirected) event.waitUntil(keep(name, key, change(answer.clone())));
    return answer;
  } catch (error) {
    const kept = await (await caches.open(name)).match(key);
    if (!kept) throw error;
    return kept;
  }
}

async function keep(name: string, key: string, answer: Promise<Response>): Promise<void> {
  const cache = await caches.open(name);
  // The newest comes last.
  await cache.delete(key);
  await cache.put(key, await answer);
  if (name !== dataCache) return;
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - maxKept)))
    if (!old.url.endsWith(registerKey)) await cache.delete(old);
}

/**
 * The state with a queue that no server knows. The page asks for its events, and is told that the queue is gone.
 * Then it fetches everything anew: what happened since was in the old queue.
 */
async function withoutQueue(answer: Response): Promise<Response> {
  const text = (await answer.text()).replace(/"queue_id":\s*"[^"]*"/, '"queue_id":"kept"');
  return new Response(text, { headers: { "Content-Type": "application/json" } });
}
