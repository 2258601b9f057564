/** Devices as their owners see them. https://zulip.com/api/register-queue */
import { integer, nullable, string } from "superstruct";
import { described } from "../shape.ts";

export const deviceFields = {
  push_key_id: nullable(integer()),
  push_token_id: described(nullable(string()), "A name of the device's token."),
  pending_push_token_id: described(nullable(string()), "A name of the token that is being registered."),
  push_token_last_updated_timestamp: described(nullable(integer()), "When the token was set, in UNIX seconds."),
  push_registration_error_code: described(nullable(string()), "Why the device could not be registered."),
};
