/** A standby that lacks the newest commits is promoted: what was lost is not shown, and no id is given out again. */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { type ServerProcess, startServerProcess } from "../../support/server/server-process.ts";
import { type Pair, startPair } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";

let pair: Pair;
let folder: string;
let server: ServerProcess;
let owner: ApiClient;
beforeAll(async () => {
  [pair, folder] = await Promise.all([startPair(), dataFolder("behind")]);
  server = await startServerProcess({
    PORT: String(await freePort()),
    PARLEY_DATA_DIR: folder,
    DATABASE_URL: pair.url,
  });
  const password = /^ {2}Password {2}(\S+)$/m.exec(server.output())![1]!;
  const anybody = new ApiClient({ url: server.url });
  const { api_key: apiKey } = expectSuccess(
    await anybody.post("/fetch_api_key", { username: "owner@example.com", password }),
  );
  owner = new ApiClient({ url: server.url, email: "owner@example.com", apiKey: apiKey as string });
}, 240_000);
afterAll(async () => {
  await server?.stop();
  await pair?.stop();
  await rm(folder, { recursive: true, force: true });
});

const send = (content: string) => owner.post("/messages", { type: "channel", to: "general", topic: "behind", content });
const contents = async () => {
  const answer = await owner.get("/messages", {
    narrow: [["topic", "behind"]],
    anchor: "newest",
    num_before: 500,
    num_after: 0,
    apply_markdown: false,
  });
  return (expectSuccess(answer)["messages"] as { content: string }[]).map(({ content }) => content);
};

it("after a standby that is behind was promoted its nodes show what it has, and go on above what was lost", async () => {
  expectSuccess(await send("kept"));
  await until("the standby to have it", async () => {
    const [row] = await pair.primary.ask<{ lag: string }>(
      "select pg_current_wal_lsn() - replay_lsn as lag from pg_stat_replication",
    );
    return Number(row?.lag) === 0;
  });
  const { last_event_id: keptAt } = expectSuccess(await owner.post("/register", { event_types: ["message"] }));
  await pair.standby.ask("alter system set primary_conninfo = ''");
  await pair.standby.ask("select pg_reload_conf()");
  await until("the standby to hear nothing more", async () => {
    const [row] = await pair.primary.ask<{ count: string }>("select count(*) from pg_stat_replication");
    return row!.count === "0";
  });
  const lost: number[] = [];
  // More than a block of ids, so that another was taken of which the standby does not know.
  for (let count = 0; count < 40; count++) lost.push(expectSuccess(await send(`lost ${count}`))["id"] as number);
  expect(await contents()).toContain("lost 0");
  const { last_event_id: lostAt } = expectSuccess(await owner.post("/register", { event_types: ["message"] }));
  expect(lostAt).toBeGreaterThan(keptAt as number);

  pair.primary.wire.cut();
  await pair.promote();
  let now: string[] = [];
  await until("what was lost to be gone from sight", async () => {
    now = await contents().catch(() => ["lost"]);
    return !now.some((content) => content.startsWith("lost"));
  });
  expect(now).toContain("kept");
  const { id: next } = expectSuccess(await send("after"));
  expect(next).toBeGreaterThan(Math.max(...lost) + 50_000);
  const { last_event_id: goneOnAt } = expectSuccess(await owner.post("/register", { event_types: ["message"] }));
  expect(goneOnAt).toBeGreaterThan((lostAt as number) + 500_000);
  expect(server.output()).toContain("every organization is loaded again");
}, 300_000);
