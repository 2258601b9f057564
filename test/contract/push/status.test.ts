/** Whether phones are notified, as the push notification service says of each organization. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { registerServer } from "../../../http/process/push/register.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { refusal, TestBouncer } from "../../support/push/bouncer.ts";
import { StorePhone } from "../../support/push/phone.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const bouncer = new TestBouncer();
beforeAll(() => bouncer.start());
const server = testServer({ environment: () => ({ PARLEY_PUSH_SERVICE_URL: bouncer.url }) });
const [ada, bob] = server.people("Ada", "Bob");
afterAll(() => bouncer.stop());
beforeEach(() => void (bouncer.answer = () => undefined));
afterEach(() => expect(bouncer.faults).toEqual([]));

describe("realm_push_notifications_enabled", () => {
  it("is false until the service has been told of the organization, and then what it says", async () => {
    expect(await shown()).toEqual([false, null]);
    const queue = await bob.queue({ event_types: ["realm"] });
    bouncer.status = { can_push: true, expected_end_timestamp: 2_000_000_000 };
    await registerServer(storage(), config(), { email: "ops@example.org", agree: true });
    await until("the service's word", async () => (await shown())[0] === true);
    expect(await shown()).toEqual([true, 2_000_000_000]);
    const about = { type: "realm", op: "update", id: expect.any(Number) };
    expect(await bob.client.drain(queue)).toEqual([
      { ...about, property: "push_notifications_enabled", value: true },
      { ...about, property: "push_notifications_enabled_end_timestamp", value: 2_000_000_000 },
    ]);
    const [[uuid, told]] = [...bouncer.realms] as [[string, JsonObject]];
    const { realm_uuid } = await bob.client.register({ fetch_event_types: ["realm"] });
    expect(uuid).toBe(realm_uuid);
    expect(told).toMatchObject({ name: "Parley", deactivated: false, authentication_methods: { Email: true } });
    const [report] = bouncer.at("server/analytics");
    expect(JSON.parse(report!["realmauditlog_rows"] as string)).toMatchObject([
      { id: 1, extra_data: { "10": { "11": { 100: 1, 400: 2 }, "12": expect.any(Number) } } },
    ]);
    expect(bouncer.at("server/analytics")).toHaveLength(1);
  });

  it("follows each notification: a plan that ends, one that allows nothing, and one that does again", async () => {
    const phone = await StorePhone.of(bouncer, bob, "fcm");
    expectSuccess(await phone.register());
    await until("the service to know the phone", () => bouncer.devices.has(phone.tokenId));
    bouncer.status = { can_push: true, expected_end_timestamp: 2_100_000_000 };
    await send("ends later");
    await until("another end", async () => (await shown())[1] === 2_100_000_000);
    bouncer.answer = ({ endpoint }) =>
      endpoint === "push/e2ee/notify" ? refusal(400, "PUSH_NOTIFICATIONS_DISALLOWED") : undefined;
    await send("not allowed");
    await until("no more", async () => (await shown())[0] === false);
    expect(await shown()).toEqual([false, null]);
    bouncer.answer = () => undefined;
    bouncer.status = { can_push: true, expected_end_timestamp: null };
    await send("allowed again");
    await until("again", async () => (await shown())[0] === true);
    expect(phone.got().map(({ says }) => says["content"])).toEqual(["ends later", "allowed again"]);
  });

  it("an organization that the service does not know is told to it, and then its people are notified", async () => {
    const [phone] = [await StorePhone.of(bouncer, bob, "apns")];
    bouncer.knowsAll = false;
    bouncer.realms.clear();
    expectSuccess(await phone.register());
    await until("it to be told of the organization", () => bouncer.realms.size === 1);
    await until("the service to know the phone", () => bouncer.devices.has(phone.tokenId));
    bouncer.realms.clear();
    await send("late");
    await until("the notification", () => phone.got().length === 1);
    await until("the service's word", async () => (await shown())[0] === true);
    const reports = bouncer.at("server/analytics");
    expect(reports.slice(1).map((report) => report["realmauditlog_rows"])).toEqual(reports.slice(1).map(() => "[]"));
  });
});

const config = () => server.server.app.config as Parameters<typeof registerServer>[1];
const storage = () => ({ database: server.database });
const send = async (content: string) =>
  expectSuccess(await ada.client.post("/messages", { type: "direct", to: [bob.id], content }));

async function shown(): Promise<[unknown, unknown]> {
  const state = await bob.client.register({ fetch_event_types: ["realm"] });
  return [state["realm_push_notifications_enabled"], state["realm_push_notifications_enabled_end_timestamp"]];
}
