/** What a register tells from memory, beside what it tells from PostgreSQL. */

import { expect } from "vitest";
import { type History, historyMemory } from "../../../actors/history/history.ts";
import { ReaderStates } from "../../../actors/history/reader-states.ts";
import { type Memory, memoryOf } from "../../../actors/realm/memory.ts";
import type { Realm } from "../../../actors/realm/realm.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { readStored } from "../../../actors/register/stored.ts";
import { unreadMessages } from "../../../actors/register/unread.ts";

export const historyOf = (realm: Realm) => memoryOf(realm, historyMemory);

/** The realm with another memory of messages. */
export const remembering = (realm: Realm, history: History): Realm => withHistory(realm, history);

/** The realm without its memory of messages. */
export const forgetful = (realm: Realm): Realm =>
  withHistory(realm, { index: undefined, readers: new ReaderStates(0), firstAfter: () => undefined });

const withHistory = (realm: Realm, history: object): Realm =>
  without(realm, "memories", {
    of: (memory: Memory<unknown>) => (memory === historyMemory ? history : realm.memories.of(memory)),
  });

const without = (realm: Realm, part: keyof Realm, instead: object): Realm =>
  new Proxy(realm, {
    get: (target, name) => {
      const value: unknown = name === part ? instead : Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });

/**
 * What a register tells of the person is what PostgreSQL says: from memory where it is, and afterwards for those who
 * register now.
 */
export async function compareRegister(realm: Realm, userId: number): Promise<void> {
  const user = realm.state.users.get(userId)!;
  const wants = { newest: true, unread: true, lists: true };
  const told = async (from: ServedRealm) => {
    const { unread, lists, newest } = await readStored(from, user, wants);
    return {
      unread,
      lists,
      newest,
      people: await unreadMessages.people(from.database.sql, unread.conversations, lists),
    };
  };
  const stored = await told(forgetful(realm));
  expect(await told(realm)).toEqual(stored);
  expect(await told(without(realm, "database", { sql: undefined }))).toEqual(stored);
}
