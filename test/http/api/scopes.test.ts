/** Every route that takes an API key is classified: nobody forgets to say what a key of a scope may do. */
import { expect, it } from "vitest";
import { routes } from "../../../http/api/routes.ts";
import { scopeOf } from "../../../http/api/scopes.ts";

const byKey = routes.filter(({ auth }) => auth.includes("apiKey"));
const named = (scope: string, isGet: boolean) =>
  byKey
    .filter((route) => scopeOf(route) === scope && (route.method === "GET") === isGet)
    .map(({ method, path }) => `${method} ${path}`)
    .sort();

it("changes by a key that reads are of queues and of what is read", () => {
  expect(named("read", false)).toMatchInlineSnapshot(`
    [
      "DELETE /events",
      "DELETE /web_push",
      "POST /mark_all_as_read",
      "POST /mark_stream_as_read",
      "POST /mark_topic_as_read",
      "POST /messages/flags",
      "POST /messages/flags/narrow",
      "POST /messages/render",
      "POST /register",
      "POST /web_push",
    ]
  `);
});

it("changes by a key that sends are of what it sends", () => {
  expect(named("send", false)).toMatchInlineSnapshot(`
    [
      "DELETE /messages/:message_id/reactions",
      "DELETE /scheduled_messages/:scheduled_message_id",
      "DELETE /tus/:upload_id",
      "PATCH /messages/:message_id",
      "PATCH /scheduled_messages/:scheduled_message_id",
      "PATCH /tus/:upload_id",
      "POST /drafts",
      "POST /messages",
      "POST /messages/:message_id/reactions",
      "POST /messages/:message_id/typing",
      "POST /scheduled_messages",
      "POST /submessage",
      "POST /tus",
      "POST /tus/",
      "POST /typing",
      "POST /user_uploads",
      "POST /users/me/presence",
    ]
  `);
});

it("a new GET is put among those that a key may read, or that need all", () => {
  expect({ read: named("read", true), all: named("all", true) }).toMatchInlineSnapshot(`
    {
      "all": [
        "GET /bots",
        "GET /bots/:bot_id/api_key",
        "GET /calls/bigbluebutton/create",
        "GET /export/realm",
        "GET /export/realm/consents",
        "GET /gifs",
        "GET /identities",
        "GET /invites",
        "GET /messages/summary",
        "GET /realm/audit_log",
        "GET /realm/compliance_export",
        "GET /realm/identity_providers",
        "GET /realm/legal_holds",
        "GET /realm/log_in_policy",
        "GET /realm/retention",
        "GET /realm/scim_tokens",
        "GET /users/:user_id/sessions",
        "GET /users/me/api_keys",
        "GET /users/me/second_factor",
        "GET /users/me/sessions",
        "GET ^/compliance_export/file",
        "GET ^/exports/:export_id/:file",
      ],
      "read": [
        "GET /attachments",
        "GET /attachments/facts",
        "GET /bot_storage",
        "GET /channel_folders",
        "GET /drafts",
        "GET /events",
        "GET /get_stream_id",
        "GET /messages",
        "GET /messages/:message_id",
        "GET /messages/:message_id/history",
        "GET /messages/:message_id/read_receipts",
        "GET /messages/matches_narrow",
        "GET /navigation_views",
        "GET /realm/domains",
        "GET /realm/emoji",
        "GET /realm/icon",
        "GET /realm/linkifiers",
        "GET /realm/logo",
        "GET /realm/operations",
        "GET /realm/presence",
        "GET /realm/profile_fields",
        "GET /realm/second_factor",
        "GET /realm/user_settings_defaults",
        "GET /reminders",
        "GET /saved_snippets",
        "GET /scheduled_messages",
        "GET /streams",
        "GET /streams/:stream_id",
        "GET /streams/:stream_id/email_address",
        "GET /streams/:stream_id/members",
        "GET /thumbnail/status/:realm_id/:filename*",
        "GET /user_groups",
        "GET /user_groups/:user_group_id/members",
        "GET /user_groups/:user_group_id/members/:user_id",
        "GET /user_groups/:user_group_id/subgroups",
        "GET /user_uploads/:realm_id/:filename*",
        "GET /users",
        "GET /users/:user",
        "GET /users/:user_id/channels",
        "GET /users/:user_id/status",
        "GET /users/:user_id/subscriptions/:stream_id",
        "GET /users/:user_id_or_email/presence",
        "GET /users/me",
        "GET /users/me/:stream_id/topics",
        "GET /users/me/alert_words",
        "GET /users/me/subscriptions",
        "GET /web_push",
        "GET ^/avatar/:user",
        "GET ^/avatar/:user/medium",
        "GET ^/user_uploads/:realm_id/:filename*",
        "GET ^/user_uploads/download/:realm_id/:filename*",
        "GET ^/user_uploads/thumbnail/:realm_id/:filename*",
      ],
    }
  `);
});
