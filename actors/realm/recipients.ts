/** Who receives an event: the one place that turns an audience's rule into people. */
import type { ChannelId, UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import {
  type ChannelSight,
  canReadHistory,
  canSeeChannel,
  canSeeUser,
  isAdmin,
  isGuest,
  seesUnsubscribed,
} from "./access.ts";
import type { Audience, LogEntry, RealmEvent } from "./entry.ts";
import type { RealmState } from "./state/state.ts";

/** A user's memberships at one position of the log. At the newest position the state has them. */
export interface Memberships {
  isSubscribed(channelId: ChannelId): boolean;
  canSee(channelId: ChannelId): boolean;
}

export function currentMemberships(state: RealmState, user: UserRow): Memberships {
  return {
    isSubscribed: (channelId) => state.subscriptions.has(user.id, channelId),
    canSee: (channelId) => {
      const channel = state.channels.get(channelId);
      return channel !== undefined && canSeeChannel(state, channel, user);
    },
  };
}

/** Whether `user`, with these memberships, is in the audience. */
export function isRecipient(state: RealmState, audience: Audience, user: UserRow, memberships: Memberships): boolean {
  if (audience.except?.includes(user.id)) return false;
  switch (audience.to) {
    case "realm":
      return true;
    case "users":
      return audience.ids.includes(user.id);
    case "subscribers":
      return memberships.isSubscribed(audience.channelId) || audience.also?.includes(user.id) === true;
    case "channelViewers":
      return memberships.canSee(audience.channelId);
    case "channelGainers":
      return memberships.canSee(audience.channelId) && !sawChannel(state, audience.before, user, memberships);
    case "channelLosers":
      return !memberships.canSee(audience.channelId) && sawChannel(state, audience.before, user, memberships);
    case "userViewers": {
      const target = state.users.get(audience.userId);
      return target !== undefined && canSeeUser(state, target, user);
    }
    case "moved":
      return (
        memberships.isSubscribed(audience.into) ||
        (memberships.isSubscribed(audience.from) && readsUnsubscribed(state, audience.into, user))
      );
    case "movedAway":
      return (
        memberships.isSubscribed(audience.from) &&
        !memberships.isSubscribed(audience.into) &&
        !readsUnsubscribed(state, audience.into, user)
      );
    case "members":
      return !isGuest(user);
    case "admins":
      return isAdmin(user);
  }
}

/** Whether `user` could know of a channel as it was. */
function sawChannel(state: RealmState, before: ChannelSight, user: UserRow, memberships: Memberships): boolean {
  return memberships.isSubscribed(before.id) || seesUnsubscribed(before, user, state.groups);
}

function readsUnsubscribed(state: RealmState, channelId: ChannelId, user: UserRow): boolean {
  const channel = state.channels.get(channelId);
  return channel !== undefined && canReadHistory(state, channel, user);
}

/**
 * Whether a queue with `all_public_streams` gets an event of a channel its user is not subscribed to. A guest's never
 * does.
 */
export function isPublicMessageFor(state: RealmState, audience: Audience, user: UserRow): boolean {
  if (audience.to !== "subscribers" || isGuest(user)) return false;
  const channel = state.channels.get(audience.channelId);
  return channel !== undefined && !channel.invite_only;
}

/**
 * The entries of a stretch of the log that a user received, judged by the memberships of each entry's own time. The
 * walk begins with the state at the stretch's end.
 *
 * @param entries ascending, reaching up to `state.position`
 */
export function receivedBy(
  state: RealmState,
  entries: readonly LogEntry[],
  user: UserRow,
  allPublic: boolean,
): LogEntry[] {
  return new WalkBack(state, user.id, allPublic).over(entries);
}

/**
 * A walk from the end of the log to where a user's queue is. It goes back from the newest entry, and undoes each
 * subscription or channel that the user was given or lost. So the audience of an entry is judged by the memberships of
 * its own time.
 */
export class WalkBack {
  readonly #subscribed = new Map<ChannelId, boolean>();
  readonly #visible = new Map<ChannelId, boolean>();

  constructor(
    private readonly state: RealmState,
    private readonly userId: UserId,
    private readonly allPublic: boolean,
  ) {}

  /** What the user received of the next entries back. @param entries ascending, up to where the walk has come */
  over(entries: readonly LogEntry[]): LogEntry[] {
    const { state } = this;
    const user = state.knownUser(this.userId);
    const now = currentMemberships(state, user);
    const memberships: Memberships = {
      isSubscribed: (channelId) => this.#subscribed.get(channelId) ?? now.isSubscribed(channelId),
      canSee: (channelId) =>
        this.#visible.get(channelId) ?? (now.canSee(channelId) || memberships.isSubscribed(channelId)),
    };
    const received: LogEntry[] = [];
    for (let index = entries.length - 1; index >= 0; index--) {
      const entry = entries[index]!;
      const { event, audience } = entry;
      if (!event || !audience) continue;
      const mine = isRecipient(state, audience, user, memberships);
      if (mine || (this.allPublic && event.type === "message" && isPublicMessageFor(state, audience, user)))
        received.push(entry);
      if (mine) this.#undo(event);
    }
    return received.reverse();
  }

  /** The entries received since the walk rested. Their changes to memberships are undone as well. */
  overNewer(entries: readonly LogEntry[]): LogEntry[] {
    if (entries.length === 0) return [];
    const newer = new WalkBack(this.state, this.userId, this.allPublic);
    const received = newer.over(entries);
    for (const [id, was] of newer.#subscribed) if (!this.#subscribed.has(id)) this.#subscribed.set(id, was);
    for (const [id, was] of newer.#visible) if (!this.#visible.has(id)) this.#visible.set(id, was);
    return received;
  }

  #undo(event: RealmEvent): void {
    if (event.type === "subscription") {
      if (event.op === "add")
        for (const { stream_id } of event.subscriptions)
          if (event.personal[this.userId]?.[stream_id]) this.#subscribed.set(stream_id, false);
      if (event.op === "remove") for (const { stream_id } of event.subscriptions) this.#subscribed.set(stream_id, true);
    } else if (event.type === "stream" && event.op !== "update") {
      for (const { stream_id } of event.streams) this.#visible.set(stream_id, event.op === "delete");
    }
  }
}
