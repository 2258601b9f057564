/**
 * What a writer's term begins with. Pure: `beginTerm` in `realms.ts` holds the realm's row meanwhile, and stores it.
 */
import type { LogPosition } from "../ids.ts";
import type { NewestTerm } from "../realm-log.ts";
import { type AnsweringNow, blocksLost, type Lack, type WrittenUnder, writtenUnder } from "./promotions.ts";

/**
 * How many positions are set aside at a time: a restart skips at most this many, and one small update pays for as many
 * events.
 */
export const positionBlock = 20_000;
/** A block that is passed over after a promotion: a standby may lack what was given out last. */
export const lostBlock = 1_000_000;

/** Another term has begun meanwhile. Nothing was changed. */
export class TermOutrun extends Error {
  override name = "TermOutrun";
}

/** What a realm's row says of its newest term. */
export interface TermRow extends NewestTerm, WrittenUnder {
  /** No writer has handed out a position above this one. */
  reserved: LogPosition;
}

export interface BegunTerm {
  epoch: number;
  /** No older writer handed out a position above this one. */
  position: LogPosition;
  /** The end of the first block of positions. */
  reserved: LogPosition;
  /** Positions were passed over for another reason than what the timelines tell. */
  isLossKnown: boolean;
  /** A node that wrote before may still answer reads from memory for a moment. Say by `endTerm` when that is over. */
  isReadElsewhere: boolean;
}

export interface BegunBy {
  /**
   * Whether this writer's node will answer reads from memory. Of one that will not PostgreSQL goes on saying that the
   * node before it does, until `endTerm`.
   */
  servesReads: boolean;
  /** Only if this is still the newest epoch. So of many that find a term without a writer one comes next. */
  after?: number | undefined;
  /** This writer's, if it is one of many. */
  node?: string | null;
  /** The newest position that clients were told, as far as this node and Redis know. */
  told?: LogPosition | undefined;
  /** Why PostgreSQL may lack what was told: positions and ids go on well above that. */
  lack?: Lack | undefined;
  /** The PostgreSQL that it begins on. */
  answering?: AnsweringNow | undefined;
}

/** The row of the next term, and what its writer begins with. @throws TermOutrun */
export function nextTerm(
  before: TermRow,
  { servesReads, after, node = null, told = 0, lack, answering }: BegunBy,
): { row: TermRow; begun: BegunTerm } {
  if (after !== undefined && after !== before.epoch) throw new TermOutrun(`the newest epoch is ${before.epoch}`);
  const epoch = before.epoch + 1;
  // A position is reserved before it is told.
  const passedOver = blocksLost(before, answering, told > before.reserved ? "lost" : lack);
  const isLossKnown = passedOver > 0 && blocksLost(before, answering) === 0;
  const position = Math.max(before.reserved, told) + passedOver * lostBlock;
  const reserved = position + positionBlock;
  // Until this writer has waited for that node, or dies before, whoever comes next has to wait for it as well.
  const served = servesReads ? { isServed: true, node } : { isServed: before.isServed, node: before.node };
  return {
    row: { epoch, reserved, ...served, ...writtenUnder(before, answering) },
    begun: { epoch, position, reserved, isLossKnown, isReadElsewhere: before.isServed },
  };
}
