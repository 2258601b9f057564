/** What of an export an import does not bring, counted, so that a dry run can tell it before. */
import { firstOf } from "../../../storage/failures.ts";
import { isKeyOf, keysOf } from "../../../storage/rows.ts";
import { realmGroupSettings, realmSettings } from "../../realm/state/settings.ts";
import { userSettings } from "../../users/settings/settings.ts";
import { settingWord } from "./coded-settings.ts";
import type { ZulipExport } from "./export.ts";
import { isAccepted, otherSettingColumns } from "./organization.ts";
import { isAcceptedOfUser, profileValue } from "./people.ts";
import { type Survey, users } from "./survey.ts";
import { type OldChannelId, type OldUserId, tablesRead } from "./tables.ts";

/** Tables that say what others say too. */
const toldElsewhere = new Set(["zerver_huddle"]);
/** What the rows of other tables are. */
const tableWords: Readonly<Record<string, string>> = {
  zerver_realmauditlog: "entries of the audit log",
  zerver_realmauthenticationmethod: "ways to log in that were enabled there",
  zerver_useractivity: "statistics of use",
  zerver_useractivityinterval: "statistics of use, by time",
  zerver_botconfigdata: "settings of embedded bots",
  zerver_realmexport: "earlier exports",
};
const embeddedBot = 4;
const reminder = 2;

/** What stays behind, with how many there are of it. What there is nothing of is not told. */
export class LeftOut {
  readonly counts = new Map<string, number>();
  readonly #people: ReadonlySet<unknown>;
  readonly #channels: ReadonlySet<unknown>;
  readonly #emoji: ReadonlySet<number>;

  private constructor(
    private readonly from: ZulipExport,
    private readonly survey: Survey,
  ) {
    const systemBots = from.rows("zerver_userprofile_crossrealm");
    this.#people = new Set<OldUserId>([...users(from), ...systemBots].map(({ id }) => id));
    this.#emoji = new Set(from.rows("zerver_realmemoji").map(({ id }) => Number(id)));
    this.#channels = new Set<OldChannelId>(from.rows("zerver_stream").map(({ id }) => id));
  }

  static async of(from: ZulipExport, survey: Survey): Promise<ReadonlyMap<string, number>> {
    const leftOut = new LeftOut(from, survey);
    for (const { counts } of [from.findings, survey.findings])
      for (const [what, count] of counts) leftOut.#note(what, count);
    leftOut.#noteTables();
    leftOut.#noteMessages();
    leftOut.#noteSettings();
    await leftOut.#noteFiles();
    return leftOut.counts;
  }

  #note(what: string, count = 1): void {
    if (count > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + count);
  }

  /** Tables that are not read, and rows about people and channels that the export does not have. */
  #noteTables(): void {
    for (const [table, count] of this.from.unread)
      if (!toldElsewhere.has(table)) this.#note(tableWords[table] ?? `rows of ${table}`, count);
    for (const table of keysOf(tablesRead)) {
      // They tell who did what, whoever is there now.
      if (table === "zerver_realmauditlog") continue;
      for (const row of this.from.rows(table))
        if (this.#isStray(row)) this.#note(`rows of ${table} about nobody or nothing that the export has`);
    }
  }

  #isStray(row: object): boolean {
    return Object.entries(row).some(
      ([column, value]) =>
        typeof value === "number" &&
        ((peopleColumns.has(column) && !this.#people.has(value)) ||
          (column === "stream" && !this.#channels.has(value))),
    );
  }

  #noteMessages(): void {
    const { from, survey } = this;
    const { messages } = survey;
    let strays = survey.strayMessages;
    for (let at = 0; at < messages.count; at++) if (!this.#people.has(messages.sender(at))) strays++;
    this.#note("messages by or to nobody that the export has", strays);
    if (!from.isOurs && from.rows("zerver_submessage").length === 0)
      this.#note("votes of polls and tasks of to-do lists, apart from those that came with them", survey.widgets);
    let [reactions, unknown] = [0, 0];
    for (const reaction of from.reactions.inOrder())
      if (messages.find(reaction.message) < 0 || !this.#people.has(reaction.user_profile)) reactions++;
      else if (this.#isUnknown(reaction)) unknown++;
    this.#note("reactions to or by nobody that the export has", reactions);
    this.#note("reactions with custom emoji that the export does not have", unknown);
    this.#notePeople();
    const scheduled = from.rows("zerver_scheduledmessage");
    this.#note("scheduled messages that were sent already", scheduled.filter(({ delivered }) => delivered).length);
    const lost = scheduled.filter(
      ({ delivered, delivery_type, reminder_target_message_id: target }) =>
        !delivered && delivery_type === reminder && (target == null || messages.find(target) < 0),
    );
    this.#note("reminders of messages that the export does not have", lost.length);
  }

  #isUnknown(one: { reaction_type: string; emoji_code: string }): boolean {
    return one.reaction_type === "realm_emoji" && !this.#emoji.has(Number(one.emoji_code));
  }

  /** Values of people's profiles that the API would not take, and emoji that the export does not have. */
  #notePeople(): void {
    const { from } = this;
    const fields = new Map(from.rows("zerver_customprofilefield").map((field) => [field.id, field]));
    for (const { field: id, value } of from.rows("zerver_customprofilefieldvalue")) {
      const field = fields.get(id);
      if (field === undefined || profileValue(field, value) === undefined)
        this.#note("values of profile fields that are not allowed here");
    }
    const statuses = from.rows("zerver_userstatus").filter((one) => one.emoji_name !== "" && this.#isUnknown(one));
    this.#note("emoji of statuses that the export does not have", statuses.length);
  }

  /** Settings that there are none for here, or whose values are not allowed. */
  #noteSettings(): void {
    const { from } = this;
    for (const [name, value] of Object.entries(firstOf(from.tables.zerver_realm))) {
      if (isNothing(value) || realmColumns.has(name) || otherSettingColumns.has(name)) continue;
      if (Object.hasOwn(realmGroupSettings, name)) continue;
      if (!isKeyOf(realmSettings, name)) this.#note(`setting of the organization: ${name}`);
      else if (!isAccepted(name, settingWord(name, value)))
        this.#note(`setting of the organization, with a value that there is not here: ${name}`);
    }
    for (const row of users(from)) {
      for (const [name, value] of Object.entries(row)) {
        if (isNothing(value) || userColumns.has(name)) continue;
        if (!isKeyOf(userSettings, name)) this.#note(`people's setting: ${name}`);
        else if (!isAcceptedOfUser(name, settingWord(name, value)))
          this.#note(`people's setting, with a value that there is not here: ${name}`);
      }
      if (row.bot_type === embeddedBot) this.#note("embedded bots, which do nothing here");
    }
    this.#note("keys of outgoing webhooks, which are new", from.rows("zerver_service").length);
  }

  /** Files that the export names and does not have. */
  async #noteFiles(): Promise<void> {
    const { from } = this;
    for (const { path_id, owner } of from.attachments) {
      if (!this.#people.has(owner)) this.#note("files of nobody that the export has");
      else if (!(await from.hasFile("uploads", path_id))) this.#note("files that the export names and does not have");
    }
    const pictures = new Set<OldUserId>();
    for (const { path, user_profile_id } of await from.records("avatars"))
      if (user_profile_id !== undefined && path.endsWith(".original") && (await from.hasFile("avatars", path)))
        pictures.add(user_profile_id);
    for (const { id, avatar_source } of users(from))
      if (avatar_source === "U" && !pictures.has(id)) this.#note("pictures of people that the export does not have");
    const emoji = new Map((await from.records("emoji")).map(({ file_name, path }) => [file_name, path]));
    for (const { file_name } of from.rows("zerver_realmemoji")) {
      const path = emoji.get(file_name);
      if (path === undefined || !(await from.hasFile("emoji", path)))
        this.#note("pictures of custom emoji that the export does not have");
    }
  }
}

const isNothing = (value: unknown): boolean =>
  value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);

const peopleColumns = new Set(["user_profile", "user", "sender", "bot_profile", "muted_user"]);

/** Of an organization: what it is, and what belongs to the server that it was on. */
const realmColumns = new Set(
  `id name string_id date_created deactivated deactivated_redirect uuid uuid_owner_secret plan_type
   push_notifications_enabled push_notifications_enabled_end_timestamp demo_organization_scheduled_deletion_date
   scheduled_deletion_date _max_invites message_visibility_limit first_visible_message_id upload_quota_gb
   custom_upload_quota_gb zulip_update_announcements_level icon_source icon_version logo_source logo_version
   night_logo_source night_logo_version`.split(/\s+/),
);

/** The same of people. */
const userColumns = new Set(
  `id realm uuid delivery_email email full_name role is_active is_bot bot_type bot_owner is_mirror_dummy is_imported_stub
   date_joined last_login timezone avatar_source avatar_version avatar_hash recipient can_create_users
   can_change_user_emails default_sending_stream default_events_register_stream default_all_public_streams is_staff
   is_superuser is_billing_admin is_deleted long_term_idle last_active_message_id last_reminder rate_limits tos_version
   tutorial_status onboarding_steps zoom_token third_party_api_state groups user_permissions password
   email_address_is_realm_public`.split(/\s+/),
);
