/** Registers event queues, and fetches the state that their events continue. */
import { array, boolean, integer, literal, nullable, number, record, size, string } from "superstruct";
import { either } from "../../../actors/either.ts";
import { badRequest, errors } from "../../../actors/errors.ts";
import { checkQueueNarrow } from "../../../actors/event-queue/filter.ts";
import { type Capability, capabilities } from "../../../actors/events/capabilities.ts";
import type { NarrowTerm } from "../../../actors/events/registration.ts";
import { registerFields } from "../../../actors/register/answer.ts";
import { register } from "../../../actors/register/register.ts";
import { spectatorState } from "../../../actors/register/spectator.ts";
import { annotated } from "../../../actors/shape.ts";
import { featureLevel, mergeBase, version } from "../../../actors/version.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { bool, int, json, jsonOrText, oneOf } from "../../api/params.ts";
import { PiecesReply } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import { narrowParam, readNarrow } from "../messages/narrow-param.ts";
import { hasPhones } from "../push/devices.ts";

/** Seconds without a poll after which a queue is collected. https://zulip.com/api/register-queue */
const idleTimeouts = { default: 600, mobile: 43_200, max: 604_800 } as const;

/** Length of what a queue stores of its registration: names of types, capabilities, a narrow. */
const maxKeptLength = 5000;
/** Types of events in one request. There are about sixty. */
const maxTypes = 200;

const typeList = json(annotated(nullable(size(array(string()), 0, maxTypes)), { maxItems: maxTypes })).atMost(
  maxKeptLength,
);

/** Fields that only this client may know. The answer has no keys of bots, but their tokens. */
const secrets: ReadonlySet<string> = new Set(["queue_id", "realm_bots"]);

/** Registers an event queue. https://zulip.com/api/register-queue */
export const registerQueue = route({
  doc: "https://zulip.com/api/register-queue",
  summary: "Registers an event queue and returns the state it continues.",
  auth: ["apiKey", "cookie", "anybody"],
  isUnaudited: true,
  waitsInLine: true,
  params: {
    apply_markdown: bool().default(false).describe("Whether messages in events have HTML; else they are as written."),
    client_gravatar: bool().optional(),
    include_subscribers: oneOf("true", "false", "partial")
      .default("false")
      .describe("Whether channels come with their subscribers: all, or with `partial` as many as are quickly told."),
    slim_presence: bool().default(false),
    presence_history_limit_days: int({ min: 0 })
      .default(14)
      .describe("Whoever was last there longer ago is left out of presences."),
    event_types: typeList.default(null).describe("Kinds of events for the queue; null for all."),
    all_public_streams: bool()
      .optional()
      .describe("Whether the queue gets messages of all public channels, not only of those subscribed to."),
    client_capabilities: json(record(string(), boolean()))
      .atMost(maxKeptLength)
      .default({})
      .describe("What the client knows, by name: events and state come in forms that it knows."),
    fetch_event_types: typeList
      .default(null)
      .describe("Kinds of events whose state is fetched, where they are others than `event_types`."),
    narrow: narrowParam()
      .atMost(maxKeptLength)
      .describe('Which messages the queue gets: terms that must all hold, as pairs like `["channel", "general"]`.'),
    idle_queue_timeout: jsonOrText(either(annotated(number(), { type: "integer" }), literal("mobile")))
      .optional()
      .describe("After how many seconds without a poll the queue ends, up to a week; `mobile` for half a day."),
    queue_lifespan_secs: int({ min: 0 }).optional().describe("The older name of `idle_queue_timeout`."),
  },
  returns: {
    zulip_version: string(),
    zulip_feature_level: integer(),
    zulip_merge_base: string(),
    ...registerFields,
  },
  async handle({ realm, user, session, key, params, client, app }) {
    if (!user) checkAnonymous(params);
    const has = capabilities.filter((name) => params.client_capabilities[name]);
    const asked = readNarrow(params.narrow);
    const narrow = checkQueueNarrow(asked.length > 0 ? asked : defaultNarrow(user));
    const fetchList = params.fetch_event_types ?? params.event_types;
    const fetchTypes =
      fetchList === null ? null : new Set(fetchList.map((type) => (type === "subscriptions" ? "subscription" : type)));
    const hasSet: ReadonlySet<Capability> = new Set(has);
    const clientGravatar = params.client_gravatar ?? user !== undefined;
    const view = {
      has: hasSet,
      clientGravatar,
      includeSubscribers: params.include_subscribers,
      slimPresence: params.slim_presence,
      presenceHistoryLimitDays: params.presence_history_limit_days,
      server: {
        generation: realm.environment.coordination.generation,
        isDevelopment: app.config.isDevelopment,
        hasPush: hasPhones(app.config),
        previewsLinks: app.config.previewsLinks,
        showsExternalContent: app.config.showsExternalContent,
        summarizes: app.summaries !== undefined,
        gifProvider: app.gifs?.name ?? "",
        maxUploadMib: app.config.maxUploadMib,
        uploadQuotaMib: app.config.realmUploadQuotaMib || null,
        webPublicChannelsEnabled: app.config.webPublicChannelsEnabled,
      },
      explicitTypes: fetchTypes,
    };
    if (!user && !realm.state.hasSpectators) throw errors.UNAUTHENTICATED_USER();
    const reply = user
      ? await register(realm, user, {
          registration: {
            event_types: params.event_types,
            narrow,
            apply_markdown: params.apply_markdown,
            client_gravatar: clientGravatar,
            slim_presence: params.slim_presence,
            all_public_streams: params.all_public_streams ?? user.settings["default_all_public_streams"] === true,
            include_subscribers: params.include_subscribers !== "false",
            capabilities: has,
            client,
          },
          fetchTypes,
          idleTimeoutSecs: idleTimeout(params.idle_queue_timeout, params.queue_lifespan_secs),
          session: session ?? key,
          view,
        })
      : [spectatorState(realm, fetchTypes, view)];
    // Encoding and sending the answer takes a turn too. Meanwhile the rows of many queues are stored together.
    await realm.turns.next();
    const server = { zulip_version: version, zulip_feature_level: featureLevel, zulip_merge_base: mergeBase };
    return new PiecesReply([server, ...reply], secrets, true);
  },
});

/** The default narrow of a bot: its `default_events_register_stream`, or everything. */
function defaultNarrow(user: UserRow | undefined): NarrowTerm[] {
  const channelId = user?.settings["default_events_register_stream"];
  return typeof channelId === "number" ? [{ operator: "channel", operand: channelId, negated: false }] : [];
}

/** Refuses what a spectator may not ask for. @throws BAD_REQUEST */
function checkAnonymous(params: { include_subscribers: string; client_gravatar: boolean | undefined }): void {
  if (params.include_subscribers !== "false")
    throw badRequest("Invalid 'include_subscribers' parameter for anonymous request");
  if (params.client_gravatar) throw badRequest("Invalid 'client_gravatar' parameter for anonymous request");
}

/** The granted time-out in seconds. */
function idleTimeout(asked: number | "mobile" | undefined, older: number | undefined): number {
  if (asked === "mobile") return idleTimeouts.mobile;
  const secs = asked ?? (older || idleTimeouts.default);
  if (!Number.isInteger(secs) || secs < 1) throw badRequest("idle_queue_timeout is not a positive integer");
  return Math.min(secs, idleTimeouts.max);
}
