/** `parley realm export`, `parley user export`: what there is, in a file, while servers go on. */
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { writeOwnData } from "../../actors/transfer/own-data.ts";
import { type ExportType, exportTypes } from "../../actors/transfer/zulip-export/scope.ts";
import { writeExport } from "../../actors/transfer/zulip-export/write.ts";
import { openFiles } from "../../storage/files/open-files.ts";
import { accountIn } from "./accounts.ts";
import { type AdminResult, realmIn, type Values, withRealm } from "./admin.ts";
import type { Config } from "./config.ts";
import type { RunningStorage } from "./main.ts";
import { externalUrlOf, storedFilesOf } from "./node-parts.ts";

/** @throws Error when the file is there already */
async function refuseExisting(path: string): Promise<void> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return;
  await file.close();
  throw new Error(`${path} is there already: choose another name, or remove it.`);
}

function typeIn(values: Values): ExportType {
  const given = values["type"] ?? "full_without_consent";
  const type = exportTypes.find((one) => one === given);
  if (type === undefined) throw new Error(`--type must be one of ${exportTypes.join(", ")}.`);
  return type;
}

export async function exportRealm(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const { file } = values;
  if (typeof file !== "string") throw new Error("Name the file: parley realm export FILE");
  const path = resolve(file);
  const type = typeIn(values);
  await refuseExisting(path);
  const { id, host } = await realmIn(storage, config, values);
  const fact = { type: "realm_export_requested", after: { export_type: type } } as const;
  await withRealm(storage, config, values, async (realm) => {
    await realm.execute("recordAudit", { fact });
    return { text: "", data: {} };
  });
  const counts = await writeExport(path, {
    database: storage.database,
    realmId: id,
    url: host === null ? config.externalUrl : externalUrlOf(config, host),
    type,
    files: storedFilesOf(openFiles(config)),
    progress: (line) => console.error(line),
  });
  return {
    text: `${path} has ${counts.messages} messages and ${counts.uploads} uploads. Passwords and keys are not in it.`,
    data: { file: path, type, ...counts },
  };
}

/** Somebody's own data, for them. */
export async function exportUser(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const { file } = values;
  if (typeof file !== "string") throw new Error("Name the file: parley user export FILE --email E");
  const path = resolve(file);
  await refuseExisting(path);
  return withRealm(storage, config, values, async (realm) => {
    const user = accountIn(realm, values);
    const fact = { type: "user_data_exported", userIds: [user.id] } as const;
    await realm.execute("recordAudit", { fact });
    const files = storedFilesOf(openFiles(config));
    const counts = await writeOwnData(path, user, { database: storage.database, files });
    return {
      text: `${path} has what ${user.full_name} wrote and keeps: ${counts["messages"]} messages, ${counts["uploads"]} uploads.`,
      data: { file: path, user_id: user.id, ...counts },
    };
  });
}
