/**
 * Incoming webhooks: other services post to an address that contains a bot's key, and each post becomes a message. The
 * formats of the services are in `actors/integrations/`.
 */
import { array, string } from "superstruct";
import { badRequest, errors, notFound } from "../../../actors/errors.ts";
import type { Notice, Said } from "../../../actors/integrations/integration.ts";
import { Payload } from "../../../actors/integrations/payload.ts";
import { integrations } from "../../../actors/integrations/table.ts";
import { defaultMaxBodyBytes, json, parseJson, pathText, text } from "../../api/params.ts";
import { route } from "../../api/route.ts";
import { findChannel } from "../messages/send.ts";

const eventNames = () => json(array(string())).optional();

/** https://zulip.com/api/incoming-webhooks-overview */
export const receiveWebhook = route({
  doc: "https://zulip.com/api/incoming-webhooks-overview",
  summary: `Posts what another service says, as the bot whose key the address carries. Services: ${[...integrations.keys()].join(", ")}.`,
  auth: ["anybody"],
  allowsIncomingWebhooks: true,
  bodyParam: "payload",
  params: {
    integration: pathText(),
    api_key: text(),
    payload: text({ maxLength: defaultMaxBodyBytes }).optional().describe("The body, where it is no form."),
    stream: text().optional().describe("Name or id of the channel; without it the bot's owner is told."),
    topic: text().optional().describe("Takes the place of the topic that the integration chooses."),
    only_events: eventNames().describe("Events that are told, `*` for any text; all others are left out."),
    exclude_events: eventNames().describe("Events that are left out."),
    name: text().default("").describe("For alertmanager: the label that is the topic."),
    desc: text().default("").describe("For alertmanager: the annotation that says what it is about."),
    content: text().optional().describe("For services that send a form."),
  },
  returns: {},
  async handle({ app, realm, params, exchange }) {
    const user = await app.authenticator.byBareKey(realm, exchange, params.api_key);
    const integration = integrations.get(params.integration);
    if (!integration) throw notFound("There is no such integration.");
    const notice: Notice = {
      payload: new Payload(payloadOf(params)),
      event: exchange.hookEvent.toLowerCase(),
      options: { name: params.name, desc: params.desc },
    };
    const said = integration.read(notice);
    if (said === "unknown") throw errors.UNSUPPORTED_WEBHOOK_EVENT_TYPE({ webhook_name: integration.displayName });
    if (said === "empty") throw badRequest("The payload says nothing that this integration tells.");
    if (said === "ignored" || !isWanted(said, params.only_events, params.exclude_events)) return {};
    const topic = params.topic ?? said.topic;
    await realm.execute("sendMessage", {
      userId: user.id,
      to:
        params.stream === undefined
          ? { userIds: [user.bot_owner_id ?? user.id] }
          : { channelId: findChannel(realm.state, user, params.stream), topic },
      content: params.stream === undefined && topic !== "" ? `**${topic}**\n\n${said.content}` : said.content,
      client: `Zulip${integration.displayName.replaceAll(/\W/g, "")}Webhook`.slice(0, 30),
      readBySender: false,
    });
    return {};
  },
});

/** What came, as JSON or as fields of a form. @throws BAD_REQUEST when nothing did, INVALID_JSON */
function payloadOf({ payload, content, topic }: Record<"payload" | "content" | "topic", string | undefined>): unknown {
  if (payload === undefined && content === undefined)
    throw badRequest("Nothing was posted: send JSON, or a form with JSON in its field `payload`.");
  if (payload === undefined) return { content, topic };
  try {
    return parseJson(payload, "payload");
  } catch {
    throw errors.INVALID_JSON();
  }
}

/** Whether the address asks for this event. An event without a name is always wanted. */
function isWanted({ event }: Said, only: string[] | undefined, excluded: string[] | undefined): boolean {
  if (event === undefined) return true;
  if (only && only.length > 0 && !only.some((pattern) => fits(event, pattern))) return false;
  return !excluded?.some((pattern) => fits(event, pattern));
}

/** `*` stands for any text. The parts between are searched one after the other, so no pattern takes long. */
function fits(event: string, pattern: string): boolean {
  const [first, ...rest] = pattern.split("*");
  if (rest.length === 0) return event === pattern;
  const last = rest.pop()!;
  if (!event.startsWith(first!) || event.length < first!.length + last.length || !event.endsWith(last)) return false;
  let from = first!.length;
  for (const part of rest) {
    const found = event.indexOf(part, from);
    if (found < 0 || found + part.length > event.length - last.length) return false;
    from = found + part.length;
  }
  return true;
}
