/**
 * An example of a request for each endpoint, from its declaration: what it requires, and what makes it worth while. The
 * page of the API shows them, and a test sends them.
 */
import { defined } from "../../storage/failures.ts";
import { roles } from "../../storage/rows.ts";
import type { Param } from "./params.ts";
import type { Endpoint } from "./route.ts";

/** Values of a parameter, by its name, wherever an endpoint requires it. */
const values: Readonly<Record<string, unknown>> = {
  alert_words: ["lunch", "outage"],
  allow_subdomains: true,
  api_key: "56quLylNgLVLkk8nbRz5MwoZl6Mu66eq",
  appid: "com.example.chat",
  attachment_id: 12,
  auth: "x2nZ0ugKJ4Sdqj9lq4RyIw",
  bot_id: 24,
  channel_folder_id: 3,
  client_id: "parley",
  challenge: "rRP0hZ3sJSTfN4Kz3vWOyw",
  code: "287082",
  credential: '{"id":"rRP0hZ3sJSTfN4Kz3vWOyw","type":"public-key"}',
  command: "/ping",
  content: "Good **morning**",
  description: "Who builds it",
  device_id: 5,
  display_name: "Keycloak",
  domain: "example.com",
  draft: { type: "stream", to: [7], topic: "engines", content: "Not yet" },
  draft_id: 8,
  email: "ada@example.com",
  emoji_name: "tada",
  endpoint: "https://push.example.com/send/f8Zt",
  export_id: 2,
  field_id: 3,
  field_type: 1,
  filename: "2/4e/9cS1.png",
  filter_id: 2,
  flag: "starred",
  fragment: "narrow/is/followed",
  full_name: "Ada Lovelace",
  group_id: 3,
  group_name: "Engineering",
  hold_id: 5,
  identity_id: 17,
  integration: "json",
  asking_integration: "trello",
  invite_id: 6,
  invitee_emails: "grace@example.com, edsger@example.com",
  is_pinned: true,
  issuer: "https://id.example.com/realms/staff",
  keys: ["lunch"],
  meeting_name: "Stand-up",
  message_id: 4242,
  messages: [4241, 4242],
  msg_ids: [4241, 4242],
  msg_type: "widget",
  muted_user_id: 24,
  name: "engines",
  num_after: 0,
  num_before: 20,
  onboarding_step: "visibility_policy_banner",
  op: "add",
  order: [2, 1],
  ordered_linkifier_ids: [2, 1],
  passkey_id: 3,
  p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
  path_ids: ["1/4e/m2noRJU4YsA9yBpTQ0Zqbg/plan.pdf"],
  password: "a fine password",
  pattern: "#(?P<id>[0-9]+)",
  playground_id: 2,
  property: "color",
  provider: "keycloak",
  pygments_language: "Python",
  queue: "mail",
  queue_id: "fb67bf8a-c031-47cc-84cf-ed80accacda8",
  realm_id: 2,
  reminder_id: 9,
  report_type: "spam",
  room_name: "Stand-up",
  saved_snippet_id: 4,
  scheduled_delivery_timestamp: 4102444800,
  scheduled_message_id: 9,
  key_id: 16,
  session_id: 15,
  short_name: "echo",
  status: "active",
  storage: { lunch: "soup", dinner: "bread" },
  stream: "general",
  stream_id: 7,
  stream_ids: [7],
  stream_names: ["general"],
  subdomain: "engineers",
  subscribers: [24],
  subscription_data: [{ stream_id: 7, property: "is_muted", value: true }],
  title: "Greeting",
  token: "f8ZtQ2dJ5Kk",
  token_id: 6,
  topic: "engines",
  topic_name: "engines",
  type: "channel",
  url_template: "https://bugs.example.com/{id}",
  user: "ada@example.com",
  user_group_id: 31,
  user_id: 24,
  user_id_or_email: "ada@example.com",
  username: "ada@example.com",
  value: "#76ce90",
  visibility_policy: 3,
  welcome_message_custom_text: "Lunch is at noon.",
};

const settings = { color_scheme: 2, enable_offline_email_notifications: false };
const lovelace = [{ id: 3, value: "Analytical engines" }];

/** Further fields of an endpoint's example, and fields with values of its own. */
const requests: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "POST /register": { event_types: ["message"], apply_markdown: true },
  "GET /events": { last_event_id: -1 },
  "POST /messages": { to: "general", topic: "engines" },
  "GET /messages": {
    anchor: "newest",
    num_before: 20,
    num_after: 0,
    narrow: [
      { operator: "channel", operand: "general" },
      { operator: "topic", operand: "engines" },
    ],
  },
  "GET /messages/matches_narrow": { narrow: [{ operator: "is", operand: "mentioned" }] },
  "PATCH /messages/:message_id": { content: "Good **evening**" },
  "DELETE /messages/:message_id/reactions": { emoji_name: "tada" },
  "POST /submessage": { content: '{"type":"vote","key":"1,1","vote":1}' },
  "POST /messages/:message_id/report": { description: "Somebody sells rockets" },
  "POST /typing": { op: "start", to: [24] },
  "POST /messages/:message_id/typing": { op: "start" },
  "POST /scheduled_messages": { to: 7, topic: "engines" },
  "PATCH /scheduled_messages/:scheduled_message_id": { content: "Good **evening**" },
  "POST /reminders": { note: "Answer this" },
  "POST /messages/flags/narrow": { anchor: "oldest", narrow: [{ operator: "channel", operand: "general" }] },
  "POST /channels/create": { description: "What we build" },
  "GET /streams": { include_all: true },
  "PATCH /streams/:stream_id": { description: "What we build", topics_policy: "disable_empty_topic" },
  "PATCH /default_stream_groups/:group_id": { new_group_name: "Engineers" },
  "POST /channel_folders/create": { name: "Work", description: "What we work on" },
  "PATCH /channel_folders/:channel_folder_id": { name: "Work" },
  "POST /users/me/subscriptions": { subscriptions: [{ name: "engines", description: "What we build" }] },
  "DELETE /users/me/subscriptions": { subscriptions: ["engines"] },
  "PATCH /users/me/subscriptions": { add: [{ name: "engines" }], delete: ["general"] },
  "PATCH /users/me/subscriptions/muted_topics": { stream_id: 7 },
  "POST /user_groups/create": { name: "engineers", members: [24] },
  "PATCH /user_groups/:user_group_id": { name: "engineers" },
  "POST /user_groups/:user_group_id/members": { add: [24] },
  "POST /user_groups/:user_group_id/subgroups": { add: [31] },
  "GET /users": { user_ids: [24] },
  "POST /users": { email: "grace@example.com", full_name: "Grace Hopper" },
  "PATCH /users/:user": { full_name: "Ada King" },
  "POST /users/me/status": { status_text: "at lunch", emoji_name: "bread" },
  "POST /users/:user_id/status": { status_text: "at lunch", emoji_name: "bread" },
  "PATCH /users/me/profile_data": { data: lovelace },
  "DELETE /users/me/profile_data": { data: [3] },
  "PATCH /settings": settings,
  "PATCH /settings/display": { color_scheme: 2 },
  "PATCH /settings/notifications": { enable_offline_email_notifications: false },
  "PATCH /realm/user_settings_defaults": settings,
  "POST /realm/profile_fields": { name: "Field of work", hint: "What you know best" },
  "PATCH /realm/profile_fields/:field_id": { hint: "What you know best" },
  "POST /bots": { full_name: "Echo Bot" },
  "PATCH /bots/:bot_id": { full_name: "Echo" },
  "GET /external/:asking_integration": { api_key: "56quLylNgLVLkk8nbRz5MwoZl6Mu66eq" },
  "POST /external/:integration": {
    api_key: "56quLylNgLVLkk8nbRz5MwoZl6Mu66eq",
    stream: "builds",
    payload: '{"text":"The build is green"}',
  },
  "POST /jwt/fetch_api_key": { token: "eyJhbGciOiJIUzI1NiJ9.eyJlbWFpbCI6ImFkYUBleGFtcGxlLmNvbSJ9.c2lnbmF0dXJl" },
  "POST /drafts": { drafts: [{ type: "stream", to: [7], topic: "engines", content: "Not yet" }] },
  "PATCH /saved_snippets/:saved_snippet_id": { title: "Greeting" },
  "PATCH /realm/log_in_policy": { session_days: 7, allowed_networks: [] },
  "POST /realm/identity_providers": { name: "keycloak" },
  "POST /realm/identity_providers/try": { name: "keycloak" },
  "PATCH /realm/identity_providers/:provider": { display_name: "Keycloak" },
  "PATCH /realm/second_factor": { of: "administrators", grace_days: 14 },
  "POST /users/me/reauthenticate": { password: "a fine password" },
  "POST /users/me/api_keys": { password: "a fine password" },
  "POST /realm/scim_tokens": { password: "a fine password" },
  "PATCH /realm/retention": {
    direct_message_days: 365,
    earlier_text_days: 30,
    unused_file_days: 90,
    audit_log_days: 730,
  },
  "POST /realm/legal_holds": { name: "Case 12", user_id: 12 },
  "POST /default_stream_groups/create": { stream_names: ["engines"] },
  "POST /navigation_views": { name: "Followed topics" },
  "PATCH /navigation_views/:fragment*": { is_pinned: false },
  "POST /export/realm": { export_type: "public" },
  "POST /invites/multiuse": { invite_as: roles.member, include_realm_default_subscriptions: true },
  "POST /mobile_push/register": {
    push_key_id: 1,
    push_key: "MXRoaXMgaXMgYSBrZXkgb2YgdGhpcnR5LXR3byBieXRlcyE=",
  },
  "GET /bot_storage": { keys: ["lunch"] },
  "DELETE /bot_storage": { keys: ["lunch"] },
  "PATCH /realm": { name: "Engineers", message_content_edit_limit_seconds: "unlimited" },
  "POST /realm/playgrounds": { name: "Playground", url_template: "https://play.example.com/?code={code}" },
  "PATCH /realm/domains/:domain": { allow_subdomains: false },
};

/** The names of `values` and of `requests`: a test asks whether each is needed. */
export const exampleNames = { values: Object.keys(values), requests: Object.keys(requests) } as const;

export interface ExampleRequest {
  /** Below the address of the API. The parts of it are filled in and escaped. */
  readonly path: string;
  /** A text as it is; anything else is sent as JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Whether there is a value to show of a parameter that an endpoint requires. */
export const hasExample = ({ method, path }: Pick<Endpoint, "method" | "path">, name: string): boolean =>
  Object.hasOwn(requests[`${method} ${path}`] ?? {}, name) || Object.hasOwn(values, name);

/** What is better than no page, until somebody gives an example. */
const anyValue = ({ schema }: Param<unknown>): unknown =>
  Array.isArray(schema["enum"])
    ? schema["enum"][0]
    : schema.type === "boolean"
      ? true
      : schema.type === "integer"
        ? 1
        : "…";

export function exampleOf({ method, path, params }: Pick<Endpoint, "method" | "path" | "params">): ExampleRequest {
  const own = requests[`${method} ${path}`] ?? {};
  const exampleValue = (name: string): unknown => own[name] ?? values[name] ?? anyValue(defined(params[name], "param"));
  const fields = Object.entries(params).filter(([name, param]) => !param.isPath && (param.isRequired || name in own));
  return {
    path: path.replace(/:(\w+)(\*?)/g, (_, name: string, rest: string) => {
      const value = String(exampleValue(name));
      return rest === "" ? encodeURIComponent(value) : value.split("/").map(encodeURIComponent).join("/");
    }),
    fields: Object.fromEntries(fields.map(([name]) => [name, exampleValue(name)])),
  };
}
