/** What a name must not hide: people tell accounts, channels and groups apart by how their names look. */

/**
 * Control characters, those without width, and those that turn around what comes behind them. Joiners and marks of
 * direction may stay: Persian, Hebrew and many emoji need them.
 */
const misleading =
  /[\p{Cc}\u00ad\u115f\u1160\u180e\u200b\u2028-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/u;
/** Something that can be seen: no format character, no mark without a letter, no space, not even Braille's. */
const visible = /[^\p{Cf}\p{M}\p{Z}\u2800]/u;

/** Whether a name looks like something, and like nothing else. */
export const isLegible = (name: string): boolean => visible.test(name) && !misleading.test(name);
