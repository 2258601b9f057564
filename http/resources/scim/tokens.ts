/** Tokens by which directories provision accounts. */
import { array, integer, nullable, object, string } from "superstruct";
import { scimTokenId, userId } from "../../../actors/id-shapes.ts";
import { readScimTokens } from "../../../actors/scim/tokens.ts";
import { described } from "../../../actors/shape.ts";
import type { ScimTokenId } from "../../../storage/ids.ts";
import { int, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { confirmIdentity } from "../users/identity.ts";

const daySecs = 86_400;
/** Ten years. A token that is to last longer does not end. */
const maxDays = 3650;

const tokenRecord = object({
  id: described(scimTokenId(), "The token's id."),
  name: described(string(), "What owners call it."),
  creator_id: described(userId(), "The owner who made it."),
  date_created: integer(),
  /** Noted about once an hour. */
  last_used: described(nullable(integer()), "When it was used last, in UNIX seconds; null: never."),
  expires_at: described(nullable(integer()), "When it ends, in UNIX seconds; null: never."),
});

export const getScimTokens = route({
  doc: "README.md",
  summary: "Lists the tokens by which directories provision accounts (SCIM), the newest first.",
  auth: anyAccount,
  permission: "owner",
  params: {},
  returns: { scim_tokens: described(array(tokenRecord), "The tokens, the newest first.") },
  handle: async ({ realm }) => ({ scim_tokens: await readScimTokens(realm) }),
});

export const addScimToken = route({
  doc: "README.md",
  summary: "Makes a token by which a directory provisions accounts (SCIM). It is told this once.",
  auth: anyAccount,
  permission: "owner",
  params: {
    name: text().describe("What owners call it."),
    expires_in_days: int({ min: 1, max: maxDays })
      .optional()
      .describe("After how many days it ends; left out, it does not."),
    password: text()
      .optional()
      .describe("The caller's password, unless the person of a browser showed lately who they are."),
  },
  returns: { id: described(scimTokenId(), "The token's id."), token: described(string(), "The token, this once.") },
  async handle(request) {
    const { realm, user, params } = request;
    await confirmIdentity(request, params.password);
    const { name, expires_in_days: days } = params;
    const validSecs = days === undefined ? undefined : days * daySecs;
    return realm.execute("addScimToken", { actorId: user.id, name, validSecs });
  },
});

export const endScimToken = route({
  doc: "README.md",
  summary: "Ends a token by which a directory provisions accounts (SCIM), at once.",
  auth: anyAccount,
  permission: "owner",
  params: { token_id: pathInt<ScimTokenId>().describe("The token's id.") },
  returns: {},
  handle: ({ realm, user, params }) => realm.execute("endScimToken", { actorId: user.id, id: params.token_id }),
});
