/** What clients are told of identities. */
import { enums, nullable, number, object, string } from "superstruct";
import { identityId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

export const identityRecord = object({
  id: described(identityId(), "The identity's id."),
  user_id: described(userId(), "Whose account it is; while it is pending, whose it is said to be."),
  provider: described(string(), "The provider, as the server's settings call it."),
  provider_display_name: described(string(), "The provider, as people know it."),
  email: described(nullable(string()), "The address that the provider told last. It decides nothing."),
  state: described(enums(["pending", "linked"]), "Whether it is linked with the account, or waits to be."),
  date_created: described(number(), "When it was first seen: UNIX seconds."),
  last_used: described(nullable(number()), "When somebody last logged in by it: UNIX seconds."),
});
