/** Events about the organization and the server. */
import { array, boolean, enums, integer, literal, object, record, string } from "superstruct";
import { realmId, userId } from "../id-shapes.ts";
import { realmExport } from "../organization/export-shapes.ts";
import {
  changedRealmValue,
  domain,
  emoji,
  emojiById,
  linkifier,
  playground,
  profileField,
  realmSettingValue,
} from "../organization/shapes.ts";
import { userSettingName, userSettingValue } from "../users/settings/shapes.ts";
import { declare, logged, sentTo, type ValuesOfVariant } from "./declare.ts";

/** One emoji's change. */
const emojiChanges = [
  sentTo({ has: "individual_emoji_changes" }, { op: literal("add"), emoji }),
  sentTo(
    { has: "individual_emoji_changes" },
    { op: literal("update_one"), emoji_id: string(), data: object({ deactivated: boolean() }) },
  ),
] as const;
type EmojiChange = ValuesOfVariant<(typeof emojiChanges)[number]>;

export const organizationEvents = declare({
  realm: {
    state: "replicated",
    sent: [
      { op: literal("update"), property: string(), value: realmSettingValue },
      {
        op: literal("update_dict"),
        property: enums(["default", "icon", "logo", "night_logo"]),
        data: record(string(), changedRealmValue),
      },
      { op: literal("deactivated"), realm_id: realmId() },
    ],
  },
  /** Domains whose addresses may join. */
  realm_domains: {
    state: "replicated",
    sent: [
      { op: enums(["add", "change"]), realm_domain: domain },
      { op: literal("remove"), domain: string() },
    ],
  },
  /** Logged as one emoji's change, with the whole map beside it for clients that know only that form. */
  realm_emoji: {
    state: "replicated",
    logged: logged<{ type: "realm_emoji"; full_map: typeof emojiById.TYPE } & EmojiChange>(),
    sent: [
      ...emojiChanges,
      sentTo({ lacks: "individual_emoji_changes" }, { op: literal("update"), realm_emoji: emojiById }),
    ],
  },
  /** In the order in which they are tried. */
  realm_linkifiers: {
    state: "replicated",
    sent: [sentTo({ has: "linkifier_url_template" }, { realm_linkifiers: array(linkifier) })],
  },
  realm_playgrounds: { state: "replicated", sent: [{ realm_playgrounds: array(playground) }] },
  custom_profile_fields: { state: "replicated", sent: [{ fields: array(profileField) }] },
  /** A default setting of new accounts. */
  realm_user_settings_defaults: {
    state: "replicated",
    sent: [{ op: literal("update"), property: userSettingName, value: userSettingValue }],
  },
  invites_changed: { state: "stored", sent: [{}] },
  /** All exports of the organization, as they are now. */
  realm_export: { state: "replicated", sent: [{ exports: array(realmExport) }] },
  /** Somebody agreed to have what belongs to them exported, or does so no more. */
  realm_export_consent: { state: "replicated", sent: [{ user_id: userId(), consented: boolean() }] },
  /** The server was restarted. `server_generation` is in UNIX seconds. */
  restart: {
    state: "replicated",
    sent: [
      {
        zulip_version: string(),
        zulip_merge_base: string(),
        zulip_feature_level: integer(),
        server_generation: integer(),
      },
    ],
  },
  /** Web clients should load themselves again. */
  web_reload_client: { state: "replicated", sent: [{ immediate: boolean() }] },
  /** Answers a poll to which nothing happened for a while. */
  heartbeat: { state: "replicated", sent: [{}] },
});
