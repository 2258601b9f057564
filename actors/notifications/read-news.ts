/**
 * The users who have read messages, and the messages that were deleted, since the last question. What phones show of
 * them is to be removed. The node that writes a realm keeps this in memory. A node that starts to write does not know,
 * and says "everything".
 */
import type { MessageId, RealmId, UserId } from "../../storage/ids.ts";
import type { LogEntry } from "../realm/entry.ts";
import { defineMemory } from "../realm/memory.ts";

export interface ReadNewsOf {
  userIds: Set<UserId>;
  messageIds: Set<MessageId>;
}

declare module "../realm/environment.ts" {
  interface RealmEnvironment {
    /** Where notifications for phones go; undefined: nowhere. */
    relay?: { readonly url: string; readonly readNews: ReadNews } | undefined;
  }
}

/** Beyond this many ids, everything is checked. */
const maxKept = 10_000;

export class ReadNews {
  /** Realms that are not in it: everything. */
  readonly #byRealm = new Map<RealmId, ReadNewsOf>();

  note(realmId: RealmId, { event, audience }: LogEntry, isWriter: boolean): void {
    const news = this.#byRealm.get(realmId);
    if (!news) return;
    if (event?.type === "update_message_flags" && event.flag === "read" && event.op === "add") {
      if (audience?.to === "users") for (const id of audience.ids) news.userIds.add(id);
    } else if (event?.type === "delete_message") for (const id of event.message_ids) news.messageIds.add(id);
    if (!isWriter || news.userIds.size + news.messageIds.size > maxKept) this.forget(realmId);
  }

  /** Notes a user who may have read a message while their phones were sent it. */
  noteReader(realmId: RealmId, userId: UserId): void {
    this.#byRealm.get(realmId)?.userIds.add(userId);
  }

  /** Returns the news of a realm, and clears them. Undefined: none. */
  take(realmId: RealmId): ReadNewsOf | "everything" | undefined {
    const news = this.#byRealm.get(realmId);
    if (news?.userIds.size === 0 && news.messageIds.size === 0) return undefined;
    this.#byRealm.set(realmId, { userIds: new Set(), messageIds: new Set() });
    return news ?? "everything";
  }

  /** Has the next question answered with "everything". */
  forget(realmId: RealmId): void {
    this.#byRealm.delete(realmId);
  }
}

/** Tells the node's news of what a realm's log says. Nothing is remembered with the realm. */
export const readNewsOfRealm = defineMemory<(entry: LogEntry) => void>({
  name: "read news",
  load: (realm) => (entry) => realm.environment.relay?.readNews.note(realm.id, entry, realm.isWriter),
  apply: (note, entry) => note(entry),
});
