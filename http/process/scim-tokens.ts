/** `parley scim-token …`: the tokens by which directories provision accounts. */
import { readScimTokens } from "../../actors/scim/tokens.ts";
import { type AdminResult, required, type Values, withRealm } from "./admin.ts";
import type { Config } from "./config.ts";
import type { RunningStorage } from "./main.ts";

export function createScimToken(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const name = required(values, "name");
  return withRealm(storage, config, values, async (realm) => {
    const { id, token } = await realm.execute("addScimToken", { actorId: undefined, name });
    const url = `${realm.state.url}/scim/v2`;
    return { text: `Token ${id}, told this once: ${token}\nThe directory asks ${url}`, data: { id, token, url } };
  });
}

export function listScimTokens(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  return withRealm(storage, config, values, async (realm) => {
    const tokens = await readScimTokens(realm);
    const day = (seconds: number | null) => (seconds === null ? "never" : new Date(seconds * 1000).toISOString());
    const lines = tokens.map(
      ({ id, name, last_used, expires_at }) => `${id} ${name}: used ${day(last_used)}, ends ${day(expires_at)}`,
    );
    return { text: lines.join("\n") || "There is no token.", data: { scim_tokens: tokens } };
  });
}

export function endScimToken(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const id = Number(required(values, "id"));
  return withRealm(storage, config, values, async (realm) => {
    await realm.execute("endScimToken", { actorId: undefined, id });
    return { text: `Token ${id} has ended.`, data: { id } };
  });
}
