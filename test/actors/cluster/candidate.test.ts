/** Candidates of one realm on nodes that share a memory bus and leases: what they do about what went missing. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Candidate, checkMs } from "../../../actors/cluster/candidate.ts";
import { claimMs } from "../../../actors/cluster/claim.ts";
import { Forwarding } from "../../../actors/cluster/forwarding.ts";
import { LivenessProbe } from "../../../actors/cluster/liveness-probe.ts";
import type { NodeMessage } from "../../../actors/cluster/node-messages.ts";
import type { Member } from "../../../actors/realm/coordination.ts";
import type { Entry } from "../../../actors/realm/entry.ts";
import { HttpMetrics } from "../../../http/process/metrics/metrics.ts";
import { MemoryHub, memoryBus } from "../../../storage/cluster/bus-memory.ts";
import { CoordinationUnavailable, type Leases } from "../../../storage/cluster/lease.ts";
import { type LeaseTable, memoryLeases } from "../../../storage/cluster/lease-memory.ts";
import type { NewestTerm } from "../../../storage/realm-log.ts";
import { until } from "../../support/time/until.ts";

/** A replica that is a number, and a PostgreSQL that is another one. */
class FakeMember implements Member {
  at = 0;
  beginTerm = vi.fn(async (_after?: number) => this.catchUp());
  newestTerm: NewestTerm = { epoch: 1, isServed: true, node: null };
  term = async () => this.newestTerm;
  endTerm = async () => {};
  constructor(private readonly disk: { position: number }) {}
  timeline = () => undefined;

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
  published: Entry[] = [];
  publish = (entry: Entry) => void this.published.push(entry);
}

const leaseMs = 1500;

let hub: MemoryHub;
let table: LeaseTable;
let disk: { position: number };
let candidates: Candidate[];
beforeEach(() => {
  hub = new MemoryHub();
  table = new Map();
  disk = { position: 0 };
  candidates = [];
});
afterEach(() => Promise.all(candidates.map((candidate) => candidate.release())));

function candidateOf(
  nodeId: string,
  options: { isPreferred: boolean | ((lapsed?: string) => boolean); member?: FakeMember; leases?: Leases },
) {
  const bus = memoryBus(hub, nodeId);
  const member = options.member ?? new FakeMember(disk);
  const log = { info() {}, warn() {}, error() {} };
  const liveness = new LivenessProbe(bus, leaseMs);
  bus.onMessage((from, message) => {
    const { kind, ...answer } = message as NodeMessage;
    liveness.sawAlive(from, kind === "here" ? (answer as { writes: number[] }).writes : undefined);
  });
  const candidate = new Candidate(
    {
      ...{
        realmId: 1,
        bus,
        member,
        log,
        metrics: new HttpMetrics(),
        leaseMs,
        liveness,
        forwarding: new Forwarding(bus),
      },
      leases: options.leases ?? memoryLeases(table, nodeId),
      isPreferred: (lapsed) =>
        typeof options.isPreferred === "boolean" ? options.isPreferred : options.isPreferred(lapsed),
      isDraining: () => false,
      answered: async () => {},
    },
    "0",
  );
  candidates.push(candidate);
  return { candidate, member, bus };
}

describe("a candidate", () => {
  it("shows the others, as it begins to write, what the writer before did not tell them", async () => {
    const follower = candidateOf("follower", { isPreferred: false });
    await follower.candidate.ready;
    // Committed by a writer that died before it could say so.
    disk.position = 7;
    const writer = candidateOf("writer", { isPreferred: true });
    await until("the follower to be there", () => follower.member.at === 7);
    expect(writer.candidate.state).toBe("writing");
  });

  it("keeps an event that no disk keeps until it is known who writes", async () => {
    const rival = memoryLeases(table, "rival");
    await rival.hold("realm:1", 60_000);
    const next = candidateOf("next", { isPreferred: true });
    await next.candidate.ready;
    next.candidate.route.setWriter(undefined);
    next.candidate.publishEphemeral({ tick: true });
    expect(next.member.published).toEqual([]);
    table.clear();
    await until("it to write", () => next.candidate.state === "writing");
    expect(next.member.published).toEqual([{ tick: true }]);
  });

  it("says for how long nobody has been known who writes", async () => {
    const follower = candidateOf("follower", { isPreferred: false });
    await until("it to miss a writer", () => follower.candidate.writerlessMs() > 10);
    const writer = candidateOf("writer", { isPreferred: true });
    await writer.candidate.ready;
    await until("it to know one", () => follower.candidate.route.writer === "writer");
    expect([follower.candidate.writerlessMs(), writer.candidate.writerlessMs()]).toEqual([0, 0]);
  });

  it("reads from PostgreSQL what the writer is known to have and the stream did not bring", async () => {
    const writer = candidateOf("writer", { isPreferred: true });
    await writer.candidate.ready;
    const follower = candidateOf("follower", { isPreferred: false });
    await follower.candidate.ready;
    disk.position = 9;
    follower.candidate.overdue(9);
    await until("the follower to be there", () => follower.member.at === 9);
  });

  it("leaves the lease to others when it cannot begin a term", async () => {
    const member = new FakeMember(disk);
    member.beginTerm.mockRejectedValue(new Error("PostgreSQL cannot be reached from here"));
    const broken = candidateOf("broken", { isPreferred: true, member });
    await broken.candidate.ready;
    const other = candidateOf("other", { isPreferred: false });
    await until("the other node to write", () => other.candidate.state === "writing");
    expect(member.beginTerm).toHaveBeenCalledTimes(1);
  });

  it("waits for a free lease's rightful node, but not for the one that let it run out", async () => {
    vi.useFakeTimers();
    const rival = memoryLeases(table, "rival");
    await rival.hold("realm:1", 60_000);
    const bystander = candidateOf("bystander", { isPreferred: false });
    const asked: (string | undefined)[] = [];
    const isPreferred = (lapsed?: string): boolean => {
      asked.push(lapsed);
      return lapsed === "rival";
    };
    const heir = candidateOf("heir", { isPreferred });
    await Promise.all([bystander.candidate.ready, heir.candidate.ready]);
    table.clear();
    await vi.advanceTimersByTimeAsync(1.5 * checkMs);
    vi.useRealTimers();
    expect(asked).toEqual(["rival"]);
    expect([bystander.candidate.state, heir.candidate.state]).toEqual(["following", "writing"]);
  });

  it("takes in nothing more when its realm is let go while it reads", async () => {
    const member = new FakeMember(disk);
    const follower = candidateOf("follower", { isPreferred: false, member });
    await follower.candidate.ready;
    let finishReading: (() => void) | undefined;
    member.catchUp = () =>
      new Promise((resolve) => {
        finishReading = resolve;
      });
    const writer = candidateOf("writer", { isPreferred: true, member: new FakeMember({ position: 0 }) });
    writer.candidate.publish(5, [{ position: 6, json: "{}" }], []);
    await until("the follower to read", () => finishReading !== undefined);
    await follower.candidate.release();
    finishReading!();
    await new Promise((resolve) => setImmediate(resolve));
    expect(member.at).toBe(0);
  });

  it("asks once per check, however often it is told that the lease is free", async () => {
    vi.useFakeTimers();
    await memoryLeases(table, "rival").hold("realm:1", 60_000);
    const own = memoryLeases(table, "node");
    const holder = vi.spyOn(own, "holder");
    const { candidate } = candidateOf("node", { isPreferred: true, leases: own });
    await candidate.ready;
    for (let time = 0; time < 20; time++) candidate.leaseFreed();
    holder.mockClear();
    await vi.advanceTimersByTimeAsync(3.5 * checkMs);
    vi.useRealTimers();
    expect(holder).toHaveBeenCalledTimes(4);
  });

  describe("whose claim hangs, because PostgreSQL does not let it begin,", () => {
    /** Claims, and does not get any further until the term is let begin. */
    async function claimAndHang() {
      const member = new FakeMember(disk);
      const ended = vi.spyOn(member, "endTerm");
      let letBegin!: () => void;
      member.beginTerm.mockReturnValueOnce(new Promise((resolve) => (letBegin = resolve)));
      const { candidate } = candidateOf("claimant", { isPreferred: true, member });
      await vi.advanceTimersByTimeAsync(0);
      expect(candidate.state).toBe("claiming");
      return { candidate, member, ended, letBegin };
    }
    const leaseHolder = () => memoryLeases(table, "onlooker").holder("realm:1");
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it("keeps its lease meanwhile", async () => {
      const { candidate, letBegin } = await claimAndHang();
      const other = candidateOf("other", { isPreferred: true });
      await vi.advanceTimersByTimeAsync(claimMs - checkMs);
      expect(await leaseHolder()).toBe("claimant");
      letBegin();
      await vi.advanceTimersByTimeAsync(0);
      expect([candidate.state, other.candidate.state]).toEqual(["writing", "following"]);
    });

    it("leaves the realm to another node after a while, and ends the term that comes late", async () => {
      const { candidate, ended, letBegin } = await claimAndHang();
      const other = candidateOf("other", { isPreferred: false });
      await vi.advanceTimersByTimeAsync(claimMs + 5 * checkMs);
      expect([candidate.state, other.candidate.state]).toEqual(["yielding", "writing"]);
      letBegin();
      await vi.advanceTimersByTimeAsync(0);
      expect(candidate.state).toBe("following");
      expect(ended).toHaveBeenCalledTimes(1);
      expect(await leaseHolder()).toBe("other");
    });

    it("heeds what is said to it meanwhile: a node that stops does not come to write", async () => {
      const { candidate, ended, letBegin } = await claimAndHang();
      const handing = candidate.step({ type: "handover" });
      await vi.advanceTimersByTimeAsync(0);
      await handing;
      expect(await leaseHolder()).toBeUndefined();
      letBegin();
      await vi.advanceTimersByTimeAsync(0);
      expect(ended).toHaveBeenCalledTimes(1);
    });

    it("gives way when the lease is another node's by now", async () => {
      const { candidate, ended, letBegin } = await claimAndHang();
      table.clear();
      await memoryLeases(table, "rival").hold("realm:1", 60_000);
      await vi.advanceTimersByTimeAsync(2 * checkMs);
      expect(candidate.state).toBe("yielding");
      letBegin();
      await vi.advanceTimersByTimeAsync(checkMs);
      expect([candidate.state, candidate.route.writer]).toEqual(["following", "rival"]);
      expect(ended).toHaveBeenCalledTimes(1);
    });

    it("is known not to write before its realm waits any longer", async () => {
      const { candidate } = await claimAndHang();
      let isReady = false;
      void candidate.ready.then(() => (isReady = true));
      await vi.advanceTimersByTimeAsync(claimMs - checkMs);
      expect(isReady).toBe(false);
      await vi.advanceTimersByTimeAsync(2 * checkMs);
      expect(isReady).toBe(true);
    });
  });

  it("asks for no lease while it still gives the one before back", async () => {
    vi.useFakeTimers();
    const member = new FakeMember(disk);
    let finish!: () => void;
    member.endTerm = () => new Promise((resolve) => (finish = resolve));
    const { candidate } = candidateOf("node", { isPreferred: true, member });
    await vi.advanceTimersByTimeAsync(0);
    expect(candidate.state).toBe("writing");
    const handing = candidate.step({ type: "handover" });
    await vi.advanceTimersByTimeAsync(5 * checkMs);
    expect(candidate.state).toBe("following");
    finish();
    await vi.advanceTimersByTimeAsync(0);
    await handing;
    await vi.advanceTimersByTimeAsync(checkMs);
    vi.useRealTimers();
    member.endTerm = async () => {};
    expect([candidate.state, table.get("realm:1")?.nodeId]).toEqual(["writing", "node"]);
  });

  describe("while nobody can be asked for the lease", () => {
    const away = () => Promise.reject(new CoordinationUnavailable("Redis is away", true));
    const leases: Leases = { hold: away, holder: away, release: away };
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    /** A candidate whose realm is in this term. */
    function candidateIn(newestTerm: NewestTerm, nodeId = "node") {
      const member = new FakeMember(disk);
      member.newestTerm = newestTerm;
      return candidateOf(nodeId, { isPreferred: true, member, leases });
    }

    /** A node that answers that it writes these realms. */
    function nodeThatWrites(nodeId: string, ...writes: number[]) {
      const bus = memoryBus(hub, nodeId);
      bus.onMessage((from, message) => {
        if ((message as NodeMessage).kind === "hello") void bus.send(from, { kind: "here", writes });
      });
    }

    it("hands changes to the node that PostgreSQL names", async () => {
      const asked: unknown[] = [];
      memoryBus(hub, "writer").onMessage(
        (from, message) => void asked.push([from, (message as { name?: string }).name]),
      );
      const { candidate } = candidateIn({ epoch: 4, isServed: true, node: "writer" });
      await candidate.ready;
      candidate.forward({ name: "sendMessage", args: {}, by: undefined }, 10_000).catch(() => {});
      await vi.advanceTimersByTimeAsync(0);
      expect(asked).toContainEqual(["node", "sendMessage"]);
    });

    it("takes what no node is in a term of, if nobody else does", async () => {
      const { candidate, member } = candidateIn({ epoch: 4, isServed: false, node: null });
      await vi.advanceTimersByTimeAsync(4 * checkMs);
      expect(candidate.state).toBe("writing");
      expect(member.beginTerm).toHaveBeenCalledExactlyOnceWith(4);
    });

    it("takes what a node is in a term of that is gone, and not sooner", async () => {
      const { candidate, member } = candidateIn({ epoch: 4, isServed: true, node: "writer" });
      await vi.advanceTimersByTimeAsync(leaseMs - 1);
      expect(candidate.state).toBe("following");
      await vi.advanceTimersByTimeAsync(2 * checkMs);
      expect(candidate.state).toBe("writing");
      expect(member.beginTerm).toHaveBeenCalledExactlyOnceWith(4);
    });

    it("takes nothing from a node that lives, nor from one that did not say its name", async () => {
      nodeThatWrites("writer", 1, 2);
      const { candidate } = candidateIn({ epoch: 4, isServed: true, node: "writer" });
      const { candidate: other } = candidateIn({ epoch: 4, isServed: true, node: null }, "other");
      await vi.advanceTimersByTimeAsync(10 * leaseMs);
      expect([candidate.state, other.state]).toEqual(["following", "following"]);
    });

    it("takes what the node that is in a term says that it does not write: it could not say that the term ended", async () => {
      nodeThatWrites("writer", 2);
      const { candidate, member } = candidateIn({ epoch: 4, isServed: true, node: "writer" });
      await vi.advanceTimersByTimeAsync(6 * checkMs);
      expect(candidate.state).toBe("writing");
      expect(member.beginTerm).toHaveBeenCalledExactlyOnceWith(4);
    });

    it("takes its own realm up again, whose term ended when PostgreSQL could not be told", async () => {
      const { candidate, member } = candidateIn({ epoch: 4, isServed: true, node: "node" });
      await vi.advanceTimersByTimeAsync(6 * checkMs);
      expect(candidate.state).toBe("writing");
      expect(member.beginTerm).toHaveBeenCalledExactlyOnceWith(4);
    });
  });
});
