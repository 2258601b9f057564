/** Events about the organization: its settings, emoji, linkifiers, domains, profile fields, bots and server. */
import type { ProfileField } from "../types.ts";
import type { ClientProfile } from "./client-profile.ts";
import {
  accessItem,
  type Handler,
  InapplicableEventError,
  listOf,
  type RealmEmoji,
  type RegisterState,
  removeItem,
} from "./state.ts";

/** Sets a realm property. Its name in events has no `realm_` prefix. */
function setRealmProperty(state: RegisterState, property: string, value: unknown): void {
  const field = [`realm_${property}`, property].find((name) => name in state);
  if (field) {
    state[field] = structuredClone(value);
    if (property === "authentication_methods") setAuthenticationFlags(state, value);
    return;
  }
  // Comes together with `description`. Register answers only have the source.
  if (property === "rendered_description") return;
  // A client that did not fetch the realm has none of its fields.
  if ("realm_name" in state) throw new InapplicableEventError(`register has no field for realm property ${property}`);
}

/** Two older booleans repeat parts of `realm_authentication_methods`. */
function setAuthenticationFlags(state: RegisterState, methods: unknown): void {
  const isOn = (name: string) => {
    const entries = Object.entries(methods as Record<string, boolean | { enabled: boolean }>);
    const method = entries.find(([key]) => key.toLowerCase() === name)?.[1];
    return typeof method === "object" ? method.enabled : (method ?? false);
  };
  if ("realm_email_auth_enabled" in state) state["realm_email_auth_enabled"] = isOn("email");
  if ("realm_password_auth_enabled" in state) state["realm_password_auth_enabled"] = isOn("email") || isOn("ldap");
}

function updateRealm(state: RegisterState, event: { property: string; value: unknown }): void {
  setRealmProperty(state, event.property, event.value);
}

function updateRealmDict(state: RegisterState, event: { data: Record<string, unknown> }): void {
  for (const [property, value] of Object.entries(event.data)) setRealmProperty(state, property, value);
}

/** Replaces a whole fetched field by a field of the event. */
function replace(stateField: string, eventField: string): Handler {
  return (state: RegisterState, event: Record<string, unknown>) => {
    if (stateField in state) state[stateField] = structuredClone(event[eventField]);
  };
}

function replaceProfileFields(state: RegisterState, event: { fields: ProfileField[] }): void {
  if ("custom_profile_fields" in state) state["custom_profile_fields"] = structuredClone(event.fields);
  const kept = new Set(event.fields.map((field) => String(field.id)));
  for (const user of [...(state.realm_users ?? []), ...(state.realm_non_active_users ?? [])]) {
    for (const id of Object.keys(user.profile_data ?? {})) if (!kept.has(id)) delete user.profile_data?.[id];
  }
}

function replaceLinkifiers(state: RegisterState, event: { realm_linkifiers: unknown[] }, profile: ClientProfile): void {
  if (!profile.capabilities.has("linkifier_url_template")) {
    throw new InapplicableEventError(`${profile.name}: realm_linkifiers without linkifier_url_template`);
  }
  if ("realm_linkifiers" in state) state["realm_linkifiers"] = structuredClone(event.realm_linkifiers);
}

function addEmoji(state: RegisterState, event: { emoji: RealmEmoji }): void {
  if (state.realm_emoji) state.realm_emoji[event.emoji.id] = structuredClone(event.emoji);
}

function updateEmoji(state: RegisterState, event: { emoji_id: string; data: object }): void {
  if (!state.realm_emoji) return;
  const emoji = state.realm_emoji[event.emoji_id];
  if (!emoji) throw new InapplicableEventError(`emoji ${event.emoji_id} is not known to this client`);
  Object.assign(emoji, event.data);
}

type DomainEvent = { realm_domain: { domain: string; allow_subdomains: boolean } };

function addDomain(state: RegisterState, event: DomainEvent): void {
  listOf(state, "realm_domains")?.push({ ...event.realm_domain });
}

function changeDomain(state: RegisterState, event: DomainEvent): void {
  const domains = listOf(state, "realm_domains");
  Object.assign(accessItem(domains, "domain", event.realm_domain.domain, "domain") ?? {}, event.realm_domain);
}

function removeDomain(state: RegisterState, event: { domain: string }): void {
  removeItem(listOf(state, "realm_domains"), "domain", event.domain, "domain");
}

type BotEvent = { bot: { user_id: number } };

function addBot(state: RegisterState, event: BotEvent): void {
  listOf(state, "realm_bots")?.push({ ...event.bot });
}

function updateBot(state: RegisterState, event: BotEvent): void {
  const bot = accessItem(listOf(state, "realm_bots"), "user_id", event.bot.user_id, "bot");
  Object.assign(bot ?? {}, structuredClone(event.bot));
}

function deleteBot(state: RegisterState, event: BotEvent): void {
  removeItem(listOf(state, "realm_bots"), "user_id", event.bot.user_id, "bot");
}

/** Sets one entry of an object of settings. */
function setting(stateField: string): (state: RegisterState, event: { property: string; value: unknown }) => void {
  return (state, { property, value }) => {
    const settings = state[stateField] as Record<string, unknown> | undefined;
    if (!settings) return;
    if (!(property in settings)) throw new InapplicableEventError(`${stateField} has no ${property}`);
    settings[property] = value;
  };
}

/**
 * The user-level setting that each notification setting of a subscription inherits.
 * https://zulip.com/api/get-subscriptions
 */
const INHERITED_SETTINGS: Readonly<Record<string, string>> = {
  enable_stream_desktop_notifications: "desktop_notifications",
  enable_stream_audible_notifications: "audible_notifications",
  enable_stream_push_notifications: "push_notifications",
  enable_stream_email_notifications: "email_notifications",
  wildcard_mentions_notify: "wildcard_mentions_notify",
};

const setUserSetting = setting("user_settings");

function updateUserSettings(
  state: RegisterState,
  event: { property: string; value: unknown },
  profile: ClientProfile,
): void {
  const before = state.user_settings?.[event.property];
  setUserSetting(state, event);
  const property = INHERITED_SETTINGS[event.property];
  if (property === undefined || profile.capabilities.has("notification_settings_null")) return;
  // These clients see the inherited value instead of null. So a value equal to the old one counts as inherited. A
  // chosen value that happens to be equal cannot be told apart.
  for (const channel of [...(state.subscriptions ?? []), ...(state.unsubscribed ?? [])]) {
    if (channel[property] === before) channel[property] = event.value;
  }
}

const RESTART_FIELDS = ["zulip_version", "zulip_merge_base", "zulip_feature_level", "server_generation"];

function restart(state: RegisterState, event: Record<string, unknown>): void {
  for (const field of RESTART_FIELDS) if (field in state) state[field] = event[field];
}

const changesNoState: Handler = () => {};

/** Handlers of the events about the organization and its server, by `type` or `type/op`. */
export const realmHandlers: Readonly<Record<string, Handler>> = {
  "realm/update": updateRealm,
  "realm/update_dict": updateRealmDict,
  "realm/deactivated": changesNoState,
  "realm_emoji/update": replace("realm_emoji", "realm_emoji"),
  "realm_emoji/add": addEmoji,
  "realm_emoji/update_one": updateEmoji,
  realm_linkifiers: replaceLinkifiers,
  realm_playgrounds: replace("realm_playgrounds", "realm_playgrounds"),
  "realm_domains/add": addDomain,
  "realm_domains/change": changeDomain,
  "realm_domains/remove": removeDomain,
  custom_profile_fields: replaceProfileFields,
  "realm_bot/add": addBot,
  "realm_bot/update": updateBot,
  "realm_bot/delete": deleteBot,
  "realm_user_settings_defaults/update": setting("realm_user_settings_defaults"),
  "user_settings/update": updateUserSettings,
  realm_export: changesNoState,
  realm_export_consent: changesNoState,
  invites_changed: changesNoState,
  restart,
  web_reload_client: changesNoState,
  heartbeat: changesNoState,
};
