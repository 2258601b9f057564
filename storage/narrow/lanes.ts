/** The conversations that a narrow looks into. */
import { defined } from "../failures.ts";
import type { RecipientId } from "../ids.ts";
import { inReadableChannel, isNotAmong, type TopicList, topicRows } from "./narrow.ts";
import type { Draft } from "./statement.ts";

/**
 * Adds the part with the conversations of the scope: their recipient ids, and the ids of each that are in the scope.
 */
export function lanesOf(draft: Draft, directOnly: boolean): string {
  if (!draft.parts.has("lanes")) draft.parts.set("lanes", lanesSql(draft, directOnly));
  return "lanes";
}

export function lanesSql(draft: Draft, directOnly: boolean): string {
  const { scope, me, parameters } = draft;
  const direct = `select d.recipient_id, '{(,)}'::int8multirange as ids from direct_conversation_members d where d.user_id = ${me}`;
  switch (scope.in) {
    case "history":
      return `select recipient_id, '{(,)}'::int8multirange as ids from unnest(${parameters.ids(scope.recipientIds)}) as recipient_id`;
    case "receivedIn":
      return `select r.recipient_id, r.ids from received r where r.user_id = ${me} and r.recipient_id = ${parameters.add(scope.recipientId, "bigint")}`;
    case "direct":
      return `select c.recipient_id, '{(,)}'::int8multirange as ids from direct_conversations c
        where c.realm_id = $1 and c.user_ids = ${parameters.ids(scope.userIds)}`;
    default: {
      if (directOnly || scope.in === "nothing") return direct;
      const isReadable = inReadableChannel("r.recipient_id", scope.limits(), parameters);
      const { silent } = mutedOf(draft);
      const isHeard = silent.length > 0 ? `and ${isNotAmong("r.recipient_id", silent, parameters)}` : "";
      return `select r.recipient_id, r.ids from received r where r.user_id = ${me} and ${isReadable} ${isHeard} union all ${direct}`;
    }
  }
}

/** The muted channels of a narrow that leaves out what is muted. */
interface MutedChannels {
  /** It has nothing of these. */
  silent: readonly RecipientId[];
  /** Of the others it has these topics. */
  heard: TopicList;
}

/** Most messages may be in muted channels: they are not read to find the others. */
function mutedOf({ conditions }: Draft): MutedChannels {
  const condition = conditions.find(({ is, negated }) => is === "muted" && negated);
  if (condition?.is !== "muted") return { silent: [], heard: { recipientIds: [], topics: [] } };
  const { channels, except } = condition;
  const muted = new Set(channels);
  const inMuted = (_: unknown, place: number) => muted.has(defined(except.recipientIds[place], "channel of a topic"));
  const recipientIds = except.recipientIds.filter(inMuted);
  const heard = new Set(recipientIds);
  return {
    silent: channels.filter((recipientId) => !heard.has(recipientId)),
    heard: { recipientIds, topics: except.topics.filter(inMuted) },
  };
}

/**
 * Divides lanes by what is muted in them: those that are walked as a whole, and topics of the others, as rows of
 * `recipient_id`, `ids`, `topic`. Undefined: there are no others.
 */
export function dividedLanes(draft: Draft, lanes: string): { whole: string; topics: string | undefined } {
  const { heard } = mutedOf(draft);
  if (heard.topics.length === 0) return { whole: lanes, topics: undefined };
  const { parameters } = draft;
  return {
    whole: `(select * from ${lanes} l where ${isNotAmong("l.recipient_id", heard.recipientIds, parameters)})`,
    topics: `(select * from ${lanes} l join ${topicRows(parameters, heard)} t using (recipient_id))`,
  };
}
