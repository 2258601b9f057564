/**
 * The convergence law for messages: those that a client has, brought up to date by events, equal those fetched again.
 * The cache of the page people chat on brings them up to date.
 */
import { MessageCache } from "../../../http/client/state/message-cache.ts";
import type { Message } from "../../../http/client/types.ts";
import type { ApiClient } from "../client/api.ts";
import type { ClientProfile } from "./client-profile.ts";
import type { WireEvent } from "./client-state.ts";
import { diffStates } from "./diff.ts";

/** Messages that a client has before the action. */
const maxKnown = 40;
/** Orders that mean nothing: flags and reactions are sets. */
const asSet = <T>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

export class KnownMessages {
  readonly #cache = new MessageCache();
  readonly #ids = new Set<number>();

  private constructor(
    private readonly observer: ApiClient,
    private readonly profile: ClientProfile,
  ) {}

  /** Knows the newest messages that the observer may read. */
  static async of(observer: ApiClient, profile: ClientProfile): Promise<KnownMessages> {
    const known = new KnownMessages(observer, profile);
    const messages = await known.#fetch({ anchor: "newest", num_before: maxKnown, num_after: 0 });
    known.#cache.add(messages);
    for (const { id } of messages) known.#ids.add(id);
    return known;
  }

  async #fetch(which: Record<string, unknown>): Promise<Message[]> {
    const { body } = await this.observer.get("/messages", {
      ...which,
      client_gravatar: this.profile.clientGravatar,
      allow_empty_topic_name: this.profile.capabilities.has("empty_topic_name"),
    });
    return (body["messages"] as Message[] | undefined) ?? [];
  }

  apply(event: WireEvent): void {
    if (event.type === "message") this.#ids.add((event["message"] as Message).id);
    this.#cache.apply(event as unknown as Parameters<MessageCache["apply"]>[0]);
  }

  /** What differs from the messages as they are now. */
  async differences(): Promise<string[]> {
    if (this.#ids.size === 0) return [];
    const fetched = new Map((await this.#fetch({ message_ids: [...this.#ids] })).map((one) => [one.id, one]));
    const differences: string[] = [];
    for (const id of this.#ids) {
      const [mine, theirs] = [this.#cache.get(id), fetched.get(id)];
      if (mine && !theirs && (await this.#isLost(mine))) continue;
      const lines = diffStates(mine ? comparable(mine) : {}, theirs ? comparable(theirs) : {});
      differences.push(...lines.map((line) => `message ${id}: ${line}`));
    }
    return differences;
  }

  /** No event tells of a message that was lost with a private channel: clients keep it until they fetch again. */
  async #isLost({ stream_id }: Message): Promise<boolean> {
    if (stream_id === undefined) return false;
    const { body } = await this.observer.get(`/streams/${stream_id}`);
    return (body["stream"] as { invite_only: boolean } | undefined)?.invite_only !== false;
  }
}

/** What the page shows of a message. Names and pictures come from its people. */
const shown = [
  "type",
  "sender_id",
  "content",
  "stream_id",
  "subject",
  "topic_links",
  "is_me_message",
  "last_edit_timestamp",
  "last_moved_timestamp",
  "submessages",
] as const satisfies readonly (keyof Message)[];

function comparable(message: Message): Record<string, unknown> {
  const reactions = message.reactions.map(({ emoji_code, reaction_type, user_id }) => ({
    emoji_code,
    reaction_type,
    user_id,
  }));
  const fields = Object.fromEntries(shown.map((name) => [name, (message as Partial<Message>)[name]]));
  return { ...fields, flags: asSet(message.flags), reactions: asSet(reactions) };
}
