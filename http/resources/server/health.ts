/** Whether this node can serve clients. A balancer asks, and sends them elsewhere if not. */
import type { App } from "../../api/app.ts";

/**
 * Why it cannot, in words. Undefined: it can. Short trouble does not count, since requests wait for that long anyway.
 */
export function troubleOf(app: Pick<App, "system" | "config">): string | undefined {
  const troubles = databaseTroubles(app);
  // One that is away takes its own organizations down: the others are served here as well as anywhere.
  if (troubles.some(({ trouble }) => trouble === undefined)) return undefined;
  return troubles.length === 1
    ? troubles[0]!.trouble
    : troubles.map(({ name, trouble }) => `${name}: ${trouble}`).join("; ");
}

/** Each database of this node, and why its organizations cannot be served. */
export function databaseTroubles({
  system,
  config,
}: Pick<App, "system" | "config">): { name: string; trouble: string | undefined }[] {
  const patienceMs = config.commandDeadlineMs / 2;
  return system.homes.map(({ name, database, system: own }) => {
    if (database.trouble !== undefined) return { name, trouble: database.trouble };
    if (own === undefined) return { name, trouble: "the database was not opened yet" };
    // Also of one that cannot be loaded, while somebody waits for it.
    const troubles = own.all().map((realm) => realm.trouble(patienceMs));
    return { name, trouble: troubles.find((trouble) => trouble !== undefined) };
  });
}
