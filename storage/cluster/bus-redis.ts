import { randomUUID } from "node:crypto";
import { Packr } from "msgpackr";
import { defined } from "../failures.ts";
import type { Bus, NodeInfo } from "./bus.ts";
import { connectRedis, isSpoilt, type RedisConnection, redisReady } from "./redis.ts";
import { type Installation, ReplayWindow, Seal } from "./seal.ts";
import { blockMs, type Refused, StreamReader } from "./stream-reader.ts";

const packr = new Packr({ useRecords: false });
/** About how many batches a stream keeps: minutes of a busy realm. A node that is further behind reads PostgreSQL. */
const maxStreamLength = 5000;
/** The most nodes of a cluster. Anything beyond in the list of nodes was put there by somebody else. */
const maxNodes = 1000;

export interface BusOptions {
  nodeId?: string;
  onError?: (error: Error) => void;
  /** Something was found that no node of this installation has put there, or not now. It was ignored. */
  onRefused?: (what: Refused) => void;
}

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
  const { nodeId = randomUUID(), onError, onRefused = () => {} } = options;
  const names = namesOf(installation.name);
  const seal = new Seal(installation.key);
  const commands = connectRedis(url, { onError });
  const subscriber = connectRedis(url, { onError });
  const reader = new StreamReader(
    connectRedis(url, { blockMs, onError }),
    commands,
    names.wake(nodeId),
    seal,
    onRefused,
  );
  const node: RedisNode = { nodeId, names, seal, commands, subscriber, onRefused };
  const all = [commands, subscriber, reader.connection];
  try {
    await Promise.all(all.map((connection) => redisReady(connection, 5000)));
    await subscribe(node);
  } catch (error) {
    for (const connection of all) connection.close();
    throw error;
  }
  // A connection that refuses to subscribe hears nothing. It is ended, and the next one may subscribe.
  subscriber.client.on("ready", () => void subscribe(node).catch(() => subscriber.client.disconnect(true)));
  void reader.run();
  return {
    nodeId,
    get isConnected() {
      return commands.client.status === "ready";
    },
    ...streamsBy(node, reader),
    ...messagesBy(node),
    ...announcementsBy(node),
    agree: (name, value, ttlMs) => agree(node, name, value, ttlMs),
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

/** What each part of a bus works with. */
interface RedisNode {
  nodeId: string;
  names: ReturnType<typeof namesOf>;
  seal: Seal;
  commands: RedisConnection;
  /** It only listens. */
  subscriber: RedisConnection;
  onRefused(what: Refused): void;
}

const subscribe = ({ nodeId, names, subscriber }: RedisNode): Promise<unknown> =>
  subscriber.run((client) => client.subscribe(names.everyone, names.mailbox(nodeId)));

/** Runs a command. Somebody else's key of another kind, where ours belongs, is deleted first. */
async function clearing<T>({ commands, onRefused }: RedisNode, key: string, command: () => Promise<T>): Promise<T> {
  try {
    return await command();
  } catch (error) {
    if (!isSpoilt(error)) throw error;
    onRefused("key");
    await commands.run((client) => client.del(key));
    return command();
  }
}

function streamsBy(node: RedisNode, reader: StreamReader): Pick<Bus, "append" | "end" | "follow"> {
  const { names, seal, commands } = node;
  return {
    async append(stream, message) {
      const key = names.stream(stream);
      const sealed = seal.close(key, packr.pack(message));
      await clearing(node, key, () =>
        commands.run((client) => client.xadd(key, "MAXLEN", "~", maxStreamLength, "*", "m", sealed)),
      );
    },
    async end(stream) {
      const key = names.stream(stream);
      const last = await clearing(node, key, () =>
        commands.run((client) => client.xrevrangeBuffer(key, "+", "-", "COUNT", 1)),
      );
      const [place, fields] = last[0] ?? [];
      const bytes = seal.open(key, fields?.[1]);
      return { place: place?.toString() ?? "0-0", newest: bytes && packr.unpack(bytes) };
    },
    follow: (stream, from, onMessage) => reader.add({ key: names.stream(stream), last: from, onMessage }),
  };
}

function messagesBy(node: RedisNode): Pick<Bus, "send" | "broadcast" | "onMessage"> {
  const { nodeId, names, seal, commands, subscriber, onRefused } = node;
  const handlers: ((from: string, message: unknown) => void)[] = [];
  const replays = new ReplayWindow();
  subscriber.client.on("messageBuffer", (channel: Buffer, sealed: Buffer) => {
    const bytes = seal.open(channel.toString(), sealed);
    const [from, number, sentAt, message] = (bytes ? packr.unpack(bytes) : []) as [string?, number?, number?, unknown?];
    if (from === nodeId) return;
    if (from === undefined || !replays.accepts(from, number!, sentAt!, Date.now())) return onRefused("message");
    for (const handle of handlers) handle(from, message);
  });
  let numbered = 0;
  const publish = (channel: string, message: unknown) => {
    const bytes = packr.pack([nodeId, ++numbered, Date.now(), message]);
    return commands.run((client) => client.publish(channel, seal.close(channel, bytes)));
  };
  return {
    send: async (to, message) => (await publish(names.mailbox(to), message)) > 0,
    broadcast: async (message) => void (await publish(names.everyone, message)),
    onMessage: (handle) => void handlers.push(handle),
  };
}

function announcementsBy(node: RedisNode): Pick<Bus, "announce" | "nodes"> {
  const { nodeId, names, seal, commands, subscriber } = node;
  return {
    async announce(info, ttlMs) {
      // This connection only listens. Without pings it would never notice that it is lost.
      subscriber.client.ping().catch(() => {});
      const key = names.node(nodeId);
      const sealed = seal.close(key, Buffer.from(JSON.stringify(info)));
      await clearing(node, names.nodes, () =>
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
    nodes: () => clearing(node, names.nodes, () => readNodes(node)),
  };
}

async function agree({ names, seal, commands, onRefused }: RedisNode, name: string, value: string, ttlMs: number) {
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
}

async function readNodes({ names, seal, commands, onRefused }: RedisNode): Promise<NodeInfo[]> {
  const ids = await commands.run((client) =>
    client.zrangebyscore(names.nodes, Date.now(), "+inf", "LIMIT", 0, maxNodes),
  );
  if (ids.length === 0) return [];
  const keys = ids.map(names.node);
  // A key of another kind counts as absent.
  const values = await commands.run((client) => client.mgetBuffer(keys));
  return values.flatMap((value, index) => {
    if (value === null) return [];
    const bytes = seal.open(defined(keys[index], "key"), value);
    if (!bytes) onRefused("node");
    return bytes ? [JSON.parse(bytes.toString()) as NodeInfo] : [];
  });
}
