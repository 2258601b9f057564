/** People by id, by name, and in order, for views. */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { UserRecord } from "../../client/state/state.ts";
import { lowerBound } from "./lists/message-range.ts";
import type { Store } from "./store.ts";

const ascii = /^[\0-\x7f]*$/;
/** A name for searching: lower case without diacritics. */
export const folded = (text: string): string =>
  (ascii.test(text) ? text : text.normalize("NFKD").replace(/\p{M}/gu, "")).toLowerCase();

export class People {
  readonly #byId: ReadonlySignal<Map<number, UserRecord>>;
  readonly #inactive: ReadonlySignal<ReadonlySet<number>>;
  readonly #bots: ReadonlySignal<Map<number, UserRecord>>;
  /** Active people and bots by name. */
  readonly sorted: ReadonlySignal<readonly UserRecord[]>;
  readonly muted: ReadonlySignal<ReadonlySet<number>>;
  readonly #folded = new WeakMap<UserRecord, string>();

  constructor(private readonly store: Store) {
    this.#bots = computed(() => {
      const bots = store.read("people").cross_realm_bots ?? [];
      return new Map(bots.map((bot) => [bot.user_id, bot]));
    });
    this.#byId = computed(() => {
      const { realm_users = [], realm_non_active_users = [] } = store.read("people");
      const byId = new Map<number, UserRecord>();
      for (const user of realm_non_active_users) byId.set(user.user_id, user);
      for (const user of realm_users) byId.set(user.user_id, user);
      return byId;
    });
    this.#inactive = computed(
      () => new Set((store.read("people").realm_non_active_users ?? []).map(({ user_id }) => user_id)),
    );
    this.sorted = computed(() => {
      const users = (store.read("people").realm_users ?? []).map((user) => ({ user, name: this.foldedName(user) }));
      users.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      return users.map(({ user }) => user);
    });
    this.muted = computed(() => new Set((store.read("people").muted_users ?? []).map(({ id }) => id)));
  }

  get(id: number): UserRecord | undefined {
    // The server lists people by id. Most are found there, so that the first view makes no table of 50,000 people.
    const listed = this.store.read("people").realm_users ?? [];
    const found = listed[lowerBound(listed, id, ({ user_id }) => user_id)];
    return found?.user_id === id ? found : (this.#bots.value.get(id) ?? this.#byId.value.get(id));
  }

  get me(): UserRecord | undefined {
    const id = this.store.state.user_id;
    return id === undefined ? undefined : this.get(id);
  }

  get myId(): number {
    return this.store.state.user_id ?? -1;
  }

  /** A name to show. People whom the person may not see are shown by id. */
  name(id: number): string {
    return this.get(id)?.full_name ?? `#${id}`;
  }

  isActive(id: number): boolean {
    return !this.#inactive.value.has(id);
  }

  idOf(name: string): number | undefined {
    const wanted = folded(name.trim());
    if (/^\d+$/.test(wanted) && this.get(Number(wanted))) return Number(wanted);
    if (wanted === "me") return this.myId;
    return this.sorted.value.find(
      (user) =>
        this.foldedName(user) === wanted || user.email.toLowerCase() === wanted || user["delivery_email"] === wanted,
    )?.user_id;
  }

  foldedName(user: UserRecord): string {
    let name = this.#folded.get(user);
    if (name === undefined) this.#folded.set(user, (name = folded(user.full_name)));
    return name;
  }

  /**
   * People whom `search` finds: those of a lower rank first, then those whose name begins with the text.
   *
   * @param rankOf from 0 to 3
   */
  ranked(text: string, limit: number, rankOf: (user: UserRecord) => number): UserRecord[] {
    const wanted = folded(text.trim());
    const best: UserRecord[] = [];
    const ranks: readonly UserRecord[][] = [best, [], [], [], [], [], [], []];
    for (const user of this.sorted.value) {
      const name = this.foldedName(user);
      const isStart = name.startsWith(wanted);
      if (!isStart && !name.includes(` ${wanted}`) && !user.email.toLowerCase().startsWith(wanted)) continue;
      const rank = ranks[2 * rankOf(user) + (isStart ? 0 : 1)];
      if (rank && rank.length < limit) rank.push(user);
      if (best.length >= limit) break;
    }
    return ranks.flat().slice(0, limit);
  }

  /**
   * People with a name that has a word beginning with the text, or with an address beginning with it. Names that begin
   * with it come first.
   */
  search(text: string, limit: number, isWanted: (user: UserRecord) => boolean = () => true): UserRecord[] {
    const wanted = folded(text.trim());
    const [starts, others]: [UserRecord[], UserRecord[]] = [[], []];
    for (const user of this.sorted.value) {
      if (!isWanted(user)) continue;
      const name = this.foldedName(user);
      if (name.startsWith(wanted)) starts.push(user);
      else if (others.length < limit && (name.includes(` ${wanted}`) || user.email.toLowerCase().startsWith(wanted)))
        others.push(user);
      if (starts.length >= limit) break;
    }
    return [...starts, ...others].slice(0, limit);
  }

  /** The syntax of a mention. An ambiguous name gets the id. */
  mention(user: UserRecord): string {
    const name = this.foldedName(user);
    const isShared = this.sorted.value.some((other) => other !== user && this.foldedName(other) === name);
    return isShared ? `${user.full_name}|${user.user_id}` : user.full_name;
  }
}

/** Availability, by the last presence. */
export type Availability = "active" | "idle" | "offline" | "bot";

/** Seconds after the last presence after which a person counts as offline. */
const offlineAfterSecs = 200;

export class Presence {
  constructor(private readonly store: Store) {}

  of(user: UserRecord | undefined, now = Date.now() / 1000): Availability {
    if (!user) return "offline";
    if (user.is_bot) return "bot";
    const { presences } = this.store.read("presence");
    const { active_timestamp: active = 0, idle_timestamp: idle = 0 } = presences?.[user.user_id] ?? {};
    if (now - active < offlineAfterSecs) return "active";
    return now - idle < offlineAfterSecs ? "idle" : "offline";
  }

  /** When a person was last present, in UNIX seconds; undefined when unknown. */
  lastSeen(userId: number): number | undefined {
    const { presences } = this.store.read("presence");
    const entry = presences?.[userId];
    return entry && Math.max(entry.active_timestamp ?? 0, entry.idle_timestamp ?? 0);
  }

  /** Ids of people who are online. */
  online(now = Date.now() / 1000): number[] {
    const { presences = {} } = this.store.read("presence");
    return Object.entries(presences).flatMap(([id, { active_timestamp = 0, idle_timestamp = 0 }]) =>
      now - Math.max(active_timestamp, idle_timestamp) < offlineAfterSecs ? Number(id) : [],
    );
  }
}
