/** What answers and events have beyond the public description of level 497, each with its reason. */
import { publicObjectFields } from "./public-types.ts";

const reasons: readonly (readonly [line: RegExp, reason: string])[] = [
  [
    /(?:attachments|detached_uploads)\[\]\.messages:|^attachment\/\w+\.attachment\.messages:/,
    "Read by clients of before level 472.",
  ],
  [
    /^(?:POST \/register realm_bots\[\]|realm_bot\/\w+\.bot)\.(?:email|full_name|bot_type|is_active|owner_id|avatar_url):/,
    "Read by clients of before level 474.",
  ],
  [
    /^POST \/register realm_(?:private_message|delete_own_message)_policy:/,
    "Read by mobile clients that know no groups.",
  ],
  [/^GET \/dev_list_users \w+\[\]\.realm_uri:/, "The older name of realm_url, read by mobile clients."],
  [/^reaction\/\w+\.user:/, "zulip-terminal fails on a reaction without it."],
  [/^realm\/update_dict\.data\.allow_edit_history:/, "POST /register has it, and it follows another setting."],
  [
    /\.is_system_bot:|^GET \/users\/me is_system_bot:/,
    "The server's bots are accounts of the organization, known by it.",
  ],
  [/^GET \/users\/me (?:bot_type|bot_owner_id|is_deleted):/, "The record is that of GET /users."],
  [/^POST \/jwt\/fetch_api_key user\.(?:is_deleted|profile_data):/, "The record is that of GET /users."],
  [/^POST \/register cross_realm_bots\[\]\.(?:is_deleted|profile_data):/, "The record is that of realm_users."],
  [/^PATCH \/users\/me\/subscriptions unauthorized:/, "As in the answer of POST."],
  [
    /^POST \/register server_gif_provider:/,
    "Says who answers GET /gifs. Zulip's clients get the key of a provider, and this server keeps it.",
  ],
];
const settingsReason = "Beside user_settings, for clients of before level 439.";
const settingNames = new Set(publicObjectFields("Settings"));

/** Why a line of `misfits` or `schemaMisfits` is as it should be; undefined: it is not. */
export function reasonFor(line: string): string | undefined {
  const [, setting] = /^POST \/register (\w+): not public$/.exec(line) ?? [];
  if (setting !== undefined && settingNames.has(setting)) return settingsReason;
  return reasons.find(([pattern]) => line.endsWith(": not public") && pattern.test(line))?.[1];
}

/** Reasons that explain none of the lines. */
export const idleReasons = (lines: readonly string[]): string[] =>
  reasons.filter(([pattern]) => !lines.some((line) => pattern.test(line))).map(([pattern]) => pattern.source);
