/**
 * Recipients as Zulip has them: a channel, a person, or three people and more. What somebody writes to one other person
 * goes to that person's recipient, so a conversation of two has one of each of them.
 */
import { createHash } from "node:crypto";
import type { RealmId, RecipientId, UserId } from "../../../storage/ids.ts";
import type { Sql } from "../../../storage/postgres.ts";
import {
  type ExportedMessage,
  findConversations,
  nextFreeRecipient,
  readRows,
} from "../../../storage/transfer/export-rows.ts";

export const recipientTypes = { person: 1, channel: 2, group: 3 } as const;

const keyOf = (people: Iterable<UserId>): string => [...new Set(people)].sort((a, b) => a - b).join(",");

export class Recipients {
  /** By the people of a conversation in which nobody has written yet. */
  readonly #unwritten = new Map<string, RecipientId>();
  readonly #written = new Map<string, RecipientId>();
  #next: RecipientId;

  private constructor(
    private readonly personal: ReadonlyMap<UserId, RecipientId>,
    next: RecipientId,
  ) {
    this.#next = next;
  }

  /** @param drafted people of each conversation that a draft or a later message goes to */
  static async open(sql: Sql, realmId: RealmId, drafted: readonly (readonly UserId[])[]): Promise<Recipients> {
    let next = await nextFreeRecipient(sql, realmId);
    const personal = new Map<UserId, RecipientId>();
    for await (const { id } of readRows(sql, "users", realmId)) personal.set(id, next++ as RecipientId);
    const recipients = new Recipients(personal, next);
    const keys = [...new Set(drafted.map(keyOf))].filter((key) => key.split(",").length > 2);
    for (const [key, id] of await findConversations(sql, realmId, keys)) recipients.#written.set(key, id);
    for (const key of keys)
      if (!recipients.#written.has(key)) recipients.#unwritten.set(key, recipients.#next++ as RecipientId);
    return recipients;
  }

  /** The recipient of what is written to a person. */
  person(id: UserId): RecipientId | null {
    return this.personal.get(id) ?? null;
  }

  ofMessage({ channel_id, recipient_id, user_ids, sender_id }: ExportedMessage): RecipientId {
    if (channel_id !== null || user_ids === null || user_ids.length > 2) return recipient_id;
    return this.#toOther(user_ids, sender_id) ?? recipient_id;
  }

  /** Where something that this person is to write to these people goes; null: to nobody. */
  ofPeople(writer: UserId, others: readonly UserId[]): RecipientId | null {
    const key = keyOf([writer, ...others]);
    const people = key.split(",").map(Number);
    if (others.length === 0) return null;
    if (people.length <= 2) return this.#toOther(people, writer);
    return this.#written.get(key) ?? this.#unwritten.get(key) ?? null;
  }

  #toOther(people: readonly UserId[], writer: UserId): RecipientId | null {
    return this.person(people.find((id) => id !== writer) ?? writer);
  }

  /** Conversations that there are only drafts for. */
  *unwritten(): Generator<{ recipient_id: RecipientId; user_ids: UserId[] }> {
    for (const [key, recipient_id] of this.#unwritten) yield { recipient_id, user_ids: key.split(",").map(Number) };
  }
}

/** As Zulip names a group conversation. */
export const conversationHash = (people: readonly UserId[]): string =>
  createHash("sha1").update(people.join(",")).digest("hex");
