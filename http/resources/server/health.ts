/** Whether this node can serve clients. A balancer asks, and sends them elsewhere if not. */
import type { App } from "../../api/app.ts";

/**
 * Why it cannot, in words. Undefined: it can. Short trouble does not count, since requests wait for that long anyway.
 */
export function troubleOf({ system, config }: Pick<App, "system" | "config">): string | undefined {
  const { database } = system.environment;
  if (database.trouble !== undefined) return database.trouble;
  const patienceMs = config.commandDeadlineMs / 2;
  for (const realm of system.realms()) {
    const trouble = realm.trouble(patienceMs);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}
