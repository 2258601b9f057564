/** Bots as their managers see them: in a register answer and in `realm_bot` events. */
import { array, boolean, type Infer, integer, nullable, object, string } from "superstruct";
import { userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

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
  owner_id: described(nullable(userId()), "Who answers for the bot."),
  /** Only of outgoing webhooks: the service that is called. */
  services: described(
    array(
      object({
        base_url: described(string(), "Where it is called."),
        interface: described(integer(), "1 for the API's own payload, 2 for Slack's."),
        token: described(string(), "A secret that tells who sends."),
      }),
    ),
    "Of an outgoing webhook: the service that is called.",
  ),
  ...shownBotFields,
});
export type BotRecord = Infer<typeof bot>;
