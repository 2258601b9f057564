/** Seats of one realm on nodes that share a memory bus and leases: what they do about what went missing. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Member } from "../../../actors/cluster/coordination.ts";
import { Forwarding } from "../../../actors/cluster/forwarding.ts";
import { beatMs, ClusterSeat } from "../../../actors/cluster/seat.ts";
import { MemoryHub, memoryBus } from "../../../storage/cluster/bus-memory.ts";
import type { Leases } from "../../../storage/cluster/lease.ts";
import { type LeaseTable, memoryLeases } from "../../../storage/cluster/lease-memory.ts";
import { until } from "../../support/load.ts";

/** A replica that is a number, and a PostgreSQL that is another one. */
class FakeMember implements Member {
  at = 0;
  won = vi.fn(async () => this.catchUp());
  lost = async () => {};
  constructor(private readonly disk: { position: number }) {}
  entries(rows: readonly { position: number }[]): void {
    this.at = Math.max(this.at, rows.at(-1)?.position ?? 0);
  }
  advance(position: number): void {
    this.at = Math.max(this.at, position);
  }
  async catchUp(): Promise<void> {
    this.at = Math.max(this.at, this.disk.position);
  }
  claimed(): void {}
  position = () => this.at;
  queueCount = () => 0;
  execute = () => Promise.reject(new Error("nobody forwards here"));
  publish(): void {}
}

let hub: MemoryHub;
let table: LeaseTable;
let disk: { position: number };
let seats: ClusterSeat[];
beforeEach(() => {
  hub = new MemoryHub();
  table = new Map();
  disk = { position: 0 };
  seats = [];
});
afterEach(() => Promise.all(seats.map((seat) => seat.release())));

function seatOf(nodeId: string, options: { isPreferred: boolean; member?: FakeMember; leases?: Leases }) {
  const bus = memoryBus(hub, nodeId);
  const member = options.member ?? new FakeMember(disk);
  const log = { info() {}, warn() {}, error() {} };
  const seat = new ClusterSeat(
    {
      ...{ realmId: 1, bus, member, log, leaseMs: 1500, forwarding: new Forwarding(bus) },
      leases: options.leases ?? memoryLeases(table, nodeId),
      isPreferred: () => options.isPreferred,
      isDraining: () => false,
    },
    "0",
  );
  seats.push(seat);
  return { seat, member, bus };
}

describe("a seat", () => {
  it("shows the others, as it begins to write, what the writer before did not tell them", async () => {
    const follower = seatOf("follower", { isPreferred: false });
    await follower.seat.ready;
    // Committed by a writer that died before it could say so.
    disk.position = 7;
    const writer = seatOf("writer", { isPreferred: true });
    await until("the follower to be there", () => follower.member.at === 7);
    expect(writer.seat.state).toBe("holding");
  });

  it("reads from PostgreSQL what the writer is known to have and the stream did not bring", async () => {
    const writer = seatOf("writer", { isPreferred: true });
    await writer.seat.ready;
    const follower = seatOf("follower", { isPreferred: false });
    await follower.seat.ready;
    disk.position = 9;
    follower.seat.overdue(9);
    await until("the follower to be there", () => follower.member.at === 9);
  });

  it("leaves the lease to others when it cannot begin a term", async () => {
    const member = new FakeMember(disk);
    member.won.mockRejectedValue(new Error("PostgreSQL cannot be reached from here"));
    const broken = seatOf("broken", { isPreferred: true, member });
    await broken.seat.ready;
    const other = seatOf("other", { isPreferred: false });
    await until("the other node to write", () => other.seat.state === "holding");
    expect(member.won).toHaveBeenCalledTimes(1);
  });

  it("takes in nothing more when its realm is let go while it reads", async () => {
    const member = new FakeMember(disk);
    const follower = seatOf("follower", { isPreferred: false, member });
    await follower.seat.ready;
    let finishReading: (() => void) | undefined;
    member.catchUp = () =>
      new Promise((resolve) => {
        finishReading = resolve;
      });
    const writer = seatOf("writer", { isPreferred: true, member: new FakeMember({ position: 0 }) });
    writer.seat.publish(5, [{ position: 6, json: "{}" }]);
    await until("the follower to read", () => finishReading !== undefined);
    await follower.seat.release();
    finishReading!();
    await new Promise((resolve) => setImmediate(resolve));
    expect(member.at).toBe(0);
  });

  it("asks once per beat, however often it is told that the lease is free", async () => {
    vi.useFakeTimers();
    await memoryLeases(table, "rival").hold("realm:1", 60_000);
    const own = memoryLeases(table, "node");
    const holder = vi.spyOn(own, "holder");
    const { seat } = seatOf("node", { isPreferred: true, leases: own });
    await seat.ready;
    for (let time = 0; time < 20; time++) seat.hurry();
    holder.mockClear();
    await vi.advanceTimersByTimeAsync(3.5 * beatMs);
    vi.useRealTimers();
    expect(holder).toHaveBeenCalledTimes(4);
  });
});
