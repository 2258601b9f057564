/**
 * Every error a client can be told, by code. An expected failure is thrown from this table and becomes a JSON answer
 * (https://zulip.com/api/rest-error-handling). Anything else that is thrown is a bug and answers a plain 500.
 * A shipped code is never reused.
 */
import type { ChannelId, MessageId, UserId } from "../storage/ids.ts";

export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The only further fields of the answer: some clients decode errors strictly. */
    readonly extra: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

interface ErrorKind<D> {
  status: number;
  msg: (details: D) => string;
  /** Which details the answer carries; none by default. */
  extra?: (details: D) => Record<string, unknown>;
}

type ErrorTable<T> = {
  [C in keyof T]: T[C] extends { msg: (...details: infer D) => string } ? (...details: D) => ApiError : never;
};

function defineErrors<T extends Record<string, ErrorKind<never>>>(kinds: T): ErrorTable<T> {
  const table: Record<string, unknown> = {};
  for (const [code, kind] of Object.entries<ErrorKind<never>>(kinds)) {
    table[code] = (details: never) => new ApiError(kind.status, code, kind.msg(details), kind.extra?.(details));
  }
  return table as ErrorTable<T>;
}

interface InvitationFailure {
  /** Address, what is wrong with it, and whether it is a deactivated account's. */
  errors: [string, string, boolean][];
  sent_invitations: boolean;
  daily_limit_reached: boolean;
  license_limit_reached: boolean;
}

const same = <D extends Record<string, unknown>>(details: D): Record<string, unknown> => ({ ...details });

export const errors = defineErrors({
  BAD_REQUEST: { status: 400, msg: (message: string) => message },
  REQUEST_VARIABLE_MISSING: {
    status: 400,
    msg: (d: { var_name: string }) => `Missing '${d.var_name}' argument`,
    extra: same,
  },
  REQUEST_VARIABLE_INVALID: {
    status: 400,
    msg: (d: { var_name: string; bad_value: string }) => `Bad value for '${d.var_name}': ${d.bad_value}`,
    extra: same,
  },
  REQUEST_CONFUSING_VAR: {
    status: 400,
    msg: (d: { var_name1: string; var_name2: string }) =>
      `Can't decide between '${d.var_name1}' and '${d.var_name2}' arguments`,
    extra: same,
  },
  INVALID_JSON: { status: 400, msg: () => "Malformed JSON" },
  BAD_NARROW: { status: 400, msg: (d: { desc: string }) => `Invalid narrow operator: ${d.desc}`, extra: same },
  /** The text is matched by clients: keep its beginning. */
  BAD_EVENT_QUEUE_ID: {
    status: 400,
    msg: (d: { queue_id: string }) => `Bad event queue ID: ${d.queue_id}`,
    extra: same,
  },
  STREAM_DOES_NOT_EXIST: {
    status: 400,
    msg: (d: { stream?: string; stream_id?: ChannelId }) =>
      d.stream === undefined
        ? `Channel with ID '${d.stream_id}' does not exist`
        : `Channel '${d.stream}' does not exist`,
    extra: same,
  },
  /** Told to whoever creates a channel. */
  CHANNEL_ALREADY_EXISTS: { status: 409, msg: (d: { name: string }) => `Channel '${d.name}' already exists` },
  UNAUTHORIZED_PRINCIPAL: { status: 400, msg: (message: string) => message },
  REACTION_ALREADY_EXISTS: { status: 400, msg: () => "Reaction already exists." },
  REACTION_DOES_NOT_EXIST: { status: 400, msg: () => "Reaction doesn't exist." },
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: {
    status: 400,
    msg: (d: {
      first_message_id_allowed_to_move: MessageId;
      total_messages_in_topic: number;
      total_messages_allowed_to_move: number;
    }) =>
      `You only have permission to move the ${d.total_messages_allowed_to_move}/${d.total_messages_in_topic} most recent messages in this topic.`,
    extra: same,
  },
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: {
    status: 400,
    msg: () => "You do not have permission to use topic wildcard mentions in this topic.",
  },
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: {
    status: 400,
    msg: () => "You do not have permission to use channel wildcard mentions in this channel.",
  },
  EXPECTATION_MISMATCH: {
    status: 400,
    msg: (what: string) => `'old' value does not match the expected value: ${what} has changed.`,
  },
  CANNOT_DEACTIVATE_LAST_USER: {
    status: 400,
    msg: (d: { is_last_owner: boolean; entity: string }) => `You can't deactivate the only ${d.entity}.`,
    extra: same,
  },
  CANNOT_DEACTIVATE_GROUP_IN_USE: {
    status: 400,
    msg: (_: { objections: object[] }) => "You can't deactivate a user group that is in use.",
    extra: same,
  },
  INVITATION_FAILED: {
    status: 400,
    msg: (d: InvitationFailure & { message: string }) => d.message,
    extra: (d: InvitationFailure) => ({
      errors: d.errors,
      sent_invitations: d.sent_invitations,
      daily_limit_reached: d.daily_limit_reached,
      license_limit_reached: d.license_limit_reached,
    }),
  },
  /** Answered with status 200: services that get errors stop posting. */
  UNSUPPORTED_WEBHOOK_EVENT_TYPE: {
    status: 200,
    msg: (d: { webhook_name: string; event_type: string }) =>
      `${d.webhook_name} posted an event that is not supported ("${d.event_type}"), so it was left out.`,
    extra: same,
  },
  MISSING_HTTP_EVENT_HEADER: {
    status: 400,
    msg: (d: { header: string }) => `Missing the HTTP event header '${d.header}'`,
    extra: same,
  },
  /** Told to whoever may read it, later. */
  FILE_BEING_CHECKED: { status: 423, msg: () => "This file is still being checked. Please try again later." },
  BAD_IMAGE: { status: 400, msg: (message: string) => message },
  REALM_UPLOAD_QUOTA: {
    status: 400,
    msg: (d: { quota_mib: number }) => `Upload would exceed your organization's upload quota of ${d.quota_mib} MiB.`,
  },
  ACCOUNT_UPLOAD_QUOTA: {
    status: 400,
    msg: (d: { used_mib: number; quota_mib: number }) =>
      `Upload would exceed your upload quota: ${d.used_mib} of ${d.quota_mib} MiB are used. Delete files that you do not need any more.`,
  },
  INVALID_PUSH_DEVICE_TOKEN: { status: 400, msg: () => "Device not recognized" },
  INVALID_REMOTE_PUSH_DEVICE_TOKEN: { status: 400, msg: () => "Device not recognized by the push bouncer" },
  NO_ACTIVE_PUSH_DEVICE: { status: 400, msg: () => "No active registered push device" },
  /** Clients then have the person let this server into their account there. */
  INVALID_VIDEO_CALL_PROVIDER_TOKEN: {
    status: 400,
    msg: (d: { service: string }) => `Invalid ${d.service} access token`,
  },
  GIFS_UNAVAILABLE: { status: 502, msg: () => "The provider of GIFs gave none. Please try again later." },
  UNKNOWN_ZOOM_USER: { status: 400, msg: () => "Zoom has no account with your email address" },
  ADMIN_ACTION_REQUIRED: { status: 403, msg: (message: string) => message },
  FAILED_TO_CONNECT_BOUNCER: {
    status: 502,
    msg: () => "Network error while connecting to the push notification service.",
  },
  INTERNAL_SERVER_ERROR_ON_BOUNCER: {
    status: 502,
    msg: () => "Internal server error on the push notification service.",
  },
  PUSH_SERVICE_NOT_CONFIGURED: { status: 400, msg: () => "Server is not configured to use push notification service." },
  UNAUTHORIZED: { status: 401, msg: (message: string) => message },
  INVALID_API_KEY: { status: 401, msg: () => "Invalid API key" },
  UNAUTHENTICATED_USER: { status: 401, msg: () => "Not logged in: API authentication or user session required" },
  AUTHENTICATION_FAILED: { status: 401, msg: (message: string) => message },
  /** Told to whoever has shown the first factor where nothing can ask for the second. */
  SECOND_FACTOR_REQUIRED: {
    status: 401,
    msg: (d: { url: string }) =>
      `This account takes a second factor: log in at ${d.url}/login/ in a browser. Programs take an API key from the settings there.`,
  },
  /** The page then asks for the password or a code, and tries again. */
  REAUTHENTICATION_REQUIRED: {
    status: 403,
    msg: () => "Show again that it is you, with your password or a code: it is some time since you did.",
  },
  /** Told to a program: a browser is not logged in there. */
  NETWORK_NOT_ALLOWED: {
    status: 403,
    msg: () => "Your organization lets people in only from its own networks.",
  },
  /** The page then asks whether that is meant. */
  OWNERS_LOCKED_OUT: {
    status: 400,
    msg: (d: { owner_ids: readonly UserId[] }) =>
      `${d.owner_ids.length === 1 ? "One owner has" : `${d.owner_ids.length} owners have`} no other way in: neither a password, nor a passkey, nor another provider. Send locks_out_owners as true if that is meant.`,
    extra: same,
  },
  USER_DEACTIVATED: { status: 401, msg: () => "Account is deactivated" },
  REALM_DEACTIVATED: { status: 401, msg: () => "This organization has been deactivated" },
  PASSWORD_AUTH_DISABLED: { status: 401, msg: () => "Password authentication is disabled in this organization" },
  NONEXISTENT_SUBDOMAIN: { status: 404, msg: () => "No organization is served under this address" },
  RATE_LIMIT_HIT: { status: 429, msg: (_: { "retry-after": number }) => "API usage exceeded rate limit", extra: same },
  INTERNAL_SERVER_ERROR: { status: 500, msg: () => "Internal server error" },
  SERVICE_UNAVAILABLE: { status: 503, msg: (message: string) => message },
});

/** The generic refusal. `message` is a sentence for a person. */
export const badRequest = (message: string): ApiError => errors.BAD_REQUEST(message);
/** The object is not there, as far as this caller may know. */
export const notFound = (message: string): ApiError => new ApiError(404, "BAD_REQUEST", message);
/** The refusal of what only administrators may do. */
export const mustBeAdmin = (): ApiError => errors.UNAUTHORIZED_PRINCIPAL("Must be an organization administrator");
/** The refusal of what only owners may do. */
export const mustBeOwner = (): ApiError => errors.UNAUTHORIZED_PRINCIPAL("Must be an organization owner");
