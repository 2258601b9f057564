/**
 * The process that opens pictures of people. A picture may be made to break what decodes it. So this process holds no
 * secret and no connection, does one picture at a time, and is ended when one takes too long. `picture-maker.ts` talks
 * to it.
 */
import sharp from "sharp";
import { frameOf, heifOf, kindOf } from "./outside-programs.mjs";

/**
 * @typedef {object} Task
 * @property {string} file
 * @property {import("./picture-maker.ts").Sizes} sizes
 * @property {string} [only]
 * @property {import("./programs.ts").Programs} programs
 * @property {string} scratch absolute path of a folder that is not there; whoever sent the task removes it
 */

/** Width times height times pictures. A larger one is never decoded: 360 MB of memory hold this many. */
const maxPixels = 90_000_000;
/** What a loader calls a picture → its type; whether browsers show it. */
const types = {
  jpeg: { type: "image/jpeg", isShown: true },
  png: { type: "image/png", isShown: true },
  gif: { type: "image/gif", isShown: true },
  webp: { type: "image/webp", isShown: true },
  heif: { type: "image/avif", isShown: true },
  tiff: { type: "image/tiff", isShown: false },
  heic: { type: "image/heic", isShown: false },
};

sharp.cache(false);
sharp.concurrency(1);
// Of the loaders only these: SVG and PDF are programs, and others reach for files.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["Jpeg", "Png", "Nsgif", "Webp", "Heif", "Tiff"].map((name) => `VipsForeignLoad${name}`),
});

const limits = { limitInputPixels: maxPixels, failOn: "error", sequentialRead: true };

/** Kinds of films → their type. */
const filmTypes = { mov: "video/mp4", matroska: "video/webm" };

/** @param {Task} task */
async function make({ file, sizes, only, programs, scratch }) {
  const kind = programs.ffmpeg || programs.heifConvert ? await kindOf(file) : undefined;
  if (filmTypes[kind]) return programs.ffmpeg && film(await frameOf(programs.ffmpeg, file, kind), sizes, kind);
  const found = await sharp(file, limits).metadata();
  if (found.format !== "heif" || found.compression === "av1") return still(file, found, sizes, only);
  const { heifConvert } = programs;
  const turned = heifConvert && kind === "heif" ? await heifOf(heifConvert, file, scratch) : undefined;
  return turned && heic(turned, sizes, only);
}

/** A film's poster. */
async function film(frame, sizes, kind) {
  if (!frame) return undefined;
  const { width, height } = await sharp(frame, limits).metadata();
  const picture = { width, height, type: filmTypes[kind], frames: 1 };
  return { picture, drawn: { [sizes.still.name]: await draw(frame, sizes.still, false) } };
}

/** An HEIC, of which the JPEG is turned already, whatever its EXIF says. */
async function heic(jpeg, sizes, only) {
  const { width, height } = await sharp(jpeg, limits).metadata();
  const upright = await sharp(jpeg, limits).jpeg({ quality: 95 }).toBuffer();
  const found = { format: "heic", width, height, autoOrient: { width, height } };
  return still(upright, found, sizes, only);
}

async function still(file, found, sizes, only) {
  const known = types[found.format];
  if (!known) return undefined;
  const { width, height } = found.autoOrient;
  const pages = found.format === "tiff" ? 1 : (found.pages ?? 1);
  const frames = width * height * pages > maxPixels ? 1 : pages;
  const scale = Math.min(1, sizes.transcoded.width / width, sizes.transcoded.height / height);
  const transcoded = `${Math.max(1, Math.round(width * scale))}x${Math.max(1, Math.round(height * scale))}.webp`;
  const picture = { width, height, type: known.type, frames, ...(!known.isShown && { transcoded }) };
  const ways = {
    [sizes.still.name]: () => draw(file, sizes.still, false),
    ...(frames > 1 && { [sizes.animated.name]: () => draw(file, sizes.animated, true) }),
    ...(!known.isShown && { [transcoded]: () => draw(file, sizes.transcoded, false) }),
  };
  const drawn = {};
  for (const [name, way] of Object.entries(ways)) if (only === undefined || only === name) drawn[name] = await way();
  return { picture, drawn };
}

function draw(file, { width, height }, animated) {
  return sharp(file, { ...limits, animated })
    .autoOrient()
    .resize({ width, height, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80, effort: animated ? 1 : 3 })
    .toBuffer();
}

/** What pictures that stand for somebody may be; browsers show all of these. */
const redrawn = new Set(["jpeg", "png", "gif", "webp"]);
/** Pictures of an animation: each is decoded, and drawn anew. */
const maxFrames = 500;
const white = "#fff";
const clear = { r: 0, g: 0, b: 0, alpha: 0 };

/** @param {import("./picture-maker.ts").Redrawing} task */
async function redraw({ source, drawings }) {
  const input = typeof source === "string" ? source : Buffer.from(source);
  const found = await sharp(input, limits).metadata();
  if (!redrawn.has(found.format)) return undefined;
  const frames = found.pages ?? 1;
  const moves = frames > 1 && drawings.some(({ isAnimated }) => isAnimated);
  if (moves && frames > maxFrames) return "too large";
  if (found.width * (found.pageHeight ?? found.height) * (moves ? frames : 1) > maxPixels) return "too large";
  const drawn = {};
  for (const { name, width, height, fit, format, isAnimated } of drawings) {
    const animated = isAnimated && frames > 1;
    const picture = sharp(input, { ...limits, animated })
      .autoOrient()
      .resize({ width, height, fit, background: clear, withoutEnlargement: fit === "inside" });
    const kind = format ?? (moves ? "gif" : "png");
    drawn[name] = await (kind === "jpeg" ? picture.flatten({ background: white }) : picture).toFormat(kind).toBuffer();
  }
  return { moves, drawn };
}

process.on("message", async (task) => {
  try {
    process.send({ made: await (task.drawings ? redraw(task) : make(task)) });
  } catch (error) {
    process.send({ fault: String(error?.message ?? error).slice(0, 300) });
  }
});
process.on("disconnect", () => process.exit());
