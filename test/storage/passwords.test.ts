import { hash } from "@node-rs/argon2";
import { describe, expect, test } from "vitest";
import { apiKeyLength, generateApiKey, hashPassword, verifyPassword } from "../../storage/users/passwords.ts";

describe("passwords", () => {
  test("the right password verifies, another does not", async () => {
    const hash = await hashPassword("correct horse");
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verifyPassword(hash, "correct horse")).toBe(true);
    expect(await verifyPassword(hash, "correct horsE")).toBe(false);
    expect(await verifyPassword(hash, "")).toBe(false);
  });

  test("two hashes of one password differ by their salt", async () => {
    expect(await hashPassword("same")).not.toBe(await hashPassword("same"));
  });

  test("text beyond ASCII and null bytes count in full", async () => {
    const hash = await hashPassword("påss\u0000wörd🔑");
    expect(await verifyPassword(hash, "påss\u0000wörd🔑")).toBe(true);
    expect(await verifyPassword(hash, "påss\u0000wörd")).toBe(false);
  });

  test.each(["", "x", "!", "$argon2id$", "$argon2id$v=19$m=1,t=1,p=1$!!$!!"])(
    "a stored value %j matches nothing",
    async (stored) => {
      expect(await verifyPassword(stored, "")).toBe(false);
      expect(await verifyPassword(stored, stored)).toBe(false);
    },
  );

  test.each([
    { memoryCost: 70_000, timeCost: 1, parallelism: 1 },
    { memoryCost: 64, timeCost: 7, parallelism: 1 },
    { memoryCost: 64, timeCost: 1, parallelism: 5 },
  ])(
    "a stored hash that asks for $memoryCost KiB, $timeCost passes and $parallelism lanes is not worked on",
    async (cost) => {
      expect(await verifyPassword(await hash("right", cost), "right")).toBe(false);
      expect(await verifyPassword(await hash("right", { memoryCost: 64, timeCost: 1, parallelism: 1 }), "right")).toBe(
        true,
      );
    },
  );

  test("hashing leaves the event loop free", async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all([1, 2, 3, 4].map((n) => hashPassword(`password ${n}`)));
    isDone = true;
    // A hash takes milliseconds: computed here, all four would be over before the loop turned a few times.
    expect(turns).toBeGreaterThan(10);
  });
});

describe("API keys", () => {
  test("are 32 letters and digits, and never repeat", () => {
    const keys = Array.from({ length: 2_000 }, generateApiKey);
    for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("use each of the 62 characters about equally often", () => {
    const counts = new Map<string, number>();
    const draws = 4_000;
    for (let i = 0; i < draws; i++) {
      for (const char of generateApiKey()) counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const expected = (draws * apiKeyLength) / 62;
    // Ten standard deviations: a modulo bias would give eight characters a quarter more than the others.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(10 * Math.sqrt(expected));
  });
});
