/**
 * The secret key of an installation, which is nowhere in its database: it seals the API keys and other secrets that are
 * stored there.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolderDurably, writeDurably } from "./durable-file.ts";
import { codeOf, messageOf } from "./failures.ts";
import type { UserId } from "./ids.ts";

const secretBytes = 32;
const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Another secret key than that by which this database's API keys are sealed. Nothing was done. */
export class WrongSecretKey extends Error {
  override name = "WrongSecretKey";
}

/** A secret that nobody has yet. */
export const newSecret = (): string => randomBytes(secretBytes).toString("base64url");

/** The bytes that a text says in base64url or in hexadecimal digits. @throws Error that ends a sentence */
export function parseSecret(text: string): Buffer {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  if (!isHex && !/^[A-Za-z0-9_-]{43}$/.test(text))
    throw new Error(`must be ${secretBytes} random bytes in base64url (43 characters) or hexadecimal (64 digits).`);
  return Buffer.from(text, isHex ? "hex" : "base64url");
}

/**
 * Seals and opens secrets, each for what it is about: put into another row, a sealed secret opens nothing. An API key
 * is about its account.
 */
export class SecretKey {
  readonly #sealing: Buffer;
  /** Tells this secret key from others, and nothing else of it. */
  readonly check: Buffer;

  /** @param origin where it is from, for messages */
  constructor(
    secret: Uint8Array,
    readonly origin: string,
  ) {
    const derive = (purpose: string) => createHmac("sha256", secret).update(purpose).digest();
    this.#sealing = derive("parley: API keys");
    this.check = derive("parley: check");
  }

  /** Nonce, ciphertext, tag. */
  seal(about: UserId | string, secret: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#sealing, nonce).setAAD(Buffer.from(`${about}`));
    return Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws WrongSecretKey */
  open(about: UserId | string, sealed: Uint8Array): string {
    const end = sealed.length - tagBytes;
    try {
      const decipher = createDecipheriv(algorithm, this.#sealing, sealed.subarray(0, nonceBytes))
        .setAAD(Buffer.from(`${about}`))
        .setAuthTag(sealed.subarray(end));
      return decipher.update(sealed.subarray(nonceBytes, end), undefined, "utf8") + decipher.final("utf8");
    } catch {
      const what = typeof about === "number" ? `API key of account ${about}` : about;
      throw new WrongSecretKey(`${this.origin} does not open the ${what}.`);
    }
  }
}

/** Where it is: in the environment, in a file that is named there, or in one that the first start makes. */
export interface SecretKeySettings {
  readonly dataDir: string;
  readonly secretKey: string | undefined;
  readonly secretKeyFile: string | undefined;
}

/** Makes one in the data folder if nobody has named any. @throws Error that names the variable and the file */
export async function readSecretKey(config: SecretKeySettings): Promise<SecretKey> {
  if (config.secretKey) return new SecretKey(parseSecret(config.secretKey), "PARLEY_SECRET_KEY");
  const path = config.secretKeyFile ?? join(config.dataDir, "secret-key");
  const origin =
    config.secretKeyFile === undefined
      ? `${path} (PARLEY_DATA_DIR, or PARLEY_SECRET_KEY_FILE)`
      : `${path} (PARLEY_SECRET_KEY_FILE)`;
  try {
    return new SecretKey(parseSecret((await readOrMake(path, config.secretKeyFile === undefined)).trim()), origin);
  } catch (error) {
    const [code, message] = [codeOf(error), messageOf(error)];
    throw new Error(code === undefined ? `${origin} ${message}` : `${origin} cannot be read or made: ${message}`);
  }
}

async function readOrMake(path: string, mayMake: boolean): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!mayMake || codeOf(error) !== "ENOENT") throw error;
  }
  await makeFolderDurably(join(path, ".."), 0o755);
  // Another process may make one at the same time.
  await writeDurably(path, `${newSecret()}\n`, { mode: 0o600, keepsOlder: true });
  return readFile(path, "utf8");
}
