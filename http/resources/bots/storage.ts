/** A bot's key-value storage. */
import { array, record, string } from "superstruct";
import { accessBotStorage, maxKeys } from "../../../actors/bots/changes/storage.ts";
import { badRequest } from "../../../actors/errors.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { defaultMaxBodyBytes, json } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

const keys = json(array(string())).optional();

/** @throws BAD_REQUEST when the caller is a person */
function requireBot(user: UserRow): void {
  if (!user.is_bot) throw badRequest("This endpoint is only for bots.");
}

/** Sets values. https://zulip.com/api/update-storage */
export const updateBotStorage = route({
  doc: "https://zulip.com/api/update-storage",
  summary: `Sets texts that the calling bot keeps, at most ${maxKeys} at once.`,
  auth: anyAccount,
  params: {
    storage: json(record(string(), string())).atMost(defaultMaxBodyBytes),
  },
  returns: {},
  handle({ realm, user, params }) {
    requireBot(user);
    return realm.execute("updateBotStorage", { userId: user.id, storage: params.storage });
  },
});

/** Reads all values, or those of some keys. https://zulip.com/api/get-storage */
export const getBotStorage = route({
  doc: "https://zulip.com/api/get-storage",
  summary: `Returns texts that the calling bot keeps: all, or at most ${maxKeys} that are named.`,
  auth: anyAccount,
  params: { keys: keys.describe("Names of texts; all where it is left out.") },
  returns: { storage: record(string(), string()) },
  async handle({ realm, user, params }) {
    requireBot(user);
    return { storage: await accessBotStorage(realm, user, params.keys) };
  },
});

/** Removes all values, or those of some keys. https://zulip.com/api/remove-storage */
export const removeBotStorage = route({
  doc: "https://zulip.com/api/remove-storage",
  summary: `Removes texts that the calling bot keeps: all, or at most ${maxKeys} that are named.`,
  auth: anyAccount,
  params: { keys: keys.describe("Names of texts; all where it is left out.") },
  returns: {},
  handle({ realm, user, params }) {
    requireBot(user);
    return realm.execute("removeBotStorage", { userId: user.id, keys: params.keys });
  },
});
