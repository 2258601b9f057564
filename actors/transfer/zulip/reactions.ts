/** The reactions of an export, in typed arrays: it lists all of them at once, and there may be millions. */
import { defined } from "../../../storage/failures.ts";
import { byValue, type MessageOrder, sorted, valueAt } from "./message-order.ts";
import type { ReactionTable } from "./tables.ts";

type Emoji = Pick<ReactionTable, "emoji_name" | "emoji_code" | "reaction_type">;

export class Reactions {
  count = 0;
  #ids = new Float64Array(64);
  #messages = new Float64Array(64);
  #users = new Uint32Array(64);
  #emoji = new Uint32Array(64);
  readonly #kinds: Emoji[] = [];
  readonly #kindOf = new Map<string, number>();

  add({ id, message, user_profile, emoji_name, emoji_code, reaction_type }: ReactionTable): void {
    if (this.count === this.#ids.length) this.#grow();
    const key = `${reaction_type} ${emoji_code} ${emoji_name}`;
    let kind = this.#kindOf.get(key);
    if (kind === undefined) {
      this.#kindOf.set(key, (kind = this.#kinds.length));
      this.#kinds.push({ emoji_name, emoji_code, reaction_type });
    }
    this.#ids[this.count] = id;
    this.#messages[this.count] = message;
    this.#users[this.count] = user_profile;
    this.#emoji[this.count++] = kind;
  }

  #grow(): void {
    const size = 2 * this.#ids.length;
    const before = { ids: this.#ids, messages: this.#messages, users: this.#users, emoji: this.#emoji };
    (this.#ids = new Float64Array(size)).set(before.ids);
    (this.#messages = new Float64Array(size)).set(before.messages);
    (this.#users = new Uint32Array(size)).set(before.users);
    (this.#emoji = new Uint32Array(size)).set(before.emoji);
  }

  /** Which messages have some, by their places in the order. */
  messagesIn(order: MessageOrder): Uint8Array {
    const have = new Uint8Array(order.count);
    for (const message of this.#messages.subarray(0, this.count)) {
      const place = order.find(message);
      if (place >= 0) have[place] = 1;
    }
    return have;
  }

  /** In the order in which they were added there. */
  *inOrder(): Generator<ReactionTable> {
    for (const at of sorted(this.count, byValue(this.#ids)))
      yield {
        id: valueAt(this.#ids, at),
        message: valueAt(this.#messages, at),
        user_profile: valueAt(this.#users, at),
        ...defined(this.#kinds[valueAt(this.#emoji, at)], "emoji of that number"),
      };
  }
}
