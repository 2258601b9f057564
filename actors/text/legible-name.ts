/** Names must be legible: people recognize accounts, channels and groups by their names. */

/**
 * Control characters, characters without width, and those that reverse the text after them. Joiners and direction marks
 * are allowed: Persian, Hebrew and many emoji need them.
 */
const misleading =
  /[\p{Cc}\u00ad\u115f\u1160\u180e\u200b\u2028-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/u;
/** A visible character: no format character, no mark without a letter, no space, and not the blank of Braille. */
const visible = /[^\p{Cf}\p{M}\p{Z}\u2800]/u;

/** Whether a name is visible, and contains nothing misleading. */
export const isLegible = (name: string): boolean => visible.test(name) && !misleading.test(name);

const misleadings = new RegExp(misleading.source, "gu");

/** A name without what misleads; it may be left with nothing to see. */
export const withoutMisleading = (name: string): string => name.replace(misleadings, " ").replace(/ +/g, " ").trim();
