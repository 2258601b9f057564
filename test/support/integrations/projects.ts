/** What services post where work is planned and written down, in the forms of their documentation. */
import { type Sample, samplesOf } from "./sample.ts";

const clickup = ["task", "space", "folder", "list", "goal", "key result"].flatMap((kind) => {
  const title = kind.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  const stem = kind.replace(" r", "R");
  const topic = kind === "key result" ? "Goal" : title;
  const payload = (verb: string) => ({
    event: `${stem}${verb}`,
    team_id: "1",
    [`${kind}_id`]: "x2",
    history_items: [
      { field: "status", before: { status: "open" }, after: { status: "done" }, user: { username: "Mia" } },
    ],
  });
  const name = title.charAt(0) + title.slice(1).toLowerCase();
  return [
    [
      `${title} Created`,
      payload("Created"),
      topic,
      new RegExp(
        `^\\[${name}\\]\\(https://app\\.clickup\\.com/.*\\) was created by Mia:\\n\\n\\* status: open → done$`,
      ),
    ],
    [`${title} Updated`, payload("Updated"), topic, /was updated by Mia/],
    [`${title} Deleted`, payload("Deleted"), topic, new RegExp(`^A ${kind} was deleted\\.$`)],
  ] as const;
});

const issue = {
  key: "K-1",
  self: "https://jira.example/base/rest/api/2/issue/1",
  fields: {
    summary: "Kettle",
    priority: { name: "High" },
    issuetype: { name: "Bug" },
    assignee: { displayName: "Kim" },
  },
};
const jira = (webhookEvent: string, more: object = {}) => ({
  webhookEvent,
  user: { displayName: "Mia" },
  issue,
  ...more,
});
const comment = { comment: { author: { displayName: "Mia" }, body: "*Done* {{x}} [here|https://a.example]" } };
const jiraSaid = "\\n~~~ quote\\n\\*\\*Done\\*\\* `x` \\[here\\]\\(https://a\\.example\\)\\n~~~$";
const jiraIssue = "\\[K-1\\]\\(https://jira\\.example/base/browse/K-1\\): Kettle";

const linearIssue = {
  id: "u1",
  identifier: "TEA-1",
  number: 1,
  title: "It leaks",
  description: "A lot",
  priorityLabel: "High",
  team: { name: "Tea" },
  state: { name: "Todo" },
  assignee: { name: "Kim" },
};
const linear = (type: string, action: string, data: object, more: object = {}) => ({
  type,
  action,
  data,
  url: "https://linear.example/1",
  actor: { name: "Mia" },
  ...more,
});

const notionVerbs: Record<string, string[]> = {
  page: "created deleted undeleted moved locked unlocked content_updated properties_updated transcription_block_transcript_deleted".split(
    " ",
  ),
  database: "created deleted undeleted moved content_updated schema_updated".split(" "),
  data_source: "created deleted undeleted moved content_updated schema_updated".split(" "),
  comment: "created updated deleted".split(" "),
};
const notionNames: Record<string, string> = {
  page: "Page",
  database: "Database",
  data_source: "Datasource",
  comment: "Comment",
};
const notion = Object.entries(notionVerbs).flatMap(([kind, verbs]) =>
  verbs.map(
    (verb) =>
      [
        `${kind}.${verb}`,
        { type: `${kind}.${verb}`, entity: { id: "1a-2b", type: kind }, authors: [{}, {}], data: { page_id: "3c-4d" } },
        notionNames[kind]!,
        new RegExp(
          `^\\[${notionNames[kind]}\\]\\(https://www\\.notion\\.so/${kind === "comment" ? "3c4d" : "1a2b"}\\) .* by 2 people\\.$`,
        ),
      ] as const,
  ),
);

const trelloCard = { name: "Leak", shortLink: "c1" };
const trello = (type: string, data: object, said: string) =>
  [
    type,
    {
      model: { name: "Tea" },
      action: {
        type,
        memberCreator: { fullName: "Mia" },
        member: { fullName: "Kim" },
        data: { board: { name: "Tea", shortLink: "b1" }, card: trelloCard, ...data },
      },
    },
    "Tea",
    new RegExp(`^Mia ${said}`),
  ] as const;
const card = "\\[Leak\\]\\(https://trello\\.com/c/c1\\)";
const board = "\\[Tea\\]\\(https://trello\\.com/b/b1\\)";

export const projectSamples: Sample[] = [
  ...samplesOf("clickup", clickup),
  ...samplesOf("dropbox", [
    [undefined, { list_folder: { accounts: ["a"] } }, "Dropbox", /^Files in Dropbox have changed\.$/],
  ]),
  ...samplesOf("jira", [
    [
      "jira:issue_created",
      jira("jira:issue_created"),
      "K-1: Kettle",
      new RegExp(
        `^Mia created ${jiraIssue}\\n\\n\\* \\*\\*Type\\*\\*: Bug\\n\\* \\*\\*Priority\\*\\*: High\\n\\* \\*\\*Assignee\\*\\*: Kim$`,
      ),
    ],
    [
      "jira:issue_updated",
      jira("jira:issue_updated", {
        issue_event_type_name: "issue_generic",
        changelog: { items: [{ field: "status", fromString: "To Do", toString: "Done" }] },
      }),
      "K-1: Kettle",
      new RegExp(`^Mia updated ${jiraIssue} \\(assigned to Kim\\)\\n\\n\\* status: To Do → \\*\\*Done\\*\\*$`),
    ],
    [
      "jira:issue_updated",
      { user: { displayName: "Mia" }, issue, transition: { from_status: "To Do", to_status: "Done" } },
      "K-1: Kettle",
      /\* status: To Do → \*\*Done\*\*$/,
    ],
    [
      "jira:issue_updated",
      jira("jira:issue_updated", { issue_event_type_name: "issue_comment_edited", ...comment }),
      "K-1: Kettle",
      new RegExp(`^Mia edited a comment on ${jiraIssue}${jiraSaid}`),
    ],
    ["jira:issue_deleted", jira("jira:issue_deleted"), "K-1: Kettle", new RegExp(`^Mia deleted ${jiraIssue}$`)],
    [
      "comment_created",
      jira("comment_created", comment),
      "K-1: Kettle",
      new RegExp(`^Mia commented on ${jiraIssue}${jiraSaid}`),
    ],
    ["comment_updated", jira("comment_updated", comment), "K-1: Kettle", /^Mia edited a comment on/],
    [
      "attachment_created",
      jira("attachment_created", {
        attachment: { filename: "pot.png", content: "https://jira.example/a/1", author: { displayName: "Kim" } },
      }),
      "K-1: Kettle",
      new RegExp(`^Kim attached \\[pot\\.png\\]\\(https://jira\\.example/a/1\\) to ${jiraIssue}$`),
    ],
    ["comment_deleted", jira("comment_deleted", comment), "K-1: Kettle", /^Mia deleted a comment of/],
  ]),
  ...samplesOf("linear", [
    [
      "issue",
      linear("Issue", "create", linearIssue),
      "Issue: It leaks",
      /^\[Issue TEA-1 It leaks\]\(.*\) was created in the team Tea by Mia\.\n~~~ quote\nA lot\n~~~\nPriority: High, Assignee: Kim, Status: Todo\.$/,
    ],
    [
      "sub_issue",
      linear("Issue", "remove", { ...linearIssue, parentId: "u0" }),
      "Sub-Issue: It leaks",
      /^\[Sub-issue TEA-1 It leaks\]\(.*\) was removed in the team Tea by Mia\.$/,
    ],
    [
      "comment",
      linear("Comment", "create", { body: "Agreed", user: { name: "Kim" }, issue: { title: "It leaks" } }),
      "Issue: It leaks",
      /^Kim \[commented\]\(.*\) on \*\*It leaks\*\*:\n~~~ quote\nAgreed\n~~~$/,
    ],
    [
      "project",
      linear("Project", "update", { name: "Pot", status: { name: "Started" } }, { updatedFrom: { statusId: "s0" } }),
      "Project: Pot",
      /^Mia updated the project \[Pot\]\(.*\)\. Status: Started\.$/,
    ],
    [
      "project_update",
      linear("ProjectUpdate", "create", {
        body: "Well",
        health: "atRisk",
        user: { name: "Kim" },
        project: { name: "Pot" },
      }),
      "Project: Pot",
      /^Kim \[posted\]\(.*\) an update of \*\*Pot\*\* \(at risk\):\n~~~ quote\nWell/,
    ],
  ]),
  ...samplesOf("notion", [
    ...notion,
    [
      "verification",
      { verification_token: "secret_1" },
      "Verification",
      /verification token, in its settings: `secret_1`$/,
    ],
  ]),
  ...samplesOf("trello", [
    trello("createCard", { list: { name: "To do" } }, `created ${card} in To do\\.$`),
    trello(
      "updateCard",
      { old: {}, listBefore: { name: "To do" }, listAfter: { name: "Done" } },
      `moved ${card} from To do to Done\\.$`,
    ),
    trello(
      "updateCard",
      { old: { due: null }, card: { ...trelloCard, due: "2026-12-01T08:00:00.000Z" } },
      `set the due date of ${card} to <time:2026-12-01T08:00:00Z>\\.$`,
    ),
    trello(
      "updateCard",
      { old: { desc: "" }, card: { ...trelloCard, desc: "A lot" } },
      `described ${card}:\\n~~~ quote\\nA lot`,
    ),
    trello("updateCard", { old: { closed: false }, card: { ...trelloCard, closed: true } }, `archived ${card}\\.$`),
    trello("deleteCard", { list: { name: "To do" } }, "deleted a card of To do\\.$"),
    trello("commentCard", { text: "Agreed" }, `commented on ${card}:\\n~~~ quote\\nAgreed\\n~~~$`),
    trello("addLabelToCard", { label: { color: "red", name: "bug" } }, `added the red label "bug" to ${card}\\.$`),
    trello("removeLabelFromCard", { value: "red", text: "" }, `removed the red label from ${card}\\.$`),
    trello("addMemberToCard", {}, `added Kim to ${card}\\.$`),
    trello("removeMemberFromCard", {}, `removed Kim from ${card}\\.$`),
    trello(
      "addAttachmentToCard",
      { attachment: { name: "pot.png", url: "https://a.example/p" } },
      `added \\[pot\\.png\\]\\(.*\\) to ${card}\\.$`,
    ),
    trello("addChecklistToCard", { checklist: { name: "Steps" } }, `added the checklist Steps to ${card}\\.$`),
    trello(
      "updateCheckItemStateOnCard",
      { checklist: { name: "Steps" }, checkItem: { name: "Boil", state: "complete" } },
      `marked "Boil" of Steps on ${card} as complete\\.$`,
    ),
    trello("addMemberToBoard", {}, `added Kim to ${board}\\.$`),
    trello("removeMemberFromBoard", {}, `removed Kim from ${board}\\.$`),
    trello("createList", { list: { name: "Done" } }, `added the list Done to ${board}\\.$`),
    trello("updateBoard", { old: { name: "Pot" } }, `renamed the board Pot to ${board}\\.$`),
  ]),
];
