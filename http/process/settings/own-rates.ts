/** Rate limits of organizations that have their own. */
import type { Rate, RateName, Rates } from "../../api/rate-limit.ts";
import type { RatesByHost } from "../../api/realm-rates.ts";
import { ConfigError, rate } from "./setting.ts";
import { settings } from "./settings.ts";

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `{"chat.example.com": {"api_by_user": "400/60"}}`: what is left out is as for everybody. @throws ConfigError */
export function readRatesByHost(text: string | undefined, general: Rates): RatesByHost {
  const name = settings.ownRates.variable;
  const example = 'like {"chat.example.com": {"api_by_user": "400/60"}}.';
  let given: unknown;
  try {
    given = JSON.parse(text ?? "{}");
  } catch {
    throw new ConfigError(`${name} must be JSON, ${example}`);
  }
  if (!isObject(given) || !Object.values(given).every(isObject))
    throw new ConfigError(`${name} must be an object of objects, ${example}`);
  const isKind = (kind: string): kind is RateName => Object.hasOwn(general, kind);
  return new Map(
    Object.entries(given).map(([host, own]) => {
      const chosen: Record<RateName, Rate> = { ...general };
      for (const [kind, value] of Object.entries(own)) {
        if (!isKind(kind)) throw new ConfigError(`${name} knows ${Object.keys(general).join(", ")}, not "${kind}".`);
        chosen[kind] = rate(general[kind]).read(String(value), `${name} (${host}, ${kind})`);
      }
      return [host.toLowerCase(), chosen];
    }),
  );
}
