/**
 * One person turns notifications of closed pages on, in a real browser with its real service worker. Only the two ends
 * of the browser's own push service are replaced, since Chromium needs Google's. `PushManager` answers with a
 * subscription at a service on loopback, and the debugger hands to the worker what arrives there.
 */
import type { Browser, CDPSession } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { TestPushService } from "../../support/server/push-service.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";
import { browserPath, openBrowser, visit } from "../../support/web/browser.ts";

const aMinuteMs = 60_000;
const password = "a fine password";

describe.skipIf(!browserPath)("notifications of a closed page", { timeout: 240_000 }, () => {
  const service = new TestPushService();
  let server: TestServer;
  let browser: Browser;
  let ada: Person;
  let bob: Person;

  beforeAll(async () => {
    await service.start();
    server = await startTestServer({ PARLEY_ALLOWED_ADDRESSES: "127.0.0.1" }, 1);
    browser = await openBrowser();
    [ada, bob] = [await server.addUser("Ada"), await server.addUser("Bob")];
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await service.stop();
  });

  it("are turned on in the settings, shown by the worker unless the page is looked at, lead to the message, and end", async () => {
    const phone = service.newBrowser();
    // Chromium has workers on localhost without a certificate.
    const url = server.url.replace("127.0.0.1", "localhost");
    const visitor = await visit(browser, url, { permissions: ["notifications"], serviceWorkers: "allow" });
    const { page, context, problems } = visitor;
    context.setDefaultTimeout(aMinuteMs);
    await context.addInitScript(({ endpoint, p256dh, auth }) => {
      const subscription = {
        toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
        unsubscribe: () => Promise.resolve(localStorage.removeItem("test subscription") === undefined),
      };
      PushManager.prototype.subscribe = (options) => {
        localStorage.setItem("test subscription", String((options!.applicationServerKey as Uint8Array).length));
        return Promise.resolve(subscription as unknown as PushSubscription);
      };
      PushManager.prototype.getSubscription = () =>
        Promise.resolve(
          localStorage.getItem("test subscription") === null ? null : (subscription as unknown as PushSubscription),
        );
    }, phone.subscription);
    const signIn = async () => {
      await page.goto("/login/");
      await page.getByLabel("Email").fill(bob.email);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.locator(".page").waitFor();
    };
    await signIn();
    await page.goto("/#settings/notifications");
    const toggle = page.getByLabel("Notify this browser when the page is closed");
    await toggle.check();
    await until("the server to know", async () => (await subscriptions()) === 1, aMinuteMs);
    expect(await page.evaluate(() => localStorage.getItem("test subscription"))).toBe("65");

    const id = expectSuccess(await ada.client.post("/messages", { type: "direct", to: [bob.id], content: "hello" }))[
      "id"
    ] as number;
    const told = (await phone.get(1)).find(({ tag }) => tag === `message-${id}`)!;
    const session = await context.newCDPSession(page);
    const registrationId = await registrationOf(session);
    const deliver = (message: JsonObject) =>
      session.send("ServiceWorker.deliverPushMessage", { origin: url, registrationId, data: JSON.stringify(message) });
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    const shown = () =>
      worker.evaluate(async () => {
        const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
        return (await registration.getNotifications()).map(({ title, body }) => `${title}: ${body}`);
      });
    // Chromium forgets a notification if it is asked for all of them while it begins to show that one.
    await worker.evaluate(() => {
      const { prototype } = ServiceWorkerRegistration;
      const show = prototype.showNotification;
      prototype.showNotification = async function (...notification) {
        await show.apply(this, notification);
        Object.assign(self, { hasShown: true });
      };
      const { clients } = self as unknown as { clients: { matchAll(options: object): Promise<unknown[]> } };
      const find = clients.matchAll.bind(clients);
      clients.matchAll = async (options) => {
        const found = await find(options);
        Object.assign(self, { hasLooked: true });
        return found;
      };
    });
    const hasShown = () => worker.evaluate(() => "hasShown" in self);
    const hasLooked = () => worker.evaluate(() => "hasLooked" in self);
    await deliver({ ...told, title: "while the page is looked at", tag: "another" });
    // It is still looked at when the worker looks for that.
    await until("the worker to look for the page", hasLooked, aMinuteMs);
    await page.goto("about:blank");
    const pages = () =>
      worker.evaluate(async () => {
        const { clients } = self as unknown as { clients: { matchAll(options: object): Promise<unknown[]> } };
        return (await clients.matchAll({ type: "window", includeUncontrolled: true })).length;
      });
    // The worker knows of a page for a moment after it was left.
    await until("the page to be gone", async () => (await pages()) === 0, aMinuteMs);
    await deliver(told);
    await until("it to be shown", hasShown, aMinuteMs);
    expect(await shown()).toEqual(["Ada: hello"]);

    await page.goto("/#recent");
    await page.locator(".page").waitFor();
    await worker.evaluate(async () => {
      const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
      const [notification] = await registration.getNotifications();
      const click = (globalThis as unknown as { NotificationEvent: new (type: string, options: object) => Event })
        .NotificationEvent;
      dispatchEvent(new click("notificationclick", { notification }));
    });
    await page.waitForURL(new RegExp(`/near/${id}$`));
    await page.getByText("hello", { exact: true }).first().waitFor();
    await expect.poll(shown).toEqual([]);

    // Another log-in of the same person goes on by itself, until it is turned off. Nothing is asked by the old one.
    await page.goto("about:blank");
    await server.database.sql`delete from sessions`;
    expect(await subscriptions()).toBe(0);
    await context.clearCookies();
    await signIn();
    await until("the server to know of the new log-in", async () => (await subscriptions()) === 1, aMinuteMs);
    await page.goto("/#settings/notifications");
    await until("it to be on", () => toggle.isChecked(), aMinuteMs);
    await toggle.uncheck();
    await until("the server to forget it", async () => (await subscriptions()) === 0, aMinuteMs);
    expect(problems).toEqual([]);
    await visitor.close();
  });

  const subscriptions = async () => (await server.database.sql`select from push_browsers`).length;
});

/** Chromium's name for the page's worker. */
async function registrationOf(session: CDPSession): Promise<string> {
  let found: string | undefined;
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    found ??= registrations.find(({ isDeleted }) => !isDeleted)?.registrationId;
  });
  await session.send("ServiceWorker.enable");
  await until("the worker", () => found !== undefined, aMinuteMs);
  return found!;
}
