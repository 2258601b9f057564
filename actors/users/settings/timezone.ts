/** Time zones of people, by their names in the database of IANA. */

/** Names as the database writes them: words with capitals. */
const asWritten = /^(?:[A-Z][A-Za-z]*[a-z]|[^/]+$)/;

/**
 * The name of a time zone as it is written, whatever letters were typed; undefined when there is no such zone. A zone
 * of several names keeps the one that was given.
 */
export function canonicalTimezone(name: unknown): string | undefined {
  // Names begin with a letter; an offset such as +01:00 is no name.
  if (typeof name !== "string" || !/^[A-Za-z]/.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    // What the platform calls a zone may be an older name of it.
    return timeZone.toLowerCase() === name.toLowerCase() || !asWritten.test(name) ? timeZone : name;
  } catch {
    return undefined;
  }
}
