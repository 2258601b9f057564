/** Programs of the machine that open what libvips does not. Where one is not there, its files are shown without. */
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

export interface Programs {
  /** Absolute path: draws a frame of films. */
  readonly ffmpeg: string | undefined;
  /** Absolute path: draws HEIC. */
  readonly heifConvert: string | undefined;
}

const folders = ["/usr/local/bin", "/usr/bin", "/bin"];

/**
 * @param chosen of each the path of a program, `off`, or undefined for the system's
 * @throws Error for a path without a program
 */
export function findPrograms({ ffmpeg, heifConvert }: Programs): Programs {
  return {
    ffmpeg: find(ffmpeg, "ffmpeg", "PARLEY_FFMPEG"),
    heifConvert: find(heifConvert, "heif-convert", "PARLEY_HEIF_CONVERT"),
  };
}

function find(chosen: string | undefined, name: string, variable: string): string | undefined {
  if (chosen === "off") return undefined;
  if (chosen === undefined) return folders.map((folder) => join(folder, name)).find(isProgram);
  if (!isProgram(chosen)) throw new Error(`${variable} names no program that this account may run: ${chosen}`);
  return chosen;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
