/** Small exports of other programs, written after their documents: names of files → what is in them. */

const day = (messages: object[]): string => JSON.stringify(messages);

/** https://slack.com/help/articles/220556107-How-to-read-Slack-data-exports */
export const slackExport: Readonly<Record<string, string>> = {
  "users.json": JSON.stringify([
    {
      id: "U1",
      name: "ada",
      is_owner: true,
      is_admin: true,
      tz: "Europe/London",
      profile: { real_name: "Ada Lovelace", email: "ada@example.com" },
    },
    { id: "U2", name: "bob", profile: { real_name: "Bob Ross", email: "bob@example.com" } },
    { id: "U3", name: "cy", is_restricted: true, profile: { real_name: "Cy Guest", email: "cy@example.com" } },
    { id: "U4", name: "dee", deleted: true, profile: { real_name: "Dee Gone", email: "dee@example.com" } },
  ]),
  "channels.json": JSON.stringify([
    {
      id: "C1",
      name: "general",
      created: 1_600_000_000,
      creator: "U1",
      members: ["U1", "U2"],
      purpose: { value: "All" },
    },
  ]),
  "groups.json": JSON.stringify([{ id: "G1", name: "secret", created: 1_600_000_100, members: ["U1"] }]),
  "dms.json": JSON.stringify([{ id: "D1", created: 1_600_000_200, members: ["U1", "U2"] }]),
  "mpims.json": JSON.stringify([{ id: "G2", name: "mpdm-ada--bob--cy-1", members: ["U1", "U2", "U3"] }]),
  "general/2020-09-14.json": day([
    { type: "message", subtype: "channel_join", user: "U2", text: "<@U2> has joined", ts: "1600000001.000100" },
    {
      type: "message",
      user: "U1",
      text: "Hello *all*, see <https://example.com/a?b=1&amp;c=2|the page> :tada:",
      ts: "1600000002.000100",
      reactions: [{ name: "+1::skin-tone-3", users: ["U2"], count: 1 }],
    },
    { type: "message", user: "U2", text: "Who brings figs?", ts: "1600000003.000100", thread_ts: "1600000003.000100" },
  ]),
  "general/2020-09-15.json": day([
    {
      type: "message",
      user: "U1",
      text: "<@U2> I do, in <#G1|secret>",
      ts: "1600090000.000100",
      thread_ts: "1600000003.000100",
    },
    {
      type: "message",
      subtype: "bot_message",
      bot_id: "B1",
      username: "Builder",
      text: "Build 7 is &lt;green&gt; &amp; done",
      ts: "1600090001.000100",
    },
    {
      type: "message",
      user: "U2",
      text: "The list",
      ts: "1600090002.000100",
      files: [{ id: "F2", name: "list.txt", permalink: "https://files.example.com/F2?t=secret" }],
    },
  ]),
  "secret/2020-09-15.json": day([
    { type: "message", subtype: "me_message", user: "U1", text: "whispers", ts: "1600090003.000100" },
  ]),
  "D1/2020-09-15.json": day([{ type: "message", user: "U2", text: "Between us", ts: "1600090004.000100" }]),
  "mpdm-ada--bob--cy-1/2020-09-15.json": day([
    { type: "message", user: "U1", text: "Among three", ts: "1600090005.000100" },
  ]),
};

/** A picture of one point. */
const png = "base64:iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** https://docs.mattermost.com/administration-guide/onboard/bulk-loading-data.html */
export const mattermostExport: Readonly<Record<string, string>> = {
  "import.jsonl": lines([
    { type: "version", version: 1 },
    { type: "emoji", emoji: { name: "quince", image: "emoji/quince.png" } },
    { type: "team", team: { name: "orchard", display_name: "Orchard", type: "O" } },
    { type: "channel", channel: { team: "orchard", name: "town-square", display_name: "Town Square", type: "O" } },
    { type: "channel", channel: { team: "orchard", name: "inner", display_name: "Inner", type: "P" } },
    {
      type: "user",
      user: {
        username: "ada",
        email: "ada@example.org",
        first_name: "Ada",
        last_name: "Lovelace",
        roles: "system_admin system_user",
        teams: [{ name: "orchard", roles: "team_user", channels: [{ name: "town-square" }, { name: "inner" }] }],
      },
    },
    {
      type: "user",
      user: {
        username: "bob",
        email: "bob@example.org",
        nickname: "Bob Ross",
        roles: "system_user",
        teams: [{ name: "orchard", roles: "team_user", channels: [{ name: "town-square" }] }],
      },
    },
    {
      type: "post",
      post: {
        team: "orchard",
        channel: "town-square",
        user: "bob",
        message: "Who brings figs?",
        create_at: 1_600_000_020_000,
        edit_at: 1_600_000_025_000,
        flagged_by: ["ada"],
        replies: [
          { user: "ada", message: "I do", create_at: 1_600_000_030_000, attachments: [{ path: "files/list.txt" }] },
        ],
      },
    },
    {
      type: "post",
      post: {
        team: "orchard",
        channel: "town-square",
        user: "ada",
        message: "Hello @bob, see ~inner",
        create_at: 1_600_000_010_000,
        reactions: [{ user: "bob", emoji_name: "quince", create_at: 1_600_000_011_000 }],
      },
    },
    { type: "direct_channel", direct_channel: { members: ["ada", "bob"] } },
    {
      type: "direct_post",
      direct_post: {
        channel_members: ["ada", "bob"],
        user: "bob",
        message: "Between us",
        create_at: 1_600_000_040_000,
      },
    },
  ]),
  "data/emoji/quince.png": png,
  "data/files/list.txt": "figs",
};

const date = (second: number) => ({ $date: new Date(1_600_000_000_000 + 1000 * second).toISOString() });
const ada = { _id: "uAda", username: "ada" };
const bob = { _id: "uBob", username: "bob" };
const inRoom = (rid: string, _id: string, second: number, u: object, msg: string, more: object = {}) => ({
  _id,
  rid,
  ts: date(second),
  u,
  msg,
  ...more,
});

/** Collections by `mongoexport`; of messages also as the second version of Extended JSON has them. */
export const rocketchatExport: Readonly<Record<string, string>> = {
  "users.json": lines([
    { ...ada, name: "Ada Lovelace", emails: [{ address: "ada@example.net" }], roles: ["user", "admin"], active: true },
    { ...bob, name: "Bob Ross", emails: [{ address: "bob@example.net" }], roles: ["user"], active: true },
    { _id: "uCy", username: "cy", name: "Cy Guest", emails: [{ address: "ADA@example.net" }], roles: ["guest"] },
    { _id: "rocket.cat", username: "rocket.cat", name: "Rocket.Cat", type: "bot", roles: ["bot"] },
  ]),
  "rocketchat_settings.json": lines([{ _id: "Site_Name", value: "Orchard" }]),
  "rocketchat_room.json": JSON.stringify([
    { _id: "GENERAL", t: "c", name: "general", description: "Of everybody", u: ada, ts: date(0) },
    { _id: "rIn", t: "p", name: "inner", fname: "Inner", u: ada, ts: { $date: { $numberLong: "1600000000000" } } },
    { _id: "rFigs", t: "c", name: "xyz", fname: "All about figs", prid: "GENERAL", u: ada },
    { _id: "uAdauBob", t: "d", uids: ["uAda", "uBob"] },
    { _id: "rLive", t: "l", fname: "A visitor" },
  ]),
  "rocketchat_subscription.json": lines(
    [
      ["GENERAL", ada],
      ["GENERAL", bob],
      ["rIn", ada],
      ["rFigs", bob],
    ].map(([rid, u]) => ({ rid, u })),
  ),
  "rocketchat_message.json": lines([
    inRoom("GENERAL", "m4", 40, ada, "I *do* ~not~, see #inner", { tmid: "m2", editedAt: date(45) }),
    inRoom("GENERAL", "m1", 10, ada, "Hello @bob and @all", {
      reactions: { ":tada:": { usernames: ["bob", "gone"] } },
    }),
    inRoom("GENERAL", "m2", 20, bob, "Who brings figs?", { tcount: 1, starred: [{ _id: "uAda" }] }),
    inRoom("GENERAL", "m3", 30, bob, "bob", { t: "uj" }),
    inRoom("GENERAL", "m5", 50, bob, "[ ](https://chat.example.net/channel/general?msg=m1) Same here", {
      attachments: [{ author_name: "ada", text: "Hello @bob", message_link: "https://chat.example.net/x?msg=m1" }],
    }),
    inRoom("rFigs", "m6", 60, bob, "The list", {
      file: { _id: "fList", name: "list.txt" },
      files: [
        { _id: "fList", name: "list.txt" },
        { _id: "fThumb", name: "thumb-list.txt" },
      ],
      attachments: [{ type: "file", title: "list.txt", title_link: "/file-upload/fList/list.txt" }],
    }),
    inRoom("rIn", "m7", 70, { _id: "rocket.cat", username: "rocket.cat" }, "", {
      attachments: [{ title: "Build 7", title_link: "https://ci.example.net/7", text: "is done" }],
    }),
    inRoom("uAdauBob", "m8", 80, bob, "Between us"),
    inRoom("rLive", "m9", 90, ada, "May I help you?"),
  ]),
  "rocketchat_uploads.files.json": lines([{ _id: "fList", length: 9, chunkSize: 5, filename: "list.txt" }]),
  "rocketchat_uploads.chunks.json": lines([
    { files_id: "fList", n: 1, data: { $binary: { base64: "bWFueQ==", subType: "00" } } },
    { files_id: "fList", n: 0, data: { $binary: "ZmlncyA=", $type: "00" } },
  ]),
  "rocketchat_custom_emoji.json": lines([{ _id: "e1", name: "quince", extension: "png" }]),
  "custom_emoji/quince.png": png,
};
