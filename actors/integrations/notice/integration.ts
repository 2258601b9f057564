/** What an integration is: a service that posts to the server, and how what it says becomes messages. */
import { errors } from "../../errors.ts";
import type { Payload } from "./payload.ts";

/** What the address says besides key, channel and events. https://zulip.com/api/incoming-webhooks-overview */
export interface AddressOptions {
  /** Takes the place of the topic that the integration chooses. */
  topic?: string | undefined;
  /** The branches whose pushes are told, separated by commas; all of them without it. */
  branches?: string | undefined;
  isForPublicRepositories?: boolean;
  /** For github: whether each message names its repository. */
  hasRepositoryNames?: boolean;
  /** Whether topics of merge requests have their titles. */
  hasMergeRequestTitles?: boolean;
  /** For alertmanager: the label that is the topic, and the annotation that says what it is about. */
  name?: string;
  desc?: string;
}

/** What came. */
export interface Notice {
  payload: Payload;
  /** The event as a header of the service names it; empty where none does. */
  event: string;
  options: AddressOptions;
}

/** What is said of it. */
export interface Said {
  /** One of the integration's `events`, by which it can be left out. */
  event?: string;
  topic: string;
  content: string;
}

/** `ignored` is an event that says nothing worth telling; a service that tries its key out asks whose it is. */
export type Told = Said | readonly Said[] | "ignored" | "whose key";

/** A parameter of the address that is the integration's own. https://zulip.com/api/register-queue */
export interface UrlOption {
  key: string;
  label: string;
  input_type: "text" | "bool";
}

export interface Integration {
  /** In the address. */
  name: string;
  displayName: string;
  /** Headers in which the service names the event, the most exact one first; in lower case. */
  eventHeaders?: readonly string[];
  /** What it tells of: names for `only_events` and `exclude_events`; none where it knows no kinds. */
  events?: readonly string[];
  urlOptions?: readonly UrlOption[];
  /** Its texts are written by those who set it up: they may be commands, as that of a poll. */
  hasOwnTexts?: true;
  /** Its programs know an answer by Slack's `ok` and `error`, and would post again without them. */
  answersAsSlack?: true;
  /** The service sends fields of a form, which are the payload then. */
  takesForms?: true;
  /** The service escapes parameters of the address twice. */
  escapesTwice?: true;
  /** The service asks with GET or HEAD whether the address is meant; some want their challenge back. */
  verification?: { isEchoed: boolean };
  /** @throws UNSUPPORTED_WEBHOOK_EVENT_TYPE; BAD_REQUEST for a payload of another shape; MISSING_HTTP_EVENT_HEADER */
  read(notice: Notice): Told;
}

/** An event that the integration does not know. Its status is 200: services that get errors stop posting. */
export const unsupported = (webhook_name: string, event_type: string) =>
  errors.UNSUPPORTED_WEBHOOK_EVENT_TYPE({ webhook_name, event_type: event_type.slice(0, 200) });

/** What is told of an event: the words under the usual topic, or all of it. Nothing is told of an empty text. */
type Words = string | Omit<Said, "event"> | readonly Omit<Said, "event">[];
export type Teller = (payload: Payload, notice: Notice) => Words;

/** An integration with kinds of events: a table says what is told of each. */
interface EventTable<E extends string> extends Omit<Integration, "events" | "read"> {
  /** The event of a payload, as the table calls it. */
  event(notice: Notice): string;
  topic(payload: Payload, event: E, notice: Notice): string;
  tells: Readonly<Record<E, Teller>>;
  /** What stands before all that is told, if anything. */
  prefix?(payload: Payload, options: AddressOptions): string;
  /** Events that are left out in peace. */
  ignores?: readonly string[];
}

/** The integration of a table. */
export function byEvent<E extends string>(table: EventTable<E>): Integration {
  const { event: eventOf, topic, tells, ignores, prefix, ...integration } = table;
  const isTold = (event: string): event is E => Object.hasOwn(tells, event);
  return {
    ...integration,
    events: Object.keys(tells),
    read(notice) {
      const event = eventOf(notice);
      if (ignores?.includes(event)) return "ignored";
      if (!isTold(event)) throw unsupported(integration.displayName, event);
      const words = tells[event](notice.payload, notice);
      if (words === "") return "ignored";
      const before = prefix?.(notice.payload, notice.options) ?? "";
      const said = (one: Omit<Said, "event">): Said => ({
        event,
        topic: one.topic,
        content: `${before}${one.content}`,
      });
      if (typeof words === "string") return said({ topic: topic(notice.payload, event, notice), content: words });
      return "content" in words ? said(words) : words.map(said);
    },
  };
}

/** The event that a header names. @throws MISSING_HTTP_EVENT_HEADER */
export function headerEvent(header: string): (notice: Notice) => string {
  return ({ event }) => {
    if (event === "") throw errors.MISSING_HTTP_EVENT_HEADER({ header });
    return event;
  };
}
