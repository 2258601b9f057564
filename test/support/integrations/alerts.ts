/** What services post that watch over others, in the forms of their documentation. */
import { type Sample, samplesOf } from "./sample.ts";

const alert = {
  status: "firing",
  labels: { alertname: "HighLoad", instance: "web-1" },
  annotations: { summary: "Load is 9" },
  generatorURL: "https://prom.example/graph?tab=1",
  startsAt: "2026-11-01T08:00:00Z",
  endsAt: "0001-01-01T00:00:00Z",
  fingerprint: "f1",
};
const oldGrafana = (state: string) => ({
  title: "[Alerting] Load",
  ruleName: "Load",
  ruleUrl: "https://g.example/r",
  state,
  message: "High",
  evalMatches: [{ metric: "cpu", value: 9 }],
});
const issueNewRelic = (state: string) => ({
  title: "Load is high",
  issueUrl: "https://nr.example/1",
  priority: "CRITICAL",
  totalIncidents: 2,
  state,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  alertPolicyNames: ["Servers"],
  alertConditionNames: ["CPU"],
  zulipCustomFields: { team: "Tea" },
});
const oldNewRelic = (current_state: string) => ({
  condition_name: "CPU",
  policy_name: "Servers",
  incident_id: 5,
  incident_url: "https://nr.example/5",
  details: "High",
  current_state,
  owner: "Mia",
});
const opsgenie = (action: string) => ({
  action,
  integrationName: "Tea",
  alert: { alertId: "x-1", message: "Down", note: "Look", tags: ["a", "b"], owner: "mia" },
  escalationName: "Night",
});
const incident = { id: "P1", number: 9, title: "Down", html_url: "https://pd.example/9" };
const person = (summary: string) => ({ summary, html_url: `https://pd.example/${summary}` });
const pagerduty = (event_type: string, data: object = {}) => ({
  event: {
    event_type,
    agent: person("Mia"),
    data: { ...incident, service: person("API"), assignees: [person("Kim")], ...data },
  },
});
/** Events about a part of an incident name the whole beside it. */
const partOf = (data: object) => ({
  incident: { id: "P1", summary: "Down", html_url: "https://pd.example/9" },
  ...data,
});
const pagerdutyV2 = (event: string) => ({
  messages: [
    {
      event,
      incident: {
        incident_number: 9,
        title: "Down",
        html_url: "https://pd.example/9",
        service: { name: "API", html_url: "https://pd.example/api" },
        assignments: [{ assignee: person("Kim") }],
        last_status_change_by: person("Mia"),
      },
    },
  ],
});
const v3Topic = "Incident Down (#9)";
const v3 = (event: string, action: string, data: object = {}, topic = v3Topic, said = "") =>
  [
    action,
    pagerduty(event, data),
    topic,
    new RegExp(`^\\[Incident .*\\]\\(https://pd\\.example/9\\): ${action} by \\[Mia\\]\\(.*\\).*${said}`),
  ] as const;
const pingdom = (check_type: string) => ({
  check_name: "Site",
  check_type,
  check_params: { hostname: "tea.example" },
  previous_state: "UP",
  current_state: "DOWN",
  long_description: "Time-out",
});
const sentryEvent = {
  title: "TypeError: no tea",
  level: "error",
  platform: "python",
  datetime: "2026-11-01T08:00:00.000000Z",
  web_url: "https://sentry.example/e",
  metadata: { filename: "tea.py" },
  exception: {
    values: [
      {
        stacktrace: {
          frames: [
            { filename: "tea.py", pre_context: ["def boil():"], context_line: "    raise TypeError", post_context: [] },
          ],
        },
      },
    ],
  },
};
const sentryIssue = (action: string) => ({
  action,
  actor: { name: "Mia" },
  data: {
    issue: {
      title: "no tea",
      web_url: "https://sentry.example/1",
      level: "error",
      lastSeen: "2026-11-01T08:00:00Z",
      project: { name: "api" },
      assignedTo: { type: "team", name: "Brewers" },
    },
  },
});
const monitor = (alert_type_friendly_name: string) => ({
  monitor_friendly_name: "Site",
  monitor_url: "https://tea.example",
  alert_type_friendly_name,
  alert_details: "HTTP 500",
  alert_friendly_duration: "3 minutes",
});
const page = { status_description: "Partial Outage" };

export const alertSamples: Sample[] = [
  ...samplesOf("alertmanager", [
    [
      undefined,
      { alerts: [alert] },
      "web-1",
      /^:alert: \*\*Firing\*\*: \[HighLoad\]\(https:\/\/prom\.example\/graph\?tab=0\): Load is 9$/,
    ],
    [
      undefined,
      {
        alerts: [
          { ...alert, status: "resolved" },
          { ...alert, status: "resolved" },
        ],
      },
      "web-1",
      /^:check: \*\*Resolved\*\*\n\n\* \[HighLoad\].*\n\* /,
    ],
  ]),
  ...samplesOf("errbit", [
    [
      undefined,
      {
        problem: {
          app_name: "kettle",
          environment: "production",
          url: "https://e.example/1",
          error_class: "NoTea",
          message: "empty",
          where: "pot#pour",
          notices_count: 3,
        },
      },
      "kettle / production",
      /^\[NoTea\]\(.*\): "empty" occurred in pot#pour \(3 times\)\.$/,
    ],
  ]),
  ...samplesOf("grafana", [
    [
      "firing",
      {
        status: "firing",
        alerts: [{ ...alert, values: { A: 9 }, silenceURL: "https://g.example/s", imageURL: "https://g.example/i" }],
      },
      "[HighLoad]",
      /^:alert: \*\*Firing\*\*: \*\*\[HighLoad\]\(.*\)\*\*\n\n\* \*\*Began\*\*: <time:2026-11-01T08:00:00Z>\n\* \*\*summary\*\*: Load is 9\n\* \*\*Values\*\*: A: 9\n\* \*\*Labels\*\*: alertname: HighLoad, instance: web-1\n\[Source\]\(.*\) · \[Silence\]\(.*\) · \[Image\]\(.*\)$/,
    ],
    [
      "resolved",
      { alerts: [{ ...alert, status: "resolved", endsAt: "2026-11-01T09:00:00Z" }] },
      "[HighLoad]",
      /^:check: \*\*Resolved\*\*[\s\S]*\*\*Ended\*\*: <time:2026-11-01T09:00:00Z>/,
    ],
    ...["ok", "pending", "alerting", "paused", "no_data"].map(
      (state) =>
        [
          state,
          oldGrafana(state),
          "[Alerting] Load",
          /^:\w+: \*\*.*\*\*: \[Load\]\(.*\)\n\n~~~ quote\nHigh\n~~~\n\n\* \*\*cpu\*\*: 9$/,
        ] as const,
    ),
  ]),
  ...samplesOf("newrelic", [
    ...["CREATED", "ACTIVATED", "CLOSED"].map(
      (state) =>
        [
          state,
          issueNewRelic(state),
          "Load is high",
          /^:red_circle: \[Load is high\]\(.*\) was activated \(priority: critical\)\n\n\* \*\*Policies\*\*: `Servers`\n\* \*\*Conditions\*\*: `CPU`\n\* \*\*Incidents\*\*: 2\n\* \*\*Began\*\*: <time:2023-11-14T22:13:20Z>[\s\S]*\* \*\*team\*\*: Tea$/,
        ] as const,
    ),
    [
      "CREATED",
      { title: "Load is high", state: "CREATED", issueUrl: "https://nr.example/1" },
      "Incident alerts",
      /^:alert: \[Load is high\]\(.*\) was created\n\n[\s\S]*lacks `priority`, `totalIncidents`/,
    ],
    ...["open", "acknowledged", "closed"].map(
      (state) =>
        [
          state,
          oldNewRelic(state),
          "Servers (5)",
          new RegExp(`^\\[Incident\\]\\(.*\\) \\*\\*${state}\\*\\* by Mia: CPU\\n~~~ quote\\nHigh`),
        ] as const,
    ),
  ]),
  ...samplesOf(
    "opsgenie",
    "AddTeam UnAcknowledge AddNote TestAction Close Escalate AddRecipient RemoveTags Acknowledge Delete AddTags TakeOwnership Create AssignOwnership"
      .split(" ")
      .map(
        (action) =>
          [
            action,
            opsgenie(action),
            "Tea",
            new RegExp(
              `^\\[Alert of Tea\\]\\(https://app\\.opsgenie\\.com/alert/V2#/show/x-1\\)\\n\\n\\* \\*\\*Type\\*\\*: ${action}\\n\\* \\*\\*Note\\*\\*: Look\\n\\* \\*\\*Assigned to\\*\\*: mia\\n\\* \\*\\*Escalation\\*\\*: Night\\n\\* \\*\\*Message\\*\\*: Down\\n\\* \\*\\*Tags\\*\\*: \`a\`, \`b\`$`,
            ),
          ] as const,
      ),
  ),
  ...samplesOf("pagerduty", [
    v3(
      "incident.triggered",
      "triggered",
      {},
      v3Topic,
      "\\(service \\[API\\]\\(.*\\)\\), assigned to \\[Kim\\]\\(.*\\)\\.$",
    ),
    v3("incident.acknowledged", "acknowledged"),
    v3("incident.unacknowledged", "unacknowledged"),
    v3("incident.resolved", "resolved"),
    v3("incident.reassigned", "reassigned"),
    v3("incident.escalated", "escalated"),
    v3("incident.delegated", "delegated", { escalation_policy: person("Night") }, v3Topic, ": by \\[Night\\]\\(.*\\)$"),
    v3("incident.reopened", "reopened"),
    v3("incident.priority_updated", "priority updated", { priority: { summary: "P2" } }, v3Topic, ": P2$"),
    v3(
      "incident.status_update_published",
      "status updated",
      partOf({ message: "Looking" }),
      "Incident Down",
      ": Looking$",
    ),
    v3("incident.annotated", "annotated", partOf({ content: "A note" }), "Incident Down", ": A note$"),
    v3(
      "incident.responder.added",
      "responder added",
      partOf({ user: person("Lee"), message: "Help" }),
      "Incident Down",
      "\\[Lee\\]\\(.*\\): Help$",
    ),
    v3(
      "incident.responder.replied",
      "responder replied",
      partOf({ user: person("Lee"), message: "Yes" }),
      "Incident Down",
      ": Yes$",
    ),
    v3(
      "incident.conference_bridge.updated",
      "conference bridge updated",
      partOf({ conference_url: "https://call.example" }),
      "Incident Down",
      ": https://call.example$",
    ),
    v3("incident.service_updated", "service updated"),
    v3(
      "incident.workflow.started",
      "workflow started",
      partOf({ incident_workflow: { summary: "Page all" } }),
      "Incident Down",
      ": Page all$",
    ),
    v3(
      "incident.workflow.completed",
      "workflow completed",
      partOf({ incident_workflow: { summary: "Page all" } }),
      "Incident Down",
      ": Page all$",
    ),
    [
      "assigned",
      pagerdutyV2("incident.assign"),
      "Incident 9",
      /^\[Incident 9\]\(.*\) \(Down\): assigned by \[Mia\]\(.*\) \(service \[API\]\(.*\)\), assigned to \[Kim\]/,
    ],
    [
      "resolved",
      {
        messages: [
          {
            type: "incident.resolve",
            data: {
              incident: {
                incident_number: 3,
                html_url: "https://pd.example/3",
                resolved_by_user: { name: "Mia" },
                trigger_summary_data: { subject: "Load" },
              },
            },
          },
        ],
      },
      "Incident 3",
      /^\[Incident 3\]\(.*\) \(Load\): resolved by Mia\.$/,
    ],
  ]),
  ...samplesOf("papertrail", [
    [
      undefined,
      {
        events: [{ received_at: "2026-11-01T08:00:00+00:00", source_name: "web-1", program: "nginx", message: "404" }],
        saved_search: { name: "Errors", html_search_url: "https://pt.example" },
      },
      "logs",
      /^\[Search "Errors"\]\(.*\) found \*\*1\*\* match:\n\n<time:2026-11-01T08:00:00Z> \(web-1, nginx\):\n~~~ quote\n404\n~~~$/,
    ],
  ]),
  // Papertrail sends a form.
  {
    name: "papertrail",
    payload: { payload: JSON.stringify({ events: [], saved_search: { name: "None" } }) },
    topic: "logs",
    content: /found \*\*0\*\* matches/,
    isForm: true,
  },
  ...samplesOf(
    "pingdom",
    ["HTTP", "HTTP_CUSTOM", "HTTPS", "SMTP", "POP3", "IMAP", "PING", "DNS", "UDP", "PORT_TCP", "TRANSACTION"].map(
      (type) =>
        [
          type,
          pingdom(type),
          "Site status.",
          new RegExp(
            `^:alert: \`tea\\.example\` \\(${type}\\) went from \\*\\*UP\\*\\* to \\*\\*DOWN\\*\\*:\\n~~~ quote\\nTime-out\\n~~~$`,
          ),
        ] as const,
    ),
  ),
  ...samplesOf("sentry", [
    [
      "event_alert",
      { action: "triggered", data: { event: sentryEvent } },
      "TypeError: no tea",
      /^\*\*New exception\*\*: \[TypeError: no tea\]\(.*\)\n\n\* \*\*Level\*\*: error\n\* \*\*Time\*\*: <time:2026-11-01T08:00:00Z>\n\* \*\*File\*\*: tea\.py\n```python\n {5}def boil\(\):\n---> {5}raise TypeError\n```$/,
    ],
    ["error", { action: "created", data: { error: sentryEvent } }, "TypeError: no tea", /New exception/],
    [
      "issue",
      sentryIssue("created"),
      "no tea",
      /^\*\*New issue\*\*: \[no tea\]\(.*\)\n\n[\s\S]*\* \*\*Project\*\*: api\n\* \*\*Assignee\*\*: team Brewers$/,
    ],
    ["issue", sentryIssue("assigned"), "no tea", /^\[no tea\]\(.*\) was assigned to \*\*team Brewers\*\* by Mia\.$/],
    ["issue", sentryIssue("resolved"), "no tea", /^\[no tea\]\(.*\) was resolved by Mia\.$/],
    [
      "event_alert",
      { project_name: "api", level: "error", message: "Boom", url: "https://sentry.example/2" },
      "api",
      /^New \[issue\]\(.*\) \(error\):\n~~~ quote\nBoom/,
    ],
  ]),
  ...samplesOf("splunk", [
    [
      undefined,
      {
        search_name: "Errors",
        results_link: "https://sp.example",
        result: { host: "web-1", source: "/var/log/x", _raw: "a `b` c" },
      },
      "Errors",
      /^A saved search has an alert:\n\n\* \*\*Search\*\*: \[Errors\]\(.*\)\n\* \*\*Host\*\*: web-1\n\* \*\*Source\*\*: `\/var\/log\/x`\n\* \*\*Raw\*\*: `a 'b' c`$/,
    ],
  ]),
  ...samplesOf("statuspage", [
    [
      "component",
      { page, component: { name: "API" }, component_update: { old_status: "operational", new_status: "major_outage" } },
      "API: Partial Outage",
      /^\*\*API\*\* went from \*\*operational\*\* to \*\*major outage\*\*\.$/,
    ],
    [
      "incident",
      {
        page,
        incident: { name: "Down", status: "investigating", impact: "major", incident_updates: [{ body: "We look" }] },
      },
      "Down: Partial Outage",
      /^\*\*Down\*\*: investigating \(impact: major\)\n~~~ quote\nWe look\n~~~$/,
    ],
  ]),
  ...samplesOf("uptimekuma", [
    [
      "down",
      { heartbeat: { status: 0, msg: "timeout" }, monitor: { name: "Site", url: "https://s.example" }, msg: "x" },
      "Site",
      /^:alert: \[Site\]\(.*\) is \*\*down\*\*: timeout$/,
    ],
    [
      "up",
      { heartbeat: { status: 1, msg: "200" }, monitor: { name: "Site" } },
      "Site",
      /^:check: Site is \*\*up\*\*: 200$/,
    ],
  ]),
  ...samplesOf("uptimerobot", [
    [
      "up",
      monitor("Up"),
      "Site",
      /^:check: \[Site\]\(.*\) is \*\*up\*\* again \(HTTP 500\)\. It was down for 3 minutes\.$/,
    ],
    ["down", monitor("Down"), "Site", /^:alert: \[Site\]\(.*\) is \*\*down\*\* \(HTTP 500\)\.$/],
  ]),
  ...samplesOf("zabbix", [
    [
      undefined,
      {
        hostname: "web-1",
        severity: "High",
        status: "PROBLEM",
        item: "Load is 9",
        trigger: "Load too high",
        link: "https://z.example",
      },
      "web-1",
      /^PROBLEM \(High\) of \[web-1\]\(.*\):\n\n\* Load too high\n\* Load is 9$/,
    ],
  ]),
];
