/** The 100,000 passwords that are breached most often, as a Bloom filter: `node breached-passwords.mjs` writes it. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const filter = readFileSync(new URL("breached-passwords.bin", import.meta.url));

/** Whether a password is one of them, whatever its case. Of others one in 10,000 is taken for one. */
export function isBreached(password: string): boolean {
  const hash = createHash("sha256").update(password.toLowerCase()).digest();
  for (let place = 0; place < hash.length; place += 4) {
    const bit = hash.readUInt32BE(place) % (filter.length * 8);
    if ((filter.readUInt8(bit >> 3) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
