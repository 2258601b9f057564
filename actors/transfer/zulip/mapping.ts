/** Maps everything of the old server to new ids and names, and makes the rows. */
import { randomUUID } from "node:crypto";
import { defined, firstOf } from "../../../storage/failures.ts";
import type { DomainId, GroupId, LinkifierId, PlaygroundId, RecipientId, UserId } from "../../../storage/ids.ts";
import type { Change, UserRow } from "../../../storage/rows.ts";
import { roles } from "../../../storage/rows.ts";
import { withoutRepeats } from "../../../storage/tables.ts";
import type { BulkRow } from "../../../storage/transfer/imports.ts";
import type { Credentials } from "../../../storage/users/credentials.ts";
import { generateApiKey } from "../../../storage/users/passwords.ts";
import { renderPlainText } from "../../markdown/render.ts";
import { systemBotRows } from "../../organization/changes/create.ts";
import { type SystemGroupName, systemGroupNames } from "../../realm/state/group-index.ts";
import { channelRows, subscriptionRows, topicRows } from "./channels.ts";
import type { ZulipExport } from "./export.ts";
import { type FilePlaces, ImportedFiles, type StoredPictures } from "./files.ts";
import { groupIds, groupSettingReader, importGroups } from "./groups.ts";
import { type IdMaps, MessageIds, type NewPlace, type TakenIds, zip } from "./ids.ts";
import { type MessageSources, newPlace } from "./messages.ts";
import { defaultGroups, organizationSettings } from "./organization.ts";
import { systemBotIds, userRows } from "./people.ts";
import type { Place, Survey } from "./survey.ts";
import { users } from "./survey.ts";
import type { MessageTable, OldChannelId, OldMessageId, OldUserId } from "./tables.ts";
import { type TextRewriter, textRewriter } from "./texts.ts";

/** Ids for rows that nothing of an archive refers to, as many as `newIds` says. */
interface FreshIds {
  domains: readonly DomainId[];
  linkifiers: readonly LinkifierId[];
  playgrounds: readonly PlaygroundId[];
}

export interface MappingOptions {
  host: string | null;
  url: string;
  places: FilePlaces;
}

export class Mapping implements MessageSources {
  readonly ids: IdMaps;
  readonly files: ImportedFiles;
  readonly uploads: ReadonlyMap<string, string>;
  readonly texts: TextRewriter;
  readonly clients: ReadonlyMap<number, string>;
  readonly #reacted: Uint8Array;
  readonly hasSubmessages: boolean;
  readonly #recipients: ReadonlyMap<OldChannelId, RecipientId>;

  constructor(
    private readonly from: ZulipExport,
    private readonly survey: Survey,
    private readonly taken: TakenIds,
    private readonly options: MappingOptions,
  ) {
    const { old } = survey;
    const people = new Map([...systemBotIds(from, taken.systemBots), ...zip(old.users, taken.users)]);
    this.ids = {
      realm: taken.realm,
      users: people,
      channels: zip(old.channels, taken.channels),
      groups: groupIds(from, zip(old.groups, taken.groups), taken),
      emoji: zip(old.emoji, taken.emoji),
      profileFields: zip(old.profileFields, taken.profileFields),
      folders: zip(old.folders, taken.folders ?? []),
      messages: new MessageIds(survey.messages, taken.messageBlocks),
    };
    this.#recipients = zip(old.channels, taken.channelRecipients);
    this.files = new ImportedFiles(from, options.places, this.ids, taken.secret);
    this.uploads = this.files.uploadPaths();
    this.texts = textRewriter({
      ids: this.ids,
      uploads: this.uploads,
      emojiUrls: this.files.emojiUrls(),
      previewUrl: (name) => this.files.previewUrl(name),
      oldHosts: oldHosts(from),
      oldRealm: firstOf(from.tables.zerver_realm).id,
      url: options.url,
    });
    this.clients = new Map(from.rows("zerver_client").map(({ id, name }) => [id, name]));
    this.hasSubmessages = from.rows("zerver_submessage").length > 0 || from.isOurs;
    this.#reacted = from.reactions.messagesIn(survey.messages);
  }

  hasReactions(id: OldMessageId): boolean {
    const at = this.survey.messages.find(id);
    return at >= 0 && this.#reacted[at] === 1;
  }

  readonly placeOf = (message: Pick<MessageTable, "recipient" | "sender">): NewPlace | undefined =>
    this.#newPlace(this.survey.placeOf(message.recipient, message.sender));

  /** The oldest owner, who gets a password. */
  get owner(): UserRow | undefined {
    const owners = this.#people().filter(({ role, is_bot, is_active }) => role === roles.owner && !is_bot && is_active);
    return owners.sort((a, b) => a.id - b.id)[0];
  }

  #people(avatars: ReadonlySet<OldUserId> = new Set()): UserRow[] {
    return userRows(this.from, this.ids, (id) => (avatars.has(id) ? this.files.avatarPath(id) : undefined));
  }

  /** How many ids `changes` needs of each kind with a counter of its own. */
  get newIds(): { domains: number; linkifiers: number; playgrounds: number } {
    return {
      domains: this.#domains.length,
      linkifiers: this.#linkifiers.length,
      playgrounds: this.#playgrounds.length,
    };
  }

  get #domains() {
    return this.from.rows("zerver_realmdomain");
  }
  get #linkifiers() {
    return [...this.from.rows("zerver_realmfilter")].sort((a, b) => (a.order ?? a.id) - (b.order ?? b.id));
  }
  get #playgrounds() {
    return this.from.rows("zerver_realmplayground");
  }

  /** All replicated rows. @param fresh as many ids as `newIds` says */
  changes(stored: StoredPictures, fresh: FreshIds): Change[] {
    const { from, ids, taken } = this;
    const realm_id = ids.realm;
    const systemGroup = (name: SystemGroupName): GroupId =>
      defined(taken.systemGroups[systemGroupNames.indexOf(name)], "system group");
    const groupSetting = groupSettingReader(from, ids.groups, ids.users);
    const realm = firstOf(from.tables.zerver_realm);
    const settings = organizationSettings(realm, {
      systemGroup,
      groupSetting,
      channel: (id) => ids.channels.get(id),
      userDefaults: from.rows("zerver_realmuserdefault")[0],
      pictures: stored.realm,
    });
    // Nobody begins with a private channel.
    const hidden = new Set(from.rows("zerver_stream").flatMap((one) => (one.invite_only ? one.id : [])));
    const groupsOfChannels = defaultGroups(from, (id) => (hidden.has(id) ? undefined : ids.channels.get(id)));
    if (groupsOfChannels.length > 0) settings["default_stream_groups"] = groupsOfChannels;
    const row = { host: this.options.host, name: realm.name, date_created: Math.floor(realm.date_created) };
    const groups = importGroups(from, taken, ids, Math.floor(realm.date_created));
    const botHost = new URL(this.options.url).hostname;
    const changes: Change[] = [
      // Deactivated until the import ends, so that nobody uses it before.
      { table: "realms", put: [{ ...row, id: realm_id, uuid: randomUUID(), is_deactivated: true, settings }] },
      { table: "user_groups", put: groups.groups },
      {
        table: "users",
        put: [...this.#people(stored.avatars), ...systemBotRows(realm_id, taken.systemBots, botHost, row.date_created)],
      },
      { table: "user_group_members", put: groups.members },
      { table: "user_group_subgroups", put: groups.subgroups },
      {
        table: "channels",
        put: channelRows({
          from,
          ids,
          recipients: this.#recipients,
          systemGroup,
          groupSetting,
          renderDescription: (row) => this.#description(row),
        }),
      },
      ...this.#placesOfChannels(hidden),
      { table: "subscriptions", put: subscriptionRows(from, ids) },
      { table: "user_topics", put: topicRows(from, ids) },
      {
        table: "muted_users",
        put: from.rows("zerver_muteduser").flatMap((row) => {
          const [user_id, muted_user_id] = [ids.users.get(row.user_profile), ids.users.get(row.muted_user)];
          if (user_id === undefined || muted_user_id === undefined) return [];
          return [{ user_id, muted_user_id, realm_id, date_muted: Math.floor(row.date_muted) }];
        }),
      },
      ...this.#lists(stored, fresh),
    ];
    // An archive may have a row twice.
    return changes.map(withoutRepeats);
  }

  /** Folders, and the channels that newcomers are put into. */
  #placesOfChannels(hidden: ReadonlySet<OldChannelId>): Change[] {
    const { from, ids } = this;
    const realm_id = ids.realm;
    return [
      {
        table: "channel_folders",
        put: from.rows("zerver_channelfolder").map((row) => ({
          id: defined(ids.folders.get(row.id), "folder"),
          realm_id,
          ...pick(row, "name", "description", "is_archived", "order"),
          rendered_description: this.#description(row),
          date_created: Math.floor(row.date_created),
          creator_id: row.creator === null ? null : (ids.users.get(row.creator) ?? null),
        })),
      },
      {
        table: "default_channels",
        put: from.rows("zerver_defaultstream").flatMap(({ stream }) => {
          const channel_id = ids.channels.get(stream);
          return channel_id === undefined || hidden.has(stream) ? [] : [{ channel_id, realm_id }];
        }),
      },
    ];
  }

  /** What administrators have listed for the organization. */
  #lists(stored: StoredPictures, fresh: FreshIds): Change[] {
    const { from, ids } = this;
    const realm_id = ids.realm;
    return [
      {
        table: "realm_domains",
        put: this.#domains.map((row, index) => ({
          ...pick(row, "domain", "allow_subdomains"),
          id: defined(fresh.domains[index], "domain"),
          realm_id,
        })),
      },
      {
        table: "linkifiers",
        put: this.#linkifiers.map((row, index) => ({
          id: defined(fresh.linkifiers[index], "linkifier"),
          realm_id,
          order: index + 1,
          pattern: row.pattern,
          url_template: row.url_template!,
          example_input: row.example_input ?? null,
          reverse_template: row.reverse_template ?? null,
          alternative_url_templates: row.alternative_url_templates ?? [],
        })),
      },
      {
        table: "playgrounds",
        put: this.#playgrounds.map((row, index) => ({
          ...pick(row, "name", "pygments_language", "url_template"),
          id: defined(fresh.playgrounds[index], "playground"),
          realm_id,
        })),
      },
      {
        table: "custom_profile_fields",
        put: from.rows("zerver_customprofilefield").map((row) => ({
          id: defined(ids.profileFields.get(row.id), "profile field"),
          realm_id,
          type: row.field_type,
          ...pick(row, "name", "hint", "field_data", "order"),
          required: row.required ?? false,
          editable_by_user: row.editable_by_user ?? true,
          display_in_profile_summary: row.display_in_profile_summary ?? false,
          use_for_user_matching: row.use_for_user_matching ?? false,
        })),
      },
      {
        table: "realm_emoji",
        put: from.rows("zerver_realmemoji").map((row) => ({
          id: defined(ids.emoji.get(row.id), "emoji"),
          realm_id,
          name: row.name,
          file_name: this.files.emojiFileName(row.id, row.file_name),
          is_animated: stored.animated.has(row.id),
          deactivated: row.deactivated,
          author_id: row.author === null ? null : (ids.users.get(row.author) ?? null),
        })),
      },
    ];
  }

  #description({ description, rendered_description }: { description: string; rendered_description?: string }): string {
    if (description === "") return "";
    return rendered_description == null
      ? renderPlainText(description).html
      : this.texts.html(rendered_description, description);
  }

  /** New API keys for everybody: an export has neither keys nor passwords. */
  credentials(): (Credentials & { api_key: string })[] {
    return [...this.taken.users, ...this.taken.systemBots].map((user_id) => ({
      user_id,
      realm_id: this.ids.realm,
      api_key: generateApiKey(),
      password_hash: null,
    }));
  }

  /** Those that messages are in; a draft may be for others. */
  conversations(): BulkRow<"direct_conversations">[] {
    return this.taken.conversationRecipients.map((recipient_id, place) => ({
      recipient_id,
      realm_id: this.ids.realm,
      user_ids: this.#membersOf(place),
    }));
  }

  #membersOf(place: number): UserId[] {
    const members = defined(this.survey.conversations[place], "conversation").flatMap(
      (id) => this.ids.users.get(id) ?? [],
    );
    return [...new Set(members)].sort((a, b) => a - b);
  }

  /** The members of each direct conversation. */
  members(): [userId: UserId, recipientId: RecipientId][] {
    return this.taken.conversationRecipients.flatMap((recipientId, place) =>
      this.#membersOf(place).map((id): [UserId, RecipientId] => [id, recipientId]),
    );
  }

  /** The present subscribers of each channel: `<user>:<recipient>`. */
  subscribers(): Set<string> {
    const recipients = new Map(
      [...this.#recipients].map(([old, recipient]) => [defined(this.ids.channels.get(old), "channel"), recipient]),
    );
    return new Set(
      subscriptionRows(this.from, this.ids)
        .filter(({ is_active }) => is_active)
        .map(({ user_id, channel_id }) => `${user_id}:${recipients.get(channel_id)}`),
    );
  }

  /** Who has received and read all of which channel: `<user>:<recipient>`. */
  receivedWhole(): Set<string> {
    return new Set(
      this.from.rows("parley_received").flatMap(({ user_profile, stream }) => {
        const [user, recipient] = [this.ids.users.get(user_profile), this.#recipients.get(stream)];
        return user === undefined || recipient === undefined ? [] : [`${user}:${recipient}`];
      }),
    );
  }

  /** The conversations that messages are in, by their numbers. */
  places(): (NewPlace | undefined)[] {
    return this.survey.places.map((place) => this.#newPlace(place));
  }

  #newPlace(place: Place | undefined): NewPlace | undefined {
    const channels = { ids: this.ids.channels, recipients: this.#recipients };
    return newPlace(place, channels, this.taken.conversationRecipients);
  }
}

const pick = <Row extends object, Name extends keyof Row>(row: Row, ...names: Name[]): Pick<Row, Name> =>
  Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;

/** Host names of the old server. Only the addresses of its bots and of hidden people show them. */
function oldHosts(from: ZulipExport): string[] {
  const hosts = new Set<string>();
  for (const { url } of from.rows("parley_export")) if (URL.canParse(url)) hosts.add(new URL(url).host);
  for (const { email, delivery_email, id, is_bot } of users(from)) {
    const host = email.split("@")[1];
    if (host === undefined) continue;
    if (email === `user${id}@${host}` || (is_bot && email === delivery_email && /-bot@/.test(email))) hosts.add(host);
  }
  return [...hosts];
}
