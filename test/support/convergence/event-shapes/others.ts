/** Shapes of the events about files. https://zulip.com/api/get-events */
import { array, object } from "superstruct";
import type { EventShape } from "./messages.ts";
import { int, str } from "./objects.ts";

const attachment = object({
  id: int,
  name: str,
  path_id: str,
  size: int,
  create_time: int,
  messages: array(object({ id: int, date_sent: int })),
  message_ids: array(int),
});

/** By `type` or `type/op`. */
export const userShapes: Readonly<Record<string, EventShape>> = {
  "attachment/add": () => ({ attachment, upload_space_used: int }),
  "attachment/update": () => ({ attachment, upload_space_used: int }),
  "attachment/remove": () => ({ attachment: object({ id: int }), upload_space_used: int }),
};
