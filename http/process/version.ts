import { readFileSync } from "node:fs";

/** This program's version, from its package.json: beside the sources, or above the build's folder. */
export function readVersion(): string {
  for (const path of ["../../package.json", "../../../package.json"]) {
    try {
      const { version } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as { version?: string };
      if (version !== undefined) return version;
    } catch {
      // It is in the other place.
    }
  }
  throw new Error("There is no package.json beside this program.");
}
