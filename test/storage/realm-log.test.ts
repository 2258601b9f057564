/** The fence between a realm's writers. */
import { describe, expect, it } from "vitest";
import { StorageUnavailable } from "../../storage/postgres.ts";
import { appendLog, fence, lastLogged, WriterFenced } from "../../storage/realm-log.ts";
import { beginTerm } from "../../storage/realms.ts";
import { storedRealm } from "../support/rooms/stored-realm.ts";

const stored = storedRealm();
const { realmId, now } = stored;

const append = (epoch: number, position: number, before: () => Promise<unknown> = async () => {}) =>
  stored.database.transaction(async (sql) => {
    await fence(sql, { realmId, epoch });
    await before();
    await appendLog(sql, realmId, [{ position, json: "{}" }], now);
  });

describe("a writer's term", () => {
  it("ends when another one begins: nothing is written under it any more", async () => {
    const { epoch } = await beginTerm(stored.database, realmId, { servesReads: true });
    await append(epoch, 1);
    await beginTerm(stored.database, realmId, { servesReads: true });
    await expect(append(epoch, 2)).rejects.toBeInstanceOf(WriterFenced);
    expect(await lastLogged(stored.database.sql, realmId)).toBe(1);
  });

  it("ends also while its writer sleeps in the middle of a transaction", async () => {
    const { epoch } = await beginTerm(stored.database, realmId, { servesReads: true });
    // Sleeps until its successor has begun: PostgreSQL has to end it for that, or both wait for ever.
    let successor: Promise<unknown> | undefined;
    const late = append(epoch, 3, () => {
      successor = beginTerm(stored.database, realmId, { servesReads: true });
      return successor;
    });
    await expect(late).rejects.toBeInstanceOf(StorageUnavailable);
    await successor;
    expect(await lastLogged(stored.database.sql, realmId)).toBe(1);
  });
});
