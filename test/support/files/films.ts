/** Films and HEIC pictures for tests, made by the programs that read such files. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const lacks = (program: string, argument: string): string =>
  spawnSync(program, [argument]).error === undefined ? "" : ` (skipped: ${program} is not installed)`;

/** Why tests of films are skipped; empty: they are not. */
export const lacksFfmpeg = lacks("ffmpeg", "-version");
/** Why tests of HEIC are skipped; empty: they are not. */
export const lacksHeif = lacks("heif-convert", "--help");

/** What a program writes into the file that is its last argument. */
function written(name: string, run: (file: string) => void): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "parley-film-"));
  try {
    run(join(folder, name));
    return readFileSync(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param args of ffmpeg, between its input, a plain picture, and its output */
export function filmOf(name: string, size: string, secs: number, args: readonly string[] = []): Buffer {
  const card = ["-f", "lavfi", "-i", `color=teal:size=${size}:rate=10:duration=${secs}`];
  return written(name, (file) => execFileSync("ffmpeg", ["-v", "error", ...card, ...args, file]));
}

/** A film of MPEG-4 that says it is to be turned by a quarter, as those of phones do. */
export function turnedFilm(film: Buffer): Buffer {
  const turned = Buffer.from(film);
  // The matrix of the first track, in its header. Source: ISO/IEC 14496-12, 8.3.2.
  const matrix = turned.indexOf("tkhd") + 44;
  for (const [index, value] of [0, 0x10000, 0, -0x10000, 0].entries()) turned.writeInt32BE(value, matrix + 4 * index);
  return turned;
}

/** @param picture as PNG */
export function heicOf(picture: Buffer): Buffer {
  return written("picture.heic", (file) => {
    const source = `${file}.png`;
    execFileSync("sh", ["-c", 'cat > "$0" && heif-enc "$0" -o "$1"', source, file], { input: picture, stdio: "pipe" });
  });
}
