import { randomBytes } from "node:crypto";
import sodium from "libsodium-wrappers";

/**
 * End-to-end encryption of mobile notifications. A device registers a symmetric key (`push_key`) under an id that it
 * chooses (`push_key_id`). A notification is a JSON object sealed with that key. The relay, Google and Apple cannot
 * read it.
 *
 * A push key is base64 of one byte that names the algorithm, followed by the key:
 *
 *     0x31  libsodium's crypto_secretbox_easy (XSalsa20-Poly1305), 32 bytes of key
 *
 * A sealed payload is base64 of a fresh 24-byte nonce followed by the box. The usual libsodium bindings use the same
 * order. Source: https://zulip.com/api/register-push-device and https://zulip.com/api/mobile-notifications (feature
 * level 468).
 */

/** First byte of a push key for `crypto_secretbox_easy`. */
const secretboxPrefix = 0x31;
const secretboxKeyBytes = 32;
const nonceBytes = 24;
/** Largest `push_key_id`: clients use unsigned 32-bit integers. */
const maxPushKeyId = 2 ** 32 - 1;

/** A refused push key. The message is for the client's author. */
export class PushKeyError extends Error {
  override readonly name = "PushKeyError";
}

/**
 * Decodes a `push_key`. Returns the bytes to store, including the prefix.
 * @throws PushKeyError
 */
export function parsePushKey(text: string): Uint8Array {
  const bytes = Buffer.from(text, "base64");
  // Buffer ignores invalid characters. Only valid base64 encodes back to the same text.
  if (text === "" || bytes.toString("base64") !== text) throw new PushKeyError("push_key is not valid Base64.");
  if (bytes[0] !== secretboxPrefix) throw new PushKeyError("push_key uses an unsupported cryptosystem.");
  if (bytes.length !== 1 + secretboxKeyBytes) throw new PushKeyError("push_key has the wrong length.");
  return new Uint8Array(bytes);
}

/** Whether the number may be a `push_key_id`: an unsigned 32-bit integer. */
export function isPushKeyId(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= maxPushKeyId;
}

/**
 * Seals a notification with `pushKey`, as {@link parsePushKey} returns it. The result is base64, and different on every
 * call.
 * @throws PushKeyError
 */
export async function encryptNotification(payload: object, pushKey: Uint8Array): Promise<string> {
  if (pushKey[0] !== secretboxPrefix || pushKey.length !== 1 + secretboxKeyBytes) {
    throw new PushKeyError("push_key uses an unsupported cryptosystem.");
  }
  await sodium.ready;
  const nonce = randomBytes(nonceBytes);
  const message = new TextEncoder().encode(JSON.stringify(payload));
  const box = sodium.crypto_secretbox_easy(message, nonce, pushKey.subarray(1));
  return Buffer.concat([nonce, box]).toString("base64");
}
