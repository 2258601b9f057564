/** PostgreSQL undoes one of two transactions that wait for each other. Nobody is told: it is tried again. */
import { expect, it } from "vitest";
import type { Sql } from "../../../storage/postgres.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { holdLock, waiterFor } from "../../support/faults/locks.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ada, bob] = server.people("Ada", "Bob");

const hold = (lock: (sql: Sql) => Promise<unknown>) => holdLock(server, lock);

/** So the other transaction, the server's, is the one that looks for a deadlock, and is undone. */
const neverLook = (sql: Sql) => sql`set local deadlock_timeout = '1h'`;

it("a change that was undone for it is made, and so is what waited behind it", async () => {
  const account = await hold((sql) => sql`select from users where id = ${ada.id} for update`);
  const rival = await hold(async (sql) => {
    await neverLook(sql);
    await sql`lock table realm_log in share mode`;
  });
  const { client } = ada;
  const change = client.patch("/settings", { full_name: "Ada Lovelace" });
  await waiterFor(server, "users");
  // Its transaction has the organization's row by now, and this one the log.
  const meeting = rival.goOn((sql) => sql`select 'the rival' from realms for update`);
  await waiterFor(server, "the rival");
  const next = bob.client.patch("/settings", { full_name: "Robert" });
  await account.letGo();
  await meeting;
  await rival.letGo();
  expectSuccess(await change);
  expectSuccess(await next);
  const { members } = expectSuccess(await client.get("/users")) as { members: { full_name: string }[] };
  expect(members.map(({ full_name }) => full_name)).toEqual(expect.arrayContaining(["Ada Lovelace", "Robert"]));
});
