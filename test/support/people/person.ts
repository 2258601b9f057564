/**
 * An account and its client, with what people do again and again. Each method throws UnexpectedAnswerError for a
 * refusal. A test asks what it is about of `client`.
 */
import { type ApiClient, cursorOf, expectSuccess, type JsonObject, type QueueCursor } from "../client/api.ts";
import type { WireEvent } from "../convergence/client-state.ts";

/** An account that exists. */
export interface Account {
  readonly client: ApiClient;
  readonly id: number;
  readonly email: string;
  readonly apiKey: string;
}

/** Where a message goes: a channel by its id, its name or its object, or people. */
export type To = number | string | Channel | Person | readonly Person[];

/** A channel that exists when a test's server has started. */
export class Channel {
  #id: number | undefined;

  constructor(readonly name: string) {}

  /** @throws Error before the test's server is there. */
  get id(): number {
    if (this.#id === undefined) throw new Error(`The channel "${this.name}" is not there yet.`);
    return this.#id;
  }

  /** Sets its id. */
  is(id: number): void {
    this.#id = id;
  }
}

export class Person implements Account {
  #account: Account | undefined;

  constructor(
    readonly name: string,
    account?: Account,
  ) {
    this.#account = account;
  }

  /** Sets its account. */
  is(account: Account): void {
    this.#account = account;
  }

  get client(): ApiClient {
    return this.#there.client;
  }

  get id(): number {
    return this.#there.id;
  }

  /** The address to log in with. */
  get email(): string {
    return this.#there.email;
  }

  get apiKey(): string {
    return this.#there.apiKey;
  }

  /** Sends a message: to a topic of a channel, or to people. Returns its id. */
  async say(to: To, content = "hello", topic = "t", params: JsonObject = {}): Promise<number> {
    const people = to instanceof Person ? [to] : Array.isArray(to) ? (to as readonly Person[]) : undefined;
    const target = people
      ? { type: "direct", to: people.map(({ id }) => id) }
      : { type: "channel", to: to instanceof Channel ? to.id : to, topic };
    return expectSuccess(await this.client.post("/messages", { ...target, content, ...params }))["id"] as number;
  }

  /** A message as this person reads it. */
  async read(id: number, params: JsonObject = {}): Promise<JsonObject> {
    return expectSuccess(await this.client.get(`/messages/${id}`, params))["message"] as JsonObject;
  }

  /** Registers a queue. */
  async queue(params: JsonObject = {}): Promise<QueueCursor> {
    return cursorOf(await this.client.register(params));
  }

  /** The events that wait in the queue, `least` of them when they are still to come. */
  drain(queue: QueueCursor, least?: number): Promise<WireEvent[]> {
    return this.client.drain(queue, least);
  }

  /** Waits for the first event of these types. */
  next(queue: QueueCursor, ...types: string[]): Promise<WireEvent> {
    return this.client.nextEvent(queue, ({ type }) => types.includes(type));
  }

  /** Subscribes this person, and creates channels that do not exist. */
  async subscribe(...names: string[]): Promise<void> {
    const subscriptions = names.map((name) => ({ name }));
    expectSuccess(await this.client.post("/users/me/subscriptions", { subscriptions }));
  }

  async unsubscribe(...names: string[]): Promise<void> {
    expectSuccess(await this.client.delete("/users/me/subscriptions", { subscriptions: names }));
  }

  /** Creates a channel, without subscribers unless given. Returns its id. */
  async channel(name: string, params: JsonObject = {}): Promise<number> {
    const made = await this.client.post("/channels/create", { name, subscribers: [], ...params });
    return expectSuccess(made)["id"] as number;
  }

  /** A channel as this person sees it. */
  async channelOf(id: number): Promise<JsonObject> {
    return expectSuccess(await this.client.get(`/streams/${id}`))["stream"] as JsonObject;
  }

  /** Creates a user group, without members unless given. Returns its id. */
  async group(name: string, params: JsonObject = {}): Promise<number> {
    const made = await this.client.post("/user_groups/create", { name, description: "", members: [], ...params });
    return expectSuccess(made)["group_id"] as number;
  }

  /** Changes settings of the organization. */
  async setRealm(params: JsonObject): Promise<JsonObject> {
    return expectSuccess(await this.client.patch("/realm", params));
  }

  get #there(): Account {
    if (!this.#account) throw new Error(`${this.name} is not there yet.`);
    return this.#account;
  }
}
