import { randomUUID } from "node:crypto";
import { Packr } from "msgpackr";
import type { Bus, Following, NodeInfo } from "./bus.ts";

/** The bus between nodes of one process: for tests, and as reference of what a bus promises. */
export class MemoryHub {
  readonly streams = new Map<string, { place: number; bytes: Buffer }[]>();
  readonly readers = new Map<string, Set<(place: number, bytes: Buffer) => void>>();
  readonly nodes = new Map<string, (from: string, bytes: Buffer) => void>();
  readonly infos = new Map<string, { info: NodeInfo; until: number }>();
  readonly agreements = new Map<string, { value: string; until: number }>();
  place = 0;
  constructor(readonly maxLength = 10_000) {}
}

const packr = new Packr({ useRecords: false });

export function memoryBus(hub: MemoryHub, nodeId: string = randomUUID()): Bus {
  const handlers: ((from: string, message: unknown) => void)[] = [];
  // Delivered later and as bytes, as over a network, so nobody can change a message that another node holds.
  hub.nodes.set(nodeId, (from, bytes) => {
    setImmediate(() => {
      for (const handle of handlers) handle(from, packr.unpack(bytes));
    });
  });
  return {
    nodeId,
    isConnected: true,
    ...streamsIn(hub),
    async send(to, message) {
      const receive = hub.nodes.get(to);
      receive?.(nodeId, packr.pack(message));
      return receive !== undefined;
    },
    async broadcast(message) {
      const bytes = packr.pack(message);
      for (const [id, receive] of hub.nodes) if (id !== nodeId) receive(nodeId, bytes);
    },
    onMessage: (handle) => void handlers.push(handle),
    async announce(info, ttlMs) {
      hub.infos.set(nodeId, { info, until: Date.now() + ttlMs });
    },
    nodes: async () => [...hub.infos.values()].filter(({ until }) => until > Date.now()).map(({ info }) => info),
    async agree(name, value, ttlMs) {
      const known = hub.agreements.get(name);
      const agreed = known && known.until > Date.now() ? known.value : value;
      hub.agreements.set(name, { value: agreed, until: Date.now() + ttlMs });
      return agreed;
    },
    async close() {
      hub.nodes.delete(nodeId);
      hub.infos.delete(nodeId);
    },
  };
}

function streamsIn(hub: MemoryHub): Pick<Bus, "append" | "end" | "follow"> {
  return {
    async append(stream, message) {
      const entries = hub.streams.get(stream) ?? [];
      hub.streams.set(stream, entries);
      const entry = { place: ++hub.place, bytes: packr.pack(message) };
      entries.push(entry);
      if (entries.length > hub.maxLength) entries.shift();
      for (const reader of hub.readers.get(stream) ?? []) setImmediate(() => reader(entry.place, entry.bytes));
    },
    async end(stream) {
      const newest = hub.streams.get(stream)?.at(-1);
      return { place: String(hub.place), newest: newest && packr.unpack(newest.bytes) };
    },
    follow(stream, from, onMessage): Following {
      let last = Number(from);
      const read = (place: number, bytes: Buffer) => {
        if (place <= last) return;
        last = place;
        onMessage(packr.unpack(bytes));
      };
      for (const entry of hub.streams.get(stream) ?? []) setImmediate(() => read(entry.place, entry.bytes));
      const readers = hub.readers.get(stream) ?? new Set();
      hub.readers.set(stream, readers);
      readers.add(read);
      return {
        stop: () => {
          last = Number.POSITIVE_INFINITY;
          readers.delete(read);
        },
      };
    },
  };
}
