/** What the other forges post, in the forms of their documentation. */
import { type Sample, samplesOf, withHeader } from "./sample.ts";

const giteaUser = { login: "mia", username: "mia" };
const repository = { name: "kettle", full_name: "tea/kettle", html_url: "https://tea.example/tea/kettle" };
const base = { repository, sender: giteaUser };
const pull_request = {
  id: 41,
  number: 8,
  title: "Mend it",
  body: "Glue",
  html_url: "https://tea.example/8",
  head: { ref: "glue" },
  base: { ref: "main" },
  user: giteaUser,
};
const issue = { number: 7, title: "It leaks", body: "A lot", assignees: [{ login: "kim" }] };
const issueTopic = "kettle / issue #7 It leaks";

/** Gitea and its relatives differ in the header's name alone. */
const giteaSamples = (name: string, header: string): Sample[] =>
  samplesOf(
    name,
    withHeader(header, [
      [
        "push",
        "push",
        {
          ...base,
          ref: "refs/heads/main",
          after: "a1",
          compare_url: "https://tea.example/cmp",
          commits: [{ id: "a1b2c3d4e5f6", message: "Fix", url: "https://tea.example/c", author: { username: "kim" } }],
        },
        "kettle / main",
        /^mia \[pushed\]\(.*\) 1 commit to main\. Commits by kim \(1\)\.\n\n\* Fix/,
      ],
      [
        "create",
        "create",
        { ...base, ref: "v1", ref_type: "tag" },
        "kettle / v1",
        /^mia created the tag \[v1\]\(.*\/src\/v1\)\.$/,
      ],
      [
        "delete",
        "delete",
        { ...base, ref: "old", ref_type: "branch" },
        "kettle / old",
        /^mia deleted the branch old\.$/,
      ],
      [
        "fork",
        "fork",
        { ...base, forkee: { full_name: "kim/pot", html_url: "https://tea.example/pot" } },
        "kettle",
        /^mia forked \[kim\/pot\].* into \[tea\/kettle\]/,
      ],
      [
        "issues",
        "issues",
        { ...base, action: "opened", issue },
        issueTopic,
        /^mia opened \[issue #7\]\(https:\/\/tea\.example\/tea\/kettle\/issues\/7\) \(assigned to kim\): It leaks\n~~~ quote\nA lot/,
      ],
      [
        "issues",
        "issues",
        { ...base, action: "label_updated", issue: { ...issue, labels: [{ name: "bug" }] } },
        issueTopic,
        /^mia label updated \[issue #7\]\(.*\) \(labels: bug\)/,
      ],
      [
        "issue_comment",
        "issue_comment",
        { ...base, action: "created", issue, comment: { body: "Agreed", html_url: "https://tea.example/c" } },
        issueTopic,
        /^mia \[commented\]\(.*\) on \[issue #7\][\s\S]*Agreed/,
      ],
      [
        "pull_request",
        "pull_request",
        { ...base, action: "opened", pull_request },
        "kettle / PR #41 Mend it",
        /^mia opened \[PR #8\]\(.*\) from `glue` to `main`: Mend it\n~~~ quote\nGlue/,
      ],
      [
        "pull_request_comment",
        "pull_request_comment",
        {
          ...base,
          action: "created",
          issue,
          pull_request,
          comment: { body: "Edge?", html_url: "https://tea.example/8#c" },
        },
        "kettle / PR #41 Mend it",
        /^mia \[commented\]\(https:\/\/tea\.example\/8#c\) on \[PR #8\]\(.*\): Mend it\n~~~ quote\nEdge\?\n~~~$/,
      ],
      [
        "pull_request_comment",
        "pull_request_comment",
        { ...base, action: "reviewed", pull_request, review: { content: "Hm" } },
        "kettle / PR #41 Mend it",
        /^mia commented on \[PR #8\][\s\S]*Hm/,
      ],
      [
        "pull_request_approved",
        "pull_request_approved",
        { ...base, pull_request },
        "kettle / PR #41 Mend it",
        /^mia approved \[PR #8\]/,
      ],
      [
        "pull_request_rejected",
        "pull_request_rejected",
        { ...base, pull_request },
        "kettle / PR #41 Mend it",
        /^mia asked for changes in \[PR #8\]/,
      ],
      [
        "release",
        "release",
        { ...base, action: "published", release: { name: "One", tag_name: "v1", author: giteaUser } },
        "kettle / v1 One",
        /^mia published the release \[One\]\(.*\) of the tag v1\.$/,
      ],
      [
        "repository",
        "repository",
        { ...base, action: "created" },
        "kettle",
        /^mia created the repository \[tea\/kettle\]/,
      ],
      ["wiki", "wiki", { ...base, action: "edited", page: "Home", comment: "typo" }, "kettle", /\* edited Home: typo$/],
    ]),
  );

const href = (url: string) => ({ html: { href: `https://bb.example/${url}` } });
const cloud = {
  actor: { display_name: "Mia" },
  repository: { name: "kettle", full_name: "tea/kettle", links: href("kettle") },
};
const cloudPull = {
  ...cloud,
  pullrequest: {
    id: 8,
    title: "Mend it",
    description: "Glue",
    links: href("p"),
    source: { branch: { name: "glue" } },
    destination: { branch: { name: "main" } },
    reviewers: [{ display_name: "Kim" }],
  },
};
const cloudComment = { comment: { content: { raw: "Agreed" }, links: href("c") } };
const cloudIssue = {
  ...cloud,
  issue: { id: 7, title: "It leaks", content: { raw: "A lot" }, links: href("i"), assignee: { display_name: "Kim" } },
};
const change = (more: object) => ({
  new: { type: "branch", name: "main", target: { hash: "a1b2c3d4e5f6" } },
  old: null,
  forced: false,
  truncated: false,
  links: href("cmp"),
  commits: [{ hash: "a1b2c3d4e5f6", message: "Fix", links: href("1"), author: { raw: "Kim <kim@tea.example>" } }],
  ...more,
});
const cloudTopic = "kettle / PR #8 Mend it";

const bitbucketCloud: Sample[] = samplesOf(
  "bitbucket2",
  withHeader("X-Event-Key", [
    [
      "push",
      "repo:push",
      { ...cloud, push: { changes: [change({})] } },
      "kettle / main",
      /^Mia \[pushed\]\(.*\) 1 commit to main\. Commits by Kim \(1\)\./,
    ],
    [
      "push",
      "repo:push",
      { ...cloud, push: { changes: [change({ forced: true })] } },
      "kettle / main",
      /force-pushed.*Its head is now `a1b2c3d4e5f`/,
    ],
    [
      "push",
      "repo:push",
      { ...cloud, push: { changes: [change({ new: null, old: { type: "tag", name: "v1", links: href("t") } })] } },
      "kettle",
      /^Mia removed the tag \[v1\]/,
    ],
    [
      "fork",
      "repo:fork",
      { ...cloud, fork: { full_name: "kim/pot", links: href("pot") } },
      "kettle",
      /^Mia forked kettle into \[kim\/pot\]/,
    ],
    [
      "commit_comment",
      "repo:commit_comment_created",
      { ...cloud, ...cloudComment, commit: { hash: "a1b2c3d4e5f6", links: href("1") } },
      "kettle",
      /^Mia \[commented\]\(.*\) on \[a1b2c3d4e5f\]/,
    ],
    [
      "change_commit_status",
      "repo:commit_status_updated",
      {
        ...cloud,
        commit_status: {
          key: "ci",
          url: "https://ci.example",
          state: "SUCCESSFUL",
          links: { commit: { href: "https://api.bb.example/a1b2c3d4e5f6" } },
        },
      },
      "kettle",
      /^The status of \[a1b2c3d4e5f\]\(.*\) by \[ci\]\(.*\) is now SUCCESSFUL\.$/,
    ],
    [
      "issue_created",
      "issue:created",
      cloudIssue,
      issueTopic,
      /^Mia created \[issue #7\]\(.*\) \(assigned to Kim\): It leaks\n~~~ quote\nA lot/,
    ],
    [
      "issue_updated",
      "issue:updated",
      { ...cloudIssue, changes: { status: { old: "new", new: "resolved" } } },
      issueTopic,
      /^Mia updated \[issue #7\]\(.*\): It leaks\n\n\* status: new → resolved$/,
    ],
    [
      "issue_commented",
      "issue:comment_created",
      { ...cloudIssue, ...cloudComment },
      issueTopic,
      /^Mia \[commented\]\(.*\) on \[issue #7\][\s\S]*Agreed/,
    ],
    [
      "pull_request_created",
      "pullrequest:created",
      cloudPull,
      cloudTopic,
      /^Mia created \[PR #8\]\(.*\) from `glue` to `main` \(assigned to Kim\): Mend it/,
    ],
    ["pull_request_updated", "pullrequest:updated", cloudPull, cloudTopic, /^Mia updated/],
    ["pull_request_approved", "pullrequest:approved", cloudPull, cloudTopic, /^Mia approved/],
    ["pull_request_unapproved", "pullrequest:unapproved", cloudPull, cloudTopic, /^Mia withdrew/],
    [
      "pull_request_changes_request_created",
      "pullrequest:changes_request_created",
      cloudPull,
      cloudTopic,
      /^Mia asked for changes/,
    ],
    [
      "pull_request_changes_request_removed",
      "pullrequest:changes_request_removed",
      cloudPull,
      cloudTopic,
      /^Mia no longer asks/,
    ],
    [
      "pull_request_fulfilled",
      "pullrequest:fulfilled",
      cloudPull,
      cloudTopic,
      /^Mia merged \[PR #8\]\(.*\) from `glue`/,
    ],
    ["pull_request_rejected", "pullrequest:rejected", cloudPull, cloudTopic, /^Mia rejected/],
    [
      "pull_request_comment_created",
      "pullrequest:comment_created",
      { ...cloudPull, ...cloudComment },
      cloudTopic,
      /^Mia \[commented\]\(.*\) on \[PR #8\][\s\S]*Agreed/,
    ],
    [
      "pull_request_comment_updated",
      "pullrequest:comment_updated",
      { ...cloudPull, ...cloudComment },
      cloudTopic,
      /^Mia updated a \[comment\]/,
    ],
    [
      "pull_request_comment_deleted",
      "pullrequest:comment_deleted",
      { ...cloudPull, ...cloudComment },
      cloudTopic,
      /^Mia deleted a \[comment\]/,
    ],
    [
      "repo:updated",
      "repo:updated",
      { ...cloud, changes: { name: { old: "pot", new: "kettle" } } },
      "kettle",
      /^Mia changed the repository kettle:\n\n\* name: pot → kettle$/,
    ],
  ]),
);

const self = (url: string) => ({ links: { self: [{ href: `https://bs.example/${url}` }] } });
const server = {
  actor: { name: "mia", displayName: "Mia", ...self("mia") },
  repository: { name: "kettle", ...self("kettle/browse"), origin: { name: "pot" } },
};
const serverPull = {
  ...server,
  pullRequest: {
    id: 8,
    title: "Mend it",
    description: "Glue",
    ...self("p"),
    fromRef: { displayId: "glue" },
    toRef: { displayId: "main", repository: { name: "kettle" } },
    reviewers: [{ user: { name: "kim", ...self("kim") } }],
  },
};
const mia = "\\[Mia\\]\\(https://bs\\.example/mia\\)";
const says = (rest: string) => new RegExp(`^${mia} ${rest}`);
const refs = (type: string, kind = "BRANCH") => ({
  ...server,
  changes: [{ ref: { displayId: "main", type: kind }, type, toHash: "a1b2c3d4e5f6" }],
});
const serverComment = { comment: { text: "Agreed" } };

const bitbucketServer: Sample[] = samplesOf(
  "bitbucket3",
  (
    [
      ["diagnostics:ping", { test: true }, "Bitbucket Server Ping", /works/],
      [
        "repo:refs_changed",
        refs("UPDATE"),
        "kettle / main",
        says("pushed to the branch main\\. Its head is now `a1b2c3d4e5f`"),
      ],
      ["repo:refs_changed", refs("ADD", "TAG"), "kettle", says("pushed the tag main")],
      [
        "repo:comment:added",
        { ...server, ...serverComment, commit: "a1b2c3d4e5f6" },
        "kettle",
        says("commented on \\[a1b2c3d4e5f\\]\\(https://bs.example/kettle/commits/a1b2c3d4e5f6\\)"),
      ],
      ["repo:comment:edited", { ...server, ...serverComment, commit: "a1" }, "kettle", says("edited a comment on")],
      ["repo:comment:deleted", { ...server, ...serverComment, commit: "a1" }, "kettle", /~~Agreed~~/],
      ["repo:forked", server, "pot", says("forked pot into \\[kettle\\]")],
      [
        "repo:modified",
        { actor: server.actor, old: { name: "pot" }, new: { name: "kettle" } },
        "kettle",
        says("renamed the repository pot to \\*\\*kettle\\*\\*"),
      ],
      ["pr:comment:added", { ...serverPull, ...serverComment }, cloudTopic, says("commented on \\[PR #8\\]")],
      ["pr:comment:edited", { ...serverPull, ...serverComment }, cloudTopic, says("edited a comment on \\[PR #8\\]")],
      ["pr:comment:deleted", { ...serverPull, ...serverComment }, cloudTopic, /~~Agreed~~/],
      [
        "pr:opened",
        serverPull,
        cloudTopic,
        says("opened \\[PR #8\\]\\(.*\\) from `glue` to `main` \\(assigned to \\[kim\\]\\(.*\\)\\): Mend it"),
      ],
      ["pr:modified", serverPull, cloudTopic, says("modified")],
      ["pr:from_ref_updated", serverPull, cloudTopic, says("pushed to")],
      ["pr:merged", serverPull, cloudTopic, says("merged")],
      ["pr:declined", serverPull, cloudTopic, says("declined")],
      ["pr:deleted", serverPull, cloudTopic, says("deleted")],
      ["pr:reviewer:approved", serverPull, cloudTopic, says("approved")],
      ["pr:reviewer:unapproved", serverPull, cloudTopic, says("withdrew")],
      ["pr:reviewer:changes_requested", serverPull, cloudTopic, says("asked for changes in")],
      ["pr:reviewer:needs_work", serverPull, cloudTopic, says("asked for more work on")],
      [
        "pr:reviewer:updated",
        serverPull,
        cloudTopic,
        says("changed the reviewers of \\[PR #8\\]\\(.*\\) to \\[kim\\]"),
      ],
    ] as const
  ).map(([event, payload, topic, content]) => [event, payload, topic, content, { "X-Event-Key": event }] as const),
);

const azureRepository = { name: "kettle", remoteUrl: "https://az.example/kettle" };
const azurePull = {
  repository: azureRepository,
  pullRequestId: 8,
  title: "Mend it",
  description: "Glue",
  status: "completed",
  mergeStatus: "succeeded",
  sourceRefName: "refs/heads/glue",
  targetRefName: "refs/heads/main",
  createdBy: { displayName: "Mia" },
  _links: { web: { href: "https://az.example/p" } },
};
const azure = (eventType: string, resource: object, topic: string, content: RegExp) =>
  [eventType, { eventType, resource, message: { markdown: "Changed" } }, topic, content] as const;

const azureSamples: Sample[] = samplesOf("azuredevops", [
  azure(
    "git.push",
    {
      repository: azureRepository,
      pushedBy: { displayName: "Mia" },
      refUpdates: [{ name: "refs/heads/main", oldObjectId: "b0", newObjectId: "a1" }],
      commits: [{ commitId: "a1b2c3d4e5f6", comment: "Fix", author: { name: "Mia" } }],
    },
    "kettle / main",
    /^Mia \[pushed\]\(https:\/\/az\.example\/kettle\/branchCompare.*\) 1 commit to main\.\n\n\* Fix \(\[a1b2c3d4e5f\]/,
  ),
  azure(
    "git.pullrequest.created",
    azurePull,
    cloudTopic,
    /^Mia created \[PR #8\]\(.*\) from `glue` to `main`: Mend it\n~~~ quote\nGlue/,
  ),
  azure("git.pullrequest.updated", azurePull, cloudTopic, /^Mia updated \[PR #8\]/),
  azure("git.pullrequest.merged", azurePull, cloudTopic, /^Mia merged \[PR #8\]/),
  azure(
    "ms.vss-code.git-pullrequest-comment-event",
    { comment: { author: { displayName: "Kim" }, content: "Agreed" }, pullRequest: azurePull },
    cloudTopic,
    /^Kim commented on \[PR #8\][\s\S]*Agreed/,
  ),
  azure(
    "build.complete",
    { definition: { name: "CI" }, buildNumber: "20261123.1", result: "failed", requestedFor: { displayName: "Mia" } },
    "CI",
    /^Build 20261123\.1 of Mia: failed\.$/,
  ),
]);

export const forgeSamples: Sample[] = [
  ...giteaSamples("gitea", "X-Gitea-Event"),
  ...giteaSamples("forgejo", "X-Forgejo-Event"),
  ...giteaSamples("gogs", "X-Gogs-Event"),
  ...bitbucketCloud,
  ...bitbucketServer,
  ...azureSamples,
];
