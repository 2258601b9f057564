/** The store of files, from its settings. */
import type { S3Settings } from "../../../storage/files/s3-connection.ts";
import { isKeyOf } from "../../../storage/rows.ts";
import { fileSettings } from "./file-settings.ts";
import type { Settings } from "./read-settings.ts";
import { ConfigError } from "./setting.ts";

type Given = Settings["files"];

/** @throws ConfigError for a store that is set up in part */
export function readFileSettings({ bucket, goTo, ...given }: Given): {
  filesGoTo: "folder" | "s3";
  s3: S3Settings | undefined;
} {
  if (bucket !== undefined) {
    if ((given.accessKeyId === undefined) !== (given.secretAccessKey === undefined))
      throw new ConfigError("PARLEY_S3_ACCESS_KEY_ID and PARLEY_S3_SECRET_ACCESS_KEY belong together.");
    return { filesGoTo: goTo ?? "s3", s3: { bucket, ...given, region: given.region ?? "us-east-1" } };
  }
  for (const [name, { variable, fallback }] of Object.entries(fileSettings))
    if (isKeyOf(given, name) && given[name] !== fallback)
      throw new ConfigError(`PARLEY_S3_BUCKET is missing: ${variable} alone sets nothing up.`);
  if (goTo === "s3") throw new ConfigError("PARLEY_S3_BUCKET is missing: PARLEY_FILES alone sets nothing up.");
  return { filesGoTo: "folder", s3: undefined };
}
