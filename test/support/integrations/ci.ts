/** What services post that build, check and deliver, in the forms of their documentation. */
import { type Sample, samplesOf } from "./sample.ts";

const hash = "a1b2c3d4e5f60718";
const pipeline = {
  number: 130,
  vcs: {
    provider_name: "github",
    revision: hash,
    target_repository_url: "https://gh.example/tea/kettle",
    branch: "main",
    commit: { subject: "Fix", author: { name: "Mia" } },
  },
};
const stage = (more: object) => ({
  type: "stage",
  data: {
    pipeline: {
      name: "Pot",
      "build-cause": [
        {
          material: { "git-configuration": { url: "https://gh.example/pot.git", branch: "main" } },
          modifications: [{ revision: hash }],
        },
      ],
      stage: {
        name: "Boil",
        "create-time": "2026-11-01T08:00:00.000Z",
        "last-transition-time": "2026-11-01T08:01:00.000Z",
        jobs: [{ name: "heat", result: "Passed" }],
        ...more,
      },
    },
  },
});
const image = { repository: { repo_full_name: "tea/kettle" }, resources: [{ tag: "1.0", digest: "sha256:1" }] };
const build = (phase: string, more: object = {}) => ({
  name: "kettle",
  display_name: "Kettle",
  build: { number: 5, phase, full_url: "https://ci.example/5", ...more },
});
const deploy = { name: "tea", url: "https://tea.example", branch: "main", state: "ready", title: "Fix" };
const netlify = (event: string, content: RegExp, more: object = {}) =>
  [event, { ...deploy, ...more }, "main", content, { "X-Netlify-Event": event }] as const;
const execution = (status: string) => ({
  trigger: "start",
  execution: {
    id: 3,
    href: "https://rd.example/3",
    status,
    user: "mia",
    project: "Tea",
    job: { name: "Boil", permalink: "https://rd.example/job" },
  },
});
const revision = (reference_type: string, more: object) => ({
  organization: { name: "tea" },
  project: { name: "kettle" },
  repository: { url: "https://github.com/tea/kettle" },
  workflow: { id: "w1" },
  pipeline: { name: "Check", result: "failed" },
  revision: { reference_type, sender: { login: "mia" }, commit_sha: hash, commit_message: "Fix\n\nmore", ...more },
});
const semaphoreClassic = {
  project_name: "kettle",
  branch_name: "main",
  result: "passed",
  commit: { id: hash, url: "https://gh.example/c", author_name: "Mia", message: "Fix\n\nmore" },
};
const workflow = "\\[Check\\]\\(https://tea\\.semaphoreci\\.com/workflows/w1\\): \\*\\*failed\\*\\*";
const teamcity = (more: object) => ({
  build: {
    buildFullName: "Tea :: Boil",
    buildNumber: "7",
    buildStatus: "Tests passed: 3",
    buildStatusUrl: "https://tc.example/viewLog.html?buildId=7",
    ...more,
  },
});
const travis = (type: string) => ({
  type,
  number: "12",
  status_message: "Broken",
  build_url: "https://travis.example/12",
  compare_url: "https://gh.example/cmp",
  commit: hash,
  branch: "main",
  message: "Fix",
  author_name: "Mia",
  repository: { name: "kettle" },
});
const travisSaid =
  /^:cross_mark: \[Build #12\]\(.*\): \*\*Broken\*\*\n\n[\s\S]*\* \*\*Changes\*\*: \[a1b2c3d4e5f\]\(.*\): Fix\n\* \*\*Author\*\*: Mia$/;

export const ciSamples: Sample[] = [
  ...samplesOf("appveyor", [
    [
      undefined,
      {
        eventName: "build_failure",
        eventData: {
          projectName: "kettle",
          buildVersion: "1.0.2",
          status: "Failure",
          buildUrl: "https://av.example/2",
          commitId: hash,
          commitMessage: "Fix",
          commitUrl: "https://gh.example/c",
          committerName: "Mia",
          started: "9/9/2018 7:04 PM",
          finished: "9/9/2018 7:06 PM",
        },
      },
      "kettle",
      /^\[Build 1\.0\.2\]\(.*\) of kettle: \*\*Failure\*\*\n\n\* \*\*Commit\*\*: \[a1b2c3d4e5f: Fix\]\(.*\) by Mia\n\* \*\*Started\*\*: <time:2018-09-09T19:04:00Z>\n/,
    ],
  ]),
  ...samplesOf("circleci", [
    ["ping", { type: "ping", webhook: { name: "Tea" } }, "Test event", /^The webhook "Tea" works\.$/],
    [
      "job-completed",
      { type: "job-completed", project: { name: "kettle" }, pipeline, job: { name: "test", status: "failed" } },
      "kettle",
      /^The job `test` of pipeline #130 failed\.\n\nCommit \[a1b2c3d4e5f\]\(https:\/\/gh\.example\/tea\/kettle\/commit\/a1b2c3d4e5f60718\): Fix on `main` by Mia$/,
    ],
    [
      "workflow-completed",
      {
        type: "workflow-completed",
        project: { name: "kettle" },
        pipeline: {
          number: 1,
          trigger_parameters: {
            gitlab: {
              checkout_sha: hash,
              web_url: "https://gl.example/k",
              commit_title: "Fix",
              branch: "main",
              commit_author_name: "Mia",
            },
          },
        },
        workflow: { name: "all", url: "https://ci.example/w", status: "success" },
      },
      "kettle",
      /^The workflow \[all\]\(https:\/\/ci\.example\/w\) of pipeline #1 succeeded\.\n\nCommit \[a1b2c3d4e5f\]\(https:\/\/gl\.example\/k\/-\/commit/,
    ],
  ]),
  ...samplesOf("gocd", [
    [
      undefined,
      stage({ state: "Building" }),
      "Pot / Boil",
      /^\*\*Pot \/ Boil\*\*: building\n\n\* \*\*Commit\*\*: \[a1b2c3d4e5f\]\(https:\/\/gh\.example\/pot\/commit\/.*\) on `main`\n\* \*\*Started\*\*: <time:2026-11-01T08:00:00Z>$/,
    ],
    [
      undefined,
      stage({ state: "Passed", result: "Passed" }),
      "Pot / Boil",
      /^:green_circle: \*\*Pot \/ Boil\*\*: passed[\s\S]*\* \*\*Passed\*\*: `heat`$/,
    ],
  ]),
  ...samplesOf("harbor", [
    [
      "PUSH_ARTIFACT",
      { type: "PUSH_ARTIFACT", operator: "mia", event_data: image },
      "tea/kettle",
      /^\*\*mia\*\* pushed the image `tea\/kettle:1\.0`\.$/,
    ],
    [
      "SCANNING_COMPLETED",
      {
        type: "SCANNING_COMPLETED",
        operator: "auto",
        event_data: {
          ...image,
          resources: [
            {
              digest: "sha256:1",
              scan_overview: {
                "application/vnd.security.vulnerability.report; version=1.1": { summary: { summary: { High: 2 } } },
              },
            },
          ],
        },
      },
      "tea/kettle",
      /^The scan of `tea\/kettle@sha256:1` is complete\. Vulnerabilities by severity:\n\n\* High: \*\*2\*\*$/,
    ],
  ]),
  ...samplesOf("jenkins", [
    ["queued", build("QUEUED"), "kettle", /^A build of Kettle waits\.$/],
    [
      "started",
      build("STARTED", { scm: { branch: "main", commit: hash } }),
      "kettle",
      /^\[Build #5\]\(.*\) of Kettle has begun\.\n\n\* \*\*Branch\*\*: main\n\* \*\*Commit\*\*: a1b2c3d4e5f$/,
    ],
    [
      "completed",
      build("COMPLETED", {
        status: "FAILURE",
        scm: { culprits: ["Mia", "Kim"] },
        artifacts: { "out.zip": { archive: "https://ci.example/o" } },
      }),
      "kettle",
      /^:cross_mark: \[Build #5\]\(.*\) of Kettle: \*\*failure\*\*\n\n\* \*\*Changed by\*\*: Mia and Kim\n\* \*\*Artifacts\*\*: \[out\.zip\]/,
    ],
  ]),
  ...samplesOf("netlify", [
    netlify("deploy_building", /^The deploy of \[tea\]\(https:\/\/tea\.example\) on `main` is now building: Fix$/, {
      state: "building",
    }),
    netlify("deploy_created", /is now ready: Fix$/),
    netlify("deploy_failed", /failed: Exit code 2$/, { error_message: "Exit code 2" }),
    netlify("deploy_locked", /is now locked\.$/),
    netlify("deploy_unlocked", /is now unlocked\.$/),
    netlify("deploy_deleted", /was deleted\.$/),
  ]),
  ...samplesOf("rundeck", [
    [undefined, execution("succeeded"), "Boil", /^\[Boil\]\(.*\) \[#3\]\(.*\) of Tea :check: succeeded; mia ran it\.$/],
    [undefined, { ...execution("running"), trigger: "avgduration" }, "Boil", /takes longer than usual/],
  ]),
  ...samplesOf("semaphore", [
    [
      "build",
      { ...semaphoreClassic, event: "build", build_number: 5, build_url: "https://s.example/5" },
      "kettle/main",
      /^\[Build 5\]\(.*\): \*\*passed\*\*\n\n\* \*\*Commit\*\*: \[a1b2c3d4e5f\]\(.*\): Fix\n\* \*\*Author\*\*: Mia$/,
    ],
    [
      "deploy",
      {
        ...semaphoreClassic,
        event: "deploy",
        number: 2,
        html_url: "https://s.example/d",
        server_name: "eu-1",
        build_number: 5,
        build_html_url: "https://s.example/5",
      },
      "kettle/main",
      /^\[Deploy 2\]\(.*\) of \[Build 5\]\(.*\) to eu-1: \*\*passed\*\*/,
    ],
    [
      "branch",
      revision("branch", { branch: { name: "main" } }),
      "kettle/main",
      new RegExp(
        `^${workflow}\\n\\n\\* \\*\\*Commit\\*\\*: \\[a1b2c3d4e5f\\]\\(.*\\): Fix\\n\\* \\*\\*Branch\\*\\*: main`,
      ),
    ],
    [
      "pull_request",
      revision("pull_request", { pull_request: { number: "3", name: "Mend", branch_name: "glue" } }),
      "kettle/glue",
      /\* \*\*Pull request\*\*: \[#3 Mend\]\(https:\/\/github\.com\/tea\/kettle\/pull\/3\)/,
    ],
    ["tag", revision("tag", { tag: { name: "v1" } }), "kettle", /\* \*\*Tag\*\*: \[v1\]/],
    ["unknown", revision("unknown", {}), "kettle", new RegExp(`^${workflow}`)],
  ]),
  ...samplesOf("sonarqube", [
    [
      undefined,
      {
        project: { name: "kettle", url: "https://sq.example" },
        branch: { name: "main" },
        qualityGate: {
          status: "ERROR",
          conditions: [
            { metric: "new_coverage", operator: "LESS_THAN", value: "50", status: "ERROR", errorThreshold: "80" },
            { metric: "new_bugs", operator: "GREATER_THAN", value: "0", status: "OK", errorThreshold: "0" },
          ],
        },
      },
      "kettle / main",
      /^:alert: The analysis of \[kettle\]\(.*\) on `main` ended in \*\*error\*\*:\n\n\* new coverage: \*\*error\*\*, is 50, should be at least 80$/,
    ],
    [
      undefined,
      { project: { name: "kettle" }, qualityGate: { status: "OK", conditions: [] } },
      "kettle",
      /in \*\*success\*\*\.$/,
    ],
  ]),
  ...samplesOf("teamcity", [
    [
      undefined,
      teamcity({ buildResult: "failure", buildResultDelta: "broken" }),
      "Tea :: Boil",
      /^Tea :: Boil \[#7\]\(.*\) :cross_mark: is broken \(Tests passed: 3\)\.\n\n\[changes\]\(.*&tab=buildChangesDiv\), \[log\]/,
    ],
    [undefined, teamcity({ buildResult: "running" }), "Tea :: Boil", /has begun\./],
  ]),
  ...samplesOf(
    "travis",
    ["push", "pull_request", "cron", "api"].map((type) => [type, travis(type), "kettle", travisSaid] as const),
  ),
  // Travis sends a form.
  {
    name: "travis",
    payload: { payload: JSON.stringify(travis("push")) },
    topic: "kettle",
    content: travisSaid,
    isForm: true,
  },
];
