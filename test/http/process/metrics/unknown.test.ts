import { tmpdir } from "node:os";
import { Registry } from "prom-client";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { observeStored } from "../../../../http/process/metrics/stored-series.ts";
import { connect, type Database } from "../../../../storage/postgres.ts";
import { startTcpProxy, type TcpProxy } from "../../../support/server/tcp-proxy.ts";
import { testSecretKey } from "../../../support/server/template.ts";

let wire: TcpProxy;
let database: Database;
beforeAll(async () => {
  const url = inject("databaseUrl");
  wire = await startTcpProxy(Number(new URL(url).port));
  database = connect(wire.through(url), { maxConnections: 2, secretKey: testSecretKey });
});
afterAll(async () => {
  await Promise.all([wire.stop(), database.close()]);
});

it.each(["cut", "hang"] as const)("tells the rest while PostgreSQL is away: %s", async (how) => {
  wire[how]();
  const registry = new Registry();
  observeStored(registry, {
    databases: [{ name: "main", database }],
    dataDir: tmpdir(),
    uploadQuota: 7,
    clock: () => 0,
  });
  // The second one comes while the first question may still be under way.
  for (const text of [await registry.metrics(), await registry.metrics()]) {
    expect(text).toMatch(/^parley_disk_free_bytes \d+$/m);
    expect(text).toMatch(/^parley_upload_quota_bytes 7$/m);
    // With labels, and without.
    expect(text).not.toMatch(/^parley_(?:outgoing_waiting|upload_bytes|imports_unfinished|database_bytes)\b/m);
  }
});
