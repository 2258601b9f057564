/** What GitHub posts. https://docs.github.com/en/webhooks/webhook-events-and-payloads */
import { type Sample, samplesOf, withHeader } from "./sample.ts";

const repository = {
  name: "kettle",
  full_name: "tea/kettle",
  html_url: "https://gh.example/tea/kettle",
  private: false,
};
const sender = { login: "mia", html_url: "https://gh.example/mia" };
const kim = { login: "kim", html_url: "https://gh.example/kim" };
const organization = { login: "tea" };
const base = { repository, sender };
const issue = {
  number: 7,
  title: "It leaks",
  html_url: "https://gh.example/i/7",
  body: "A lot. @**all**",
  assignees: [],
};
const issues = (action: string, more: object = {}) => ({ ...base, action, issue, ...more });
const pull_request = {
  number: 8,
  title: "Mend it",
  html_url: "https://gh.example/p/8",
  body: "With glue",
  merged: false,
  head: { label: "mia:glue" },
  base: { label: "tea:main" },
  assignees: [kim],
  assignee: kim,
  active_lock_reason: "spam",
};
const pulls = (action: string, more: object = {}) => ({ ...base, action, number: 8, pull_request, ...more });
const discussion = {
  number: 9,
  title: "Which tea?",
  html_url: "https://gh.example/d/9",
  body: "Green?",
  category: { name: "Ideas" },
};
const comment = { html_url: "https://gh.example/c/1#r", body: "Agreed", commit_id: "a1b2c3d4e5f60718" };
const commit = {
  id: "a1b2c3d4e5f60718",
  message: "Fix\n\nmore",
  url: "https://gh.example/1",
  author: { username: "mia" },
};
const deployment = { environment: "production", ref: "main", description: "Nightly" };
const tier = { name: "$5 a month" };
const sponsorship = { privacy_level: "public", tier };

const issueTopic = "kettle / issue #7 It leaks";
const pullTopic = "kettle / PR #8 Mend it";
const discussionTopic = "kettle discussion #9: Which tea?";
const push = { ...base, ref: "refs/heads/main", after: "a1b2", compare: "https://gh.example/cmp", commits: [commit] };

export const githubSamples: Sample[] = samplesOf(
  "github",
  withHeader("X-GitHub-Event", [
    [
      "ping",
      "ping",
      { zen: "Be calm", ...base },
      "kettle",
      /^The webhook of \[tea\/kettle\]\(.*\) works; mia set it up\.$/,
    ],
    ["ping", "ping", { organization, sender }, "tea", /works/],
    [
      "push_commits",
      "push",
      push,
      "kettle / main",
      /^mia \[pushed\]\(https:\/\/gh\.example\/cmp\) 1 commit to main\.\n\n\* Fix \(\[a1b2c3d4e5f\]\(https:\/\/gh\.example\/1\)\)$/,
    ],
    [
      "push_commits",
      "push",
      { ...push, forced: true, commits: [commit, { ...commit, author: { name: "Kim" } }] },
      "kettle / main",
      /^mia \[force-pushed\].* 2 commits to main\. Commits by Kim \(1\) and mia \(1\)\./,
    ],
    [
      "push_commits",
      "push",
      { ...push, deleted: true, commits: [] },
      "kettle / main",
      /^mia \[deleted\].* the branch main\.$/,
    ],
    ["push_tags", "push", { ...push, ref: "refs/tags/v1", created: true }, "kettle", /^mia pushed the tag v1\.$/],
    ["create", "create", { ...base, ref: "glue", ref_type: "branch" }, "kettle", /^mia created the branch glue\.$/],
    ["delete", "delete", { ...base, ref: "v0", ref_type: "tag" }, "kettle", /^mia deleted the tag v0\.$/],
    [
      "commit_comment",
      "commit_comment",
      { ...base, action: "created", comment },
      "kettle",
      /^mia \[commented\]\(https:\/\/gh\.example\/c\/1#r\) on \[a1b2c3d4e5f\]\(https:\/\/gh\.example\/c\/1\):\n~~~ quote\nAgreed\n~~~$/,
    ],
    [
      "check_run",
      "check_run",
      {
        ...base,
        action: "completed",
        check_run: {
          name: "lint",
          status: "completed",
          conclusion: "timed_out",
          head_sha: "a1b2c3d4e5f6",
          html_url: "https://gh.example/k",
        },
      },
      "kettle / checks",
      /^The check \[lint\]\(https:\/\/gh\.example\/k\) of \[a1b2c3d4e5f\]\(.*\/commit\/a1b2c3d4e5f6\) completed: timed out\.$/,
    ],
    [
      "status",
      "status",
      {
        ...base,
        sha: "a1b2c3d4e5f6",
        state: "success",
        target_url: "https://ci.example/1",
        context: "ci",
        description: "All well",
        commit,
      },
      "kettle",
      /^The status of a1b2c3d4e5f is now \[success\]\(https:\/\/ci\.example\/1\) \(ci\): All well$/,
    ],
    [
      "workflow_run",
      "workflow_run",
      {
        ...base,
        action: "completed",
        workflow_run: { name: "CI", conclusion: "failure", head_branch: "main", html_url: "https://gh.example/w" },
      },
      "kettle",
      /^\[CI\]\(.*\) on main: failure\.$/,
    ],
    [
      "deployment",
      "deployment",
      { ...base, deployment },
      "kettle / Deployment on production",
      /^mia began a deployment of `main`: Nightly$/,
    ],
    [
      "deployment_status",
      "deployment_status",
      { ...base, deployment, deployment_status: { state: "failure", description: "No water" } },
      "kettle / Deployment on production",
      /^The deployment is now failure: No water$/,
    ],
    [
      "fork",
      "fork",
      { ...base, forkee: { full_name: "kim/kettle", html_url: "https://gh.example/kim/kettle" } },
      "kettle",
      /^mia forked \[tea\/kettle\].* into \[kim\/kettle\]/,
    ],
    [
      "gollum",
      "gollum",
      { ...base, pages: [{ action: "edited", title: "Home", summary: "typo", html_url: "https://gh.example/wiki" }] },
      "kettle / wiki pages",
      /^mia changed the wiki:\n\n\* edited \[Home\]\(https:\/\/gh\.example\/wiki\): typo$/,
    ],
    [
      "member",
      "member",
      { ...base, action: "added", member: kim },
      "kettle",
      /^mia added \[kim\]\(.*\) to \[tea\/kettle\]/,
    ],
    [
      "membership",
      "membership",
      { ...base, organization, action: "removed", member: kim, team: { name: "Brewers" } },
      "tea organization",
      /^mia removed \[kim\]\(.*\) from the team Brewers\.$/,
    ],
    [
      "page_build",
      "page_build",
      { ...base, build: { status: "errored", pusher: sender, error: { message: "No index" } } },
      "kettle",
      /that mia pushed failed\.\n~~~ quote\nNo index\n~~~$/,
    ],
    ["public", "public", base, "kettle", /^mia made \[tea\/kettle\]\(.*\) public\.$/],
    [
      "release",
      "release",
      {
        ...base,
        action: "published",
        release: { name: "One", tag_name: "v1", html_url: "https://gh.example/r", body: "New spout" },
      },
      "kettle",
      /^mia published the release \[One\]\(.*\) of the tag v1\.\n~~~ quote\nNew spout\n~~~$/,
    ],
    [
      "repository",
      "repository",
      { ...base, action: "archived" },
      "kettle",
      /^mia archived the repository \[tea\/kettle\]/,
    ],
    ["star", "star", { ...base, action: "created" }, "kettle", /^\[mia\]\(.*\) starred \[tea\/kettle\]/],
    ["watch", "watch", { ...base, action: "started" }, "kettle", /^mia starred \[tea\/kettle\]/],
    [
      "team",
      "team",
      { sender, action: "edited", team: { name: "Brewers" }, changes: { name: { from: "Boilers" } } },
      "team Brewers",
      /^mia changed the team Brewers: its name, from Boilers to Brewers\.$/,
    ],
    [
      "team_add",
      "team_add",
      { ...base, team: { name: "Brewers" } },
      "kettle",
      /^The team Brewers was added to \[tea\/kettle\]/,
    ],
    [
      "issues",
      "issues",
      issues("opened"),
      issueTopic,
      /^mia opened \[issue #7\]\(https:.*\): It leaks\n~~~ quote\nA lot\. @_\*\*all\*\*\n~~~$/,
    ],
    [
      "issues",
      "issues",
      issues("assigned", { assignee: kim }),
      issueTopic,
      /^mia assigned \[issue #7\]\(.*\) to kim: It leaks$/,
    ],
    [
      "issue_labeled_or_unlabeled",
      "issues",
      issues("labeled", { label: { name: "bug" } }),
      issueTopic,
      /^mia added the label \*\*bug\*\* to \[issue #7\]\(.*\): It leaks$/,
    ],
    [
      "issue_milestoned_or_demilestoned",
      "issues",
      issues("demilestoned", { milestone: { title: "Spring", html_url: "https://gh.example/m" } }),
      issueTopic,
      /^mia removed the milestone \[Spring\]\(.*\) from \[issue #7\]/,
    ],
    [
      "issues_transferred",
      "issues",
      issues("transferred", {
        changes: {
          new_repository: { full_name: "tea/pot" },
          new_issue: { number: 1, html_url: "https://gh.example/n" },
        },
      }),
      issueTopic,
      /^mia transferred \[issue #7\]\(.*\) to \[tea\/pot#1\]\(https:\/\/gh\.example\/n\): It leaks$/,
    ],
    [
      "issues_opened_via_transfer",
      "issues",
      issues("opened", {
        changes: {
          old_repository: { full_name: "tea/pot" },
          old_issue: { number: 2, html_url: "https://gh.example/o" },
        },
      }),
      issueTopic,
      /^mia transferred \[issue #7\]\(.*\) from \[tea\/pot#2\]/,
    ],
    [
      "issue_comment",
      "issue_comment",
      issues("created", { comment }),
      issueTopic,
      /^mia \[commented\]\(.*\) on \[issue #7\]\(.*\): It leaks\n~~~ quote\nAgreed\n~~~$/,
    ],
    [
      "issue_comment",
      "issue_comment",
      issues("deleted", { comment, issue: { ...issue, pull_request: {} } }),
      "kettle / PR #7 It leaks",
      /^mia deleted a \[comment\]\(.*\) on \[PR #7\]/,
    ],
    [
      "opened_pull_request",
      "pull_request",
      pulls("opened"),
      pullTopic,
      /^mia opened \[PR #8\]\(.*\) from `mia:glue` to `tea:main` \(assigned to kim\): Mend it\n~~~ quote\nWith glue/,
    ],
    ["updated_pull_request", "pull_request", pulls("synchronize"), pullTopic, /^mia pushed to \[PR #8\]/],
    [
      "assigned_or_unassigned_pull_request",
      "pull_request",
      pulls("assigned", { assignee: kim }),
      pullTopic,
      /^mia assigned \[PR #8\]\(.*\) to kim/,
    ],
    ["closed_pull_request", "pull_request", pulls("closed"), pullTopic, /^mia closed without merging \[PR #8\]/],
    [
      "closed_pull_request",
      "pull_request",
      pulls("closed", { pull_request: { ...pull_request, merged: true } }),
      pullTopic,
      /^mia merged \[PR #8\]\(.*\) from `mia:glue`/,
    ],
    [
      "pull_request_review_requested",
      "pull_request",
      pulls("review_requested", { requested_reviewer: kim }),
      pullTopic,
      /^mia asked \[kim\]\(.*\) to review \[PR #8\]/,
    ],
    [
      "pull_request_ready_for_review",
      "pull_request",
      pulls("ready_for_review"),
      pullTopic,
      /^mia marked as ready for review \[PR #8\]/,
    ],
    [
      "locked_or_unlocked_pull_request",
      "pull_request",
      pulls("locked"),
      pullTopic,
      /^mia locked \[PR #8\]\(.*\) as spam: Mend it$/,
    ],
    [
      "pull_request_auto_merge",
      "pull_request",
      pulls("auto_merge_enabled"),
      pullTopic,
      /^mia enabled automatic merging of \[PR #8\]/,
    ],
    [
      "labeled_or_unlabeled_pull_request",
      "pull_request",
      pulls("unlabeled", { label: { name: "bug" } }),
      pullTopic,
      /^mia removed the label \*\*bug\*\* from \[PR #8\]/,
    ],
    [
      "milestoned_or_demilestoned_pull_request",
      "pull_request",
      pulls("milestoned", { milestone: { title: "Spring" } }),
      pullTopic,
      /^mia added the milestone Spring to \[PR #8\]/,
    ],
    [
      "pull_request_review",
      "pull_request_review",
      pulls("submitted", {
        review: { state: "changes_requested", body: "More glue", html_url: "https://gh.example/rv" },
      }),
      pullTopic,
      /^mia submitted a \[review\]\(.*\) \(changes requested\) of \[PR #8\]\(.*\): Mend it\n~~~ quote\nMore glue\n~~~$/,
    ],
    [
      "pull_request_review_comment",
      "pull_request_review_comment",
      pulls("created", { comment }),
      pullTopic,
      /^mia \[commented\]\(.*\) on \[PR #8\]/,
    ],
    [
      "discussion",
      "discussion",
      { ...base, action: "created", discussion },
      discussionTopic,
      /^mia created \[discussion #9\]\(.*\) in Ideas: Which tea\?\n~~~ quote\nGreen\?\n~~~$/,
    ],
    [
      "discussion",
      "discussion",
      { ...base, action: "answered", discussion, answer: { html_url: "https://gh.example/a", body: "Black" } },
      discussionTopic,
      /^mia marked an \[answer\]\(.*\) of \[discussion #9\][\s\S]*Black/,
    ],
    [
      "discussion_comment",
      "discussion_comment",
      { ...base, action: "created", discussion, comment },
      discussionTopic,
      /^mia \[commented\]\(.*\) on \[discussion #9\]/,
    ],
    [
      "created",
      "sponsorship",
      { sender, action: "created", sponsorship },
      "sponsors",
      /^mia began a sponsorship: \$5 a month\.$/,
    ],
    ["cancelled", "sponsorship", { sender, action: "cancelled", sponsorship }, "sponsors", /^mia ended a sponsorship/],
    [
      "edited",
      "sponsorship",
      { sender, action: "edited", sponsorship, changes: { privacy_level: { from: "private" } } },
      "sponsors",
      /from private to public\.$/,
    ],
    [
      "pending_cancellation",
      "sponsorship",
      { sender, action: "pending_cancellation", sponsorship, effective_date: "2026-12-01T00:00:00Z" },
      "sponsors",
      /ends on 2026-12-01\.$/,
    ],
    [
      "pending_tier_change",
      "sponsorship",
      {
        sender,
        action: "pending_tier_change",
        sponsorship,
        effective_date: "2026-12-01",
        changes: { tier: { from: { name: "$1" } } },
      },
      "sponsors",
      /changes from \$1 to \$5 a month on 2026-12-01\.$/,
    ],
    [
      "tier_changed",
      "sponsorship",
      { sender, action: "tier_changed", sponsorship, changes: { tier: { from: { name: "$1" } } } },
      "sponsors",
      /^mia changed a sponsorship from \$1 to \$5 a month\.$/,
    ],
  ]),
);
