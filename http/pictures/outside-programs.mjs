/**
 * Pictures that libvips cannot open, by programs of the machine: a frame of a film by `ffmpeg`, an HEIC by
 * `heif-convert`. Both get no environment, a bound of memory, of processor time and of what they write, and one file,
 * whose kind this module has seen. So no file has them read another one: a playlist is given to neither.
 */
import { execFile } from "node:child_process";
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** A frame of 4096x2160 pixels in ten bits takes 600 MB of addresses, an HEIC of 48 million pixels 800 MB. */
const maxKib = 1_048_576;
/** A frame after a second of film, at four times a television's pixels, takes 4 s. */
const maxProcessorSecs = 20;
const patienceMs = 25_000;
/** A photograph of 90 million pixels has 30 MB. */
const maxOutputBytes = 64 * 1024 * 1024;
/** As in `picture-process.mjs`. */
const maxPixels = 90_000_000;
/** Before it many films are black. */
const posterAtSecs = "1";

/** Boxes that files of Apple's and MPEG's films begin with. */
const firstBoxes = new Set(["ftyp", "moov", "mdat", "wide", "free", "skip"]);
/** Brands of pictures that are HEIC, or may be. */
const heifBrands = new Set(["heic", "heix", "heim", "heis", "mif1"]);

/**
 * What a file is by its first bytes.
 *
 * @param {string} file absolute path
 * @returns {Promise<"mov" | "matroska" | "heif" | undefined>}
 */
export async function kindOf(file) {
  const handle = await open(file);
  const head = Buffer.alloc(12);
  await handle.read(head, 0, head.length, 0).finally(() => handle.close());
  if (head.readUInt32BE(0) === 0x1a45dfa3) return "matroska";
  const [box, brand] = [head.toString("latin1", 4, 8), head.toString("latin1", 8, 12)];
  if (box === "ftyp" && heifBrands.has(brand)) return "heif";
  if (box === "ftyp" && brand.startsWith("avi")) return undefined;
  return firstBoxes.has(box) ? "mov" : undefined;
}

/**
 * A frame of a film as JPEG: the one after a second, or the first. undefined: it has none that can be drawn.
 *
 * @param {string} ffmpeg
 * @param {string} file absolute path
 * @param {"mov" | "matroska"} kind
 */
export async function frameOf(ffmpeg, file, kind) {
  for (const at of [posterAtSecs, "0"]) {
    const frame = await run(ffmpeg, filmArguments(file, kind, at), 0);
    if (frame && frame.length > 0) return frame;
  }
  return undefined;
}

function filmArguments(file, kind, at) {
  return [
    ...["-nostdin", "-v", "quiet", "-filter_threads", "1"],
    // Neither a network nor a format that names other files, also not in tracks of a film.
    ...["-protocol_whitelist", "file", "-format_whitelist", "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm", "-f", kind],
    ...["-threads", "1", "-max_pixels", `${maxPixels}`, "-ss", at, "-i", `file:${file}`],
    ...["-map", "0:v:0", "-frames:v", "1", "-threads", "1", "-pix_fmt", "yuvj420p"],
    ...["-c:v", "mjpeg", "-q:v", "3", "-f", "image2pipe", "pipe:1"],
  ];
}

/**
 * An HEIC as JPEG, turned as it says. undefined: it cannot be drawn.
 *
 * @param {string} heifConvert
 * @param {string} file absolute path
 * @param {string} scratch absolute path of a folder that is not there
 */
export async function heifOf(heifConvert, file, scratch) {
  await mkdir(scratch, { mode: 0o700 });
  try {
    const done = await run(heifConvert, ["-q", "92", file, join(scratch, "picture.jpg")], maxOutputBytes);
    // Of several pictures in a file each is written, with its number.
    const [first] = done ? (await readdir(scratch)).filter((name) => name.endsWith(".jpg")).sort() : [];
    return first === undefined ? undefined : await readFile(join(scratch, first));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * What a program prints. Whoever ends this process by force leaves one that ends by its own processor time. undefined:
 * it failed, or did too much.
 */
function run(program, args, maxFileBytes) {
  // A shell that cannot bound it does not start it. Files are counted in units of 512 bytes.
  const bounds = `ulimit -v ${maxKib} && ulimit -t ${maxProcessorSecs} && ulimit -f ${maxFileBytes / 512} && ulimit -c 0`;
  const options = {
    env: {},
    cwd: "/",
    encoding: "buffer",
    maxBuffer: maxOutputBytes,
    timeout: patienceMs,
    killSignal: "SIGKILL",
  };
  return new Promise((resolve) => {
    execFile("/bin/sh", ["-c", `${bounds} && exec "$0" "$@"`, program, ...args], options, (error, printed) =>
      resolve(error ? undefined : printed),
    );
  });
}
