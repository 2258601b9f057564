/** Reads that wait, for a lock or for a slow disk, do not hold up what people write. */
import { it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ nodeCount: 1 });

it("forty reads that wait for a table: sends go on, and the reads get their answers", async () => {
  expectSuccess(await send("before"));
  const { sql } = server.database;
  const lock = await sql.reserve();
  let reads: ReturnType<typeof server.owner.client.get>[] = [];
  try {
    await lock`begin`;
    await lock`lock table drafts in access exclusive mode`;
    reads = Array.from({ length: 40 }, () => server.owner.client.get("/drafts"));
    for (let count = 0; count < 5; count++) expectSuccess(await send(`meanwhile ${count}`));
  } finally {
    await lock`rollback`;
    lock.release();
  }
  for (const read of reads) expectSuccess(await read);
});

const send = (content: string) =>
  server.owner.client.post("/messages", { type: "channel", to: "general", topic: "goes on", content });
