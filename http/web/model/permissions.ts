/** The person's permissions. The server checks them; the page only hides what would be refused. */
import { isAnonymousGroup, membersOf } from "../../client/state/groups.ts";
import type { Message } from "../../client/types.ts";
import type { Channel } from "./channels.ts";
import type { Store } from "./store.ts";

export const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

export class Permissions {
  /** Cached results of `membersOf`, which is expensive in a large organization; for one version of the groups. */
  #known = new Map<string, boolean>();
  #version = -1;

  constructor(private readonly store: Store) {}

  get isLoggedIn(): boolean {
    return this.store.read("realm").user_id !== undefined;
  }

  get isAdmin(): boolean {
    return this.store.read("realm")["is_admin"] === true;
  }

  get isOwner(): boolean {
    return this.store.read("realm")["is_owner"] === true;
  }

  get isModerator(): boolean {
    return this.store.read("realm")["is_moderator"] === true || this.isAdmin;
  }

  get isGuest(): boolean {
    return this.store.read("realm")["is_guest"] === true;
  }

  /** Whether the organization shows read receipts. */
  get seesReceipts(): boolean {
    return this.store.read("realm")["realm_enable_read_receipts"] === true;
  }

  /** Whether the organization shows edit history. */
  get seesHistory(): boolean {
    return this.store.read("realm")["realm_message_edit_history_visibility_policy"] !== "none";
  }

  /** Whether the person is in the group of a setting. */
  isIn(setting: unknown): boolean {
    const state = this.store.read("groups", "realm");
    if (state.user_id === undefined) return false;
    if (typeof setting !== "number" && !isAnonymousGroup(setting)) return false;
    const version = this.store.version("groups");
    if (version !== this.#version) this.#known = new Map();
    this.#version = version;
    const key = typeof setting === "number" ? String(setting) : JSON.stringify(setting);
    let isIn = this.#known.get(key);
    if (isIn === undefined) {
      isIn = membersOf(state, setting).has(state.user_id);
      this.#known.set(key, isIn);
    }
    return isIn;
  }

  /** Whether the person holds a permission of the organization, such as `can_create_groups`. */
  has(name: string): boolean {
    return this.isIn(this.store.read("realm")[`realm_${name}`]);
  }

  administers(channel: Channel): boolean {
    return this.isAdmin || this.isIn(channel["can_administer_channel_group"]);
  }

  sendsTo(channel: Channel): boolean {
    return !channel.is_archived && this.isIn(channel["can_send_message_group"]);
  }

  #isWithin(seconds: unknown, message: Message): boolean {
    return typeof seconds !== "number" || Date.now() / 1000 - message.timestamp < seconds;
  }

  edits(message: Message): boolean {
    const state = this.store.read("realm");
    if (message.sender_id !== state.user_id || state["realm_allow_message_editing"] === false) return false;
    return this.#isWithin(state["realm_message_content_edit_limit_seconds"], message);
  }

  deletes(message: Message, channel: Channel | undefined): boolean {
    if (this.has("can_delete_any_message_group") || (channel && this.isIn(channel["can_delete_any_message_group"])))
      return true;
    if (message.sender_id !== this.store.state.user_id) return false;
    const isAllowed =
      this.has("can_delete_own_message_group") || (channel && this.isIn(channel["can_delete_own_message_group"]));
    return (
      Boolean(isAllowed) && this.#isWithin(this.store.state["realm_message_content_delete_limit_seconds"], message)
    );
  }

  moves(message: Message, channel: Channel | undefined): boolean {
    return message.type === "stream" && this.movesTopics(channel);
  }

  movesTopics(channel: Channel | undefined): boolean {
    if (!channel || channel.is_archived) return false;
    return (
      this.isAdmin ||
      this.has("can_move_messages_between_topics_group") ||
      this.isIn(channel["can_move_messages_within_channel_group"])
    );
  }

  resolves(channel: Channel | undefined): boolean {
    if (!channel || channel.is_archived) return false;
    return this.has("can_resolve_topics_group") || this.isIn(channel["can_resolve_topics_group"]);
  }
}
