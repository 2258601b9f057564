/** Lengths of sound. */

/** Seconds as clocks of players show them: "1:05". */
export function lengthWords(secs: number): string {
  const whole = Math.floor(secs);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
