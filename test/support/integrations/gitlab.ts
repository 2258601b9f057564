/** What GitLab posts. https://docs.gitlab.com/user/project/integrations/webhook_events/ */
import { type Sample, samplesOf, withHeader } from "./sample.ts";

const project = { name: "kettle", web_url: "https://gl.example/tea/kettle" };
const user = { name: "Mia", username: "mia" };
const thing = (object_kind: string, action: string, more: object = {}) => ({
  object_kind,
  user,
  project,
  object_attributes: {
    iid: 3,
    title: "Mend it",
    action,
    url: "https://gl.example/3",
    description: "With <!-- no -->glue",
    ...more,
  },
});
const branches = { source_branch: "glue", target_branch: "main" };
const note = (noteable_type: string, more: object) => ({
  object_kind: "note",
  user,
  project,
  object_attributes: {
    note: "Agreed",
    noteable_type,
    url: "https://gl.example/n",
    position: { new_path: "designs/a/pot.png" },
  },
  ...more,
});
const issue = { issue: { iid: 3, title: "It leaks", url: "https://gl.example/i" } };
const commit = { id: "a1b2c3d4e5f60718", message: "Fix", url: "https://gl.example/c", author: { name: "Mia" } };
const push = {
  user_name: "Mia",
  project,
  ref: "refs/heads/main",
  before: "b0",
  after: "a1",
  commits: [commit],
  total_commits_count: 30,
};
const job = {
  object_kind: "build",
  ref: "main",
  build_id: 5,
  build_name: "test",
  build_stage: "check",
  build_status: "failed",
  build_failure_reason: "script_failure",
  repository: { name: "kettle", homepage: "https://gl.example/tea/kettle" },
};
const issueTopic = "kettle / issue #3 Mend it";
const noteTopic = "kettle / issue #3 It leaks";
const mergeTopic = "kettle / MR #3 Mend it";
const commented =
  /^Mia \[commented\]\(https:\/\/gl\.example\/n\) on \[issue #3\]\(https:\/\/gl\.example\/i\): It leaks\n~~~ quote\nAgreed\n~~~$/;

/** The header says the event, and what was done is in the payload. */
const hooks = (samples: readonly (readonly [event: string, payload: unknown, topic: string, content: RegExp])[]) =>
  samples.map(([event, ...rest]) => [event, /^.*? Hook/.exec(event)![0], ...rest] as const);

export const gitlabSamples: Sample[] = samplesOf(
  "gitlab",
  withHeader(
    "X-Gitlab-Event",
    hooks([
      [
        "Push Hook",
        push,
        "kettle / main",
        /^Mia \[pushed\]\(https:\/\/gl\.example\/tea\/kettle\/compare\/b0\.\.\.a1\) 30 commits to main\.\n\n\* Fix \(.*\)\n\* … and 29 more$/,
      ],
      ["Push Hook", { ...push, after: "0000", commits: [] }, "kettle / main", /^Mia deleted the branch main\.$/],
      ["Tag Push Hook", { ...push, ref: "refs/tags/v1", checkout_sha: "a1" }, "kettle", /^Mia pushed the tag v1\.$/],
      [
        "Issue Hook open",
        { ...thing("issue", "open"), assignees: [{ name: "Kim" }] },
        issueTopic,
        /^Mia created \[issue #3\]\(.*\) \(assigned to Kim\): Mend it\n~~~ quote\nWith glue\n~~~$/,
      ],
      ["Issue Hook close", thing("issue", "close"), issueTopic, /^Mia closed \[issue #3\]\(.*\): Mend it$/],
      ["Issue Hook reopen", thing("issue", "reopen"), issueTopic, /^Mia reopened/],
      [
        "Issue Hook update",
        {
          ...thing("issue", "update"),
          changes: { labels: { previous: [{ title: "old" }], current: [{ title: "bug" }] } },
        },
        issueTopic,
        /^Mia updated \[issue #3\]\(.*\) \(labels added: bug; labels removed: old\): Mend it$/,
      ],
      ["Confidential Issue Hook open", thing("issue", "open"), issueTopic, /^Mia created/],
      [
        "Issue Hook open",
        {
          ...thing("work_item", "open", { type: "Epic", url: "https://gl.example/groups/shop/tea/-/work_items/3" }),
          project: null,
        },
        "tea / epic #3 Mend it",
        /^Mia created \[epic #3\]/,
      ],
      ["Confidential Issue Hook close", thing("issue", "close"), issueTopic, /^Mia closed/],
      ["Confidential Issue Hook reopen", thing("issue", "reopen"), issueTopic, /^Mia reopened/],
      ["Confidential Issue Hook update", thing("issue", "update"), issueTopic, /^Mia updated/],
      [
        "Merge Request Hook open",
        thing("merge_request", "open", branches),
        mergeTopic,
        /^Mia created \[MR #3\]\(.*\) from `glue` to `main`: Mend it\n/,
      ],
      [
        "Merge Request Hook update",
        thing("merge_request", "update", { oldrev: "b0" }),
        mergeTopic,
        /^Mia added commits to \[MR #3\]/,
      ],
      [
        "Merge Request Hook merge",
        thing("merge_request", "merge", branches),
        mergeTopic,
        /^Mia merged \[MR #3\]\(.*\) from `glue` to `main`: Mend it$/,
      ],
      ["Merge Request Hook close", thing("merge_request", "close"), mergeTopic, /^Mia closed/],
      ["Merge Request Hook reopen", thing("merge_request", "reopen"), mergeTopic, /^Mia reopened/],
      ["Merge Request Hook approved", thing("merge_request", "approved"), mergeTopic, /^Mia approved/],
      [
        "Merge Request Hook unapproved",
        thing("merge_request", "unapproved"),
        mergeTopic,
        /^Mia withdrew the approval of/,
      ],
      ["Merge Request Hook approval", thing("merge_request", "approval"), mergeTopic, /^Mia added an approval to/],
      [
        "Merge Request Hook unapproval",
        thing("merge_request", "unapproval"),
        mergeTopic,
        /^Mia withdrew an approval of/,
      ],
      [
        "Note Hook Commit",
        note("Commit", { commit }),
        "kettle",
        /^Mia \[commented\]\(.*\) on \[a1b2c3d4e5f\]\(.*\):\n~~~ quote\nAgreed\n~~~$/,
      ],
      [
        "Note Hook MergeRequest",
        note("MergeRequest", { merge_request: { iid: 4, title: "Mend", url: "https://gl.example/m" } }),
        "kettle / MR #4 Mend",
        /on \[MR #4\]/,
      ],
      ["Note Hook Issue", note("Issue", issue), noteTopic, commented],
      ["Confidential Note Hook Issue", note("Issue", issue), noteTopic, commented],
      [
        "Note Hook DesignManagement::Design",
        note("DesignManagement::Design", issue),
        "kettle / design pot.png",
        /the design pot\.png of \[issue #3\]/,
      ],
      [
        "Confidential Note Hook DesignManagement::Design",
        note("DesignManagement::Design", issue),
        "kettle / design pot.png",
        /pot\.png/,
      ],
      [
        "Note Hook Snippet",
        note("Snippet", { snippet: { id: 6, title: "Code" } }),
        "kettle / snippet #6 Code",
        /on \[snippet #6\]\(https:\/\/gl\.example\/tea\/kettle\/-\/snippets\/6\): Code/,
      ],
      [
        "Wiki Page Hook create",
        thing("wiki_page", "create", { message: "New" }),
        "kettle",
        /^Mia created the wiki page \[Mend it\]\(.*\): New$/,
      ],
      [
        "Wiki Page Hook update",
        thing("wiki_page", "update"),
        "kettle",
        /^Mia updated the wiki page \[Mend it\]\(.*\)\.$/,
      ],
      ["Wiki Page Hook delete", thing("wiki_page", "delete"), "kettle", /^Mia deleted the wiki page/],
      [
        "Job Hook",
        job,
        "kettle / main",
        /^The job \[test\]\(.*\/-\/jobs\/5\) of the stage check is now failed \(script failure\)\.$/,
      ],
      ["Build Hook", { ...job, build_status: "running" }, "kettle / main", /has begun\.$/],
      [
        "Pipeline Hook",
        {
          project,
          object_attributes: { id: 11, ref: "main", status: "success" },
          builds: [{ id: 5, name: "test", status: "success", artifacts_file: { filename: "out.zip" } }],
        },
        "kettle / main",
        /^\[Pipeline 11\]\(.*\/-\/pipelines\/11\) is now success:\n\n\* \[test\]\(.*\): success, which made \[out\.zip\]\(.*\/artifacts\/browse\)$/,
      ],
      [
        "Release Hook",
        { project, action: "create", name: "One", tag: "v1", url: "https://gl.example/r", description: "New" },
        "kettle",
        /^The release \[One\]\(.*\) of the tag v1 was created\.\n~~~ quote\nNew\n~~~$/,
      ],
      [
        "Feature Flag Hook",
        { project, user, object_attributes: { name: "boil", active: true } },
        "kettle",
        /^Mia activated the feature flag \[boil\]/,
      ],
      [
        "Resource Access Token Hook",
        {
          group: { group_name: "Tea", group_path: "tea" },
          object_attributes: { name: "ci", expires_at: "2026-12-01" },
        },
        "Tea",
        /^The access token \[ci\]\(.*\) ends on 2026-12-01\.$/,
      ],
      [
        "Deployment Hook",
        {
          project,
          user,
          user_url: "https://gl.example/mia",
          status: "running",
          environment: "production",
          commit_title: "Fix",
          commit_url: "https://gl.example/-/commit/a1b2c3d4e5f6",
          deployable_url: "https://gl.example/d",
        },
        "kettle / production",
        /^\[Mia\]\(.*\) began a \[deployment\]\(.*\) of \[a1b2c3d4e5f\]\(.*\): Fix$/,
      ],
      [
        "Emoji Hook",
        {
          project,
          user,
          event_type: "award",
          merge_request: { iid: 4, title: "Mend" },
          object_attributes: { name: "tea", awardable_type: "MergeRequest", awarded_on_url: "https://gl.example/m" },
        },
        "kettle / MR #4 Mend",
        /^Mia gave `tea` to \[merge request\]/,
      ],
      ["Test Hook", { project }, "kettle", /works/],
    ]),
  ),
);
