/**
 * What may have been lost since somebody wrote down which PostgreSQL it was. A standby that was promoted may lack the
 * newest commits, and with them the marks below which positions and ids were given out. A process that was not there
 * knows of no promotion. But each begins a new timeline, and what was written down names the one before.
 *
 * | Rule | Written down                        | This PostgreSQL   | Blocks that are passed over                  |
 * | PR1  | its timeline                        |                   | none                                         |
 * | PR2  | the timeline n before, its system   |                   | n: each promotion may have lost one          |
 * | PR3  | a later timeline, or another system |                   | one: it was put back from a copy             |
 * | PR4  | nothing                             | tells             | as of the first timeline: that may be lost   |
 * | PR5  |                                     | does not tell     | none; one where a promotion or loss was seen |
 *
 * Whoever knows of a loss passes over one block at least, whatever the timelines say.
 *
 * A replica is made of one timeline's log, so that its newest entry stands for those before it. Of what other nodes
 * publish it is told by which timeline it was stored.
 *
 * | Rule | Stored by               | The replica                                                                   |
 * | PR6  | the replica's timeline  | takes it                                                                      |
 * | PR7  | an earlier one          | passes over it: what the later one kept of it was read there                  |
 * | PR8  | a later one, or unknown | takes it, and is mixed: it is loaded anew after a promotion, and not kept     |
 */

/** Which PostgreSQL somebody wrote under. Null: it was not told. */
export interface WrittenUnder {
  system: string | null;
  timeline: number | null;
}

/** Which PostgreSQL answers now, as far as it tells. */
export interface AnsweringNow {
  system: string | undefined;
  timeline: number | undefined;
}

/** What a node knows of a loss beside that: it has seen a promotion, or what it had seen stored is not there. */
export type Lack = "promoted" | "lost";

/** Of a PostgreSQL that was never promoted. */
const firstTimeline = 1;

/** How many blocks to pass over. */
export function blocksLost(before: WrittenUnder, now: AnsweringNow | undefined, lack?: Lack): number {
  const known = lack === "lost" ? 1 : 0;
  if (now?.timeline === undefined) return lack === undefined ? 0 : 1;
  if (before.timeline === null) return Math.max(lack === undefined ? 0 : 1, now.timeline - firstTimeline);
  const isOther = before.system !== null && now.system !== undefined && before.system !== now.system;
  if (isOther || now.timeline < before.timeline) return 1;
  return Math.max(known, now.timeline - before.timeline);
}

/** What is written down from now on. A number that is not told stays as it was. */
export const writtenUnder = (before: WrittenUnder, now: AnsweringNow | undefined): WrittenUnder => ({
  system: now?.system ?? before.system,
  timeline: now?.timeline ?? before.timeline,
});

/** What becomes of a batch by PR6 to PR8. @param own the replica's timeline */
export function judgeBatch(own: number | undefined, stored: number | undefined): "take" | "pass over" | "mix" {
  if (own === undefined || stored === undefined) return "mix";
  if (own === stored) return "take";
  return stored < own ? "pass over" : "mix";
}
