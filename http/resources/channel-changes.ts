/** Creating, changing and archiving channels, and which of them are the default ones. */
import { array, integer } from "superstruct";
import { badRequest } from "../../actors/errors.ts";
import type { App } from "../app.ts";
import {
  eachGroupSetting,
  givenGroupSettings,
  retentionDays,
  storedRetention,
  topicsPolicy,
} from "../channel-params.ts";
import { groupSetting } from "../group-setting-params.ts";
import { bool, int, json, text } from "../params.ts";
import { anyAccount, route } from "../route.ts";

/** The server's half of what a web-public channel needs. @throws BAD_REQUEST */
function checkWebPublicEnabled(app: App, isWebPublic: boolean | undefined): void {
  if (isWebPublic && !app.config.webPublicChannelsEnabled) throw badRequest("Web-public channels are not enabled.");
}

/** Creates a channel and subscribes people to it. https://zulip.com/api/create-channel */
export const createChannel = route({
  method: "POST",
  path: "/channels/create",
  doc: "https://zulip.com/api/create-channel",
  summary: "Creates a channel with its subscribers and permissions.",
  auth: anyAccount,
  params: {
    name: text(),
    description: text().default(""),
    subscribers: json(array(integer()), { type: "array", items: { type: "integer" } }),
    announce: bool().default(false),
    invite_only: bool().default(false),
    is_web_public: bool().default(false),
    is_default_stream: bool().default(false),
    folder_id: int().optional(),
    topics_policy: topicsPolicy().default("inherit"),
    history_public_to_subscribers: bool().optional(),
    message_retention_days: retentionDays().default("realm_default"),
    ...eachGroupSetting(groupSetting),
  },
  returns: { id: { type: "integer" } },
  handle({ app, realm, user, params }) {
    checkWebPublicEnabled(app, params.is_web_public);
    return realm.execute("createChannel", {
      userId: user.id,
      name: params.name,
      description: params.description,
      subscriberIds: params.subscribers,
      inviteOnly: params.invite_only,
      isWebPublic: params.is_web_public,
      historyPublicToSubscribers: params.history_public_to_subscribers,
      topicsPolicy: params.topics_policy,
      messageRetentionDays: storedRetention(params.message_retention_days),
      folderId: params.folder_id ?? null,
      isDefault: params.is_default_stream,
      announce: params.announce,
      groups: givenGroupSettings(params),
    });
  },
});
