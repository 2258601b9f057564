/**
 * Codes by time, as authenticator applications show them: six digits, another one every 30 seconds. HMAC-SHA-1 is what
 * all such applications know; its weakness against collisions is none here. Source: RFC 6238, RFC 4226 and RFC 4648.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { defined, lastOf } from "../../../storage/failures.ts";

const stepSecs = 30;
const digits = 6;
/** As long as the HMAC, as RFC 4226 recommends. */
const secretBytes = 20;
/** Steps by which a person's clock may be early or late. */
const skewSteps = 1;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Five bits a letter, without padding. @param bytes a multiple of five */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{5}/g, (five) => defined(alphabet[Number.parseInt(five, 2)], "letter"));
}

function bytesOf(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}

/** A secret that nobody has yet, in base32. */
export const newTotpSecret = (): string => base32(randomBytes(secretBytes));

/** The step of time that a moment is in. @param at UNIX seconds */
const stepOf = (at: number): number => Math.floor(at / stepSecs);

/** The code of a step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const offset = lastOf(mac) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

/** The step whose code this is, of those that a clock may show now. The caller takes each step once. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const given = Buffer.from(code);
  const current = stepOf(now);
  for (let step = current - skewSteps; step <= current + skewSteps; step++)
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), given)) return step;
  return undefined;
}

/** Whether something looks like such a code. */
export const isTotpCode = (text: string): boolean => /^\d{6}$/.test(text);

/** What applications read from the picture. https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
export function otpauthUrl(secret: string, account: string, issuer: string): string {
  // A colon separates the two.
  const named = (text: string) => encodeURIComponent(text.replaceAll(":", " "));
  return `otpauth://totp/${named(issuer)}:${named(account)}?secret=${secret}&issuer=${named(issuer)}`;
}
