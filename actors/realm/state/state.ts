/**
 * The replica of a realm: what its log builds. Every node that serves the realm holds one and applies the same changes
 * in the same order. So at equal positions all of them are equal. Reads are plain method calls; nobody but `apply`
 * writes.
 */

import { defined } from "../../../storage/failures.ts";
import type {
  ChannelId,
  DomainId,
  EmojiId,
  FolderId,
  GroupId,
  LinkifierId,
  LogPosition,
  PlaygroundId,
  ProfileFieldId,
  RealmId,
  RecipientId,
  UserId,
} from "../../../storage/ids.ts";
import type {
  Change,
  ChannelFolderRow,
  ChannelRow,
  CustomProfileFieldRow,
  GroupSetting,
  LinkifierRow,
  MutedUserRow,
  PlaygroundRow,
  RealmDomainRow,
  RealmEmojiRow,
  RealmRow,
  RemovedRow,
  StateRows,
  StateTable,
  UserRow,
  UserTopicRow,
} from "../../../storage/rows.ts";
import { type AppliedTables, byId } from "./applied-table.ts";
import { botDomainOf } from "./bot-domain.ts";
import { type Derived, DerivedParts } from "./derived.ts";
import { Groups, type SystemGroupName } from "./group-index.ts";
import { RoleIndex } from "./role-index.ts";
import {
  type RealmGroupSettingName,
  type RealmSettingName,
  type RealmSettingValue,
  realmGroupSettings,
  realmSettings,
} from "./settings.ts";
import { Subscriptions } from "./subscription-index.ts";

const secondsPerDay = 86_400;

/** Their changes do not count for `organizationRevision`; of `users`, only those of a role do. */
const separateTables: ReadonlySet<StateTable> = new Set([
  "users",
  "channels",
  "subscriptions",
  "default_channels",
  "user_topics",
  "muted_users",
]);

/** A cache of something made from accounts. */
export interface ReplicaWatcher {
  /** An account is new or has changed. */
  userChanged(userId: UserId): void;
  /** A setting that every account is rendered with has changed. */
  everybodyChanged(): void;
}

/** What whoever runs the server decides for every organization. A noun adds what it wants to know of that. */
export interface ServerChoices {
  /** Channels may be web-public, where their organization lets spectators in. */
  webPublicChannels: boolean;
  /** Domain of the addresses that the server makes up. Undefined: each organization's host, where mail can have it. */
  botDomain: string | undefined;
}

export class RealmState {
  /** The newest log position applied. */
  position: LogPosition = 0;
  /** Rises with every change but those to channels and to one person's own data. A role concerns everybody. */
  organizationRevision = 0;
  row!: RealmRow;
  readonly users = new Map<UserId, UserRow>();
  readonly channels = new Map<ChannelId, ChannelRow>();
  readonly subscriptions: Subscriptions;
  readonly groups: Groups;
  /** Active people and bots by role. */
  readonly roles = new RoleIndex();
  readonly folders = new Map<FolderId, ChannelFolderRow>();
  readonly linkifiers = new Map<LinkifierId, LinkifierRow>();
  readonly playgrounds = new Map<PlaygroundId, PlaygroundRow>();
  readonly domains = new Map<DomainId, RealmDomainRow>();
  readonly profileFields = new Map<ProfileFieldId, CustomProfileFieldRow>();
  readonly emoji = new Map<EmojiId, RealmEmojiRow>();
  readonly defaultChannels = new Set<ChannelId>();
  /** By user id, then by `<channel id>:<topic in lower case>`. */
  readonly userTopics = new Map<UserId, Map<string, UserTopicRow>>();
  /** Who muted whom: muting user's id → muted user's id. */
  readonly mutedUsers = new Map<UserId, Map<UserId, MutedUserRow>>();
  /** Users who have alert words. Each message is searched for them. */
  readonly alertWordUsers = new Set<UserId>();
  readonly #usersByEmail = new Map<string, UserId>();
  readonly #usersByName = new Map<string, Set<UserId>>();
  readonly #channelsByName = new Map<string, ChannelId>();
  readonly #channelsByRecipient = new Map<RecipientId, ChannelId>();
  readonly #derived = new DerivedParts<RealmState>();
  readonly #watchers: ReplicaWatcher[] = [];
  readonly #tables: AppliedTables = {
    realms: {
      put: (row) => {
        this.row = row;
      },
    },
    users: { put: (user) => this.#putUser(user) },
    channels: { put: (channel) => this.#putChannel(channel) },
    subscriptions: { put: (row) => this.subscriptions.put(row) },
    user_groups: { put: (group) => this.groups.put(group) },
    user_group_members: {
      put: ({ group_id, user_id }) => this.groups.addMember(group_id, user_id),
      remove: ({ group_id, user_id }) => this.groups.removeMember(group_id, user_id),
    },
    user_group_subgroups: {
      put: ({ group_id, subgroup_id }) => this.groups.addSubgroup(group_id, subgroup_id),
      remove: ({ group_id, subgroup_id }) => this.groups.removeSubgroup(group_id, subgroup_id),
    },
    default_channels: {
      put: ({ channel_id }) => void this.defaultChannels.add(channel_id),
      remove: ({ channel_id }) => void this.defaultChannels.delete(channel_id),
    },
    user_topics: {
      put: (row) => void mapOf(this.userTopics, row.user_id).set(topicKey(row), row),
      remove: (key) => void this.userTopics.get(key.user_id)?.delete(topicKey(key)),
    },
    muted_users: {
      put: (row) => void mapOf(this.mutedUsers, row.user_id).set(row.muted_user_id, row),
      remove: ({ user_id, muted_user_id }) => void this.mutedUsers.get(user_id)?.delete(muted_user_id),
    },
    linkifiers: byId(this.linkifiers, () => this.#everybodyChanged()),
    channel_folders: byId(this.folders, () => this.#everybodyChanged()),
    playgrounds: byId(this.playgrounds, () => this.#everybodyChanged()),
    realm_domains: byId(this.domains, () => this.#everybodyChanged()),
    custom_profile_fields: byId(this.profileFields, () => this.#everybodyChanged()),
    realm_emoji: byId(this.emoji, () => this.#everybodyChanged()),
  };

  /**
   * @param url absolute address of the realm, without a trailing slash
   * @param clock UNIX seconds
   * @param server what its operator decides for every organization
   */
  constructor(
    readonly id: RealmId,
    readonly url: string,
    private readonly clock: () => number,
    readonly server: Partial<ServerChoices> = { webPublicChannels: true },
  ) {
    this.subscriptions = new Subscriptions(id);
    this.groups = new Groups((user) => this.isFullMember(user));
  }

  get host(): string {
    return new URL(this.url).host;
  }

  /** The domain of addresses that the server makes up. */
  get botDomain(): string {
    return this.server.botDomain ?? botDomainOf(this.host);
  }

  /** `sender_realm_str` of messages. */
  get subdomain(): string {
    return this.row.host?.split(".")[0] ?? "";
  }

  setting<N extends RealmSettingName>(name: N): RealmSettingValue<N> {
    const own = this.row.settings[name];
    return (own === undefined ? realmSettings[name].default : own) as RealmSettingValue<N>;
  }

  /** Whether anybody may read web-public channels. Both the operator and the organization have to allow it. */
  get hasSpectators(): boolean {
    return this.server.webPublicChannels === true && this.setting("enable_spectator_access") === true;
  }

  groupSetting(name: RealmGroupSettingName): GroupSetting {
    return (
      (this.row.settings[name] as GroupSetting | undefined) ?? this.groups.systemId(realmGroupSettings[name].default)
    );
  }

  systemGroup(name: SystemGroupName): GroupId {
    return this.groups.systemId(name);
  }

  /** The one permission check for what an organization's groups decide. */
  may(user: UserRow, name: RealmGroupSettingName): boolean {
    return this.groups.holds(this.groupSetting(name), user);
  }

  isFullMember(user: Pick<UserRow, "date_joined">): boolean {
    return this.clock() - user.date_joined >= this.setting("waiting_period_threshold") * secondsPerDay;
  }

  /** An account that something of the organization names. Accounts are never removed. @throws if there is none */
  knownUser(id: UserId): UserRow {
    return defined(this.users.get(id), "such user");
  }

  /** A channel that something of the organization names. Channels are never removed. @throws if there is none */
  knownChannel(id: ChannelId): ChannelRow {
    return defined(this.channels.get(id), "such channel");
  }

  userByEmail(email: string): UserRow | undefined {
    const id = this.#usersByEmail.get(email.toLowerCase());
    return id === undefined ? undefined : this.users.get(id);
  }

  /** Everyone of that full name, ignoring case. */
  usersByName(name: string): UserRow[] {
    return [...(this.#usersByName.get(name.toLowerCase()) ?? [])].map((id) => this.knownUser(id));
  }

  /** A channel that is not archived, by name ignoring case. */
  channelByName(name: string): ChannelRow | undefined {
    const id = this.#channelsByName.get(name.toLowerCase());
    return id === undefined ? undefined : this.channels.get(id);
  }

  channelByRecipient(recipientId: RecipientId): ChannelRow | undefined {
    return this.channels.get(this.#channelsByRecipient.get(recipientId) ?? -1);
  }

  /** A person's policy for a topic: 0 none, 1 muted, 2 unmuted, 3 followed. */
  topicPolicy(userId: UserId, channelId: ChannelId, topic: string): number {
    return this.userTopics.get(userId)?.get(`${channelId}:${topic.toLowerCase()}`)?.visibility_policy ?? 0;
  }

  hasMuted(userId: UserId, mutedUserId: UserId): boolean {
    return this.mutedUsers.get(userId)?.has(mutedUserId) ?? false;
  }

  /** In the order in which they are applied to a text. */
  orderedLinkifiers(): LinkifierRow[] {
    return [...this.linkifiers.values()].sort((a, b) => a.order - b.order || a.id - b.id);
  }

  apply(changes: readonly Change[]): void {
    for (const { table, put, remove } of changes) this.applyRows(table, put, remove);
  }

  /** Applies a change. Loading a realm puts all rows of each table. */
  applyRows<T extends StateTable>(
    table: T,
    put: readonly StateRows[T][] = [],
    remove: readonly RemovedRow<T>[] = [],
  ): void {
    // Each table has its own type of rows, which TypeScript does not follow through a table's name.
    const rows = this.#tables[table] as { put(row: StateRows[T]): void; remove?(key: RemovedRow<T>): void };
    if (!separateTables.has(table)) this.organizationRevision++;
    for (const key of remove) rows.remove?.(key);
    for (const row of put) rows.put(row);
    this.#derived.tableChanged(table);
  }

  /** What a noun has made of the replica, as it is now. */
  derived<D>(declaration: Derived<D, RealmState>): D {
    return this.#derived.of(declaration, this);
  }

  /** Tells `watcher` of every later change to an account. */
  watch(watcher: ReplicaWatcher): void {
    this.#watchers.push(watcher);
  }

  /** Drops the caches. */
  shed(): void {
    this.#derived.forget();
    this.#everybodyChanged();
  }

  /** Something has changed with which every account is rendered. */
  #everybodyChanged(): void {
    for (const watcher of this.#watchers) watcher.everybodyChanged();
  }

  #putUser(user: UserRow): void {
    const before = this.users.get(user.id);
    if (before && !before.is_deleted) this.#usersByEmail.delete(before.delivery_email.toLowerCase());
    if (before) this.#usersByName.get(before.full_name.toLowerCase())?.delete(user.id);
    this.users.set(user.id, user);
    if (before?.role !== user.role || before.is_active !== user.is_active) this.organizationRevision++;
    for (const watcher of this.#watchers) watcher.userChanged(user.id);
    this.#derived.userChanged(user);
    this.roles.put(user);
    this.subscriptions.setActive(user.id, user.is_active);
    if (!user.is_deleted) this.#usersByEmail.set(user.delivery_email.toLowerCase(), user.id);
    const name = user.full_name.toLowerCase();
    let named = this.#usersByName.get(name);
    if (!named) this.#usersByName.set(name, (named = new Set()));
    named.add(user.id);
    if (user.alert_words.length > 0) this.alertWordUsers.add(user.id);
    else this.alertWordUsers.delete(user.id);
  }

  #putChannel(channel: ChannelRow): void {
    const before = this.channels.get(channel.id);
    if (before && this.#channelsByName.get(before.name.toLowerCase()) === channel.id)
      this.#channelsByName.delete(before.name.toLowerCase());
    this.channels.set(channel.id, channel);
    this.#channelsByRecipient.set(channel.recipient_id, channel.id);
    if (!channel.is_archived) this.#channelsByName.set(channel.name.toLowerCase(), channel.id);
  }
}

/** Declares what a noun makes of a replica and keeps; `state.derived(declaration)` gives it. */
export const defineDerived = <D>(declaration: Derived<D, RealmState>): Derived<D, RealmState> => declaration;

const topicKey = ({ channel_id, topic_key }: Pick<UserTopicRow, "channel_id" | "topic_key">): string =>
  `${channel_id}:${topic_key}`;

function mapOf<K, I, V>(maps: Map<K, Map<I, V>>, key: K): Map<I, V> {
  let map = maps.get(key);
  if (!map) maps.set(key, (map = new Map()));
  return map;
}
