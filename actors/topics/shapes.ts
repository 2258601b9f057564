/** People's policies for topics as answers and events carry them. https://zulip.com/api/update-user-topic */
import { integer, max, min, string, tuple } from "superstruct";
import { channelId } from "../id-shapes.ts";
import { annotated, described } from "../shape.ts";

/** `last_updated` is in UNIX seconds. */
export const userTopicFields = {
  stream_id: channelId(),
  topic_name: string(),
  last_updated: described(integer(), "Since when, in UNIX seconds."),
  visibility_policy: annotated(max(min(integer(), 0), 3), { minimum: 0, maximum: 3 }),
};

/** Channel, topic and when it was muted. */
export const mutedTopic = annotated(tuple([string(), string(), integer()]), {
  type: "array",
  prefixItems: [{ type: "string" }, { type: "string" }, { type: "integer" }],
  items: false,
});
