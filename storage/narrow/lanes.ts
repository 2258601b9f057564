/** The conversations that a narrow looks into. */
import { inReadableChannel } from "./narrow.ts";
import type { Draft } from "./statement.ts";

/**
 * Adds the part with the conversations of the scope: their recipient ids, and the ids of each that are in the scope.
 */
export function lanesOf(draft: Draft, directOnly: boolean): string {
  if (!draft.parts.has("lanes")) draft.parts.set("lanes", lanesSql(draft, directOnly));
  return "lanes";
}

export function lanesSql({ scope, me, parameters }: Draft, directOnly: boolean): string {
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
      return `select r.recipient_id, r.ids from received r where r.user_id = ${me} and ${isReadable} union all ${direct}`;
    }
  }
}
