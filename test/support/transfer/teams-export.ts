/** A small folder of Microsoft Graph's answers. https://learn.microsoft.com/graph/api/channel-list-messages */

const value = (rows: readonly unknown[]): string => JSON.stringify({ "@odata.context": "x", value: rows });
export const [generalChannel, hiringChannel] = ["19:4a95@thread.tacv2", "19:7b01@thread.tacv2"];
const hosted = "aWQ9eF8wLXd1cy1kMS02YmI3";
const user = (id: string, displayName: string) => ({ user: { id, displayName, userIdentityType: "aadUser" } });
export const ada = user("u-ada", "Ada Lovelace");
const bob = user("u-bob", "Bob Ross");

/** A message of a channel, so many seconds later. */
export const said = (id: string, second: number, from: unknown, content: string, more: object = {}) => ({
  id,
  replyToId: null,
  messageType: "message",
  createdDateTime: new Date(1_600_000_000_000 + second * 1000).toISOString(),
  lastEditedDateTime: null,
  deletedDateTime: null,
  subject: null,
  chatId: null,
  from,
  body: { contentType: "html", content },
  channelIdentity: { teamId: "t-1", channelId: generalChannel },
  attachments: [],
  mentions: [],
  reactions: [],
  ...more,
});
const inChat = (chatId: string) => ({ chatId, channelIdentity: null });

export const teamsExport: Readonly<Record<string, string>> = {
  "users.json": value([
    { id: "u-ada", displayName: "Ada Lovelace", mail: "ada@example.edu", accountEnabled: true, userType: "Member" },
    { id: "u-bob", displayName: "Bob Ross", mail: null, userPrincipalName: "bob@example.edu" },
  ]),
  "users/2.json": value([
    { id: "u-cy", displayName: "Cy Guest", mail: "cy@example.edu", userType: "Guest", accountEnabled: false },
  ]),
  "teams.json": value([{ id: "t-1", displayName: "Orchard", description: "All of us", visibility: "public" }]),
  "channels/t-1.json": value([
    { id: generalChannel, displayName: "General", membershipType: "standard" },
    { id: hiringChannel, displayName: "Hiring", membershipType: "private" },
  ]),
  "members/t-1.json": value([
    { userId: "u-ada", roles: ["owner"] },
    { userId: "u-bob", roles: [] },
    { userId: "u-gone", roles: [] },
  ]),
  "members/19_7b01_thread.tacv2.json": value([{ userId: "u-ada", roles: ["owner"] }]),
  "chats.json": value([
    { id: "c-1", chatType: "oneOnOne", members: [{ userId: "u-ada" }, { userId: "u-bob" }] },
    {
      id: "c-2",
      chatType: "group",
      topic: "Three",
      members: [{ userId: "u-ada" }, { userId: "u-bob" }, { userId: "u-cy" }],
    },
    { id: "c-3", chatType: "oneOnOne", members: [{ userId: "u-gone" }] },
  ]),
  "messages/1.json": value([
    said("m2", 20, bob, "<div><div>Who brings <b>figs</b>?&nbsp;</div></div>", {
      reactions: [
        { reactionType: "like", ...{ user: ada } },
        { reactionType: "😆", user: bob },
        { reactionType: "heart", user: user("u-gone", "Gone") },
        { reactionType: "fig-like", user: bob },
      ],
      replies: [said("m3", 30, ada, "<p>I do</p>", { replyToId: "m2", lastEditedDateTime: "2020-09-13T12:27:20Z" })],
    }),
    said(
      "m1",
      10,
      ada,
      'Hello <at id="0">Bob</at> <at id="1">Ross</at>, <at id="2">General</at>, see <a href="https://example.edu/a">this</a>',
      {
        mentions: [
          { id: 0, mentionText: "Bob", mentioned: bob },
          { id: 1, mentionText: "Ross", mentioned: bob },
          {
            id: 2,
            mentionText: "General",
            mentioned: { conversation: { id: generalChannel, displayName: "General" } },
          },
        ],
      },
    ),
    said("m4", 40, bob, "Late", { replyToId: "m0" }),
    said("m5", 50, ada, "<p>The list</p><p>of it</p>", { subject: "Harvest: the plan" }),
    said("m6", 60, null, "<systemEventMessage/>", { messageType: "unknownFutureValue" }),
    said("m7", 70, bob, "", { deletedDateTime: "2020-09-14T00:00:00Z" }),
  ]),
  "messages/2.json": JSON.stringify([
    said("m8", 80, { application: { id: "a-1", displayName: "Builder" } }, '<attachment id="k"></attachment>', {
      attachments: [
        {
          id: "k",
          contentType: "application/vnd.microsoft.card.adaptive",
          content: JSON.stringify({
            type: "AdaptiveCard",
            body: [{ type: "TextBlock", text: "Build 7" }, { items: [{ text: "done" }] }],
          }),
        },
        { id: "k2", contentType: "application/vnd.microsoft.card.hero", content: "nonsense" },
      ],
    }),
    said("m9", 90, bob, '<attachment id="m1"></attachment><p>Same here</p>', {
      attachments: [
        {
          id: "m1",
          contentType: "messageReference",
          content: JSON.stringify({ messageId: "m1", messagePreview: "Hello Bob", messageSender: ada }),
        },
        {
          id: "f-1",
          contentType: "reference",
          name: "list.txt",
          contentUrl: "https://example.sharepoint.com/list.txt",
        },
        {
          id: "f-2",
          contentType: "reference",
          name: "plan b.txt",
          contentUrl: "https://example.sharepoint.com/plan b.txt",
        },
      ],
    }),
    said(
      "m10",
      100,
      ada,
      `<p>Look</p><img src="https://graph.microsoft.com/v1.0/x/hostedContents/${hosted}/$value" alt="image">`,
      {
        channelIdentity: { teamId: "t-1", channelId: hiringChannel },
      },
    ),
    said("m11", 110, bob, "<pre>a * b\n</pre><ul><li>one</li><li>two</li></ul>", inChat("c-1")),
    said("m12", 120, user("u-far", "Fay Far"), "Among three", inChat("c-2")),
    said("m13", 130, bob, "To nobody", inChat("c-3")),
  ]),
  "files/f-1/list.txt": "figs",
  [`files/${hosted}.png`]:
    "base64:iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};
