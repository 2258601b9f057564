/** Reads what Redis Streams bring to a node. */
import { Packr } from "msgpackr";
import { defined, lastOf } from "../failures.ts";
import type { Following } from "./bus.ts";
import { isSpoilt, type RedisConnection } from "./redis.ts";
import type { Seal } from "./seal.ts";

const packr = new Packr({ useRecords: false });
const readCount = 500;
/** A place in a stream is a time. Redis never gave one that is this far ahead. */
const farAheadMs = 366 * 86_400_000;
/** How long the reader waits in Redis. Two seconds later it takes Redis to be gone. */
export const blockMs = 2000;

/** What was found that no node of this installation has put there, or not now. */
export type Refused = "message" | "batch" | "node" | "agreement" | "key";

interface Reader {
  key: string;
  /** Id of the last batch read. */
  last: string;
  onMessage(message: unknown): void;
}

/**
 * One connection that waits for all followed streams at once. To follow another one it must stop waiting: a message in
 * a stream of its own wakes it.
 */
export class StreamReader {
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
    for (const { key, last } of readers)
      if (!from.has(key) || isAfter(defined(from.get(key), "place to read from"), last)) from.set(key, last);
    const answer = await this.connection.run((client) =>
      client.callBuffer("XREAD", "COUNT", readCount, "BLOCK", blockMs, "STREAMS", ...from.keys(), ...from.values()),
    );
    for (const [key, messages] of streamsOf(answer)) {
      const name = key.toString();
      if (name === this.wakeKey) {
        this.#wakeLast = lastOf(messages)[0].toString();
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
  const [ms = "0", number = "0"] = place.split("-");
  const [otherMs = "0", otherNumber = "0"] = other.split("-");
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
