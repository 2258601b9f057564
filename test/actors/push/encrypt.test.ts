import { randomBytes } from "node:crypto";
import sodium from "libsodium-wrappers";
import { describe, expect, test } from "vitest";
import { encryptNotification, isPushKeyId, PushKeyError, parsePushKey } from "../../../actors/push/encrypt.ts";

const secret = randomBytes(32);
const pushKey = Buffer.concat([Buffer.from([0x31]), secret]).toString("base64");
const payload = {
  realm_url: "https://chat.example",
  realm_name: "Zulip \u{1f600}",
  type: "test",
  time: 1754577820,
  user_id: 10,
};

/** What a device does with a notification. */
async function open(sealed: string, key: Uint8Array): Promise<unknown> {
  await sodium.ready;
  const bytes = Buffer.from(sealed, "base64");
  const message = sodium.crypto_secretbox_open_easy(bytes.subarray(24), bytes.subarray(0, 24), key);
  return JSON.parse(Buffer.from(message).toString());
}

describe("push keys", () => {
  test("the documented example is a key", () => {
    const key = parsePushKey("MTaUDJDMWypQ1WufZ1NRTHSSvgYtXh1qVNSjN3aBiEFt");
    expect(key).toHaveLength(33);
    expect(key[0]).toBe(0x31);
  });

  test.each([
    ["", "Base64"],
    ["!!!", "Base64"],
    [`${pushKey} `, "Base64"],
    [pushKey.slice(1), "Base64"],
    [pushKey.replace(/.$/, "-"), "Base64"],
    [Buffer.concat([Buffer.from([0x32]), secret]).toString("base64"), "cryptosystem"],
    [secret.toString("base64").replace(/^../, "AA"), "cryptosystem"],
    [Buffer.from([0x31]).toString("base64"), "length"],
    [Buffer.concat([Buffer.from([0x31]), secret, secret]).toString("base64"), "length"],
  ])("%j is refused: %s", (text, word) => {
    expect(() => parsePushKey(text)).toThrow(PushKeyError);
    expect(() => parsePushKey(text)).toThrow(word);
  });

  test("an id is an unsigned 32-bit integer", () => {
    for (const id of [0, 2408, 2 ** 32 - 1]) expect(isPushKeyId(id)).toBe(true);
    for (const id of [-1, 2 ** 32, 1.5, Number.NaN]) expect(isPushKeyId(id)).toBe(false);
  });
});

describe("sealing", () => {
  test("the device with the key reads the payload", async () => {
    expect(await open(await encryptNotification(payload, parsePushKey(pushKey)), secret)).toEqual(payload);
  });

  test("nobody else reads it, nor changes it", async () => {
    const sealed = await encryptNotification(payload, parsePushKey(pushKey));
    expect(Buffer.from(sealed, "base64").toString("latin1")).not.toContain("realm_url");
    await expect(open(sealed, randomBytes(32))).rejects.toThrow();
    const changed = Buffer.from(sealed, "base64");
    changed[30] = changed[30]! ^ 1;
    await expect(open(changed.toString("base64"), secret)).rejects.toThrow();
  });

  test("equal payloads look different", async () => {
    const key = parsePushKey(pushKey);
    const sealed = await Promise.all(Array.from({ length: 20 }, () => encryptNotification(payload, key)));
    expect(new Set(sealed.map((text) => text.slice(0, 32))).size).toBe(20);
  });

  test("bytes that are no push key seal nothing", async () => {
    await expect(encryptNotification(payload, secret.subarray(0, 31))).rejects.toThrow(PushKeyError);
    await expect(encryptNotification(payload, new Uint8Array())).rejects.toThrow(PushKeyError);
  });
});
