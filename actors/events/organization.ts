/** Events about the organization and the server. */
import type { RealmId, UserId } from "../../storage/ids.ts";
import type { RealmExportRecord } from "../transfer/shapes.ts";

export type RealmChangeEvent =
  | { type: "realm"; op: "update"; property: string; value: unknown }
  | {
      type: "realm";
      op: "update_dict";
      property: "default" | "icon" | "logo" | "night_logo";
      data: Record<string, unknown>;
    }
  | { type: "realm"; op: "deactivated"; realm_id: RealmId };

/** A domain whose addresses may join. */
export type RealmDomainsEvent =
  | { type: "realm_domains"; op: "add" | "change"; realm_domain: { domain: string; allow_subdomains: boolean } }
  | { type: "realm_domains"; op: "remove"; domain: string };

/** Logged as one emoji's change, with the whole map beside it for clients that know only that form. */
export type RealmEmojiEvent = { type: "realm_emoji"; full_map: Record<string, Record<string, unknown>> } & (
  | { op: "add"; emoji: Record<string, unknown> }
  | { op: "update_one"; emoji_id: string; data: Record<string, unknown> }
);

export interface RealmLinkifiersEvent {
  type: "realm_linkifiers";
  /** In the order in which they are tried. */
  realm_linkifiers: Record<string, unknown>[];
}

export interface RealmPlaygroundsEvent {
  type: "realm_playgrounds";
  realm_playgrounds: Record<string, unknown>[];
}

export interface CustomProfileFieldsEvent {
  type: "custom_profile_fields";
  fields: Record<string, unknown>[];
}

/** A default setting of new accounts. */
export interface UserSettingsDefaultsEvent {
  type: "realm_user_settings_defaults";
  op: "update";
  property: string;
  value: unknown;
}

export interface InvitesChangedEvent {
  type: "invites_changed";
}

/** All exports of the organization, as they are now. */
export interface RealmExportEvent {
  type: "realm_export";
  exports: RealmExportRecord[];
}

/** Somebody agreed to have what belongs to them exported, or does so no more. */
export interface RealmExportConsentEvent {
  type: "realm_export_consent";
  user_id: UserId;
  consented: boolean;
}

/** The server was restarted. `server_generation` is in UNIX seconds. */
export interface RestartEvent {
  type: "restart";
  zulip_version: string;
  zulip_merge_base: string;
  zulip_feature_level: number;
  server_generation: number;
}

/** Web clients should load themselves again. */
export interface WebReloadClientEvent {
  type: "web_reload_client";
  immediate: boolean;
}

/** Answers a poll to which nothing happened for a while. */
export interface HeartbeatEvent {
  type: "heartbeat";
}

export type OrganizationEvents =
  | RealmChangeEvent
  | RealmDomainsEvent
  | RealmEmojiEvent
  | RealmLinkifiersEvent
  | RealmPlaygroundsEvent
  | CustomProfileFieldsEvent
  | UserSettingsDefaultsEvent
  | InvitesChangedEvent
  | RealmExportEvent
  | RealmExportConsentEvent
  | RestartEvent
  | WebReloadClientEvent
  | HeartbeatEvent;
