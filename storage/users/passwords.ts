import { randomInt } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";

/**
 * Secrets of accounts: password hashes and API keys. Hashing runs on libuv's thread pool, so the event loop only ever
 * waits for it.
 */

/**
 * Argon2id with 19 MiB and two passes, the smallest setting that OWASP's password storage cheat sheet recommends. It
 * takes about 20 to 50 ms of one core, so that logins cannot be used to starve the node. The numbers are stored in each
 * hash, so raising them later leaves old passwords valid. Source: OWASP Password Storage Cheat Sheet, Argon2id.
 */
const hashing = {
  // 2 is `Algorithm.Argon2id`; the package declares a const enum, which isolated modules cannot read.
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
  outputLen: 32,
} as const;

/** Letters and digits, as the clients' key format asks. */
const apiKeyAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Characters in an API key: 62^32 is about 190 bits. */
export const apiKeyLength = 32;

/** Hashes a password for storage. Returns a PHC string (`$argon2id$…`) holding the salt and every parameter. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, hashing);
}

/** What one check may cost at most, whatever a stored hash asks for: three times what ours do, in memory and passes. */
const maxCost = { memory: 65_536, passes: 6, lanes: 4 };

/** Whether a hash asks for no more than that: a damaged or foreign row must not take the machine's memory. */
function isAffordable(passwordHash: string): boolean {
  const [, memory, passes, lanes] = /^\$argon2(?:id|i|d)\$v=\d+\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(passwordHash) ?? [];
  return Number(memory) <= maxCost.memory && Number(passes) <= maxCost.passes && Number(lanes) <= maxCost.lanes;
}

/**
 * Whether the password is the one that was hashed. What is no hash, or one that asks for too much (an account without a
 * password, a damaged row), matches nothing. It takes a hash as well, so that the time tells strangers nothing.
 */
export async function verifyPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  if (passwordHash && isAffordable(passwordHash)) {
    const isRight = await verify(passwordHash, password).catch(() => undefined);
    if (isRight !== undefined) return isRight;
  }
  await hashPassword(password);
  return false;
}

/** A new API key: 32 letters and digits, each chosen without bias from the system's secure random source. */
export function generateApiKey(): string {
  let key = "";
  for (let i = 0; i < apiKeyLength; i++) key += apiKeyAlphabet[randomInt(apiKeyAlphabet.length)];
  return key;
}
