/** Whether this node can serve clients. A balancer asks, and sends them elsewhere if not. */
import type { App } from "../../api/app.ts";

/**
 * Why it cannot, in words. Undefined: it can. Short trouble does not count, since requests wait for that long anyway.
 */
export function troubleOf(app: Pick<App, "system" | "config">): string | undefined {
  const troubles = databaseTroubles(app);
  // One that is away takes its own organizations down: the others are served here as well as anywhere.
  if (troubles.some(({ trouble }) => trouble === undefined)) return undefined;
  return troubles.map(({ name, trouble }) => (troubles.length === 1 ? trouble : `${name}: ${trouble}`)).join("; ");
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
    const found = own.all().map((realm) => realm.changeHealth(patienceMs));
    // Where others of the same database are taken, one that hangs is no reason to take the node from all of them.
    if (found.some(({ isProven }) => isProven)) return { name, trouble: undefined };
    return { name, trouble: found.find(({ trouble }) => trouble !== undefined)?.trouble };
  });
}

/** The organizations whose changes are not taken, one that cannot be loaded among them while somebody waits for it. */
export const stuckRealms = ({ system, config }: Pick<App, "system" | "config">) =>
  system.homes.flatMap(({ name, system: own }) =>
    (own?.all() ?? [])
      .filter((realm) => realm.changeHealth(config.commandDeadlineMs / 2).trouble !== undefined)
      .map(({ id }) => ({ database: name, id })),
  );
