import { randomUUID } from "node:crypto";
import { Packr } from "msgpackr";
import type { Bus, Following, NodeInfo } from "./bus.ts";
import { connectRedis, isSpoilt, type RedisConnection, redisReady } from "./redis.ts";
import { type Installation, ReplayWindow, Seal } from "./seal.ts";

const packr = new Packr({ useRecords: false });
/** About how many batches a stream keeps: minutes of a busy realm. A node that is further behind reads PostgreSQL. */
const maxStreamLength = 5000;
const readCount = 500;
/** The most nodes of a cluster. Anything beyond in the list of nodes was put there by somebody else. */
const maxNodes = 1000;
/** A place in a stream is a time. Redis never gave one that is this far ahead. */
const farAheadMs = 366 * 86_400_000;
/** How long the reader waits in Redis. Two seconds later it takes Redis to be gone. */
const blockMs = 2000;

interface Reader {
  key: string;
  /** Id of the last batch read. */
  last: string;
  onMessage(message: unknown): void;
}

export interface BusOptions {
  nodeId?: string;
  onError?: (error: Error) => void;
  /** Something was found that no node of this installation has put there, or not now. It was ignored. */
  onRefused?: (what: Refused) => void;
}

export type Refused = "message" | "batch" | "node" | "agreement" | "key";

/** The keys and channels of one installation's nodes. */
function namesOf(installation: string) {
  const prefix = `parley:${installation}`;
  return {
    everyone: `${prefix}:all`,
    mailbox: (nodeId: string) => `${prefix}:to:${nodeId}`,
    stream: (stream: string) => `${prefix}:stream:${stream}`,
    wake: (nodeId: string) => `${prefix}:wake:${nodeId}`,
    nodes: `${prefix}:nodes`,
    agreement: (name: string) => `${prefix}:agreed:${name}`,
    node: (nodeId: string) => `${prefix}:node:${nodeId}`,
  };
}

/**
 * A bus on Redis: streams for the logs, publish/subscribe for messages. Everything is sealed. Others who use the same
 * Redis can keep nodes from reaching each other, but cannot speak in their name.
 *
 * @param installation of the nodes that meet; other installations in the same Redis are invisible
 */
export async function redisBus(url: string, installation: Installation, options: BusOptions = {}): Promise<Bus> {
  const nodeId = options.nodeId ?? randomUUID();
  const names = namesOf(installation.name);
  const seal = new Seal(installation.key);
  const { onError, onRefused = () => {} } = options;
  const commands = connectRedis(url, { onError });
  const subscriber = connectRedis(url, { onError });
  const reader = new StreamReader(
    connectRedis(url, { blockMs, onError }),
    commands,
    names.wake(nodeId),
    seal,
    onRefused,
  );
  const all = [commands, subscriber, reader.connection];
  const subscribe = () => subscriber.run((client) => client.subscribe(names.everyone, names.mailbox(nodeId)));
  try {
    await Promise.all(all.map((connection) => redisReady(connection, 5000)));
    await subscribe();
  } catch (error) {
    for (const connection of all) connection.close();
    throw error;
  }
  // A connection that does not take it hears nothing: the next one may.
  subscriber.client.on("ready", () => void subscribe().catch(() => subscriber.client.disconnect(true)));
  const handlers: ((from: string, message: unknown) => void)[] = [];
  const replays = new ReplayWindow();
  subscriber.client.on("messageBuffer", (channel: Buffer, sealed: Buffer) => {
    const bytes = seal.open(channel.toString(), sealed);
    const [from, number, sentAt, message] = (bytes ? packr.unpack(bytes) : []) as [string?, number?, number?, unknown?];
    if (from === nodeId) return;
    if (from === undefined || !replays.accepts(from, number!, sentAt!, Date.now())) return onRefused("message");
    for (const handle of handlers) handle(from, message);
  });
  void reader.run();
  let numbered = 0;
  const publish = (channel: string, message: unknown) => {
    const bytes = packr.pack([nodeId, ++numbered, Date.now(), message]);
    return commands.run((client) => client.publish(channel, seal.close(channel, bytes)));
  };
  /** Runs a command. Somebody else's key of another kind, where ours belongs, is deleted first. */
  const clearing = async <T>(key: string, command: () => Promise<T>): Promise<T> => {
    try {
      return await command();
    } catch (error) {
      if (!isSpoilt(error)) throw error;
      onRefused("key");
      await commands.run((client) => client.del(key));
      return command();
    }
  };
  return {
    nodeId,
    get isConnected() {
      return commands.client.status === "ready";
    },
    async append(stream, message) {
      const key = names.stream(stream);
      const sealed = seal.close(key, packr.pack(message));
      await clearing(key, () =>
        commands.run((client) => client.xadd(key, "MAXLEN", "~", maxStreamLength, "*", "m", sealed)),
      );
    },
    async end(stream) {
      const key = names.stream(stream);
      const last = await clearing(key, () => commands.run((client) => client.xrevrange(key, "+", "-", "COUNT", 1)));
      return last[0]?.[0] ?? "0-0";
    },
    follow: (stream, from, onMessage) => reader.add({ key: names.stream(stream), last: from, onMessage }),
    send: async (to, message) => (await publish(names.mailbox(to), message)) > 0,
    broadcast: async (message) => void (await publish(names.everyone, message)),
    onMessage: (handle) => void handlers.push(handle),
    async announce(info, ttlMs) {
      // This connection only listens. Without pings it would never notice that it is lost.
      subscriber.client.ping().catch(() => {});
      const key = names.node(nodeId);
      const sealed = seal.close(key, Buffer.from(JSON.stringify(info)));
      await clearing(names.nodes, () =>
        commands.run(async (client) => {
          const answers = await client
            .multi()
            .set(key, sealed, "PX", ttlMs)
            .zremrangebyscore(names.nodes, "-inf", Date.now())
            .zadd(names.nodes, Date.now() + ttlMs, nodeId)
            .exec();
          for (const [error] of answers ?? []) if (error) throw error;
        }),
      );
    },
    nodes: () => clearing(names.nodes, () => readNodes(commands, names, seal, onRefused)),
    async agree(name, value, ttlMs) {
      const key = names.agreement(name);
      const sealed = seal.close(key, Buffer.from(value));
      // Somebody else's key of another kind is overwritten, and so is a value that no node has written.
      const ask = (...condition: ["NX"] | []) =>
        commands.run(async (client) => {
          const asking = client.multi();
          if (condition.length > 0) asking.set(key, sealed, "PX", ttlMs, "NX");
          else asking.set(key, sealed, "PX", ttlMs);
          const answers = await asking.pexpire(key, ttlMs).getBuffer(key).exec();
          return seal.open(key, answers?.[2]?.[1])?.toString();
        });
      const agreed = await ask("NX");
      if (agreed !== undefined) return agreed;
      onRefused("agreement");
      return (await ask()) ?? value;
    },
    async close() {
      reader.stop();
      // Comes first: the others must not see a node that does not listen yet.
      await subscriber.run((client) => client.unsubscribe()).catch(() => {});
      await commands
        .run((client) => client.multi().del(names.node(nodeId), names.wake(nodeId)).zrem(names.nodes, nodeId).exec())
        .catch(() => {});
      for (const connection of all) connection.close();
    },
  };
}

async function readNodes(
  commands: RedisConnection,
  names: ReturnType<typeof namesOf>,
  seal: Seal,
  onRefused: (what: Refused) => void,
): Promise<NodeInfo[]> {
  const ids = await commands.run((client) =>
    client.zrangebyscore(names.nodes, Date.now(), "+inf", "LIMIT", 0, maxNodes),
  );
  if (ids.length === 0) return [];
  const keys = ids.map(names.node);
  // A key of another kind counts as absent.
  const values = await commands.run((client) => client.mgetBuffer(keys));
  return values.flatMap((value, index) => {
    if (value === null) return [];
    const bytes = seal.open(keys[index]!, value);
    if (!bytes) onRefused("node");
    return bytes ? [JSON.parse(bytes.toString()) as NodeInfo] : [];
  });
}

/**
 * One connection that waits for all followed streams at once. To follow another one it must stop waiting: a message in
 * a stream of its own wakes it.
 */
class StreamReader {
  readonly #readers = new Set<Reader>();
  #isStopped = false;
  #wakeLast = "0-0";

  constructor(
    readonly connection: RedisConnection,
    private readonly commands: RedisConnection,
    private readonly wakeKey: string,
    private readonly seal: Seal,
    private readonly onRefused: (what: Refused) => void,
  ) {}

  add(reader: Reader): Following {
    this.#readers.add(reader);
    this.commands.run((client) => client.xadd(this.wakeKey, "MAXLEN", 1, "*", "w", "1")).catch(() => {});
    return { stop: () => void this.#readers.delete(reader) };
  }

  stop(): void {
    this.#isStopped = true;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#read();
      } catch (error) {
        if (isSpoilt(error)) await this.#clear().catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Deletes keys of another kind where streams belong. */
  async #clear(): Promise<void> {
    for (const key of [this.wakeKey, ...[...this.#readers].map((reader) => reader.key)]) {
      if (["none", "stream"].includes(await this.commands.run((client) => client.type(key)))) continue;
      this.onRefused("key");
      await this.commands.run((client) => client.del(key));
    }
  }

  async #read(): Promise<void> {
    const readers = [...this.#readers];
    // A stream with several readers is read from the place of the one that is furthest behind.
    const from = new Map([[this.wakeKey, this.#wakeLast]]);
    for (const { key, last } of readers) if (!from.has(key) || isAfter(from.get(key)!, last)) from.set(key, last);
    const answer = await this.connection.run((client) =>
      client.callBuffer("XREAD", "COUNT", readCount, "BLOCK", blockMs, "STREAMS", ...from.keys(), ...from.values()),
    );
    for (const [key, messages] of streamsOf(answer)) {
      const name = key.toString();
      if (name === this.wakeKey) {
        this.#wakeLast = messages.at(-1)![0].toString();
        continue;
      }
      for (const reader of readers) {
        if (reader.key !== name) continue;
        for (const [place, fields] of messages) {
          const id = place.toString();
          // A reader may stop while it handles a message.
          if (!this.#readers.has(reader) || !isAfter(id, reader.last)) continue;
          if (Number(id.split("-", 1)[0]) > Date.now() + farAheadMs) {
            // No id can follow this one: the stream begins anew.
            this.onRefused("key");
            reader.last = "0-0";
            await this.commands.run((client) => client.del(key));
            break;
          }
          reader.last = id;
          const bytes = this.seal.open(name, fields[1]);
          if (bytes) reader.onMessage(packr.unpack(bytes));
          else this.onRefused("batch");
        }
      }
    }
  }
}

/** Whether one place in a stream, milliseconds and a number, comes after another. */
function isAfter(place: string, other: string): boolean {
  const [ms, number] = place.split("-") as [string, string];
  const [otherMs, otherNumber] = other.split("-") as [string, string];
  return Number(ms) === Number(otherMs) ? Number(number) > Number(otherNumber) : Number(ms) > Number(otherMs);
}

type StreamMessages = [key: Buffer, messages: [id: Buffer, fields: Buffer[]][]];

/** XREAD's answer: pairs in the older protocol, keys and values in turn in the newer one, null for nothing. */
function streamsOf(answer: unknown): StreamMessages[] {
  if (answer === null) return [];
  const list = answer as unknown[];
  if (!Buffer.isBuffer(list[0])) return list as StreamMessages[];
  const streams: StreamMessages[] = [];
  for (let index = 0; index < list.length; index += 2) streams.push([list[index], list[index + 1]] as StreamMessages);
  return streams;
}
