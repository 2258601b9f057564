/**
 * What a person has read of a conversation, in SQL. It is one set of ids in `read_states`. Whoever reads here and there
 * has many ranges: most of them are in rows of `read_segments`, each from its `first` to before the next row's, and the
 * newest still in `read_states`. Triggers move them there (`037_read_segments.sql`), and a row of either stays short.
 */

const ofState = (state: string): string => `g.user_id = ${state}.user_id and g.recipient_id = ${state}.recipient_id`;

/** Whether the row of `read_states` called `state` has an id; null where there is no row. One segment is looked at. */
export const hasRead = (state: string, id: string): string =>
  `(${state}.ids @> ${id} or ${state}.has_segments is true and (
    select g.ids @> ${id} from read_segments g
    where ${ofState(state)} and g.first <= ${id} order by g.first desc limit 1))`;

/** All ids that a row of `read_states` has; null where there is no row. */
export const allRead = (state: string): string =>
  `case when ${state}.has_segments then ${state}.ids + coalesce((
    select range_agg(g.ids) from read_segments g where ${ofState(state)}), '{}') else ${state}.ids end`;

/** Those of them in a span, a multirange of one range. Only its segments are looked at. */
export const readWithin = (state: string, span: string): string =>
  `(case when ${state}.has_segments then ${state}.ids + coalesce((
    select range_agg(g.ids) from read_segments g where ${ofState(state)} and g.first < upper(${span})
      and g.first >= coalesce((select max(g.first) from read_segments g where ${ofState(state)} and g.first <= lower(${span})), 0)
    ), '{}') else ${state}.ids end * ${span})`;
