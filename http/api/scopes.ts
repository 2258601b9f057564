/**
 * What further API keys may do. `read`: to read, to follow events, and to mark as read. `send`: to send and react as
 * well, and to upload. `all`: what their account may. Whatever is not named here needs `all`, unless it is a GET.
 */
import { errors } from "../../actors/errors.ts";
import type { KeyScope } from "../../storage/users/sessions.ts";
import type { Endpoint } from "./route.ts";

/** Changes that belong to reading. */
const reading: ReadonlySet<string> = new Set([
  "POST /register",
  "DELETE /events",
  "POST /messages/render",
  "POST /messages/flags",
  "POST /messages/flags/narrow",
  "POST /mark_all_as_read",
  "POST /mark_stream_as_read",
  "POST /mark_topic_as_read",
  // Notifications say what can be read.
  "POST /web_push",
  "DELETE /web_push",
  // What it is asked for is checked again, by the endpoint that does it.
  "POST ^/mcp",
]);

/** Changes that belong to sending. */
const sending: ReadonlySet<string> = new Set([
  "POST /messages",
  "POST /drafts",
  "PATCH /messages/:message_id",
  "POST /messages/:message_id/reactions",
  "DELETE /messages/:message_id/reactions",
  "POST /submessage",
  "POST /typing",
  "POST /messages/:message_id/typing",
  "POST /scheduled_messages",
  "PATCH /scheduled_messages/:scheduled_message_id",
  "DELETE /scheduled_messages/:scheduled_message_id",
  "POST /user_uploads",
  "POST /tus",
  "POST /tus/",
  "GET /tus/:upload_id",
  "PATCH /tus/:upload_id",
  "DELETE /tus/:upload_id",
  "POST /users/me/presence",
]);

/** What a GET answers that opens more than reading, or makes something elsewhere. */
const guarded: ReadonlySet<string> = new Set([
  "GET /bots",
  "GET /bots/:bot_id/api_key",
  "GET /invites",
  "GET /users/me/sessions",
  "GET /users/:user_id/sessions",
  "GET /realm/log_in_policy",
  "GET /realm/identity_providers",
  "GET /identities",
  "GET /users/me/api_keys",
  "GET /users/me/second_factor",
  "GET /realm/scim_tokens",
  "GET /export/realm",
  "GET /realm/audit_log",
  "GET /realm/legal_holds",
  "GET /realm/compliance_export",
  "GET ^/compliance_export/file",
  "GET /realm/retention",
  "GET /export/realm/consents",
  "GET ^/exports/:export_id/:file",
  "GET /calls/bigbluebutton/create",
  "GET /messages/summary",
  "GET /gifs",
]);

/** The least scope that a route needs. */
export function scopeOf({ method, path }: Pick<Endpoint, "method" | "path">): KeyScope {
  const name = `${method} ${path}`;
  if (sending.has(name)) return "send";
  return reading.has(name) || (method === "GET" && !guarded.has(name)) ? "read" : "all";
}

/** Whether a key of this scope may call it. */
export function allows(scope: KeyScope, route: Pick<Endpoint, "method" | "path">): boolean {
  const needed = scopeOf(route);
  return scope === "all" || needed === "read" || needed === scope;
}

/** @throws UNAUTHORIZED for a key that may not do this */
export function checkScope(scope: KeyScope, route: Pick<Endpoint, "method" | "path">): void {
  if (allows(scope, route)) return;
  const needed = scopeOf(route);
  throw errors.UNAUTHORIZED(`This API key may not do this: its scope is "${scope}", and it takes "${needed}".`);
}
