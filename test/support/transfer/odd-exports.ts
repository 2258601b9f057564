/** Exports with what other programs hang on messages, and with what nobody can bring along. */
import { mattermostExport, rocketchatExport, slackExport } from "./others.ts";

type Files = Readonly<Record<string, string>>;

const parsed = (files: Files, name: string): object[] => JSON.parse(files[name] ?? "[]") as object[];
/** Rows behind those of a list. */
const withRows = (files: Files, name: string, rows: readonly object[]): Record<string, string> => ({
  [name]: JSON.stringify([...parsed(files, name), ...rows]),
});
const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

const slackDay = "general/2020-09-16.json";
const slackSays = (ts: string, more: object) => ({ type: "message", user: "U1", text: "", ts, ...more });
const [slackGeneral] = parsed(slackExport, "channels.json");

/** https://docs.slack.dev/reference/block-kit/blocks */
export const oddSlackExport: Files = {
  ...slackExport,
  "channels.json": JSON.stringify([
    {
      ...slackGeneral,
      members: ["U1", "U2", "UGONE"],
      creator: "UGONE",
      topic: { value: "Of figs" },
      pins: [
        { id: "1600000003.000100", type: "C", created: 1_600_200_000, user: "U2" },
        { id: "F9", type: "F", created: 1_600_200_001, user: "U2" },
      ],
    },
    { id: "C2", name: "empty", members: [] },
    { ...slackGeneral, id: "C3" },
  ]),
  ...withRows(slackExport, "dms.json", [
    { id: "D2", members: ["UGONE"] },
    { id: "D3", members: ["U1", "UGONE"] },
  ]),
  "D3/2020-09-15.json": JSON.stringify([slackSays("1600090006.000100", { text: "To nobody", pinned_to: ["D3"] })]),
  "FCLOSED/2020-09-15.json": "[]",
  "integration_logs.json": "[]",
  [slackDay]: JSON.stringify([
    slackSays("1600180001.000100", {
      subtype: "bot_message",
      bot_id: "B1",
      attachments: [
        {
          pretext: "It ran",
          author_name: "CI",
          title: "Build 8",
          title_link: "https://ci.example.com/8",
          text: "*green* for <@U2>",
          fields: [{ title: "Took", value: "8 min" }],
          footer: "by Builder",
          actions: [{ type: "button", text: "Again" }],
        },
        { color: "good" },
        { from_url: "https://example.com", title: "A page", text: "which is previewed" },
        { text: 5 },
      ],
    }),
    slackSays("1600180002.000100", {
      text: "A summary",
      blocks: [
        { type: "header", text: { type: "plain_text", text: "Harvest" } },
        { type: "section", text: { type: "mrkdwn", text: "*ripe* in <#C1>" }, accessory: { type: "button" } },
        { type: "actions", elements: [{ type: "button" }, { type: "button" }] },
        { type: "hologram" },
      ],
    }),
    slackSays("1600180003.000100", {
      blocks: [
        {
          type: "rich_text",
          elements: [
            {
              type: "rich_text_list",
              style: "ordered",
              elements: [
                { type: "rich_text_section", elements: [{ type: "text", text: "figs ", style: { bold: true } }] },
                { type: "rich_text_section", elements: [{ type: "user", user_id: "U2" }] },
              ],
            },
          ],
        },
      ],
    }),
    slackSays("1600180004.000100", {
      user: "UFAR",
      user_profile: { real_name: "Fay Far" },
      text: "From afar",
      reactions: [{ name: "+1", users: ["U2", "UGONE", "U2"], count: 5 }],
    }),
    slackSays("1600180005.000100", { user: "UGONE", text: "Gone" }),
    slackSays("soon", { text: "Never" }),
    slackSays(" ", { text: "In 1970" }),
    slackSays("-5.5", { text: "Before" }),
    slackSays("1600180006.000100", { subtype: "slackbot_response", text: "Ask me" }),
    slackSays("1600180007.000100", {
      text: "See",
      attachments: [
        { is_share: true, from_url: "https://example.com/1", text: "shared", files: [{ id: "F7", name: "a.txt" }] },
      ],
    }),
  ]),
};

const post = (second: number, more: object) => ({
  type: "post",
  post: {
    team: "orchard",
    channel: "town-square",
    user: "bob",
    message: "",
    create_at: 1_600_000_100_000 + 1000 * second,
    ...more,
  },
});

/** https://developers.mattermost.com/integrate/reference/message-attachments/ */
export const oddMattermostExport: Files = {
  ...mattermostExport,
  "second.jsonl": "",
  "import.jsonl":
    mattermostExport["import.jsonl"] +
    lines([
      { type: "role", role: { name: "gardener" } },
      { type: "bot", bot: { username: "digger", display_name: "The Digger" } },
      {
        type: "user",
        user: { username: "cy", teams: [{ name: "orchard", channels: [{ name: "gone" }] }] },
      },
      post(1, {
        message: "Built",
        is_pinned: true,
        props: {
          from_webhook: "true",
          override_username: "Builder",
          attachments: [{ title: "Build 9", text: "for @bob", fields: [{ title: "Took", value: 9 }] }, {}],
        },
      }),
      post(2, {
        user: "digger",
        message: "Dug",
        flagged_by: ["ada", "gone"],
        reactions: [{ user: "gone", emoji_name: "tada" }],
      }),
      post(3, { user: "gone", message: "Gone" }),
      post(5, { message: "In 1970", create_at: 0 }),
      post(6, { message: "Half a second", create_at: 1.5 }),
      post(4, { channel: "gone", message: "Nowhere" }),
      {
        type: "direct_post",
        direct_post: {
          channel_members: ["ada", "gone"],
          user: "ada",
          message: "To nobody",
          is_pinned: true,
          create_at: 1_600_000_200_000,
        },
      },
    ]),
};

const said = (_id: string, second: number, more: object) => ({
  _id,
  rid: "GENERAL",
  ts: { $date: new Date(1_600_000_100_000 + 1000 * second).toISOString() },
  u: { _id: "uBob", username: "bob" },
  msg: "",
  ...more,
});

export const oddRocketchatExport: Files = {
  ...rocketchatExport,
  "rocketchat_team.json": "[]",
  "rocketchat_room.json": JSON.stringify([
    ...parsed(rocketchatExport, "rocketchat_room.json"),
    { _id: "rDm", t: "d", uids: ["uAda", "uGone"] },
  ]),
  "rocketchat_message.json":
    rocketchatExport["rocketchat_message.json"] +
    lines([
      said("n1", 1, {
        msg: "Built",
        alias: "Builder",
        pinned: true,
        pinnedBy: { _id: "uAda", username: "ada" },
        pinnedAt: { $date: "2020-09-20T00:00:00Z" },
        attachments: [
          { text: "outer", attachments: [{ text: "inner", attachments: "none" }] },
          { color: "#fff" },
          { type: "file", title: "list.txt", description: "What *grows*" },
          { audio_url: "https://files.example.net/a.mp3" },
        ],
      }),
      said("n5", 5, { msg: "In 1970", ts: { $date: new Date(0).toISOString() } }),
      said("n2", 2, { msg: "Starred", starred: [{ _id: "uGone" }] }),
      said("n3", 3, { rid: "uAdauBob", msg: "Between us", pinned: true }),
      said("n4", 4, { blocks: [{ type: "section", text: { type: "mrkdwn", text: "From an *app*" } }] }),
    ]),
};
