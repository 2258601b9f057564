import { readFileSync } from "node:fs";
import { jsonObject } from "../../actors/text/json-object.ts";

/** This program's version, from its package.json: beside the sources, or above the build's folder. */
export function readVersion(): string {
  for (const path of ["../../package.json", "../../../package.json"]) {
    try {
      const version = jsonObject(readFileSync(new URL(path, import.meta.url), "utf8"))?.["version"];
      if (typeof version === "string") return version;
    } catch {
      // It is in the other place.
    }
  }
  throw new Error("There is no package.json beside this program.");
}
