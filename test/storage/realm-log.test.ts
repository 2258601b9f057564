/** The fence between a realm's writers. */
import { describe, expect, it } from "vitest";
import { commitRead } from "../../storage/messages/mark-read.ts";
import { StorageUnavailable } from "../../storage/postgres.ts";
import {
  appendLog,
  commitSends,
  fence,
  lastLogged,
  type Predecessor,
  WriterFenced,
  type WriterTerm,
} from "../../storage/realm-log.ts";
import { beginTerm } from "../../storage/realms.ts";
import { storedRealm } from "../support/rooms/stored-realm.ts";

const stored = storedRealm();
const { realmId, now } = stored;

const append = (
  epoch: number,
  position: number,
  before: () => Promise<unknown> = async () => {},
  predecessor?: Predecessor,
) =>
  stored.database.transaction(async (sql) => {
    await fence(sql, { realmId, epoch, predecessor });
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

  describe("where the log lacks the commit before, as on a standby that was behind and is promoted", () => {
    const row = { position: 12, json: "{}" };
    it.each<[kind: string, commit: (term: WriterTerm) => Promise<unknown>]>([
      ["of commands", ({ epoch, predecessor }) => append(epoch, row.position, undefined, predecessor)],
      ["of sends", (term) => commitSends(stored.database, term, [], [row], now)],
      ["of marks", (term) => commitRead(stored.database, term, [], [row], now)],
    ])("a commit %s stores nothing", async (_, commit) => {
      const { database } = stored;
      const { epoch } = await beginTerm(database, realmId, { servesReads: true });
      await append(epoch, 11);
      const term = { realmId, epoch, predecessor: { position: 11, loggedAt: now } };
      await commit(term);
      expect(await lastLogged(database.sql, realmId)).toBe(12);
      await database.sql`delete from realm_log where realm_id = ${realmId} and position > 1`;
      await expect(commit(term)).rejects.toThrow(WriterFenced);
      expect(await lastLogged(database.sql, realmId)).toBe(1);
    });
  });
});
