/** How an organization runs: for its owners, and of their own organization only. */
import { expect, it } from "vitest";
import { createOrganization } from "../../../http/process/admin.ts";
import { readConfig } from "../../../http/process/config.ts";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const roles = { administrator: 200, moderator: 300, member: 400, guest: 600 } as const;
const people = server.people(...Object.entries(roles));
const later = Math.floor(Date.now() / 1000) + 5000;

const look = async () => expectSuccess(await server.owner.client.get("/realm/operations"));

it("is for owners: nobody else sees anything, or has anything tried again", async () => {
  for (const { client } of people) {
    expectError(await client.get("/realm/operations"), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await client.post("/realm/operations/retry", { queue: "mail" }), 400, "UNAUTHORIZED_PRINCIPAL");
  }
  expect((await fetch(`${server.url}/api/v1/realm/operations`)).status).toBe(401);
});

it("tells who serves it, what waits for it, and has that tried again, but nothing of other organizations", async () => {
  const { sql } = server.database;
  const { id } = await server.realm();
  const values = { name: "Other", host: "other.example.com", "owner-email": "other@example.com" };
  const storage = { database: server.database, url: "", dataDir: "", close: async () => {} };
  const { data } = await createOrganization(storage, readConfig({}), values);
  const otherId = (data as { realm_id: number }).realm_id;
  await sql`
    insert into emails (realm_id, kind, recipient, letter, created_at, expires_at, attempts, next_attempt_at)
    values (${id}, 'ours', 'a@example.com', '{}', ${later - 5500}, ${later}, 2, ${later}),
      (${otherId}, 'theirs', 'b@example.com', '{}', ${later - 9000}, ${later}, 2, ${later})`;
  const { nodes, outgoing, upload_bytes } = await look();
  expect((nodes as { is_writer: boolean }[]).filter(({ is_writer }) => is_writer)).toHaveLength(1);
  expect(outgoing).toContainEqual({ queue: "mail", waiting: 1, retried: 1, oldest: later - 5500 });
  expect(upload_bytes).toBe(0);
  expectSuccess(await server.owner.client.post("/realm/operations/retry", { queue: "mail" }));
  const waits = await sql<{ kind: string }[]>`select kind from emails where next_attempt_at = ${later}`;
  expect(waits.map(({ kind }) => kind)).toEqual(["theirs"]);
  expectError(await server.owner.client.post("/realm/operations/retry", { queue: "pigeons" }), 400);
});
