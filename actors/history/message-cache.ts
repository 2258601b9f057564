/**
 * Messages that were read lately, whole, and as JSON in the forms in which they were asked for: for everybody who reads
 * them next. Bounded in bytes; those that were asked for longest ago go first. Whatever the log says of a message makes
 * it be read anew.
 */
import type { MessageId, RealmId } from "../../storage/ids.ts";
import { readShared, type SharedRecord } from "../../storage/messages/shared-records.ts";
import type { Database } from "../../storage/postgres.ts";
import type { ChannelRow, RealmRow, UserRow } from "../../storage/rows.ts";
import type { RealmEvent } from "../events/events.ts";
import { LruMap } from "../lru-map.ts";
import { compiledLinkifiers } from "../organization/linkifier-pattern.ts";
import type { RealmState } from "../realm/state/state.ts";

/** What a message's JSON is made of beside the message. Rows are replaced when they change, never written to. */
interface Ingredients {
  sender: UserRow | undefined;
  channel: ChannelRow | undefined;
  realm: RealmRow;
  linkifiers: readonly unknown[];
}

const isSame = (before: Ingredients | undefined, now: Ingredients): boolean =>
  before !== undefined &&
  before.sender === now.sender &&
  before.channel === now.channel &&
  before.realm === now.realm &&
  before.linkifiers === now.linkifiers;

interface Kept {
  record: SharedRecord;
  bytes: number;
  ingredients: Ingredients | undefined;
  /** By number of form. */
  texts: (string | undefined)[];
}

/** What a message takes beside its texts. */
const overhead = 600;

export class MessageCache {
  readonly #kept = new LruMap<MessageId, Kept>();
  #bytes = 0;
  /** Counts what the log said of messages: a read that was under way meanwhile may be of before. */
  #changes = 0;

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  has(id: MessageId): boolean {
    return this.#kept.has(id);
  }

  /** Those of these messages that exist, by id: from memory, and the others from PostgreSQL. */
  async read(database: Database, realmId: RealmId, ids: readonly MessageId[]): Promise<Map<MessageId, SharedRecord>> {
    const found = new Map<MessageId, SharedRecord>();
    const missing: MessageId[] = [];
    for (const id of ids) {
      const kept = this.#kept.use(id);
      if (kept) found.set(id, kept.record);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const before = this.#changes;
    for (const record of await readShared(database.sql, realmId, missing)) {
      found.set(record.id, record);
      if (this.#changes === before) this.#keep(record);
    }
    return found;
  }

  /** A message's JSON in a form, made by `make` unless it is there and nothing it is made of has changed. */
  text(state: RealmState, record: SharedRecord, form: number, make: () => string): string {
    const kept = this.#kept.get(record.id);
    // A message of several people is made of all of their accounts.
    if (kept?.record !== record || record.channel_id === null) return make();
    const now: Ingredients = {
      sender: state.users.get(record.sender_id),
      channel: state.channels.get(record.channel_id),
      realm: state.row,
      linkifiers: state.derived(compiledLinkifiers),
    };
    if (!isSame(kept.ingredients, now)) {
      for (const text of kept.texts) this.#count(kept, -(text?.length ?? 0));
      kept.ingredients = now;
      kept.texts = [];
    }
    let text = kept.texts[form];
    if (text === undefined) {
      text = make();
      kept.texts[form] = text;
      this.#count(kept, text.length);
      this.#dropOld();
    }
    return text;
  }

  /** An event of the log. */
  apply(event: RealmEvent): void {
    switch (event.type) {
      case "update_message":
        for (const id of event.message_ids) this.#drop(id);
        this.#drop(event.message_id);
        break;
      case "delete_message":
        for (const id of event.message_ids) this.#drop(id);
        break;
      case "reaction":
      case "submessage":
        this.#drop(event.message_id);
        break;
      case "update_message_flags":
        // Whether the sender has read it is in the message itself.
        if (event.op === "add" || event.flag !== "read") return;
        for (const id of event.messages) this.#drop(id);
        break;
      default:
        return;
    }
    this.#changes++;
  }

  /** These are read anew. */
  forget(ids: readonly MessageId[]): void {
    for (const id of ids) this.#drop(id);
    this.#changes++;
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
    this.#changes++;
  }

  #keep(record: SharedRecord): void {
    if (this.#kept.has(record.id)) return;
    const kept: Kept = { record, bytes: 0, ingredients: undefined, texts: [] };
    this.#kept.set(record.id, kept);
    const extras = record.reactions || record.submessages || record.edit_history || record.participants;
    const lists = [record.mentioned, record.topic_participants, record.alerted];
    this.#count(
      kept,
      overhead +
        record.content.length +
        record.rendered_content.length +
        (extras
          ? JSON.stringify([record.reactions, record.submessages, record.edit_history, record.participants]).length
          : 0) +
        lists.reduce((sum, list) => sum + 8 * (list?.length ?? 0), 0),
    );
    this.#dropOld();
  }

  #count(kept: Kept, bytes: number): void {
    kept.bytes += bytes;
    this.#bytes += bytes;
  }

  #drop(id: MessageId): void {
    const kept = this.#kept.get(id);
    if (!kept) return;
    this.#kept.delete(id);
    this.#bytes -= kept.bytes;
  }

  #dropOld(): void {
    while (this.#bytes > this.maxBytes && this.#kept.oldest) this.#drop(this.#kept.oldest.key);
  }
}
