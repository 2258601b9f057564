/** Of a person with very many stars and other rare flags, memory holds those of the newest messages. */

import { describe, expect, it } from "vitest";
import { historyMemory } from "../../../actors/history/history.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { readReaderState } from "../../../storage/messages/shared-records.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ada] = server.people("Ada");
const engines = server.channel("engines", [server.owner, ada]);

describe("a person with more flags than are kept", () => {
  it("has PostgreSQL asked for messages before those whose flags are kept", async () => {
    const ids: number[] = [];
    for (let at = 0; at < 4; at++) ids.push(await server.owner.say(engines, `kept ${at}`, "flags"));
    const [realm] = await server.realms();
    const { sql } = realm!.database;
    const { low } = (await readReaderState(sql, ada.id)).flags;
    expect(low).toBe(0);
    // One flag more than is kept, which is that of the second message.
    await sql`
      insert into message_flags (user_id, message_id, realm_id, starred)
      select ${ada.id}::bigint, id, ${realm!.id}::integer, true from unnest(${[ids[1]!, ids[2]!].map(String)}::bigint[]) as t(id)
      union all select ${ada.id}::bigint, ${ids[3]!}::bigint + n, ${realm!.id}::integer, true from generate_series(1, 499) as n`;
    memoryOf(realm!, historyMemory).shed();
    await memoryOf(realm!, historyMemory).filled();
    const kept = await memoryOf(realm!, historyMemory).readers.read(sql, ada.id);
    expect(kept.flags.low).toBe(ids[2]);
    expect(kept.flags.byMessage.size).toBe(500);
    const starred = async (numBefore: number) => {
      const narrow = [
        { operator: "channel", operand: engines.id },
        { operator: "topic", operand: "flags" },
      ];
      const around = { narrow, anchor: ids[3]!, num_before: numBefore, num_after: 0 };
      const { messages } = expectSuccess(await ada.client.get("/messages", around));
      return (messages as { flags: string[] }[]).map(({ flags }) => flags.includes("starred"));
    };
    expect(await starred(1)).toEqual([true, false]);
    expect(await starred(3)).toEqual([false, true, true, false]);
  });
});
