/** `parley top` and `parley outgoing`, on a running server's database. */
import { beforeAll, expect, it } from "vitest";
import { readConfig } from "../../../../http/process/config.ts";
import { listOutgoing } from "../../../../http/process/console/outgoing.ts";
import { showTop } from "../../../../http/process/console/top.ts";
import { testServer } from "../../../support/server/server.ts";

const server = testServer({ nodeCount: 1 });
const config = readConfig({});
const storage = () => ({ database: server.database, url: "", dataDir: "/", close: async () => {} });
const now = Math.floor(Date.now() / 1000);
const later = now + 5000;

beforeAll(async () => {
  const { sql } = server.database;
  const realmId = (await server.realm()).id;
  await sql`
    insert into emails (realm_id, kind, recipient, letter, created_at, expires_at, attempts, next_attempt_at)
    values (${realmId}, 'failed', 'a@example.com', '{}', ${now - 500}, ${later}, 2, ${later}),
      (${realmId}, 'new', 'b@example.com', '{}', ${now - 500}, ${later}, 0, ${later})`;
  await sql`
    insert into push_notifications (realm_id, user_id, target, attempts, next_attempt_at, expires_at)
    values (${realmId}, ${server.owner.id}, 'browser', 3, ${later}, ${now + 86_000}),
      (${realmId}, ${server.owner.id}, 'browser', 1, ${now + 20}, ${now + 86_000})`;
});

it("top shows organizations, what waits, PostgreSQL and the disk", async () => {
  const { text, data } = await showTop(storage(), config, { once: true });
  expect(text).toMatch(/^Parley {2}\(any host\), uploads 0 B$/m);
  expect(text).toMatch(/^mail {5}2 waiting, 1 after a failure, the oldest for 5\d\d s$/m);
  expect(text).toMatch(/^PostgreSQL {2}[\d.]+ MiB, \d+ of \d+ connections; /m);
  expect(text).toMatch(/^Disk {2}\S+ \w+ of \S+ \w+ free$/m);
  expect(data).toMatchObject({ nodes: [], imports: 0, exports: 0, organizations: [{ upload_bytes: 0 }] });
});

it("top shows what PostgreSQL is at, without what was sent beside it", async () => {
  const { sql } = server.database;
  const sleeping = sql`select pg_sleep(60), ${"a secret"}::text`.execute();
  sleeping.catch(() => {});
  const statements = async () => (await showTop(storage(), config, { once: true })).text;
  await expect.poll(statements, { timeout: 60_000 }).toMatch(/^ {2}[\d.]+ s.* {2}select pg_sleep\(60\)/m);
  expect(await statements()).not.toContain("a secret");
  sleeping.cancel();
});

it("outgoing has those tried again that failed, and no others; what is under way stays so", async () => {
  const attempts = () => server.database.sql`
    select kind as what, next_attempt_at as at from emails where next_attempt_at < ${later - 1}
    union all select attempts::text, next_attempt_at from push_notifications where next_attempt_at < ${later - 1}`;
  expect((await attempts()).map(({ what }) => what as string)).toEqual(["1"]);
  expect(await listOutgoing(storage(), config, { retry: "mail" })).toMatchObject({ data: { retried: 1 } });
  const { text } = await listOutgoing(storage(), config, { retry: "push" });
  expect(text).toContain("1 of push will be tried again");
  const due = await attempts();
  expect(due.map(({ what }) => what as string).sort()).toEqual(["1", "3", "failed"]);
  expect(due.find(({ what }) => what === "1")!["at"]).toBe(now + 20);
  await expect(listOutgoing(storage(), config, { retry: "pigeons" })).rejects.toThrow("--retry must be one of");
});
