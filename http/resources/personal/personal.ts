/** People's own data: status, alert words, muted users, API key, profile. */
import { array, string } from "superstruct";
import { profileFieldId } from "../../../actors/id-shapes.ts";
import { reactionTypes } from "../../../actors/messages/changes/reactions.ts";
import { shownStatus } from "../../../actors/presence/shown-status.ts";
import { accessUser } from "../../../actors/realm/access.ts";
import { described } from "../../../actors/shape.ts";
import { userStatus } from "../../../actors/users/shapes.ts";
import type { UserId } from "../../../storage/ids.ts";
import { bool, json, oneOf, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { confirmIdentity } from "../users/identity.ts";
import { profileDataParam } from "../users/users.ts";

const statusParams = {
  status_text: text().optional(),
  emoji_name: text().optional().describe("The name of its emoji."),
  emoji_code: text()
    .optional()
    .describe("The code of its emoji: code points in hexadecimal, or the id of a custom emoji."),
  reaction_type: oneOf(...reactionTypes, "")
    .optional()
    .describe("The kind of its emoji."),
};
type StatusParams = {
  status_text: string | undefined;
  emoji_name: string | undefined;
  emoji_code: string | undefined;
  reaction_type: (typeof reactionTypes)[number] | "" | undefined;
};

function statusArgs(params: StatusParams) {
  return {
    statusText: params.status_text,
    emojiName: params.emoji_name,
    emojiCode: params.emoji_code,
    reactionType: params.reaction_type || undefined,
  };
}

/** Somebody's status. https://zulip.com/api/get-user-status */
export const getUserStatus = route({
  doc: "https://zulip.com/api/get-user-status",
  summary: "Returns somebody's status.",
  auth: anyAccount,
  params: { user_id: pathInt<UserId>() },
  returns: { status: described(userStatus, "The status.") },
  handle: ({ realm: { state }, user, params }) => ({ status: shownStatus(accessUser(state, user, params.user_id)) }),
});

/** Changes the caller's status. https://zulip.com/api/update-status */
export const updateStatus = route({
  doc: "https://zulip.com/api/update-status",
  summary: "Changes the caller's status text and emoji.",
  auth: anyAccount,
  params: { ...statusParams, away: bool().optional() },
  returns: {},
  async handle({ realm, user, params }) {
    const change = statusArgs(params);
    if (params.away === undefined || Object.values(change).some((value) => value !== undefined))
      await realm.execute("updateStatus", { actorId: user.id, userId: user.id, ...change });
    // Older clients call a person away who has turned off sharing their presence.
    if (params.away !== undefined)
      await realm.execute("updateSettings", { userId: user.id, settings: { presence_enabled: !params.away } });
    return {};
  },
});

/** Changes somebody else's status. https://zulip.com/api/update-status-for-user */
export const updateUserStatus = route({
  doc: "https://zulip.com/api/update-status-for-user",
  summary: "Changes somebody's status.",
  auth: anyAccount,
  permission: "administrator",
  params: { user_id: pathInt<UserId>(), ...statusParams },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("updateStatus", { actorId: user.id, userId: params.user_id, ...statusArgs(params) }),
});

const noStatus = { statusText: "", emojiName: "" };

/** Removes the caller's status. https://zulip.com/api/update-status */
export const removeStatus = route({
  doc: "https://zulip.com/api/update-status",
  summary: "Removes the caller's status text and emoji.",
  auth: anyAccount,
  params: {},
  returns: {},
  handle: ({ realm, user }) => realm.execute("updateStatus", { actorId: user.id, userId: user.id, ...noStatus }),
});

/** Removes somebody else's status. https://zulip.com/api/update-status-for-user */
export const removeUserStatus = route({
  doc: "https://zulip.com/api/update-status-for-user",
  summary: "Removes somebody's status text and emoji.",
  auth: anyAccount,
  permission: "administrator",
  params: { user_id: pathInt<UserId>() },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("updateStatus", { actorId: user.id, userId: params.user_id, ...noStatus }),
});

const words = () => json(array(string()));
const wordList = { alert_words: array(string()) };

/** https://zulip.com/api/get-alert-words */
export const getAlertWords = route({
  doc: "https://zulip.com/api/get-alert-words",
  summary: "Returns the caller's alert words.",
  auth: anyAccount,
  params: {},
  returns: wordList,
  handle: ({ user }) => ({ alert_words: user.alert_words }),
});

/** https://zulip.com/api/add-alert-words */
export const addAlertWords = route({
  doc: "https://zulip.com/api/add-alert-words",
  summary: "Adds alert words.",
  auth: anyAccount,
  params: { alert_words: words() },
  returns: wordList,
  handle: ({ realm, user, params }) => realm.execute("addAlertWords", { userId: user.id, words: params.alert_words }),
});

/** https://zulip.com/api/remove-alert-words */
export const removeAlertWords = route({
  doc: "https://zulip.com/api/remove-alert-words",
  summary: "Removes alert words.",
  auth: anyAccount,
  params: { alert_words: words() },
  returns: wordList,
  handle: ({ realm, user, params }) =>
    realm.execute("removeAlertWords", { userId: user.id, words: params.alert_words }),
});

/** https://zulip.com/api/mute-user */
export const muteUser = route({
  doc: "https://zulip.com/api/mute-user",
  summary: "Mutes somebody.",
  auth: anyAccount,
  params: { muted_user_id: pathInt<UserId>() },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("muteUser", { userId: user.id, mutedUserId: params.muted_user_id }),
});

/** https://zulip.com/api/unmute-user */
export const unmuteUser = route({
  doc: "https://zulip.com/api/unmute-user",
  summary: "Unmutes somebody.",
  auth: anyAccount,
  params: { muted_user_id: pathInt<UserId>() },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("unmuteUser", { userId: user.id, mutedUserId: params.muted_user_id }),
});

/** https://zulip.com/api/regenerate-own-api-key */
export const regenerateApiKey = route({
  doc: "https://zulip.com/api/regenerate-own-api-key",
  summary:
    "Gives the caller a new API key and ends the old one. Phones that were registered for notifications get none any more.",
  auth: anyAccount,
  params: {
    password: text()
      .optional()
      .describe("The caller's password, which a browser has to send unless its person showed lately who they are."),
  },
  returns: { api_key: string() },
  async handle(request) {
    const { app, realm, session, key, params, exchange } = request;
    const { id: userId } = request.user;
    // A log-in alone must not be made into a key, which lasts.
    if (session || key) await confirmIdentity(request, params.password);
    const reply = await realm.execute("regenerateApiKey", { actorId: userId, userId, sessionId: session?.id });
    // A new key ends every other log-in. The browser that asked for it is given another token.
    if (session) await app.authenticator.renewSession(realm, session, exchange);
    return reply;
  },
});

/** https://zulip.com/api/update-profile-data */
export const updateProfileData = route({
  doc: "https://zulip.com/help/edit-your-profile",
  summary: "Changes the caller's values of custom profile fields.",
  auth: anyAccount,
  params: {
    data: profileDataParam().describe(
      "Values of custom profile fields: each `id` of a field with its `value`, or ids to remove.",
    ),
  },
  returns: {},
  handle: ({ realm, user, params }) => realm.execute("updateOwnProfile", { userId: user.id, data: params.data }),
});

/** https://zulip.com/api/remove-profile-data */
export const removeProfileData = route({
  doc: "https://zulip.com/help/edit-your-profile",
  summary: "Removes the caller's values of custom profile fields.",
  auth: anyAccount,
  params: {
    data: json(array(profileFieldId())).describe(
      "Values of custom profile fields: each `id` of a field with its `value`, or ids to remove.",
    ),
  },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("updateOwnProfile", { userId: user.id, data: params.data.map((id) => ({ id, value: null })) }),
});
