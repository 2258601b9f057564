/** Schemas of channels, topics and folders in answers, for the contract. https://zulip.com/api/get-streams */
import { channelGroupSettings } from "../../../storage/rows.ts";
import type { JsonSchema } from "../../api/params.ts";
import { groupSettingSchema } from "../groups/setting-params.ts";

const integer: JsonSchema = { type: "integer" };
const text: JsonSchema = { type: "string" };
const flag: JsonSchema = { type: "boolean" };
const integerOrNull: JsonSchema = { type: "integer", nullable: true };

/** An object with exactly these fields, but that some may be left out. */
function record(properties: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): JsonSchema {
  return {
    type: "object",
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

const channelFields: Record<string, JsonSchema> = {
  stream_id: integer,
  name: text,
  description: text,
  rendered_description: text,
  date_created: integer,
  creator_id: integerOrNull,
  first_message_id: integerOrNull,
  folder_id: integerOrNull,
  invite_only: flag,
  is_web_public: flag,
  history_public_to_subscribers: flag,
  is_archived: flag,
  message_retention_days: integerOrNull,
  topics_policy: { type: "string", enum: ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"] },
  stream_post_policy: { type: "integer", enum: [1, 2, 3, 4] },
  is_announcement_only: flag,
  is_recently_active: flag,
  stream_weekly_traffic: integerOrNull,
  subscriber_count: integer,
  ...Object.fromEntries(channelGroupSettings.map((name) => [name, groupSettingSchema])),
};

/** A channel; `is_default` is there where the caller asked for default channels. */
export const channelSchema: JsonSchema = record(channelFields, { is_default: flag });

/** A topic of a channel. */
export const topicSchema: JsonSchema = record({ name: text, max_id: integer });

/** A channel folder. */
export const folderSchema: JsonSchema = record({
  id: integer,
  name: text,
  description: text,
  rendered_description: text,
  date_created: integerOrNull,
  creator_id: integerOrNull,
  is_archived: flag,
  order: integer,
});
