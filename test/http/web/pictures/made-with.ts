/**
 * What the pictures were drawn with, and what is here. Another Chromium may draw fields and edges otherwise: six
 * versions apart one picture of 45 differed, by twenty pixels. A digit has as many, so no tolerance tells these two
 * apart. A comparison is strict, or it is left out.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { browserPath } from "../../../support/web/browser.ts";
import { fontVersions } from "../../../support/web/fonts.ts";

interface Tools {
  /** Its whole version. */
  chromium: string;
  /** Versions by the names of packages, as the lock file has them. */
  fonts: Record<string, string>;
}

const file = join(import.meta.dirname, "made-with.json");
export const theirs = JSON.parse(readFileSync(file, "utf8")) as Tools;

const said = browserPath ? spawnSync(browserPath, ["--version"], { encoding: "utf8" }).stdout : "";
export const ours: Tools = { chromium: /\d+(?:\.\d+)+/.exec(said)?.[0] ?? "", fonts: fontVersions() };

export const isOtherChromium = ours.chromium !== theirs.chromium;

/** Why nothing is compared, if nothing is. */
export const whyNot = !browserPath
  ? "there is no Chromium"
  : isOtherChromium
    ? `drawn by Chromium ${theirs.chromium}, here is ${ours.chromium || "one without a version"}: see CONTRIBUTING.md`
    : undefined;

export const noteTools = (): Promise<void> => writeFile(file, `${JSON.stringify(ours, null, 2)}\n`);
