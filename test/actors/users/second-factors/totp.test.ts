import { describe, expect, it } from "vitest";
import {
  base32,
  newTotpSecret,
  otpauthUrl,
  stepOfCode,
  totpCode,
} from "../../../../actors/users/second-factors/totp.ts";

const secret = base32(Buffer.from("12345678901234567890"));

describe("codes by time", () => {
  // RFC 6238, appendix B, in six of its eight digits.
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %i are those of the standard", (now, code) => {
    expect(secret).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    const step = Math.floor(now / 30);
    expect(totpCode(secret, step)).toBe(code);
    expect(stepOfCode(secret, code, now)).toBe(step);
  });

  it("are taken from a clock that is one step early or late, and from no other", () => {
    const now = 1_234_567_890;
    const steps = [-2, -1, 0, 1, 2].map((by) => stepOfCode(secret, totpCode(secret, now / 30 + by), now));
    expect(steps).toEqual([undefined, now / 30 - 1, now / 30, now / 30 + 1, undefined]);
  });

  it("are nothing but six digits", () => {
    for (const text of ["", "5924", "5924 00", "0059240", "٠٠٥٩٢٤", "00592a", "x".repeat(10_000)])
      expect(stepOfCode(secret, text, 1_234_567_890)).toBeUndefined();
  });

  it("come of secrets of 160 bits, no two alike", () => {
    const secrets = Array.from({ length: 50 }, newTotpSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const one of secrets) expect(one).toMatch(/^[A-Z2-7]{32}$/);
  });

  it("an address and an organization of any characters are read from the picture as they are", () => {
    const url = new URL(otpauthUrl(secret, "a&b?c=d@example.com", "R&D: Köln / x"));
    expect(url.searchParams.get("issuer")).toBe("R&D  Köln / x");
    expect(decodeURIComponent(url.pathname)).toBe("/R&D  Köln / x:a&b?c=d@example.com");
    expect([...url.searchParams.keys()]).toEqual(["secret", "issuer"]);
  });
});
