/**
 * An export of one row for each table that an import reads, and copies of each row with one column after the other
 * hostile. What is not hostile is right, so that a row is left out for that column alone.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { realmGroupSettings, realmSettings } from "../../../actors/realm/state/settings.ts";
import { userSettings } from "../../../actors/users/settings/settings.ts";
import { channelGroupSettings, userGroupSettings } from "../../../storage/rows.ts";

type Row = Record<string, unknown>;

export const ownerEmail = "owner@example.com";
const defaults = (settings: Readonly<Record<string, { default: unknown }>>): Row =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, setting.default]));
const all = (names: readonly string[], value: unknown): Row => Object.fromEntries(names.map((name) => [name, value]));
const sentAt = 1_700_000_000;

const realm: Row = {
  id: 1,
  name: "Orchard",
  string_id: "orchard",
  date_created: sentAt,
  ...defaults(realmSettings),
  ...all(Object.keys(realmGroupSettings), 1),
  add_custom_emoji_policy: 1,
  bot_creation_policy: 1,
  wildcard_mention_policy: 1,
  private_message_policy: 1,
  giphy_rating: 2,
  mandatory_topics: false,
  allow_edit_history: true,
  new_stream_announcements_stream: 1,
};
const person: Row = {
  id: 1,
  delivery_email: ownerEmail,
  email: ownerEmail,
  full_name: "Olga Owner",
  role: 100,
  is_active: true,
  is_bot: false,
  bot_type: null,
  bot_owner: null,
  is_mirror_dummy: false,
  date_joined: sentAt,
  last_login: sentAt,
  timezone: "Europe/Berlin",
  avatar_source: "G",
  avatar_version: 1,
  recipient: 1,
  can_create_users: false,
  default_sending_stream: 1,
  default_events_register_stream: 1,
  default_all_public_streams: false,
  ...defaults(userSettings),
};

/** Tables of `realm.json`. Of most the right row comes first. */
export const realmTables: Readonly<Record<string, readonly Row[]>> = {
  zerver_realm: [realm],
  zerver_userprofile: [person, { ...person, id: 2, role: 400, delivery_email: "bob@example.com", recipient: 2 }],
  zerver_userprofile_mirrordummy: [
    { ...person, id: 3, role: 400, is_mirror_dummy: true, delivery_email: "cy@example.com", recipient: null },
  ],
  zerver_userprofile_crossrealm: [{ id: 4, email: "welcome-bot@zulip.com", recipient_id: 4 }],
  zerver_stream: [
    {
      id: 1,
      name: "general",
      description: "For everyone",
      rendered_description: "<p>For everyone</p>",
      date_created: sentAt,
      deactivated: false,
      invite_only: false,
      history_public_to_subscribers: true,
      is_web_public: false,
      message_retention_days: null,
      creator: 1,
      stream_post_policy: 1,
      folder: 1,
      topics_policy: 1,
      recipient: 3,
      ...all(channelGroupSettings, 1),
    },
  ],
  zerver_defaultstream: [{ stream: 1 }],
  zerver_recipient: [
    { id: 1, type: 1, type_id: 1 },
    { id: 2, type: 1, type_id: 2 },
    { id: 3, type: 2, type_id: 1 },
    { id: 5, type: 3, type_id: 1 },
  ],
  zerver_subscription: [
    {
      user_profile: 1,
      recipient: 3,
      active: true,
      is_muted: false,
      color: "#c2c2c2",
      pin_to_top: false,
      desktop_notifications: null,
      audible_notifications: null,
      push_notifications: null,
      email_notifications: null,
      wildcard_mentions_notify: null,
    },
  ],
  zerver_usergroup: [{ id: 1 }, { id: 2 }],
  zerver_namedusergroup: [
    {
      usergroup_ptr: 1,
      name: "gardeners",
      description: "Those who dig",
      is_system_group: false,
      creator: 1,
      date_created: sentAt,
      deactivated: false,
      ...all(userGroupSettings, 1),
    },
  ],
  zerver_usergroupmembership: [{ user_group: 1, user_profile: 1 }],
  zerver_groupgroupmembership: [
    { supergroup: 1, subgroup: 2 },
    { supergroup: 1, subgroup: 1 },
  ],
  zerver_realmdomain: [{ domain: "example.com", allow_subdomains: true }],
  zerver_realmemoji: [{ id: 1, name: "quince", file_name: "1.png", author: 1, is_animated: false, deactivated: false }],
  zerver_realmfilter: [
    {
      id: 1,
      pattern: "#(?P<id>[0-9]+)",
      url_template: "https://bugs.example.com/{id}",
      order: 1,
      example_input: "#7",
      reverse_template: "#{id}",
      alternative_url_templates: ["https://old.example.com/{id}"],
    },
    {
      id: 2,
      pattern: "file:(?P<path>[A-Za-z0-9_./-]{1,255})",
      url_template: "https://code.example.com/{+path}",
    },
    { id: 3, pattern: "js(?P<id>[0-9]+)", url_template: "javascript:alert({id})" },
  ],
  zerver_realmplayground: [
    { id: 1, name: "Run", pygments_language: "Python", url_template: "https://play.example.com/{code}" },
    { id: 2, name: "Script", pygments_language: "Python", url_template: "javascript:{code}" },
    { id: 3, name: "Older", pygments_language: "Rust", url_prefix: "https://play.example.com/?c=" },
  ],
  zerver_customprofilefield: [
    { ...field(1, "Town", 1), display_in_profile_summary: true },
    { ...field(2, "Tree", 3), field_data: '{"a":{"text":"Apple","order":"1"}}' },
    field(3, "Mentor", 6),
    { ...field(4, "Account", 7), field_data: '{"subtype":"github"}' },
    field(5, "Page", 5),
    { ...field(6, "Broken", 3), field_data: "{" },
  ],
  zerver_customprofilefieldvalue: [
    { user_profile: 1, field: 1, value: "Ulm" },
    { user_profile: 1, field: 2, value: "a" },
    { user_profile: 1, field: 3, value: "[2]" },
    { user_profile: 1, field: 5, value: "javascript:alert(1)" },
    { user_profile: 2, field: 6, value: "a" },
  ],
  zerver_alertword: [{ user_profile: 1, word: "figs" }],
  zerver_muteduser: [{ user_profile: 1, muted_user: 2, date_muted: sentAt }],
  zerver_userstatus: [
    { user_profile: 2, status_text: "Out", emoji_name: "car", emoji_code: "1f697", reaction_type: "unicode_emoji" },
  ],
  zerver_usertopic: [{ user_profile: 1, stream: 1, topic_name: "trees", last_updated: sentAt, visibility_policy: 3 }],
  zerver_onboardingstep: [{ user: 1, onboarding_step: "intro_inbox_view_modal" }],
  zerver_userpresence: [{ user_profile: 1, last_connected_time: sentAt, last_active_time: sentAt }],
  zerver_botstoragedata: [{ bot_profile: 2, key: "key", value: "value" }],
  zerver_scheduledmessage: [
    {
      id: 1,
      sender: 1,
      recipient: 3,
      subject: "later",
      content: "Later",
      rendered_content: "<p>Later</p>",
      sending_client: 1,
      scheduled_timestamp: 4_000_000_000,
      read_by_sender: true,
      delivered: false,
      failed: false,
      delivery_type: 1,
      reminder_target_message_id: 1,
      reminder_note: "Look",
    },
  ],
  zerver_client: [{ id: 1, name: "website" }],
  zerver_realmauditlog: [{ event_type: 303, acting_user: 1, modified_stream: 1, modified_user: 2 }],
  zerver_realmuserdefault: [{ id: 1, ...defaults(userSettings) }],
  zerver_service: [{ user_profile: 2, base_url: "https://hooks.example.com/", interface: 1 }],
  zerver_channelfolder: [
    {
      id: 1,
      name: "Folder",
      description: "A folder",
      rendered_description: "<p>A folder</p>",
      date_created: sentAt,
      creator: 1,
      is_archived: false,
      order: 1,
    },
  ],
  zerver_defaultstreamgroup: [{ id: 1, name: "For gardeners", description: "Trees", streams: [1] }],
  zerver_draft: [{ id: 1, user_profile: 1, recipient: 3, topic: "draft", content: "Not yet", last_edit_time: sentAt }],
  zerver_savedsnippet: [{ id: 1, user_profile: 1, title: "Hello", content: "Hello all", date_created: sentAt }],
  zerver_navigationview: [{ user: 1, fragment: "narrow/channel/1-general", is_pinned: true, name: "General" }],
  zerver_submessage: [
    {
      id: 1,
      message: 1,
      sender: 1,
      msg_type: "widget",
      content: '{"widget_type":"poll","extra_data":{"question":"?"}}',
    },
  ],
  zerver_reaction: [
    { id: 1, user_profile: 1, message: 1, emoji_name: "car", emoji_code: "1f697", reaction_type: "unicode_emoji" },
    { id: 2, user_profile: 1, message: 1, emoji_name: "quince", emoji_code: "1", reaction_type: "realm_emoji" },
    { id: 3, user_profile: 1, message: 1, emoji_name: "lost", emoji_code: "77", reaction_type: "realm_emoji" },
  ],
  parley_received: [{ user_profile: 1, stream: 1 }],
  parley_export: [{ version: 1, url: "https://old.example.com" }],
  parley_userprofile: [{ id: 2, is_deleted: false, has_unconfirmed_email: false, edited_settings: ["color_scheme"] }],
};

const messageTables: Readonly<Record<string, readonly Row[]>> = {
  zerver_message: [
    {
      id: 1,
      sender: 1,
      recipient: 3,
      subject: "trees",
      content: "Hello",
      rendered_content: "<p>Hello</p>",
      date_sent: sentAt,
      sending_client: 1,
      last_edit_time: sentAt,
      edit_history: '[{"user_id":1,"timestamp":1700000000,"prev_content":"Hi","prev_rendered_content":"<p>Hi</p>"}]',
      has_attachment: false,
      has_image: false,
      has_link: false,
    },
  ],
  zerver_usermessage: [{ user_profile: 1, message: 1, flags_mask: 3 }],
  parley_message: [{ id: 1, mentioned: [1], alerted: [2], is_me_message: false, not_received: [2] }],
};

const uploadTables: Readonly<Record<string, readonly Row[]>> = {
  zerver_attachment: [
    {
      id: 1,
      file_name: "notes.txt",
      path_id: "1/aa/notes.txt",
      owner: 1,
      create_time: sentAt,
      size: 4,
      content_type: "text/plain",
      messages: [1],
    },
  ],
  parley_attachment: [{ path_id: "1/aa/notes.txt", image: { width: 1, height: 1, type: "image/png", frames: 1 } }],
};

function field(id: number, name: string, field_type: number): Row {
  return { id, name, hint: "", order: id, field_type, field_data: "", display_in_profile_summary: false };
}

const markup =
  '<div style="position:fixed;top:0;width:100%">x</div><meta http-equiv="refresh" content="0;url=//a.example"><form><input></form><iframe src="//a.example"></iframe><script>alert(1)</script><a href="javascript:alert(1)" onclick="alert(1)">y</a>';
/** What no column expects, by what it is. */
export const hostileValues: Readonly<Record<string, unknown>> = {
  "a text with control characters": "a\0b\ud800\r\nSet-Cookie: x=1\u202e\u2028\u200b\ufeff\u007f ",
  markup: markup,
  "an empty text": "",
  "an address of a script": "javascript:alert(1)//{code}{+id}{id}",
  "a broken template and pattern": "(?P<id>[0-9]{1,999}{+x}{ %(y)s",
  "a long text": "x\u{1f600}".repeat(60_000),
  "JSON in a text": '{"__proto__":{"a":1},"toString":1,"widget_type":7,"text":[[]]}',
  "a name of a method": "__proto__",
  nothing: null,
  yes: true,
  zero: 0,
  fifty: 50,
  "a negative number": -1,
  "a fraction": 1.5,
  "a number beyond all": 1e300,
  "a number beyond integers": 2 ** 53,
  "an id of nobody": 999_999_999,
  "a list": [[1], { a: 1 }, "x", null],
  "an object": { toString: 1, __proto__: null, a: { b: [1] } },
};

/** @param isOurs whether it says that Parley wrote it */
export async function writeHostileArchive(
  folder: string,
  hostile: unknown,
  { isOurs }: { isOurs: boolean },
): Promise<void> {
  const files = { "realm.json": realmTables, "messages-000001.json": messageTables, "attachment.json": uploadTables };
  for (const [name, tables] of Object.entries(files))
    await writeFile(
      join(folder, name),
      JSON.stringify(
        Object.fromEntries(
          Object.entries(tables)
            .filter(([table]) => table !== "parley_export" || isOurs)
            .map(([table, rows]) => [
              table,
              table === "zerver_realm" ? [hostileRealm(hostile)] : variants(rows, hostile),
            ]),
        ),
      ),
    );
  await mkdir(join(folder, "uploads/1/aa"), { recursive: true });
  await writeFile(join(folder, "uploads/1/aa/notes.txt"), "figs");
  for (const kind of ["avatars", "emoji", "realm_icons", "link_previews", "uploads"]) {
    await mkdir(join(folder, kind), { recursive: true });
    const records = [{ path: hostile }, { path: "../realm.json", user_profile_id: 1, file_name: "1.png" }, hostile];
    await writeFile(join(folder, kind, "records.json"), JSON.stringify(records));
  }
}

/** There is one: all of it is hostile at once, but for what it is told from others by. */
const hostileRealm = (hostile: unknown): Row => ({ ...all(Object.keys(realm), hostile), id: 1 });

/** The rows, and for each column of the first one that has it a row with something hostile there. */
function variants(rows: readonly Row[], hostile: unknown): Row[] {
  const made: Row[] = [...rows];
  const seen = new Set<string>();
  for (const row of rows)
    for (const column of Object.keys(row)) {
      if (seen.has(column)) continue;
      seen.add(column);
      const id = 1_000 + made.length;
      const ownId = "id" in row ? { id } : "usergroup_ptr" in row ? { usergroup_ptr: id } : {};
      const email = "delivery_email" in row ? { delivery_email: `p${id}@example.com`, role: 400 } : {};
      made.push({ ...row, ...ownId, ...email, [column]: hostile });
    }
  // A row that is there twice.
  return [...made, rows[0]!];
}
