/** Many organizations on one server, told apart by their hosts: made, used, and waited for until they are let go. */

import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createRealm } from "../../actors/organization/changes/create.ts";
import { connect } from "../../storage/postgres.ts";
import { parseSecret, SecretKey } from "../../storage/secret-key.ts";
import { seedRealm } from "../../storage/seed.ts";
import { type Account, basic } from "../load/request.ts";
import type { Parley } from "./parley.ts";
import { secretKey } from "./parley.ts";
import type { BenchPostgres } from "./postgres.ts";

export interface Organization {
  host: string;
  /** One of its people. */
  member: Account;
}

/**
 * Writes organizations of `people` each into a database that a Parley has made its tables in, and that none uses now.
 */
export async function writeOrganizations(
  database: BenchPostgres,
  count: number,
  people: number,
): Promise<Organization[]> {
  const pool = connect(database.url, {
    maxConnections: 2,
    secretKey: new SecretKey(parseSecret(secretKey), "The key"),
  });
  const now = Math.floor(Date.now() / 1000);
  const made: Organization[] = [];
  // What is lost with the machine is written again.
  const name = database.sql(new URL(database.url).pathname.slice(1));
  await database.sql`alter database ${name} set synchronous_commit = off`;
  try {
    for (let number = 1; number <= count; number++) {
      const host = `org${number}.bench.example`;
      const owner = { email: `owner@${host}`, fullName: "Owner", passwordHash: null };
      const { realmId } = await pool.transaction((sql) =>
        createRealm(sql, { host, name: host, now, owner, hasFirstMessages: false }),
      );
      const counts = { users: people, channels: 20, messages: 100, channelsPerUser: 5 };
      const { api_key_prefix: prefix } = await seedRealm(pool, realmId, counts, now);
      const apiKey = `${prefix}${"1".padStart(32 - prefix.length, "0")}`;
      made.push({ host, member: { email: "person1@seed.example", apiKey } });
    }
  } finally {
    await pool.close();
    await database.sql`alter database ${name} reset synchronous_commit`;
  }
  await database.sql`vacuum analyze`;
  return made;
}

/** What somebody does who looks in: fetches the state, reads, writes, and leaves. */
export async function useOnce(parley: Parley, { host, member }: Organization): Promise<void> {
  const call = (method: string, path: string, fields?: Readonly<Record<string, string>>) =>
    ask(parley, host, member, method, path, fields);
  const { queue_id: queueId } = (await call("POST", "/api/v1/register")) as { queue_id: string };
  await call("GET", "/api/v1/messages?anchor=newest&num_before=50&num_after=0");
  await call("POST", "/api/v1/users/me/presence", { status: "active" });
  await call("POST", "/api/v1/messages", { type: "channel", to: '"general"', topic: "bench", content: "**Hello**" });
  await call("DELETE", "/api/v1/events", { queue_id: queueId });
}

/** How many organizations the process holds in memory. */
export async function loadedOrganizations(parley: Parley): Promise<number> {
  const text = await parley.metrics();
  return Number(/^parley_realms_loaded\S* (\d+)/m.exec(text)?.[1]);
}

/** @throws Error when some are still there after `givenUpMs` */
export async function untilNoneIsLoaded(parley: Parley, givenUpMs: number): Promise<void> {
  const givenUpAt = performance.now() + givenUpMs;
  while ((await loadedOrganizations(parley)) > 0) {
    if (performance.now() > givenUpAt) throw new Error(`organizations are in memory after ${givenUpMs} ms`);
    await sleep(1000);
  }
}

/** One call to the organization of that host, which `fetch` cannot name. @throws Error when it is refused */
export function ask(
  { port }: Parley,
  host: string,
  account: Account,
  method: string,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const body = new URLSearchParams(fields).toString();
  const headers = {
    host,
    authorization: basic(account),
    "content-type": "application/x-www-form-urlencoded",
    "content-length": Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${method} ${path} at ${host}: ${response.statusCode} ${text.slice(0, 500)}`));
      });
    });
    sent.on("error", reject).end(body);
  });
}
