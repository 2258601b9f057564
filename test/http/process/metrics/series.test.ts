/** Every series that a node shows is in docs/monitoring.md, and tells what happened. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { askAsOperator } from "../../../support/client/as-operator.ts";
import { testServer } from "../../../support/server/server.ts";

const server = testServer({ nodeCount: 1, environment: { PARLEY_REALM_UPLOAD_QUOTA_MIB: "7" } });

// What PostgreSQL knows is asked for once in ten seconds: it is there before anybody asks.
beforeAll(async () => {
  const { sql } = server.database;
  const now = Math.floor(Date.now() / 1000);
  await sql`
    insert into emails (realm_id, kind, recipient, letter, created_at, expires_at, attempts, next_attempt_at)
    select id, 'test', 'a@example.com', '{}', ${now - 500}, ${now + 900}, 3, ${now + 900} from realms`;
  await sql`
    insert into push_notifications (realm_id, user_id, target, next_attempt_at, expires_at)
    select id, ${server.owner.id}, 'browser', ${now + 900}, ${now - 300 + 86_400} from realms`;
  // An organization of its own: nodes serve none whose import is under way.
  await sql`
    with arriving as (insert into realms (host, name, date_created) values ('arriving.test', 'Arriving', 0) returning id)
    insert into imports (source, realm_id, plan) select 'an archive', id, '{}' from arriving`;
});

const metrics = async (): Promise<string> => (await askAsOperator(`${server.url}/metrics`)).text();

/** A series' value by its name and labels, as Prometheus would have it. */
async function value(series: string): Promise<number | undefined> {
  const line = (await metrics()).split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** Polls until the text, which is kept for a second, has it. */
const expectValue = (series: string) => expect.poll(() => value(series), { timeout: 60_000 });

it("docs/monitoring.md has the name, kind, labels and words of each series, and no other", async () => {
  const { registry } = server.server.app.metrics as unknown as {
    registry: { getMetricsAsArray(): { name: string; labelNames: string[] }[] };
  };
  const labels = new Map(registry.getMetricsAsArray().map(({ name, labelNames }) => [name, labelNames]));
  const rows = [...(await metrics()).matchAll(/^# HELP (parley_\w+) (.+)\n# TYPE \1 (\w+)$/gm)].map(
    ([, name, help, kind]) =>
      `| \`${name}\` | ${kind} | ${labels
        .get(name!)!
        .map((label) => `\`${label}\``)
        .join(", ")} | ${help} |`,
  );
  const document = readFileSync(join(import.meta.dirname, "../../../../docs/monitoring.md"), "utf8");
  expect(document.split("\n").filter((line) => line.startsWith("| `parley_"))).toEqual(rows.sort());
  expect(rows.length).toBeGreaterThan(40);
});

it("times requests by route, method and class of status, and leaves out what waits", async () => {
  const { client } = server.owner;
  expectSuccess(await client.post("/messages", { type: "direct", to: [server.owner.id], content: "timed" }));
  const labels = 'route="/messages",method="POST",status="2xx"';
  await expectValue(`parley_http_request_seconds_count{${labels}}`).toBe(1);
  expect(await value(`parley_http_request_seconds_bucket{${labels},le="+Inf"}`)).toBe(1);
  expect(await value(`parley_http_request_seconds_sum{${labels}}`)).toBeGreaterThan(0);
  expect((await client.post("/messages", { type: "direct", to: "nobody", content: "" })).status).toBe(400);
  await expectValue('parley_http_request_seconds_count{route="/messages",method="POST",status="4xx"}').toBe(1);
  const { queue_id } = await client.register({ event_types: ["message"] });
  expectSuccess(await client.get("/events", { queue_id, last_event_id: -1, dont_block: true }));
  await expectValue('parley_http_requests_total{route="/events",status="200"}').toBe(1);
  expect(await metrics()).not.toMatch(/seconds_count\{route="\/events"/);
});

it("tells after what time events were written to clients, and what transactions waited for", async () => {
  await expectValue("parley_delivery_seconds_count").toBeGreaterThan(0);
  expect(await value('parley_database_begin_seconds_count{pool="vital"}')).toBeGreaterThan(0);
  expect(await value('parley_database_pool_connections{pool="vital"}')).toBe(2);
  // A job may be at it just then.
  await expectValue('parley_database_transactions{pool="common"}').toBe(0);
  expect(await value("parley_ready")).toBe(1);
});

it("counts refused log-ins by what was wrong", async () => {
  const refused = (headers: Record<string, string>) => fetch(`${server.url}/api/v1/users/me`, { headers });
  const basic = Buffer.from("owner@example.com:wrong").toString("base64");
  expect((await refused({ Authorization: `Basic ${basic}` })).status).toBe(401);
  const body = new URLSearchParams({ username: "owner@example.com", password: "wrong" });
  expect((await fetch(`${server.url}/api/v1/fetch_api_key`, { method: "POST", body })).status).toBe(401);
  await expectValue('parley_log_ins_refused_total{by="api_key"}').toBe(1);
  expect(await value('parley_log_ins_refused_total{by="password"}')).toBe(1);
});

it("tells what waits in PostgreSQL and since when, what is stored, and of the disk", async () => {
  await expectValue('parley_outgoing_waiting{queue="mail"}').toBe(1);
  expect(await value('parley_outgoing_retried{queue="mail"}')).toBe(1);
  expect(await value('parley_outgoing_oldest_seconds{queue="mail"}')).toBeGreaterThanOrEqual(500);
  expect(await value('parley_outgoing_oldest_seconds{queue="push"}')).toBeGreaterThanOrEqual(300);
  expect(await value('parley_outgoing_waiting{queue="webhook"}')).toBe(0);
  expect(await value("parley_imports_unfinished")).toBe(1);
  expect(await value("parley_upload_quota_bytes")).toBe(7 * 2 ** 20);
  expect(await value("parley_database_bytes")).toBeGreaterThan(2 ** 20);
  expect(await value("parley_database_max_connections")).toBeGreaterThan(10);
  const [free, size] = [await value("parley_disk_free_bytes"), await value("parley_disk_size_bytes")];
  expect(free).toBeGreaterThan(0);
  expect(size).toBeGreaterThanOrEqual(free!);
});
