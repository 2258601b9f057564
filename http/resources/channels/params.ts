/** Parameters shared by creating and changing channels. */
import { enums, integer, max, min } from "superstruct";
import type { ChannelOptions } from "../../../actors/channels/rules.ts";
import { either } from "../../../actors/either.ts";
import { annotated } from "../../../actors/shape.ts";
import type { FolderId } from "../../../storage/ids.ts";
import { type ChannelGroupSetting, channelGroupSettings, recordOf } from "../../../storage/rows.ts";
import { bool, int, jsonOrText, oneOf, type Param, type ParamsOf } from "../../api/params.ts";
import { groupSetting } from "../groups/setting-params.ts";

/** The stored `message_retention_days`: null is the organization's, -1 is for ever. */
export type RetentionDays = number | null;

/** The largest number of days that fits the column. */
const maxRetentionDays = 2 ** 31 - 1;
const retention = either(
  annotated(min(max(integer(), maxRetentionDays), 1), { minimum: 1 }),
  enums(["realm_default", "unlimited"]),
);

/** A number of days, `realm_default` or `unlimited`. The words may be bare or JSON. */
export function retentionDays(): Param<number | "realm_default" | "unlimited"> {
  return jsonOrText(retention);
}

export function storedRetention(value: number | "realm_default" | "unlimited"): RetentionDays {
  if (value === "realm_default") return null;
  return value === "unlimited" ? -1 : value;
}

export const topicsPolicy = () => oneOf("inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only");

/** One parameter of the same kind for each permission of a channel. */
export function eachGroupSetting<T>(param: () => Param<T>): Record<ChannelGroupSetting, Param<T | undefined>> {
  return recordOf(channelGroupSettings, () => param().optional());
}

/** The permissions that the request names. */
export function givenGroupSettings<T>(
  params: Record<ChannelGroupSetting, T | undefined>,
): Partial<Record<ChannelGroupSetting, T>> {
  const given: Partial<Record<ChannelGroupSetting, T>> = {};
  for (const name of channelGroupSettings) {
    const value = params[name];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/** Parameters of a new channel. */
export const newChannelParams = {
  announce: bool().default(false).describe("Whether the channel of announcements is told of it."),
  invite_only: bool().default(false),
  is_web_public: bool().default(false),
  is_default_stream: bool().default(false),
  folder_id: int<FolderId>().optional(),
  topics_policy: topicsPolicy()
    .default("inherit")
    .describe("Whether messages need a topic: as the organization says, empty ones allowed, refused, or nothing else."),
  history_public_to_subscribers: bool().optional(),
  message_retention_days: retentionDays()
    .default("realm_default")
    .describe("Days after which messages are deleted; `unlimited`, or `realm_default` as in the organization."),
  ...eachGroupSetting(groupSetting),
};

/** The same as arguments of the command. */
export function newChannelOptions(params: ParamsOf<typeof newChannelParams>): ChannelOptions {
  return {
    inviteOnly: params.invite_only,
    isWebPublic: params.is_web_public,
    historyPublicToSubscribers: params.history_public_to_subscribers,
    topicsPolicy: params.topics_policy,
    messageRetentionDays: storedRetention(params.message_retention_days),
    folderId: params.folder_id ?? null,
    isDefault: params.is_default_stream,
    announce: params.announce,
    groups: givenGroupSettings(params),
  };
}
