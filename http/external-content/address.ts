/**
 * Addresses by which readers fetch what other sites have: `/external_content/<digest>/<address in hexadecimal>`. The
 * digest shows that this server has made it, so that nobody asks other addresses of it. Source: zulip/zulip,
 * zerver/lib/camo.py.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { ExternalContent } from "../../actors/markdown/rendering.ts";

/** Hexadecimal digits of a digest. */
const digestDigits = 40;

/** @param key the installation's */
export const signedAddresses =
  (key: Buffer): ExternalContent =>
  (url) =>
    `/external_content/${digestOf(key, url)}/${Buffer.from(url).toString("hex")}`;

/** The address of another site. Undefined when this server has not signed it. */
export function readSignedAddress(key: Buffer, digest: string, hex: string): string | undefined {
  if (digest.length !== digestDigits || !/^(?:[0-9a-f]{2})+$/.test(hex)) return undefined;
  const url = Buffer.from(hex, "hex").toString();
  return timingSafeEqual(Buffer.from(digestOf(key, url), "latin1"), Buffer.from(digest, "latin1")) ? url : undefined;
}

const digestOf = (key: Buffer, url: string): string =>
  createHmac("sha256", key).update(url).digest("hex").slice(0, digestDigits);
