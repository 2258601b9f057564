/** An account at a server: typed calls, sends that are stored once, and the organization as it changes. */
import { type AnswerOf, addressed, type Endpoint, type ParamsOf } from "./calls.ts";
import { persist } from "./persist.ts";
import { Following, type FollowingOptions } from "./queue/following.ts";
import { type Access, accessByKey, type CallOptions, request } from "./request.ts";
import { type ClientProfile, LEGACY, MODERN, registerParams } from "./state/client-profile.ts";
import { applyEvents } from "./state/fold.ts";
import type { RegisterState } from "./state/state.ts";
import type { Message, MessagesAnswer, SentMessage, Term } from "./types.ts";

/** What a follower is told, and what it declares when it registers. */
export interface FollowOptions extends Partial<Omit<FollowingOptions, "access" | "register">> {
  /** What the server is to tell. All of it, unless told. */
  readonly profile?: ClientProfile;
  /** Further parameters of `POST /register`, such as `narrow`. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The longest page of messages that the server gives. */
const pageSize = 1000;

export class ParleyClient {
  readonly access: Access;

  /** @param account the organization's address with a key, or the access of a page */
  constructor(account: { url: string; email: string; apiKey: string } | Access) {
    this.access = "base" in account ? account : accessByKey(account.url, account.email, account.apiKey);
  }

  /** Calls an endpoint once. @throws ApiError; DOMException when it was aborted */
  call<Name extends Endpoint>(
    endpoint: Name,
    params: ParamsOf<Name>,
    options: CallOptions = {},
  ): Promise<AnswerOf<Name>> {
    const to = addressed(endpoint, params as Readonly<Record<string, unknown>>);
    return request<AnswerOf<Name>>(this.access, to.method, to.path, to.params, options);
  }

  /** Follows the organization from now on. `followed.ended` says why it ended. */
  follow(options: FollowOptions = {}): Followed {
    return new Followed(this.access, options);
  }

  /**
   * Hands over each message that the account receives, once and in order, as it was written. What came while no queue
   * lived is fetched from the history. The next message waits until `onMessage` is done with the one before.
   * @param after the newest message that was handed over before this process: -1 or none begins with what is new
   */
  followMessages(onMessage: (message: SentMessage) => unknown, after = -1): Followed {
    let newest = after;
    let work: Promise<void> = Promise.resolve();
    const next = (step: () => Promise<void>) => {
      work = work.then(step).catch((error: unknown) => console.error("A message was not dealt with.", error));
    };
    const hand = async (message: SentMessage) => {
      if (message.id <= newest) return;
      newest = message.id;
      await onMessage(message);
    };
    const ended = new AbortController();
    const followed = this.follow({
      profile: { ...LEGACY, name: "messages", eventTypes: ["message"], fetchEventTypes: ["message"] },
      onState: (state, isFirst) => {
        if (isFirst && after < 0) newest = Number(state.max_message_id ?? -1);
        else
          next(async () => {
            for await (const message of this.messagesAfter(newest, [], ended.signal)) await hand(message);
          });
      },
      onEvents: (events) => {
        for (const event of events) if (event.type === "message") next(() => hand(event.message));
      },
    });
    void followed.ended.then(() => ended.abort());
    return followed;
  }

  /**
   * Messages after one, the oldest first: for who was away longer than a queue lives. It repeats each page until the
   * server answers. @throws ApiError when it refuses
   */
  async *messagesAfter(messageId: number, narrow: readonly Term[] = [], signal?: AbortSignal): AsyncGenerator<Message> {
    for (let anchor = messageId; ; ) {
      const params = {
        anchor,
        include_anchor: false,
        num_before: 0,
        num_after: pageSize,
        narrow,
        apply_markdown: false,
      };
      const ask = () => request<MessagesAnswer>(this.access, "GET", "/messages", params, signal ? { signal } : {});
      const { messages, found_newest } = await persist(ask, signal ? { signal } : {});
      yield* messages;
      anchor = messages.at(-1)?.id ?? anchor;
      if (found_newest || messages.length === 0) return;
    }
  }
}

/** A message to send. `to` is a channel's id, or the ids of people. */
export type Outgoing =
  | { type: "channel"; to: number; topic: string; content: string }
  | { type: "direct"; to: readonly number[]; content: string };

/** An organization that is followed, with its state as of the newest event. */
export class Followed {
  /** Empty until the first answer. */
  state: RegisterState = {};
  /** Why it ended: somebody stopped it, or the account is logged out. */
  readonly ended: Promise<string>;
  /** The first state is there. */
  readonly begun: Promise<void>;
  readonly #following: Following;
  readonly #profile: ClientProfile;
  #sent = 0;

  constructor(
    private readonly access: Access,
    { profile = MODERN, params = {}, ...told }: FollowOptions,
  ) {
    this.#profile = profile;
    let begin = () => {};
    this.begun = new Promise((resolve) => (begin = resolve));
    this.#following = new Following({
      ...told,
      access,
      register: () => request<RegisterState>(access, "POST", "/register", { ...registerParams(profile), ...params }),
      onState: (state, isFirst) => {
        this.state = state;
        told.onState?.(state, isFirst);
        begin();
      },
      onEvents: (events) => {
        applyEvents(this.state, events, this.#profile);
        told.onEvents?.(events);
      },
    });
    this.ended = this.#following.run();
  }

  get queueId(): string {
    return this.#following.queueId;
  }

  /**
   * Sends a message, and repeats it until the server answers: stored once, whatever dies in between. Its id.
   * @throws ApiError when the server refuses it
   */
  async send(message: Outgoing, signal?: AbortSignal): Promise<number> {
    await this.begun;
    const again = { queue_id: this.queueId, local_id: `${Date.now()}.${++this.#sent}` };
    const ask = () => request<{ id: number }>(this.access, "POST", "/messages", { ...message, ...again });
    return (await persist(ask, signal ? { signal } : {})).id;
  }

  /** Ends it, and gives the queue back. */
  async stop(): Promise<void> {
    this.#following.stop();
    await this.ended;
    const queue_id = this.queueId;
    // A queue that cannot be given back is collected by the server.
    if (queue_id) await request(this.access, "DELETE", "/events", { queue_id }).catch(() => {});
  }
}
