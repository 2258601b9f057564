/** The conversations that a person takes part in, and what they received and have read of each. */
import type { MessageId, RecipientId } from "../ids.ts";
import { allIds, type Ranges, RangesReader } from "./ranges.ts";
import { allRead } from "./read-segments.ts";

/** One conversation, as one person has it. */
export interface Lane {
  recipientId: RecipientId;
  /** Messages that the person received: in a direct conversation, all. */
  received: Ranges;
  /** Grows in place. */
  read: MessageId[];
}

/**
 * Selects one text: for every conversation of the person its recipient id, what they received and what they have read.
 * It is one text, since a thousand rows would take milliseconds. `$1` is the person.
 *
 * Each part is found by an index alone, so one plan is good for every person.
 */
export const lanesSql = `
  select coalesce(string_agg(l.recipient_id || l.received || l.read, ''), '') from (
    select r.recipient_id, r.ids::text as received, coalesce(${allRead("s")}, '{}')::text as read
    from received r left join read_states s on s.user_id = $1::bigint and s.recipient_id = r.recipient_id
    where r.user_id = $1::bigint
    union all
    select d.recipient_id, '{(,)}', coalesce(${allRead("s")}, '{}')::text
    from direct_conversation_members d
    left join read_states s on s.user_id = $1::bigint and s.recipient_id = d.recipient_id
    where d.user_id = $1::bigint) l`;

/** Reads what `lanesSql` selected. */
export function parseLanes(text: string): Lane[] {
  const reader = new RangesReader(text);
  const lanes: Lane[] = [];
  while (!reader.isAtEnd) {
    const recipientId = reader.digits() as RecipientId;
    const received = reader.ranges();
    lanes.push({
      recipientId,
      received: received.length === 2 && isAll(received) ? allIds : received,
      read: reader.ranges(),
    });
  }
  return lanes;
}

const isAll = ([first, end]: Ranges): boolean => first === 0 && end === Number.POSITIVE_INFINITY;
