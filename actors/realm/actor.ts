/**
 * A realm on this node: its replica, its queues, and, while this node holds the realm's lease, its writer.
 *
 * `machine.ts` says what may happen next; this shell does it. Commands go to the writer wherever it is and come back after
 * the replica here has applied what they caused, so whoever gets the answer reads their own write. Reads are synchronous
 * and look at `state`.
 */

import { setTimeout as delay } from "node:timers/promises";
import { findTopicParticipants } from "../../storage/messages.ts";
import { type Database, StorageUnavailable, translate } from "../../storage/postgres.ts";
import { type LogRow, readEnd, readLog, WriterFenced } from "../../storage/realm-log.ts";
import { beginTerm, endTerm, reservedPosition } from "../../storage/realms.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import type { Coordination, Lag, Seat } from "../cluster/coordination.ts";
import { errors } from "../errors.ts";
import { EventQueues } from "../event-queue/actor.ts";
import type { Metrics } from "../metrics.ts";
import { Turns } from "../turns.ts";
import { callerOf, checkCaller } from "./caller.ts";
import type { Command } from "./command.ts";
import { type ArgsOf, type CommandName, commands, type ReplyOf } from "./commands.ts";
import type { Entry, LogEntry } from "./entry.ts";
import { KnownTopics } from "./known-topics.ts";
import { loadReplica } from "./load.ts";
import { fromRow, NotBegun, RealmLog } from "./log.ts";
import { type RealmMachineEvent, type RealmMachineState, stepRealm } from "./machine.ts";
import { Conversations, SendLedger } from "./memories.ts";
import { Presence } from "./presence.ts";
import { Progress } from "./progress.ts";
import { RecentLog } from "./recent.ts";
import { RealmState } from "./state.ts";
import { type Moment, successorWaitsMs, Term } from "./term.ts";

export interface RealmEnvironment {
  database: Database;
  coordination: Coordination;
  metrics: Metrics;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** UNIX seconds */
  clock(): number;
  /** When this node began to serve, UNIX seconds. */
  startedAt: number;
  /** Presence is shown only of people the viewer may access. */
  limitsPresence: boolean;
  /** This process answers reads, and for a moment at a time without asking whether it still writes. */
  servesReads: boolean;
  /** Channels may be web-public, where their organization lets spectators in. */
  webPublicChannels: boolean;
  /** Absolute address of a realm, from the host it answers to. */
  urlOf(host: string | null): string;
  limits: RealmLimits;
}

export interface RealmLimits {
  maxBacklogEvents: number;
  maxBacklogBytes: number;
  /** Log entries each realm keeps in memory. */
  recentEntries: number;
  /** How long a request waits for a writer before it is told 503. */
  commandDeadlineMs: number;
  /** A live queue that was not polled for this long gives its memory back. */
  idleAfterSecs: number;
}

/** Between two attempts to reach a writer, or to load. */
const retryMs = 50;
/** How long a read may wait to hear from the writer of what only the writer can tell. */
const writerPatienceMs = 1000;
/** Rows read from the log at a time when catching up. */
const catchUpRows = 5000;
/** How long a writer that stops may take to say so. */
const farewellMs = 500;

export class RealmActor {
  status: RealmMachineState = "passivated";
  readonly queues: EventQueues;
  readonly presence: Presence;
  /** Of those who register. */
  readonly turns = new Turns();
  state!: RealmState;
  recent!: RecentLog;
  /** Topics that certainly exist. */
  readonly topics = new KnownTopics(50_000);
  /** Row ids of direct conversations, by their people. */
  readonly conversations = new Conversations(50_000);
  /** Sends that named themselves, so that a repeated one is not sent twice. */
  readonly sends = new SendLedger(20_000);
  #writer: RealmLog | undefined;
  #term: Term | undefined;
  #seat: Seat | undefined;
  #ready: Promise<void> | undefined;
  readonly #progress = new Progress(
    this,
    () => this.#readOn(),
    async () => (await this.#forward("tellPosition", {}, writerPatienceMs)).reply as number,
    (epoch, askedAt) => this.#heardEpoch(epoch, askedAt),
  );
  #usedAt = 0;
  #ending: Promise<void> = Promise.resolve();

  constructor(
    readonly id: number,
    private readonly host: string | null,
    readonly environment: RealmEnvironment,
  ) {
    this.queues = new EventQueues(this);
    this.presence = new Presence(this);
  }

  /** Loads the realm if it is not there, or is coming back from a failure. @throws SERVICE_UNAVAILABLE */
  async activate(): Promise<void> {
    this.#usedAt = this.environment.clock();
    const deadline = performance.now() + this.environment.limits.commandDeadlineMs;
    while (this.status !== "following" && this.status !== "writing") {
      try {
        this.#step({ type: "used", hasTerm: this.#writer !== undefined });
        await this.#ready;
      } catch (error) {
        // PostgreSQL may be starting again: whoever asks can wait a little.
        if (performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  /** Somebody uses the realm: it stays, and a writer in use sees to it that it stays sure. */
  touch(): void {
    this.#usedAt = this.environment.clock();
    if (this.#term?.isWaning && this.#term.isSure) void this.#progress.reachEnd().catch(() => {});
  }

  get database(): Database {
    return this.environment.database;
  }

  get mailboxDepth(): number {
    return this.#writer?.depth ?? 0;
  }

  /**
   * No other node can know anything that this one does not: see `Term`. A commit that takes long may be done, and another node
   * may have read it, before this one is told.
   */
  get isSureWriter(): boolean {
    return this.#writer?.hasSlowCommit === false && this.#term?.isSure === true;
  }

  get isWriter(): boolean {
    return this.#writer !== undefined;
  }

  /** How far this replica is behind its writer, as far as is known; nothing for the writer's own. */
  lag(): Lag {
    return this.#seat?.lag() ?? { positions: 0, ms: 0 };
  }

  /** The newest log position that this node has applied. */
  get position(): number {
    return this.state.position;
  }

  /**
   * Has a command decided and committed by the realm's writer. Resolves when it is durable and this node has applied it.
   *
   * @throws ApiError what the command was refused for; SERVICE_UNAVAILABLE when there was no writer until the deadline, or
   * when nobody can say whether it was done
   */
  async execute<N extends CommandName>(name: N, args: ArgsOf<N>): Promise<ReplyOf<N>> {
    const deadline = performance.now() + this.environment.limits.commandDeadlineMs;
    for (;;) {
      try {
        return await this.#inTime(this.#attempt(name, args));
      } catch (error) {
        if (!(error instanceof NotBegun)) throw error;
        if (performance.now() > deadline)
          throw errors.SERVICE_UNAVAILABLE("The organization cannot be changed right now; nothing was done.");
        await new Promise((resolve) => setTimeout(resolve, retryMs));
        await this.activate();
      }
    }
  }

  /** Runs a command here, for a node that forwarded it. @throws NotBegun when this node is not the writer */
  async executeHere(name: string, args: unknown): Promise<{ reply: unknown; position: number }> {
    const writer = this.#writer;
    if (!writer || !Object.hasOwn(commands, name)) throw new NotBegun();
    const command = commands[name as CommandName] as Command<unknown, unknown>;
    return writer.submit(await command({ realm: this, state: this.state, database: this.database }, args));
  }

  /** Publishes an event that is not stored. On a node that is not the writer it goes there first. */
  publish(entry: Entry): void {
    if (this.#writer) {
      const entries = entry.presence ? this.presence.decide(entry.presence) : [entry];
      for (const decided of entries) this.#writer.publish(decided);
    } else this.#seat?.publishEphemeral(entry);
  }

  /** A queue came back here: whichever node held it lets it go. */
  claim(queueId: string, claim: number): void {
    this.#seat?.claim(queueId, claim);
  }

  /** Reads what another process may have added to the log without telling. */
  refresh(): Promise<void> {
    return this.#progress.catchUp();
  }

  /**
   * Resolves when a read here misses nothing that anybody was told before this call, by whichever node. The node that is
   * sure to write knows it all. Another one asks PostgreSQL how long the log is: one question for all who come meanwhile.
   *
   * @throws SERVICE_UNAVAILABLE
   */
  async current(): Promise<void> {
    if (this.isSureWriter) return;
    const deadline = performance.now() + this.environment.limits.commandDeadlineMs;
    for (;;) {
      try {
        return await this.#inTime(this.#progress.reachEnd());
      } catch (error) {
        if (!(translate(error) instanceof StorageUnavailable) || performance.now() > deadline) throw translate(error);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  /** The same for what no disk keeps, who is online: as far as there is a writer to ask. Undefined: nobody needs asking. */
  currentUnstored(): Promise<unknown> | undefined {
    return this.isWriter ? undefined : this.#progress.reachWriter();
  }

  /** Resolves when this node has applied whatever the log holds up to `position`. */
  reached(position: number): Promise<void> {
    return this.#progress.reached(position);
  }

  /**
   * Whether a client may have been told of an event at this position, by any node. While there is no writer to ask, every
   * position that was set aside for one may have been.
   */
  async wasTold(position: number): Promise<boolean> {
    await this.current();
    if (position <= this.state.position) return true;
    if (this.isSureWriter) return false;
    return position <= ((await this.#progress.reachWriter()) ?? (await reservedPosition(this.database.sql, this.id)));
  }

  /** Entries after `position` up to now: from memory where it reaches, else from PostgreSQL. Undefined when there are over `limit`. */
  async entriesAfter(position: number, limit: number): Promise<LogEntry[] | undefined> {
    if (position >= this.recent.floor) {
      const entries = this.recent.after(position);
      return entries.length > limit ? undefined : entries;
    }
    const rows = await readLog(this.database.sql, this.id, position, limit + 1);
    if (rows.length > limit) return undefined;
    const stored = rows
      .map((row) => fromRow(row.position, row.entry))
      .filter((entry) => entry.position <= this.state.position);
    // What was committed while they were read is in memory by now.
    return [...stored, ...this.recent.after(Math.max(position, stored.at(-1)?.position ?? this.recent.floor))];
  }

  /** Who took part in a topic and still reads the channel: the people a topic wildcard mentions. Ascending. */
  async topicParticipants(channel: ChannelRow, topic: string): Promise<number[]> {
    const ids = await findTopicParticipants(this.database.sql, channel.recipient_id, topic);
    return ids.filter((id) => this.state.subscriptions.has(id, channel.id));
  }

  /** Called now and then: a realm that nobody uses gives its memory back. */
  sweep(now: number, idleAfterSecs: number): void {
    this.presence.sweep(now);
    // Another process may have written and gone, and queues wait for what it wrote.
    if (this.#writer && this.queues.size > 0) void this.#progress.reachEnd().catch(() => {});
    if (this.queues.size > 0 || now - this.#usedAt < idleAfterSecs) return;
    if (this.status === "idle" && now - this.#usedAt < 2 * idleAfterSecs) return;
    if (this.status !== "passivated" && this.status !== "failed") this.#step({ type: "unused" });
  }

  /** Ends this node's part in the realm: parked polls are answered, a writer hands over. */
  async stop(): Promise<void> {
    await this.queues.stop();
    await this.presence.flush();
    await this.#writer?.stop();
    this.#endTerm();
    await this.#ending;
    await this.#seat?.release();
    this.#seat = undefined;
  }

  async #attempt<N extends CommandName>(name: N, args: ArgsOf<N>): Promise<ReplyOf<N>> {
    const { reply, position } = await (this.#writer ? this.executeHere(name, args) : this.#forward(name, args));
    if (position > this.state.position) await this.reached(position);
    return reply as ReplyOf<N>;
  }

  /** Nobody waits for ever for a database that hangs. */
  #inTime<T>(outcome: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(errors.SERVICE_UNAVAILABLE("The request took too long: it may or may not have been done."));
      }, this.environment.limits.commandDeadlineMs);
    });
    return Promise.race([outcome, late]).finally(() => clearTimeout(timer));
  }

  async #forward(
    name: string,
    args: unknown,
    deadlineMs = this.environment.limits.commandDeadlineMs,
  ): Promise<{ reply: unknown; position: number }> {
    if (!this.#seat) throw new NotBegun();
    return this.#seat.forward(name, args, callerOf(this.state, args), deadlineMs);
  }

  #step(event: RealmMachineEvent): void {
    const { state, actions } = stepRealm(this.status, event);
    this.status = state;
    for (const action of actions) {
      if (action === "load") this.#ready = this.#load();
      else if (action === "endTerm") this.#endTerm();
      else if (action === "drop") this.#drop();
      // `beginTerm` has been done before the lease counts as won, see `#becomeWriter`.
    }
  }

  async #load(): Promise<void> {
    const started = performance.now();
    try {
      // Before the state is read: what is published from here on comes after it, or is in it.
      const place = await this.environment.coordination.place(this.id);
      await this.#loadState();
      this.#step({ type: "loaded" });
      this.#seat = await this.environment.coordination.join(this.id, place, {
        won: (onlyVacant) => this.#becomeWriter(onlyVacant),
        isVacant: async () => !(await readEnd(this.database.sql, this.id)).isServed,
        lost: () => this.#loseLease(),
        entries: (rows) => this.#follow(rows),
        advance: (position) => this.#advance(position),
        catchUp: () => this.#progress.catchUp(),
        claimed: (queueId, claim) => this.queues.letGo(queueId, claim),
        position: () => this.state.position,
        queueCount: () => this.queues.size,
        execute: async (name, args, by) => {
          checkCaller(this.state, args, by);
          return this.executeHere(name, args);
        },
        publish: (entry) => this.publish(entry),
      });
      this.environment.log.info(
        { realm: this.id, users: this.state.users.size, ms: Math.round(performance.now() - started) },
        "realm loaded",
      );
    } catch (error) {
      this.environment.log.error({ realm: this.id, err: error }, "realm could not be loaded");
      if (this.status !== "failed") this.#step({ type: "failed" });
      throw errors.SERVICE_UNAVAILABLE("The organization cannot be loaded right now.");
    }
  }

  async #loadState(): Promise<void> {
    const { environment } = this;
    const state = new RealmState(this.id, environment.urlOf(this.host), environment.clock, environment);
    const newest = await loadReplica(environment.database, state);
    this.state = state;
    this.recent = new RecentLog(environment.limits.recentEntries, (newest[0]?.position ?? 1) - 1);
    for (const entry of newest) {
      this.recent.push(entry);
      if (entry.event) this.sends.note(entry.event);
    }
    this.queues.attach(state);
    await this.presence.load();
    this.#progress.moved();
  }

  /** Takes over as the writer: no older one can commit after `beginTerm`, so what the log holds then is all there is. */
  async #becomeWriter(onlyVacant = false): Promise<void> {
    const { environment, state } = this;
    const term = await beginTerm(environment.database, this.id, {
      servesReads: environment.servesReads,
      onlyVacant,
    });
    // What is written from here on nobody may be told while another node still answers without it.
    await Promise.all([this.#progress.catchUp(), term.isReadElsewhere && delay(successorWaitsMs)]);
    // Loaded anew, or let go, while PostgreSQL took its time: whoever wants to write now claims anew.
    if (this.state !== state || (this.status !== "following" && this.status !== "idle")) throw new NotBegun();
    state.position = Math.max(state.position, term.position);
    // What was known while another node wrote may have changed.
    this.topics.clear();
    this.#term = environment.servesReads ? new Term(term.epoch) : undefined;
    this.#writer = new RealmLog({
      database: environment.database,
      state,
      term: { realmId: this.id, epoch: term.epoch, reserved: term.reserved },
      clock: environment.clock,
      onCommitted: (entries, rows) => {
        const previous = state.position;
        this.#applyAll(entries);
        this.#seat?.publish(previous, rows);
      },
      onFailure: (error) => this.#failed(error),
      onBatch: ({ commands: size, seconds }) => environment.metrics.commit(size, seconds),
    });
    this.#step({ type: "lease.won" });
    environment.log.info({ realm: this.id, epoch: term.epoch, position: state.position }, "writing");
  }

  /** Applies what the log has and this node does not. */
  async #readOn(): Promise<void> {
    const { state } = this;
    for (;;) {
      const rows = await readLog(this.database.sql, this.id, state.position, catchUpRows);
      // Loaded anew meanwhile: these rows follow another place.
      if (this.state !== state) return;
      this.#applyAll(rows.map((row) => fromRow(row.position, row.entry)));
      if (rows.length < catchUpRows) return;
    }
  }

  /** Entries from the writer's node, in order, without gaps. */
  #follow(rows: readonly LogRow[]): void {
    this.#applyAll(
      rows
        .filter((row) => row.position > this.state.position)
        .map((row) => fromRow(row.position, JSON.parse(row.json) as object)),
    );
  }

  #applyAll(entries: readonly LogEntry[]): void {
    const { state } = this;
    for (const entry of entries) {
      // The log may be read twice over, from the stream and from PostgreSQL; it is applied once.
      if (entry.position <= state.position) continue;
      if (entry.changes) {
        state.apply(entry.changes);
        for (const { table, put } of entry.changes)
          if (table === "users") for (const user of put ?? []) this.presence.userChanged(user.id);
      }
      if (entry.presence) this.presence.apply(entry.position, entry.presence);
      state.position = entry.position;
      if (entry.event) this.sends.note(entry.event);
      // Pings alone are nothing a queue will ask for.
      if (entry.event || !entry.presence) this.recent.push(entry);
      this.queues.fanOut.deliver(entry);
      if (entry.changes) this.#retireQueues(entry);
      if (entry.tick) this.queues.heartbeat(entry.position);
    }
    this.#progress.moved();
  }

  /** The log has nothing durable up to here: places that were skipped, or taken by events that nobody keeps. */
  #advance(position: number): void {
    this.state.position = Math.max(this.state.position, position);
    this.#progress.moved();
  }

  /** A user who was deactivated has no queues any more. */
  #retireQueues(entry: LogEntry): void {
    for (const change of entry.changes!) {
      if (change.table !== "users") continue;
      for (const user of (change.put ?? []) as UserRow[]) if (!user.is_active) this.queues.deleteAllOf(user.id);
    }
  }

  #failed(error: unknown): void {
    if (error instanceof WriterFenced) {
      this.environment.log.warn({ realm: this.id }, "another node writes this organization now");
      this.environment.metrics.fenced();
      this.#step({ type: "lease.lost" });
      this.#seat?.fenced();
      return;
    }
    this.environment.log.error({ realm: this.id, err: error }, "writer failed; the realm is loaded again");
    this.environment.metrics.writerFailed();
    this.#step({ type: "failed" });
  }

  /** From here on no read is answered without asking. */
  #endTerm(): void {
    const [writer, term] = [this.#writer, this.#term];
    this.#writer = undefined;
    this.#term = undefined;
    if (writer) this.#ending = this.#finish(writer, term);
  }

  /** Ends what the writer has begun and says so: not for long, since a successor that does not hear of it only waits. */
  async #finish(writer: RealmLog, term: Term | undefined): Promise<void> {
    await writer.stop();
    if (term) await Promise.race([endTerm(this.database.sql, this.id, term.epoch).catch(() => {}), delay(farewellMs)]);
  }

  /** PostgreSQL said whose term it is. */
  #heardEpoch(epoch: number, askedAt: Moment): void {
    if (!this.#term) return;
    if (epoch === this.#term.epoch) this.#term.confirm(askedAt);
    else if (epoch > this.#term.epoch)
      this.#failed(new WriterFenced(`epoch ${this.#term.epoch} of realm ${this.id} is over`));
  }

  /** Resolves when the last commit of the term is over. */
  async #loseLease(): Promise<void> {
    this.#step({ type: "lease.lost" });
    await this.#ending;
  }

  /** Forgets the replica. Queues stay in their rows and come back with their next poll. */
  #drop(): void {
    this.queues.evict();
    void this.#seat?.release();
    this.#seat = undefined;
  }
}
