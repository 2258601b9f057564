/** Compares two pictures of a page: how letters are smoothed may differ, what a person sees may not. */
import pixelmatch from "pixelmatch";
import sharp from "sharp";

/** A share of the way from black to white: what people hardly see. */
const threshold = 0.06;

/** So many pixels may differ: few of those that the smallest marks have, a digit or the dot of a presence. */
export const allowedPixels = 4;

interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

async function pixelsOf(picture: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

export interface Comparison {
  /** Pixels that differ; all of them when the sizes do. */
  count: number;
  isSame: boolean;
  /** A PNG: what differs is red. Nothing when the sizes differ. */
  draw(): Promise<Buffer | undefined>;
}

/** Compares pictures of any kind that `sharp` reads. */
export async function compare(one: Buffer, other: Buffer): Promise<Comparison> {
  if (one.equals(other)) return { count: 0, isSame: true, draw: async () => undefined };
  const [a, b] = await Promise.all([pixelsOf(one), pixelsOf(other)]);
  const { width, height } = a;
  if (width !== b.width || height !== b.height)
    return { count: width * height, isSame: false, draw: async () => undefined };
  const count = pixelmatch(a.data, b.data, undefined, width, height, { threshold });
  const draw = async () => {
    const drawn = Buffer.alloc(a.data.length);
    pixelmatch(a.data, b.data, drawn, width, height, { threshold });
    return sharp(drawn, { raw: { width, height, channels: 4 } })
      .png()
      .toBuffer();
  };
  return { count, isSame: count <= allowedPixels, draw };
}
