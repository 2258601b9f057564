/** How long a process may take to end once it was told to. Mostly it is gone as soon as nothing is under way. */

/**
 * A node of many answers for so long what was begun. With what is added below, containers and units of systemd that are
 * killed ten seconds after they were told have ended before.
 */
export const answersForMs = 5000;
/** A worker whose successor serves already has the time of the slowest requests. */
export const retiresForMs = 60_000;
/** Then it writes down what is only in memory, and closes its connections. Whatever hangs, it is gone after that. */
export const closesWithinMs = 2000;
/** Its supervisor kills what is still there so much later. */
export const killsAfterMs = 500;
