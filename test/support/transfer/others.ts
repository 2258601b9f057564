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
