/** Bots as their managers see them: in a register answer and in `realm_bot` events. */
import { array, boolean, type Infer, integer, nullable, object, string } from "superstruct";
import { userId } from "../id-shapes.ts";

export const shownBotFields = {
  avatar_url: string(),
  default_sending_stream: nullable(string()),
  default_events_register_stream: nullable(string()),
  default_all_public_streams: boolean(),
};

/** A bot without its key. */
export const bot = object({
  user_id: userId(),
  email: string(),
  full_name: string(),
  bot_type: nullable(integer()),
  is_active: boolean(),
  owner_id: nullable(userId()),
  /** Only of outgoing webhooks: the service that is called. */
  services: array(object({ base_url: string(), interface: integer(), token: string() })),
  ...shownBotFields,
});
export type BotRecord = Infer<typeof bot>;
