import { randomUUID } from "node:crypto";
import { Packr } from "msgpackr";
import type { Bus, Following, NodeInfo } from "./bus.ts";
import { CoordinationUnavailable } from "./lease.ts";
import { connectRedis, type RedisConnection, redisReady } from "./redis.ts";

const packr = new Packr({ useRecords: false });
/** Messages that a stream keeps, roughly: minutes of a busy realm. Whoever is further behind reads PostgreSQL. */
const maxStreamLength = 5000;
const readCount = 500;
/** How long the reader waits; by two seconds more it knows that nobody is there. */
const blockMs = 2000;

interface Reader {
  key: string;
  /** Id of the last message read. */
  last: string;
  onMessage(message: unknown): void;
}

/** The names that nodes of one installation meet under. */
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
 * A bus on Redis: Streams for the logs, publish/subscribe for letters.
 *
 * @param installation whose nodes meet; those of others that use the same Redis are out of sight
 */
export async function redisBus(
  url: string,
  installation: string,
  options: { nodeId?: string; onError?: (error: Error) => void } = {},
): Promise<Bus> {
  const nodeId = options.nodeId ?? randomUUID();
  const names = namesOf(installation);
  const { onError } = options;
  const commands = connectRedis(url, { onError });
  const subscriber = connectRedis(url, { onError });
  const reader = new StreamReader(connectRedis(url, { blockMs, onError }), commands, names.wake(nodeId));
  const all = [commands, subscriber, reader.connection];
  try {
    await Promise.all(all.map((connection) => redisReady(connection, 5000)));
    await subscriber.run((client) => client.subscribe(names.everyone, names.mailbox(nodeId)));
  } catch (error) {
    for (const connection of all) connection.close();
    throw error;
  }
  const handlers: ((from: string, letter: unknown) => void)[] = [];
  subscriber.client.on("messageBuffer", (_channel: Buffer, bytes: Buffer) => {
    const [from, letter] = packr.unpack(bytes) as [string, unknown];
    if (from !== nodeId) for (const handle of handlers) handle(from, letter);
  });
  void reader.run();
  const publish = (channel: string, letter: unknown) =>
    commands.run((client) => client.publish(channel, packr.pack([nodeId, letter])));
  return {
    nodeId,
    get isConnected() {
      return commands.client.status === "ready";
    },
    append: async (stream, message) =>
      void (await commands.run((client) =>
        client.xadd(names.stream(stream), "MAXLEN", "~", maxStreamLength, "*", "m", packr.pack(message)),
      )),
    async end(stream) {
      const last = await commands.run((client) => client.xrevrange(names.stream(stream), "+", "-", "COUNT", 1));
      return last[0]?.[0] ?? "0-0";
    },
    follow: (stream, from, onMessage) => reader.add({ key: names.stream(stream), last: from, onMessage }),
    send: async (to, letter) => (await publish(names.mailbox(to), letter)) > 0,
    broadcast: async (letter) => void (await publish(names.everyone, letter)),
    onLetter: (handle) => void handlers.push(handle),
    async announce(info, ttlMs) {
      // It only listens: without a question it would never find out that nobody can reach it.
      subscriber.client.ping().catch(() => {});
      await commands.run((client) =>
        client
          .multi()
          .set(names.node(nodeId), JSON.stringify(info), "PX", ttlMs)
          .zremrangebyscore(names.nodes, "-inf", Date.now())
          .zadd(names.nodes, Date.now() + ttlMs, nodeId)
          .exec(),
      );
    },
    nodes: () => readNodes(commands, names),
    async agree(name, value, ttlMs) {
      const key = names.agreement(name);
      const answers = await commands.run((client) =>
        client.multi().set(key, value, "PX", ttlMs, "NX").pexpire(key, ttlMs).get(key).exec(),
      );
      return answers![2]![1] as string;
    },
    async close() {
      reader.stop();
      // Before the others can think that there is somebody to get their letters.
      await subscriber.run((client) => client.unsubscribe()).catch(() => {});
      await commands
        .run((client) => client.multi().del(names.node(nodeId), names.wake(nodeId)).zrem(names.nodes, nodeId).exec())
        .catch(() => {});
      for (const connection of all) connection.close();
    },
  };
}

async function readNodes(commands: RedisConnection, names: ReturnType<typeof namesOf>): Promise<NodeInfo[]> {
  const ids = await commands.run((client) => client.zrangebyscore(names.nodes, Date.now(), "+inf"));
  if (ids.length === 0) return [];
  const texts = await commands.run((client) => client.mget(ids.map(names.node)));
  return texts.filter((text) => text !== null).map((text) => JSON.parse(text) as NodeInfo);
}

/**
 * One connection that waits for all followed streams at once. To follow another one it has to stop waiting: a message to
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
        if (!(error instanceof CoordinationUnavailable)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async #read(): Promise<void> {
    const readers = [...this.#readers];
    // A stream with several readers is read from where the one furthest behind is.
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
        for (const [bytes, fields] of messages) {
          const id = bytes.toString();
          // It may stop while it takes a message.
          if (!this.#readers.has(reader) || !isAfter(id, reader.last)) continue;
          reader.last = id;
          reader.onMessage(packr.unpack(fields[1]!));
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

/** XREAD's answer: pairs in the older protocol, keys and values one after the other in the newer one, null for nothing. */
function streamsOf(answer: unknown): StreamMessages[] {
  if (answer === null) return [];
  const list = answer as unknown[];
  if (!Buffer.isBuffer(list[0])) return list as StreamMessages[];
  const streams: StreamMessages[] = [];
  for (let index = 0; index < list.length; index += 2) streams.push([list[index], list[index + 1]] as StreamMessages);
  return streams;
}
