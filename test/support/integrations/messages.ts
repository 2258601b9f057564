/** What services post whose users write the texts themselves. */
import { type Sample, samplesOf } from "./sample.ts";

const wordpress = (hook: string, fields: Record<string, string>, content: RegExp): Sample => ({
  name: "wordpress",
  event: hook,
  payload: { hook, ...fields },
  topic: "WordPress notification",
  content,
  isForm: true,
});
const post = { post_title: "Tea", post_type: "page", post_url: "https://wp.example/tea" };

export const messageSamples: Sample[] = [
  ...samplesOf("homeassistant", [
    [undefined, { message: "The tea is ready" }, "homeassistant", /^The tea is ready$/],
    [undefined, { message: "Hot", topic: "kitchen" }, "kitchen", /^Hot$/],
  ]),
  ...samplesOf("ifttt", [
    [undefined, { topic: "if", content: "that" }, "if", /^that$/],
    [undefined, { subject: "older", content: "that" }, "older", /^that$/],
  ]),
  {
    name: "jotform",
    payload: { formTitle: "Order", submissionID: "12", pretty: "Name:Mia Tee, Tea:green, hot" },
    topic: "Order",
    content: /^Submission 12:\n\n\* Name: Mia Tee\n\* Tea: green, hot$/,
    isForm: true,
  },
  ...samplesOf("json", [[undefined, { a: [1, "x"] }, "JSON", /^```json\n\{\n {2}"a": \[\n/]]),
  ...samplesOf("slack_incoming", [
    [
      undefined,
      { channel: "#dev", text: "*Done*, see <https://a.example/|here>" },
      "dev",
      /^\*\*Done\*\*, see \[here\]\(https:\/\/a\.example\/\)$/,
    ],
    [
      undefined,
      {
        channel: "@ops",
        attachments: [
          {
            title: "Build",
            title_link: "https://b.example",
            text: "_ok_",
            fields: [{ title: "Took", value: "3 s" }],
            image_url: "https://b.example/i.png",
            footer: "CI",
            ts: 1_700_000_000,
          },
        ],
      },
      "ops",
      /^\n?~~~ quote\n\*\*\[Build\]\(https:\/\/b\.example\)\*\*\n\*ok\*\n\*\*Took\*\*: 3 s\n\[Image\]\(https:\/\/b\.example\/i\.png\)\nCI\n<time:2023-11-14T22:13:20Z>\n~~~$/,
    ],
    [
      undefined,
      {
        channel: "dev",
        text: "for notifications",
        blocks: [
          { type: "header", text: { type: "plain_text", text: "News" } },
          { type: "section", text: { type: "mrkdwn", text: "*Tea*" }, fields: [{ type: "mrkdwn", text: "hot" }] },
          { type: "divider" },
          { type: "image", image_url: "https://b.example/i.png", alt_text: "pot" },
        ],
      },
      "dev",
      /^## News\n\*\*Tea\*\*\nhot\n---\n\[pot\]\(https:\/\/b\.example\/i\.png\)$/,
    ],
  ]),
  {
    name: "slack_incoming",
    payload: { payload: JSON.stringify({ text: "from a form", channel: "f" }) },
    topic: "f",
    content: /^from a form$/,
    isForm: true,
  },
  wordpress("publish_post", post, /^A new page was published: \[Tea\]\(https:\/\/wp\.example\/tea\)$/),
  wordpress("publish_page", post, /^A new page was published/),
  wordpress(
    "user_register",
    { display_name: "Kim", user_email: "kim@tea.example" },
    /^Somebody registered:\n\n\* \*\*Name\*\*: Kim\n\* \*\*Email\*\*: kim@tea\.example$/,
  ),
  wordpress("wp_login", { user_login: "kim" }, /^kim logged in\.$/),
  wordpress("comment_post", { comment_author: "kim", comment_content: "Nice" }, /^kim commented: Nice$/),
  ...samplesOf("zapier", [
    [undefined, { topic: "zap", content: "hello" }, "zap", /^hello$/],
    [undefined, { subject: "older", content: "hello" }, "older", /^hello$/],
  ]),
];
