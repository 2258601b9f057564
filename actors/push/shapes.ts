/** Devices as their owners see them. https://zulip.com/api/register-queue */
import { integer, nullable, string } from "superstruct";

export const deviceFields = {
  push_key_id: nullable(integer()),
  push_token_id: nullable(string()),
  pending_push_token_id: nullable(string()),
  push_token_last_updated_timestamp: nullable(integer()),
  push_registration_error_code: nullable(string()),
};
