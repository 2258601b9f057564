/**
 * What a node has loaded of a realm: the replica and everything derived from it. `load` makes it whole, and it is
 * dropped whole. Only what is `CarriedOver` passes to the next load.
 *
 * Entries of the log are applied here, each once and in order. They come from this node's writer, from the cluster's
 * stream or from PostgreSQL.
 */
import type { LogPosition, RealmId, UserId } from "../../storage/ids.ts";
import { findTopicParticipants } from "../../storage/messages/messages.ts";
import type { Database } from "../../storage/postgres.ts";
import { type LogRow, readEnd, readLog, readSendsFrom } from "../../storage/realm-log.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import { timely } from "../../storage/timely.ts";
import type { PresenceRow } from "../../storage/users/presence.ts";
import { endedBy } from "../event-queue/ends.ts";
import { EventQueues } from "../event-queue/event-queues.ts";
import { History } from "../history/history.ts";
import { Conversations, SendLedger } from "../messages/memories.ts";
import { wantedPreviews } from "../messages/wanted-previews.ts";
import { Presence } from "../presence/presence.ts";
import { SharedParts } from "../register/shared-parts.ts";
import { ChannelText } from "../subscriptions/channel-text.ts";
import { KnownTopics } from "../topics/known-topics.ts";
import { UserText } from "../users/text.ts";
import type { Member } from "./coordination.ts";
import type { Entry, LogEntry, RealmEvent } from "./entry.ts";
import type { RealmEnvironment } from "./environment.ts";
import { loadReplica } from "./load.ts";
import { fromRow } from "./log-row.ts";
import { Progress } from "./progress.ts";
import type { Moment } from "./read-lease.ts";
import { RecentLog } from "./recent.ts";
import { RealmState } from "./state/state.ts";
import { Turns } from "./turns.ts";

/** Entries read from the log at a time when catching up. Applying so many takes a few milliseconds. */
const catchUpSlice = { rows: 5000, bytes: 2 * 1024 * 1024 };

/** A query that takes longer counts as lost. */
const sliceOverdueMs = 5000;

/** What the loaded part needs of the handle that holds it. */
export interface RealmLinks {
  readonly id: RealmId;
  readonly environment: RealmEnvironment;
  /** Whether no other node can know more than this one; see `read-lease.ts`. */
  readonly holdsReadLease: boolean;
  readonly isWriter: boolean;
  /** Publishes an event that is not stored. */
  publish(entry: Entry): void;
  /** Says that a queue was revived here. The node that held it releases it. */
  claim(queueId: string, claim: number): void;
  mayBeDelivered(position: LogPosition): Promise<boolean>;
  /** Asks the realm's writer for its position. */
  askWriter(): Promise<LogPosition>;
  /** PostgreSQL told the newest epoch. */
  confirmEpoch(epoch: number, askedAt: Moment): void;
}

/** What a reloaded realm takes over from the previous load: whatever PostgreSQL does not have yet. */
export interface CarriedOver {
  presence: readonly PresenceRow[];
}

export class LoadedRealm {
  readonly queues: EventQueues;
  readonly presence: Presence;
  /** Registers take turns on the event loop. */
  readonly turns = new Turns();
  /** Topics that are known to exist. */
  readonly topics = new KnownTopics(50_000);
  /** Row ids of direct conversations, by their people. */
  readonly conversations = new Conversations(50_000);
  /** Sends with an id chosen by the client. A repeated one is not sent twice. */
  readonly sends = new SendLedger(20_000, (sentFrom, limit) =>
    readSendsFrom(this.database.vital.sql, this.id, sentFrom, limit),
  );
  readonly progress: Progress;
  /** Log positions of the newest events, by type. */
  readonly #newest = new Map<string, LogPosition>();
  /** The newest part of the history, which reads find without PostgreSQL. */
  readonly history: History;

  /** Every channel, as a register lists them. */
  channelText = new ChannelText();
  /** What a register tells everybody alike. */
  sharedParts = new SharedParts();

  private constructor(
    private readonly links: RealmLinks,
    readonly state: RealmState,
    /** Everybody, as a register lists them. */
    readonly userText: UserText,
    readonly recent: RecentLog,
  ) {
    this.queues = new EventQueues(this);
    this.presence = new Presence(this);
    state.watch(this.presence);
    this.progress = new Progress(
      this,
      () => this.#readOn(),
      () => links.askWriter(),
      (epoch, askedAt) => links.confirmEpoch(epoch, askedAt),
      () => links.environment.coordination.hasStreams,
    );
    this.history = new History(this);
  }

  /** Reads the realm from PostgreSQL. @throws StorageUnavailable */
  static async load(
    links: RealmLinks,
    host: string | null,
    carriedOver: CarriedOver | undefined,
  ): Promise<LoadedRealm> {
    const { environment } = links;
    const state = new RealmState(links.id, environment.urlOf(host), environment.clock, environment);
    const userText = new UserText();
    state.watch(userText);
    const limits = environment.limits.recent;
    const newest = await loadReplica(environment.database, state, limits.bytes);
    const recent = new RecentLog(limits, (newest[0]?.position ?? 1) - 1);
    const loaded = new LoadedRealm(links, state, userText, recent);
    for (const entry of newest) {
      recent.push(entry);
      if (entry.event) loaded.sends.note(entry.event);
    }
    await loaded.presence.load(carriedOver?.presence);
    return loaded;
  }

  get id(): RealmId {
    return this.links.id;
  }

  get environment(): RealmEnvironment {
    return this.links.environment;
  }

  get database(): Database {
    return this.links.environment.database;
  }

  /** The newest log position that this node has applied. */
  get position(): LogPosition {
    return this.state.position;
  }

  get isWriter(): boolean {
    return this.links.isWriter;
  }

  /** The log position of the newest event of these types. 0: none was applied. */
  newestOf(types: readonly string[]): LogPosition {
    return Math.max(0, ...types.map((type) => this.#newest.get(type) ?? 0));
  }

  /** Resolves when this node has applied whatever the log holds up to `position`. */
  reached(position: LogPosition): Promise<void> {
    return this.progress.reached(position);
  }

  publish(entry: Entry): void {
    this.links.publish(entry);
  }

  claim(queueId: string, claim: number): void {
    this.links.claim(queueId, claim);
  }

  mayBeDelivered(position: LogPosition): Promise<boolean> {
    return this.links.mayBeDelivered(position);
  }

  /** Who took part in a topic and still reads the channel: the people a topic wildcard mentions. Ascending. */
  async topicParticipants(channel: ChannelRow, topic: string): Promise<UserId[]> {
    const ids = await findTopicParticipants(this.database.sql, channel.recipient_id, topic);
    return ids.filter((id) => this.state.subscriptions.has(id, channel.id));
  }

  /** Entries that this node committed, in order, the last of them when it writes no more. */
  applyOwn(entries: readonly LogEntry[]): void {
    this.applyAll(entries);
    for (const { event } of entries) if (event) this.#previewLinks(event);
  }

  /** Entries that the writer committed, in order. */
  applyAll(entries: readonly LogEntry[]): void {
    const { state } = this;
    for (const entry of entries) {
      // The log may be read twice over, from the stream and from PostgreSQL; it is applied once.
      if (entry.position <= state.position) continue;
      const ended = endedBy(state, entry);
      if (entry.changes) state.apply(entry.changes);
      if (entry.presence) this.presence.apply(entry.position, entry.presence);
      state.position = entry.position;
      if (entry.event) this.sends.note(entry.event);
      this.history.apply(entry);
      this.environment.relay?.readNews.note(this.id, entry, this.isWriter);
      if (entry.event) this.#newest.set(entry.event.type, entry.position);
      // No queue asks for presence pings.
      if (entry.event || !entry.presence) this.recent.push(entry);
      this.queues.fanOut.deliver(entry);
      if (ended) this.queues.end(ended);
      if (entry.tick) this.queues.heartbeat(entry.position);
    }
    this.progress.moved();
  }

  #previewLinks(event: RealmEvent): void {
    const { linkPreviewer } = this.environment;
    const wanted = linkPreviewer && wantedPreviews(this.state, event);
    if (wanted) linkPreviewer.wanted(wanted);
  }

  /** What the cluster asks and tells of it, whoever writes. */
  following(): Omit<Member, "beginTerm" | "endTerm" | "execute" | "publish"> {
    return {
      term: () => readEnd(this.database.vital.sql, this.id),
      entries: (rows) => this.follow(rows),
      advance: (position) => this.advance(position),
      catchUp: () => this.progress.catchUp(),
      claimed: (queueId, claim) => this.queues.letGo(queueId, claim),
      position: () => this.position,
      queueCount: () => this.queues.size,
    };
  }

  /** Entries from the writer's node, in order, without gaps. */
  follow(rows: readonly LogRow[]): void {
    const { position } = this.state;
    const late = rows.filter((row) => row.position <= position);
    this.applyAll(rows.filter((row) => row.position > position).map(fromRow));
    // A replica that read on from PostgreSQL has passed over what is not stored.
    for (const { position, presence } of late.map(fromRow)) if (presence) this.presence.apply(position, presence);
  }

  /** The log stores nothing up to here: positions were skipped, or taken by events that are not stored. */
  advance(position: LogPosition): void {
    this.state.position = Math.max(this.state.position, position);
    this.progress.moved();
  }

  /** Drops the caches of a realm that has not been used for a while. */
  shed(): void {
    this.topics.clear();
    this.conversations.clear();
    this.state.shed();
    this.channelText = new ChannelText();
    this.sharedParts = new SharedParts();
    this.recent.shed();
    this.history.shed();
  }

  /** Ends it. Parked polls are answered, and no further poll can park. Returns what PostgreSQL does not have yet. */
  close(): CarriedOver {
    this.queues.close();
    this.history.close();
    return { presence: this.presence.unsaved() };
  }

  /** Applies what the log has and this node does not. */
  async #readOn(): Promise<void> {
    for (;;) {
      const { vital } = this.database;
      const rows = await timely(vital, sliceOverdueMs, readLog(vital.sql, this.id, this.state.position, catchUpSlice));
      if (this.queues.isClosed || rows.length === 0) return;
      this.applyAll(rows.map(fromRow));
    }
  }
}
