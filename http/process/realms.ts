/** `parley realm …` but for `create`: organizations as whoever runs the server looks after them. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readLegalHolds } from "../../actors/compliance/holds.ts";
import { operatorOf } from "../../actors/users/changes/operator.ts";
import { logInPolicyOf } from "../../actors/users/log-ins/policy.ts";
import { lockHost, rehost, unlist } from "../../storage/directory/directory.ts";
import { openFiles } from "../../storage/files/open-files.ts";
import type { RealmId } from "../../storage/ids.ts";
import { UniqueViolation } from "../../storage/postgres.ts";
import { deleteRealm as deleteRows, summarizeRealms } from "../../storage/realms.ts";
import { type AdminResult, hostIn, required, unfinishedUnder, type Values, withRealm } from "./admin.ts";
import type { Config } from "./config.ts";
import { firstOf, withEach } from "./homes/command-storage.ts";
import type { RunningStorage } from "./main.ts";
import { externalUrlOf } from "./node-parts.ts";

export async function listRealms(storage: RunningStorage, config: Config): Promise<AdminResult> {
  const lists = await withEach(storage, config, async ({ database }, place) =>
    (await summarizeRealms(database.sql)).map((row) => ({
      ...row,
      url: row.host === null ? config.externalUrl : externalUrlOf(config, row.host),
      ...(config.databases && { database: place }),
    })),
  );
  const realms = lists.flat();
  const line = ({ id, name, url, people, is_deactivated, is_unfinished, database }: (typeof realms)[number]) =>
    [
      id,
      url,
      `${people} people`,
      name,
      ...(database ? [database] : []),
      ...(is_unfinished ? ["import has not ended"] : is_deactivated ? ["deactivated"] : []),
    ].join("\t");
  return { text: realms.map(line).join("\n") || "There is no organization yet.", data: { realms } };
}

export function renameRealm(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const name = required(values, "name");
  return withRealm(storage, config, values, async (realm) => {
    await realm.execute("updateRealm", { userId: operatorOf(realm.state).id, name, settings: {}, groups: {} });
    return { text: `The organization is called ${name} now.`, data: { realm_id: realm.id, name } };
  });
}

/** Moves an organization to another host: nodes go by it within seconds, and its clients log in anew there. */
export async function moveRealm(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const host = hostIn(values);
  if (host === null) throw new Error("--host is missing: what requests are to say in their Host header.");
  return withRealm(storage, config, values, async (realm) => {
    // Until the organization has it, nobody else is given the host.
    const taken = firstOf(storage).transaction(async (sql) => {
      await lockHost(sql, host, realm.id);
      await realm.execute("moveRealm", { host });
      await rehost(sql, realm.id, host);
    });
    await taken.catch((error: unknown) => {
      throw error instanceof UniqueViolation ? new Error(`There is an organization under ${host} already.`) : error;
    });
    const url = externalUrlOf(config, host);
    return { text: `The organization is at ${url} now.`, data: { realm_id: realm.id, host, url } };
  });
}

/** Lets nobody use an organization, which keeps everything that it has, or brings it back. */
export function setRealmActive(isActive: boolean) {
  return (storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> =>
    withRealm(storage, config, values, async (realm) => {
      const { name, is_deactivated } = realm.state.row;
      if (isActive) await realm.execute("reactivateRealm", {});
      else if (!is_deactivated) await realm.execute("deactivateRealm", { userId: operatorOf(realm.state).id });
      return {
        text: isActive ? `${name} is active.` : `${name} is deactivated: nobody can use it until it is reactivated.`,
        data: { realm_id: realm.id, is_active: isActive },
      };
    });
}

/** From which networks people may come. With `--any` from anywhere: for when an owner is locked out. */
export function networks(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  return withRealm(storage, config, values, async (realm) => {
    if (values["any"] === true)
      await realm.execute("decideLogInPolicy", {
        actorId: operatorOf(realm.state).id,
        change: { allowed_networks: [] },
        address: undefined,
      });
    const { allowed_networks } = logInPolicyOf(realm.state);
    const list = allowed_networks.length === 0 ? "anywhere" : allowed_networks.join(", ");
    return { text: `People come from ${list}.`, data: { realm_id: realm.id, allowed_networks } };
  });
}

/** Ends an organization for good, with everything that it has. */
export async function deleteRealm(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const host = required(values, "realm").toLowerCase();
  // No node serves it: there is nobody to tell.
  const unfinished = await unfinishedUnder(storage.database.sql, config, host);
  if (unfinished) {
    confirm(unfinished.name, values);
    return deleteWhole(storage, config, unfinished);
  }
  return withRealm(storage, config, values, async (realm) => {
    const { name } = realm.state.row;
    confirm(name, values);
    if ((await readLegalHolds(realm)).length > 0)
      throw new Error("Nothing was done. The organization has legal holds: end them first (parley hold list).");
    // Whoever is connected is told, and nothing is taken any more, before its rows go.
    if (!realm.state.row.is_deactivated) await realm.execute("deactivateRealm", { userId: operatorOf(realm.state).id });
    return deleteWhole(storage, config, { id: realm.id, name });
  });
}

function confirm(name: string, values: Values): void {
  if (values["confirm"] !== name)
    throw new Error(`Nothing was done. Nobody can bring it back: say --confirm '${name}' if you mean it.`);
}

const kinds = ["uploads", "thumbnails", "avatars", "emoji", "realm", "link-previews", "external-content", "exports"];

async function deleteWhole(
  storage: RunningStorage,
  config: Config,
  { id, name }: { id: RealmId; name: string },
): Promise<AdminResult> {
  await deleteRows(storage.database, id);
  await unlist(firstOf(storage).sql, id);
  const files = openFiles(config);
  for (const kind of kinds) {
    for await (const { path } of files.list(`${kind}/${id}`)) await files.remove(path);
    await rm(join(config.dataDir, "files", kind, String(id)), { recursive: true, force: true });
  }
  return { text: `${name} is gone, with everything that it had.`, data: { realm_id: id, name } };
}
