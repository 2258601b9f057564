/**
 * Presence. Every node that serves the realm has it in memory, and the writer's node stores it in batches.
 *
 * A report becomes part of a log entry that is not stored. A node collects the reports of one turn of its event loop,
 * and sends them to the writer as one batch. The writer gives the batch a position in the log, and adds an event for
 * each person who came back online. Every node applies the entry. Its position is the `update_id` of what it changed.
 * It is the same on all nodes and is never used again after a restart, since positions are reserved in blocks. So a
 * client may ask any node for what is new to it.
 *
 * Reports of one user within one second count once. Presence that is not stored yet is lost with the process. Each
 * client's next ping restores it.
 */

import { randomBytes } from "node:crypto";
import type { LogPosition, RealmId, UserId } from "../../storage/ids.ts";
import { type Database, translate } from "../../storage/postgres.ts";
import type { UserRow } from "../../storage/rows.ts";
import { type PresenceRow, readPresence, savePresence } from "../../storage/users/presence.ts";
import { apiEmail, canSeeUser, placeholderEmail } from "../realm/access.ts";
import type { Entry, PresenceChange } from "../realm/entry.ts";
import type { RealmEnvironment } from "../realm/environment.ts";
import type { RealmState, ReplicaWatcher } from "../realm/state/state.ts";
import { JsonText } from "../text/json-text.ts";
import { userSetting } from "../users/settings/settings.ts";
import {
  type LegacyPresence,
  legacyField,
  legacyPresence,
  type ModernPresence,
  modernField,
  modernPresence,
} from "./record.ts";
import type { PresenceRecord } from "./shapes.ts";
import { type PresenceEntry, type PresenceField, PresenceText } from "./text.ts";

/** Seconds without a report after which somebody counts as offline. https://zulip.com/api/register-queue */
export const offlineAfterSecs = 200;
/** In larger organizations nobody gets an event when a person comes online. Clients learn it from their own pings. */
const maxUsersForEvents = 100;
/** Seconds between two writes to the database. */
const saveEverySecs = 30;
const rowsPerSave = 5000;
/** A batch that is not applied by then is sent again, to whoever writes now. To take it twice is harmless. */
const sendAgainSecs = 1;
/** A batch is given up when no writer has answered by then. */
const batchDeadlineSecs = 5;
const secondsPerDay = 86_400;

interface Batch {
  id: string;
  reports: Map<UserId, { active: number; idle: number }>;
  applied: Promise<void>;
  resolve(): void;
  sentAt: number;
}

/** The query of a caller. */
export interface PresenceQuery {
  /** Only what changed after this update; -1 for all. */
  after: number;
  /** Ignored when the query asks only for changes. */
  historyLimitDays: number;
}

/** An object of presences as JSON text. */
export interface ShownPresences {
  presences: JsonText;
  /** The newest update among them; that of the query when there is none. */
  lastUpdateId: LogPosition;
}

/** What presence needs of its realm. */
export interface PresenceRealm {
  readonly id: RealmId;
  readonly state: RealmState;
  readonly database: Database;
  readonly environment: Pick<RealmEnvironment, "clock" | "limitsPresence" | "log">;
  readonly isWriter: boolean;
  /** Publishes an event that is not stored. */
  publish(entry: Entry): void;
}

export class Presence implements ReplicaWatcher {
  readonly #users = new Map<UserId, PresenceRow>();
  readonly #text = new PresenceText();
  readonly #unsaved = new Set<UserId>();
  readonly #node = randomBytes(6).toString("base64url");
  #batch: Batch | undefined;
  #sent: Batch[] = [];
  #batches = 0;
  /** Users whom the writer announced in an entry that is not applied yet. */
  readonly #announced = new Set<UserId>();
  #savedAt = 0;

  /** The fields that everybody sees who may access all users. */
  readonly #modernField: PresenceField = (known) => this.#shownUser(known) && modernField(known);
  readonly #legacyField: PresenceField = (known) => {
    const user = this.#shownUser(known);
    return user && legacyField(apiEmail(this.realm.state, user), known);
  };

  constructor(private readonly realm: PresenceRealm) {}

  /**
   * Reads the stored presence.
   * @param unsaved what this process knew before and could not store
   */
  async load(unsaved: readonly PresenceRow[] = []): Promise<void> {
    for (const row of await readPresence(this.realm.database.sql, this.realm.id)) this.#add({ ...row });
    for (const row of unsaved) {
      const known = this.#users.get(row.user_id);
      if (known && known.update_id >= row.update_id) continue;
      const newer = { ...row };
      this.#add(newer);
      this.#unsaved.add(newer.user_id);
    }
  }

  /** The presence that is not stored yet. */
  unsaved(): PresenceRow[] {
    return this.#rowsOf([...this.#unsaved]);
  }

  /**
   * Notes that a person is here. Resolves when this node has applied it. Costs no query. People who do not share their
   * presence, and organizations that have it turned off, are not noted.
   */
  report(user: UserRow, status: "active" | "idle"): Promise<void> | undefined {
    if (!userSetting(user, "presence_enabled") || this.realm.state.setting("presence_disabled")) return undefined;
    const now = this.realm.environment.clock();
    const active = status === "active" ? now : 0;
    const known = this.#users.get(user.id);
    if (known && known.idle_at >= now && known.active_at >= active) return undefined;
    const batch = this.#openBatch();
    const report = batch.reports.get(user.id);
    if (!report) batch.reports.set(user.id, { active, idle: now });
    else {
      report.active = Math.max(report.active, active);
      report.idle = now;
    }
    return batch.applied;
  }

  /** The writer's part: makes the entries for a batch, with an event for each person who came back online. */
  decide({ batch, users }: PresenceChange): Entry[] {
    const { state, environment } = this.realm;
    const quiet: PresenceChange = { batch, users: [] };
    const entries: Entry[] = [];
    const announces = !state.setting("presence_disabled") && this.#isSmall();
    for (const change of users) {
      const user = state.users.get(change[0]);
      // A report may come after its person went invisible.
      if (!user?.is_active || !userSetting(user, "presence_enabled")) continue;
      if (!announces || this.#announced.has(user.id) || !this.#comesOnline(change)) {
        quiet.users.push(change);
        continue;
      }
      this.#announced.add(user.id);
      entries.push({
        presence: { batch: "", users: [change] },
        event: this.#event(user, change),
        audience: environment.limitsPresence ? { to: "userViewers", userId: user.id } : { to: "realm" },
      });
    }
    // This entry comes last. The node that sent the batch waits for it, and has applied all of it then.
    entries.push({ presence: quiet });
    return entries;
  }

  /** An account or its settings changed. So its presence may become visible, or hidden. */
  userChanged(userId: UserId): void {
    this.#text.forget(userId);
  }

  /** The older format has addresses in it. */
  everybodyChanged(): void {
    this.#text.forgetAll();
  }

  /** Applies a log entry. A late or repeated entry does not replace anything newer. */
  apply(position: LogPosition, { batch, users }: PresenceChange): void {
    for (const [userId, active, idle] of users) {
      this.#announced.delete(userId);
      const known = this.#users.get(userId) ?? { user_id: userId, active_at: 0, idle_at: 0, update_id: 0 };
      known.active_at = Math.max(known.active_at, active);
      known.idle_at = Math.max(known.idle_at, idle);
      known.update_id = Math.max(known.update_id, position);
      this.#add(known);
      this.#unsaved.add(userId);
    }
    this.#settle((sent) => sent.id === batch);
  }

  /** The presence that `viewer` may see, keyed by user id. */
  modern(viewer: UserRow, query: PresenceQuery): ShownPresences {
    const { state, environment } = this.realm;
    if (!environment.limitsPresence || state.may(viewer, "can_access_all_users_group"))
      return this.#show(query, this.#modernField, true);
    const field: PresenceField = (known) => {
      const user = this.#shownUser(known);
      return user && canSeeUser(state, user, viewer) ? modernField(known) : undefined;
    };
    return this.#show(query, field, false);
  }

  /** The presence that `viewer` may see, in the older format keyed by email. */
  legacy(viewer: UserRow, query: PresenceQuery): ShownPresences {
    const { state, environment } = this.realm;
    if (state.may(viewer, "can_access_all_users_group")) return this.#show(query, this.#legacyField, true);
    const field: PresenceField = (known) => {
      const user = this.#shownUser(known);
      if (!user) return undefined;
      if (canSeeUser(state, user, viewer)) return legacyField(apiEmail(state, user), known);
      return environment.limitsPresence ? undefined : legacyField(placeholderEmail(state, user.id), known);
    };
    return this.#show(query, field, false);
  }

  /** One person's presence. Undefined when they do not share it or were never seen. */
  of(user: UserRow): LegacyPresence | undefined {
    const known = this.#users.get(user.id);
    return known && this.#isShown(user) ? legacyPresence(known) : undefined;
  }

  /** Whether a person was here since then, in UNIX seconds, and shares it. */
  wasHere(user: UserRow, since: number): boolean {
    const known = this.#users.get(user.id);
    return known !== undefined && Math.max(known.active_at, known.idle_at) >= since && this.#isShown(user);
  }

  /** When one person was last here. Undefined when they do not share it or were never seen. */
  timesOf(user: UserRow): ModernPresence | undefined {
    const known = this.#users.get(user.id);
    return known && this.#isShown(user) ? modernPresence(known) : undefined;
  }

  /** Sends again what got lost, and stores what is due on the writer's node. Called about once a second. */
  sweep(now: number): void {
    this.#settle((sent) => now - sent.sentAt > batchDeadlineSecs);
    for (const sent of this.#sent) if (now - sent.sentAt > sendAgainSecs) this.#publish(sent);
    if (now - this.#savedAt < saveEverySecs || !this.realm.isWriter) return;
    void this.flush().catch((error: unknown) =>
      this.realm.environment.log.warn({ realm: this.realm.id, err: error }, "presence was not written down"),
    );
  }

  /** Stores everything that is not stored yet. @throws StorageUnavailable */
  async flush(): Promise<void> {
    this.#savedAt = this.realm.environment.clock();
    if (!this.realm.isWriter) return;
    const unsaved = [...this.#unsaved];
    this.#unsaved.clear();
    try {
      for (let first = 0; first < unsaved.length; first += rowsPerSave) {
        const rows = this.#rowsOf(unsaved.slice(first, first + rowsPerSave));
        await savePresence(this.realm.database.sql, this.realm.id, rows);
      }
    } catch (error) {
      for (const userId of unsaved) this.#unsaved.add(userId);
      throw translate(error);
    }
  }

  #rowsOf(userIds: readonly UserId[]): PresenceRow[] {
    return userIds.flatMap((id) => this.#users.get(id) ?? []);
  }

  #openBatch(): Batch {
    if (this.#batch) return this.#batch;
    let resolve = () => {};
    const applied = new Promise<void>((done) => {
      resolve = done;
    });
    const id = `${this.#node}${(this.#batches++).toString(36)}`;
    const batch: Batch = { id, reports: new Map(), applied, resolve, sentAt: 0 };
    this.#batch = batch;
    setImmediate(() => this.#send(batch));
    return batch;
  }

  #send(batch: Batch): void {
    this.#batch = undefined;
    batch.sentAt = this.realm.environment.clock();
    this.#sent.push(batch);
    this.#publish(batch);
  }

  #publish({ id: batch, reports }: Batch): void {
    const users = [...reports].map(([id, { active, idle }]): [UserId, number, number] => [id, active, idle]);
    this.realm.publish({ presence: { batch, users } });
  }

  #settle(isDone: (sent: Batch) => boolean): void {
    if (this.#sent.length === 0) return;
    for (const sent of this.#sent) if (isDone(sent)) sent.resolve();
    this.#sent = this.#sent.filter((sent) => !isDone(sent));
  }

  /**
   * Whether a report brings a person back online: they were never seen, were offline, or had not been active for as
   * long.
   */
  #comesOnline([userId, active, idle]: PresenceChange["users"][number]): boolean {
    const known = this.#users.get(userId);
    if (!known || idle - known.idle_at > offlineAfterSecs) return true;
    return active > 0 && active - known.active_at > offlineAfterSecs;
  }

  #isSmall(): boolean {
    let active = 0;
    for (const user of this.realm.state.users.values()) {
      if (user.is_active && !user.is_bot && ++active > maxUsersForEvents) return false;
    }
    return true;
  }

  #event(user: UserRow, [, active, idle]: PresenceChange["users"][number]): { type: "presence" } & PresenceRecord {
    const known = this.#users.get(user.id);
    const times = { active_at: Math.max(known?.active_at ?? 0, active), idle_at: Math.max(known?.idle_at ?? 0, idle) };
    return {
      type: "presence",
      user_id: user.id,
      email: apiEmail(this.realm.state, user),
      server_timestamp: this.realm.environment.clock(),
      presence: { website: legacyPresence(times).website },
      ...modernPresence(times),
    };
  }

  #shownUser({ user_id }: PresenceEntry): UserRow | undefined {
    const user = this.realm.state.users.get(user_id);
    return user && this.#isShown(user) ? user : undefined;
  }

  #isShown(user: UserRow): boolean {
    return (
      user.is_active && userSetting(user, "presence_enabled") === true && !this.realm.state.setting("presence_disabled")
    );
  }

  /** @param isKept whether others see the same fields */
  #show(query: PresenceQuery, field: PresenceField, isKept: boolean): ShownPresences {
    const { after } = query;
    if (this.realm.state.setting("presence_disabled")) return { presences: new JsonText(["{}"]), lastUpdateId: after };
    const since = after > 0 ? 0 : this.#since(query);
    const { json, lastUpdateId } = this.#text.render(field, { after, since }, isKept);
    return { presences: json, lastUpdateId };
  }

  #since({ historyLimitDays }: PresenceQuery): number {
    return this.realm.environment.clock() - historyLimitDays * secondsPerDay;
  }

  #add(known: PresenceRow): void {
    this.#users.set(known.user_id, known);
    this.#text.note(known);
  }
}
