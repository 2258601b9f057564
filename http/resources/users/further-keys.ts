/** Further API keys of the caller, which may do less and end alone. */
import { array, string } from "superstruct";
import { sessionId } from "../../../actors/id-shapes.ts";
import { described } from "../../../actors/shape.ts";
import { readFurtherKeys } from "../../../actors/users/changes/further-keys.ts";
import { furtherKeyRecord, keyScopes } from "../../../actors/users/shapes.ts";
import type { SessionId } from "../../../storage/ids.ts";
import { int, oneOf, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { confirmIdentity } from "./identity.ts";

const daySecs = 86_400;
/** Ten years. A key that is to last longer does not end. */
const maxDays = 3650;

export const getFurtherKeys = route({
  doc: "README.md",
  summary: "Lists the caller's further API keys, the newest first. When one was used is noted about once an hour.",
  auth: anyAccount,
  params: {},
  returns: { api_keys: described(array(furtherKeyRecord), "The further keys, the newest first.") },
  handle: async ({ realm, user }) => ({ api_keys: await readFurtherKeys(realm, user.id) }),
});

export const addFurtherKey = route({
  doc: "README.md",
  summary: "Makes a further API key for the caller, which is told this once.",
  auth: anyAccount,
  params: {
    name: text().describe("What the person calls it."),
    scope: oneOf(...keyScopes).default("all"),
    expires_in_days: int({ min: 1, max: maxDays })
      .optional()
      .describe("After how many days it ends; left out, it does not."),
    password: text()
      .optional()
      .describe("The caller's password, unless the person of a browser showed lately who they are."),
  },
  returns: { id: described(sessionId(), "The key's id."), api_key: string() },
  async handle(request) {
    const { realm, user, params } = request;
    await confirmIdentity(request, params.password);
    const { name, scope, expires_in_days: days } = params;
    const validSecs = days === undefined ? undefined : days * daySecs;
    return realm.execute("addFurtherKey", { actorId: user.id, name, scope, validSecs });
  },
});

export const endFurtherKey = route({
  doc: "README.md",
  summary: "Ends a further API key of the caller's. Its event queues, polls and streams end at once.",
  auth: anyAccount,
  params: { key_id: pathInt<SessionId>().describe("The key's id.") },
  returns: {},
  handle: ({ realm, user, params }) => realm.execute("endFurtherKey", { actorId: user.id, id: params.key_id }),
});
