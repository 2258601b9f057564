/**
 * Incoming webhooks: other services post to an address that contains a bot's key, and each post becomes a message, or
 * several. The formats of the services are in `actors/integrations/`.
 */
import { array, boolean, optional, string } from "superstruct";
import { ApiError, badRequest, errors, notFound } from "../../../actors/errors.ts";
import { userId } from "../../../actors/id-shapes.ts";
import type { Integration, Said } from "../../../actors/integrations/notice/integration.ts";
import { composed, harmless } from "../../../actors/integrations/notice/markdown.ts";
import { Payload } from "../../../actors/integrations/notice/payload.ts";
import { eventHeaders, integrations } from "../../../actors/integrations/table.ts";
import { decodePercent } from "../../../actors/percent-encoding.ts";
import { apiEmail } from "../../../actors/realm/access.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { described } from "../../../actors/shape.ts";
import { asLine } from "../../../actors/text/texts.ts";
import { defined } from "../../../storage/failures.ts";
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { App } from "../../api/app.ts";
import { bool, defaultMaxBodyBytes, json, parseJson, pathText, text } from "../../api/params.ts";
import { RawReply } from "../../api/reply.ts";
import { type ApiRequest, route } from "../../api/route.ts";
import type { Exchange } from "../../server/exchange.ts";
import { findChannel } from "../messages/send.ts";

const doc = "https://zulip.com/api/incoming-webhooks-overview";
const eventNames = () => json(array(string())).optional();
const apiKey = () =>
  text().optional().describe("The bot's key. Without it its address and key come by HTTP basic authentication.");

/** Messages that one post becomes at most: a service may tell of everything at once. */
const maxMessages = 50;

const received = {
  integration: pathText().describe("Which service posts: one of those named above."),
  api_key: apiKey(),
  payload: text({ maxLength: defaultMaxBodyBytes }).optional().describe("The body, where it is no form."),
  fields: text({ maxLength: defaultMaxBodyBytes })
    .optional()
    .describe("For services that send forms: the fields that are not named here, as a JSON object."),
  stream: text().optional().describe("Name or id of the channel; without it the bot's owner is told."),
  topic: text().optional().describe("Takes the place of the topic that the integration chooses."),
  only_events: eventNames().describe("Events that are told, `*` for any text; all others are left out."),
  exclude_events: eventNames().describe("Events that are left out."),
  branches: text().optional().describe("For forges: the branches whose pushes are told, separated by commas."),
  ignore_private_repositories: bool().default(false).describe("For github: whether private repositories are left out."),
  include_repository_name: bool().default(false).describe("For github: whether each message names its repository."),
  use_merge_request_title: bool()
    .default(true)
    .describe("For gitlab: whether topics have the titles of merge requests."),
  name: text().default("").describe("For alertmanager: the label that is the topic."),
  desc: text().default("").describe("For alertmanager: the label or annotation that says what it is about."),
};

/** https://zulip.com/api/incoming-webhooks-overview */
export const receiveWebhook = route({
  doc,
  summary: `Posts what another service says, as the bot whose key the address carries. Services: ${[...integrations.keys()].join(", ")}.`,
  auth: ["anybody"],
  wantsHeaders: eventHeaders,
  allowsIncomingWebhooks: true,
  bodyParam: "payload",
  restParam: "fields",
  refusesWith200: true,
  params: received,
  returns: {
    full_name: optional(string()),
    email: optional(string()),
    id: described(optional(userId()), "The bot's id, where Zapier asks whose key it has."),
    ok: described(optional(boolean()), "Whether it was taken, for programs that post to Slack."),
  },
  async handle(request) {
    const integration = known(request.params.integration);
    if (!integration.answersAsSlack) return receive(request, integration);
    try {
      await receive(request, integration);
      return { ok: true };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, code, message, extra } = error;
      throw new ApiError(status, code, message, { ...extra, ok: false, error: message });
    }
  },
});

/** Says what came; what the answer tells besides success. */
async function receive(
  {
    app,
    realm,
    params,
    exchange,
  }: Pick<ApiRequest<typeof received, undefined>, "app" | "realm" | "params" | "exchange">,
  integration: Integration,
): Promise<{ full_name?: string; email?: string; id?: UserId }> {
  const user = await sender(app, realm, exchange, params.api_key);
  const decoded = (value: string | undefined) => (integration.escapesTwice ? unescaped(value) : value);
  const topic = decoded(params.topic);
  const told = integration.read({
    payload: new Payload(payloadOf(integration, params)),
    event: hookEvent(integration, exchange),
    options: {
      topic,
      branches: params.branches,
      isForPublicRepositories: params.ignore_private_repositories,
      hasRepositoryNames: params.include_repository_name,
      hasMergeRequestTitles: params.use_merge_request_title,
      name: params.name,
      desc: params.desc,
    },
  });
  if (told === "ignored") return {};
  if (told === "whose key") return { full_name: user.full_name, email: apiEmail(realm.state, user), id: user.id };
  const wanted = ("content" in told ? [told] : told).filter((one) =>
    isWanted(one, params.only_events, params.exclude_events),
  );
  const stream = decoded(params.stream);
  for (const one of bounded(wanted)) await say(realm, user, integration, one, stream, topic);
  return {};
}

/** Some services ask whether an address is meant before they post to it. */
export const verifyWebhook = route({
  doc,
  summary:
    "Answers a service that asks whether the address is meant, as Dropbox does with GET, Trello and Intercom with HEAD.",
  auth: ["anybody"],
  params: {
    asking_integration: pathText().describe("Which service asks: `dropbox`, `intercom` or `trello`."),
    api_key: apiKey(),
    challenge: text().optional().describe("For dropbox: the text that it wants back."),
  },
  async handle({ app, realm, params, exchange }) {
    await sender(app, realm, exchange, params.api_key);
    const { verification } = known(params.asking_integration);
    if (!verification) throw new ApiError(405, "BAD_REQUEST", "Method Not Allowed", { allowed_methods: ["POST"] });
    if (!verification.isEchoed) return {};
    const headers: [string, string][] = [
      ["Content-Type", "text/plain"],
      ["X-Content-Type-Options", "nosniff"],
    ];
    return new RawReply(200, headers, params.challenge ?? "");
  },
});

/** @throws REQUEST_VARIABLE_MISSING where neither address nor header has a key; as `byApiKey` does */
async function sender(app: App, realm: ServedRealm, exchange: Exchange, key: string | undefined): Promise<UserRow> {
  if (key !== undefined) return app.authenticator.byBareKey(realm, exchange, key);
  if (exchange.authorization !== "") {
    const holder = await app.authenticator.byApiKey(realm, exchange);
    if (holder.key?.scope === "read") throw errors.UNAUTHORIZED("This API key may only read.");
    return holder.user;
  }
  throw errors.REQUEST_VARIABLE_MISSING({ var_name: "api_key" });
}

/** @throws not found */
function known(name: string): Integration {
  const integration = integrations.get(name);
  if (!integration) throw notFound("There is no such integration.");
  return integration;
}

/** What came, as JSON or as fields of a form. @throws BAD_REQUEST when nothing did, INVALID_JSON */
function payloadOf(
  { takesForms }: Integration,
  { payload, fields }: Record<"payload" | "fields", string | undefined>,
): unknown {
  const sent = payload ?? (takesForms ? fields : undefined);
  if (sent === undefined)
    throw badRequest("Nothing was posted: send JSON, or a form with JSON in its field `payload`.");
  try {
    return parseJson(sent, "payload");
  } catch {
    throw errors.INVALID_JSON();
  }
}

/** The event as the most exact of the integration's headers names it. */
function hookEvent({ eventHeaders: names = [] }: Integration, { wanted }: Exchange): string {
  const header = names.find((name) => wanted?.has(name));
  return (header !== undefined && wanted?.get(header)) || "";
}

/** What some services have escaped twice. */
const unescaped = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : (decodePercent(value) ?? value);

/** As many as are sent; the last one says how many more there were. */
function bounded(told: readonly Said[]): readonly Said[] {
  if (told.length <= maxMessages) return told;
  const last = defined(told[maxMessages - 1], "last message");
  const more = `${told.length - maxMessages} more of this post were left out.`;
  return [...told.slice(0, maxMessages - 1), { ...last, content: `${last.content}\n\n${more}` }];
}

/** Sends it to the channel, or to the bot's owner. */
async function say(
  realm: ServedRealm,
  user: UserRow,
  integration: Integration,
  { topic, content }: Said,
  stream: string | undefined,
  chosenTopic: string | undefined,
): Promise<void> {
  // A service's own text may be anything; it is no reason to lose what it says.
  const shown = chosenTopic ?? asLine(topic);
  const quiet = integration.hasOwnTexts ? harmless(content) : composed(content);
  await realm.execute("sendMessage", {
    userId: user.id,
    to:
      stream === undefined
        ? { userIds: [user.bot_owner_id ?? user.id] }
        : { channelId: findChannel(realm.state, user, stream), topic: shown },
    content: stream === undefined && shown !== "" ? `**${shown}**\n\n${quiet}` : quiet,
    client: `Zulip${integration.displayName.replaceAll(/\W/g, "")}Webhook`.slice(0, 30),
    readBySender: false,
  });
}

/** Whether the address asks for this event. An event without a name is always wanted. */
function isWanted({ event }: Said, only: string[] | undefined, excluded: string[] | undefined): boolean {
  if (event === undefined) return true;
  if (only && only.length > 0 && !only.some((pattern) => fits(event, pattern))) return false;
  return !excluded?.some((pattern) => fits(event, pattern));
}

/** `*` stands for any text. The parts between are searched one after the other, so no pattern takes long. */
function fits(event: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return event === pattern;
  if (!event.startsWith(first) || event.length < first.length + last.length || !event.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = event.indexOf(part, from);
    if (found < 0 || found + part.length > event.length - last.length) return false;
    from = found + part.length;
  }
  return true;
}
