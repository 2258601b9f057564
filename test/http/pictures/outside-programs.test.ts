/** The cage of programs that draw what libvips cannot: what they get, and what becomes of one that does too much. */
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { frameOf, heifOf } from "../../../http/pictures/outside-programs.mjs";
import { findPrograms } from "../../../http/pictures/programs.ts";
import { filmOf, lacksFfmpeg } from "../../support/files/films.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-cage-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a program", () => {
  it("has no variable of the server's, and hears which file it may read", async () => {
    const printed = await frameOf(await program('env; echo "$@"'), "/some/film.mp4", "mov");
    const lines = String(printed).trim().split("\n");
    const names = lines.slice(0, -1).map((line) => line.split("=")[0]);
    expect(names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name ?? ""))).toEqual([]);
    expect(lines.at(-1)).toContain("-protocol_whitelist file -format_whitelist mov,mp4,m4a,3gp,3g2,mj2,matroska,webm");
    expect(lines.at(-1)).toContain("-i file:/some/film.mp4");
  });

  it("that takes too much memory is ended", async () => {
    const greedy = await program("head -c 3000000000 /dev/zero | tail && echo all of it");
    expect(await frameOf(greedy, "/some/film.mp4", "mov")).toBeUndefined();
  });

  it("that prints without end is ended", async () => {
    expect(await frameOf(await program("exec yes"), "/some/film.mp4", "mov")).toBeUndefined();
  });

  it("that draws films writes no file", async () => {
    const writer = await program(`echo text > ${folder}/written; [ -s ${folder}/written ] && echo it is there`);
    expect(await frameOf(writer, "/some/film.mp4", "mov")).toBeUndefined();
  });

  it("that draws HEIC writes into a folder that is gone afterwards, however it ends", async () => {
    const scratch = join(folder, "scratch");
    // Its arguments are a quality, the source, and the target.
    const drawn = await heifOf(await program('echo one > "$4"'), "/some/picture.heic", scratch);
    expect(String(drawn)).toBe("one\n");
    const writer = await program('yes > "$4"');
    expect(await heifOf(writer, "/some/picture.heic", scratch)).toBeUndefined();
    expect(await readdir(folder)).not.toContain("scratch");
  });
});

describe.skipIf(lacksFfmpeg !== "")(`ffmpeg itself${lacksFfmpeg}`, () => {
  it("reads no playlist, also where one is said to be a film", async () => {
    const film = join(folder, "film.mp4");
    await writeFile(film, filmOf("film.mp4", "320x200", 2));
    const playlist = join(folder, "list.mp4");
    await writeFile(playlist, `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${film}\n#EXT-X-ENDLIST\n`);
    const ffmpeg = findPrograms({ ffmpeg: undefined, heifConvert: "off" }).ffmpeg ?? "";
    expect((await frameOf(ffmpeg, film, "mov"))?.length).toBeGreaterThan(300);
    for (const kind of ["mov", "matroska"] as const) expect(await frameOf(ffmpeg, playlist, kind)).toBeUndefined();
  });
});

it("programs are the system's, the one that is named, or none", () => {
  expect(findPrograms({ ffmpeg: "off", heifConvert: "/bin/sh" })).toEqual({
    ffmpeg: undefined,
    heifConvert: "/bin/sh",
  });
  expect(() => findPrograms({ ffmpeg: "/nowhere/ffmpeg", heifConvert: "off" })).toThrow(
    "PARLEY_FFMPEG names no program that this account may run: /nowhere/ffmpeg",
  );
});

async function program(script: string): Promise<string> {
  const path = join(folder, "program");
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}
