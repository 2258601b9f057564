/** The bots that people create and manage. */

import { array, integer, object, optional, string } from "superstruct";
import { botTypes, embeddedBot, findBotsOf } from "../../../actors/bots/changes/bots.ts";
import { renderBot } from "../../../actors/bots/record.ts";
import { shownBotFields } from "../../../actors/bots/shapes.ts";
import { userId } from "../../../actors/id-shapes.ts";
import { described } from "../../../actors/shape.ts";
import { fullNameLengths } from "../../../actors/users/changes/accounts.ts";
import { findBotKey, isOfRank } from "../../../actors/users/changes/api-keys.ts";
import { maxAvatarBytes } from "../../../actors/users/changes/avatars.ts";
import type { UserId } from "../../../storage/ids.ts";
import { roleNumbers } from "../../../storage/rows.ts";
import { bool, int, jsonOrText, oneOfNumbers, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { drawAvatar, storeAvatar } from "../users/avatars.ts";
import { checkIdentity, isConfirmed } from "../users/identity.ts";

const defaults = {
  default_sending_stream: text().optional(),
  default_events_register_stream: text().optional(),
  default_all_public_streams: bool().optional(),
};

interface DefaultParams {
  default_sending_stream: string | undefined;
  default_events_register_stream: string | undefined;
  default_all_public_streams: boolean | undefined;
}

const defaultsOf = (params: DefaultParams) => ({
  sendingChannel: params.default_sending_stream,
  eventsChannel: params.default_events_register_stream,
  allPublicChannels: params.default_all_public_streams,
});

/** An address. Clients send it as JSON or bare. */
const url = jsonOrText(string()).optional();

/** https://zulip.com/api/get-bots */
export const getBots = route({
  doc: "https://zulip.com/help/manage-a-bot",
  summary: "Lists the caller's bots.",
  auth: anyAccount,
  params: {},
  returns: {
    bots: described(
      array(
        object({
          username: string(),
          full_name: described(string(), "The bot's name."),
          api_key: string(),
          ...shownBotFields,
        }),
      ),
      "The caller's bots.",
    ),
  },
  async handle(request) {
    const { realm, user } = request;
    const bots = await findBotsOf(realm, user);
    return {
      bots: bots.map((bot) => {
        const record = renderBot(realm.state, bot, user);
        return {
          username: record.email,
          full_name: record.full_name,
          // A bot may have a higher role than its owner. Its key is shown only to people of at least that role.
          // A browser is shown it when its person showed lately who they are.
          api_key: isOfRank(user, bot) && isConfirmed(request) ? bot.api_key : "",
          avatar_url: record.avatar_url,
          default_sending_stream: record.default_sending_stream,
          default_events_register_stream: record.default_events_register_stream,
          default_all_public_streams: record.default_all_public_streams,
        };
      }),
    };
  },
});

/** Creates a bot. */
export const createBot = route({
  doc: "https://zulip.com/help/add-a-bot-or-integration",
  summary: "Makes a bot that the caller owns.",
  auth: anyAccount,
  maxBodyBytes: maxAvatarBytes + 64 * 1024,
  file: { description: "The bot's picture.", isRequired: false },
  params: {
    full_name: text().declares(fullNameLengths).describe("The bot's name."),
    short_name: text().declares({ minLength: 1, maxLength: 60 }).describe("The first part of the bot's address."),
    // A client that asks for an embedded bot is told why there is none.
    bot_type: oneOfNumbers(...botTypes, embeddedBot)
      .declares({ enum: botTypes })
      .default(1)
      .describe("The kind of bot: 1 generic, 2 incoming webhook, 3 outgoing webhook."),
    payload_url: url.describe("Of an outgoing webhook: where it is called."),
    interface_type: int().optional().describe("What it is sent: 1 as the API's own, 2 as Slack's outgoing webhooks."),
    ...defaults,
  },
  returns: { user_id: userId(), api_key: string(), ...shownBotFields },
  async handle({ app, realm, user, params, files }) {
    const picture = files[0] && (await drawAvatar(app, files[0]));
    const reply = await realm.execute("createBot", {
      ownerId: user.id,
      fullName: params.full_name,
      shortName: params.short_name,
      type: params.bot_type,
      serviceUrl: params.payload_url,
      serviceInterface: params.interface_type,
      ...defaultsOf(params),
    });
    const avatar = picture && (await storeAvatar(app, realm, user.id, reply.user_id, picture));
    return { ...reply, avatar_url: avatar ?? reply.avatar_url };
  },
});

/** Changes a bot. */
export const updateBot = route({
  doc: "https://zulip.com/help/manage-a-bot",
  summary: "Changes a bot that the caller manages.",
  auth: anyAccount,
  maxBodyBytes: maxAvatarBytes + 64 * 1024,
  file: { description: "The bot's picture.", isRequired: false },
  params: {
    bot_id: pathInt<UserId>(),
    full_name: text().declares(fullNameLengths).optional().describe("The bot's name."),
    role: oneOfNumbers(...roleNumbers).optional(),
    bot_owner_id: int<UserId>().optional(),
    service_payload_url: url,
    service_interface: int().optional(),
    ...defaults,
  },
  returns: {
    full_name: string(),
    ...shownBotFields,
    bot_owner: described(optional(string()), "The address of who answers for the bot now."),
    service_payload_url: optional(string()),
    service_interface: optional(integer()),
  },
  async handle(request) {
    const { app, realm, user, params, files } = request;
    if (params.role !== undefined) checkIdentity(request);
    const picture = files[0] && (await drawAvatar(app, files[0]));
    const reply = await realm.execute("updateBot", {
      actorId: user.id,
      botId: params.bot_id,
      fullName: params.full_name,
      role: params.role,
      ownerId: params.bot_owner_id,
      serviceUrl: params.service_payload_url,
      serviceInterface: params.service_interface,
      ...defaultsOf(params),
    });
    const avatar = picture && (await storeAvatar(app, realm, user.id, params.bot_id, picture));
    return { ...reply, avatar_url: avatar ?? reply.avatar_url };
  },
});

/** Deactivates a bot. */
export const deactivateBot = route({
  doc: "https://zulip.com/help/deactivate-or-reactivate-a-bot",
  summary: "Deactivates a bot that the caller manages.",
  auth: anyAccount,
  params: { bot_id: pathInt<UserId>() },
  returns: {},
  handle: ({ realm, user, params }) => realm.execute("deactivateBot", { actorId: user.id, botId: params.bot_id }),
});

/** The key of a bot, for its managers. https://zulip.com/api/get-bot-api-key */
export const getBotKey = route({
  doc: "https://zulip.com/api/get-bot-api-key",
  summary: "Returns the API key of a bot that the caller manages, unless its role is above theirs.",
  auth: anyAccount,
  params: { bot_id: pathInt<UserId>() },
  returns: { api_key: string() },
  async handle(request) {
    checkIdentity(request);
    const { realm, user, params } = request;
    const api_key = await findBotKey(realm, user, params.bot_id);
    const fact = { type: "user_api_key_shown", userIds: [params.bot_id] } as const;
    await realm.execute("recordAudit", { fact });
    return { api_key };
  },
});

/** Gives a bot a new key. */
export const regenerateBotKey = route({
  doc: "https://zulip.com/help/manage-a-bot",
  summary: "Gives a bot a new API key and ends the old one.",
  auth: anyAccount,
  params: { bot_id: pathInt<UserId>() },
  returns: { api_key: string() },
  handle(request) {
    checkIdentity(request);
    const { realm, user, params } = request;
    return realm.execute("regenerateApiKey", { actorId: user.id, userId: params.bot_id });
  },
});
