/** Another organization beside the one of a test's server, under the host "localhost". */
import { createRealm } from "../../../actors/organization/changes/create.ts";
import type { Database } from "../../../storage/postgres.ts";
import { ApiClient } from "../client/api.ts";
import { until } from "../time/until.ts";

/** Resolves when it answers its owner. @param url of the server, by its address */
export async function secondOrganization(database: Database, url: string) {
  const email = "second@example.com";
  const made = await database.transaction((sql) =>
    createRealm(sql, {
      host: "localhost",
      name: "Second",
      owner: { email, fullName: "Second Owner", passwordHash: null },
      now: Math.floor(Date.now() / 1000),
      hasFirstMessages: false,
    }),
  );
  const client = new ApiClient({ url: url.replace("127.0.0.1", "localhost"), email, apiKey: made.ownerApiKey });
  await until("the second organization to answer", async () => (await client.get("/users/me")).status === 200);
  return { id: made.realmId, client };
}
