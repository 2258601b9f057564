/** Reads what the settings are in an environment. */
import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting, or several that belong together. */
interface Group {
  readonly [name: string]: Setting | Group;
}
type ValuesOf<G> = { -readonly [N in keyof G]: G[N] extends Setting<infer T> ? T : ValuesOf<G[N]> };

export type Settings = ValuesOf<typeof settings>;

const isSetting = (each: Setting | Group): each is Setting => typeof each["variable"] === "string";

/** @throws ConfigError */
function valueIn(environment: Environment, { variable, kind, fallback }: Setting): unknown {
  const given = environment[variable];
  const value = kind.isVerbatim ? given : given?.trim();
  return value ? kind.read(value, variable) : fallback;
}

/** @throws ConfigError */
export function readSettings(environment: Environment): Settings {
  const valuesOf = (group: Group): object =>
    Object.fromEntries(
      Object.entries(group).map(([name, each]) => [
        name,
        isSetting(each) ? valueIn(environment, each) : valuesOf(each),
      ]),
    );
  return valuesOf(settings) as Settings;
}

/** Every setting, in the order of the documentation. */
export function allSettings(group: Group = settings): Setting[] {
  return Object.values(group).flatMap((each) => (isSetting(each) ? [each] : allSettings(each)));
}
