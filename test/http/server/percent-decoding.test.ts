import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeField } from "../../../http/server/percent-decoding.ts";

test("any text comes back as it was encoded, by either way of writing a space", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const encoded = encodeURIComponent(text);
      expect(decodeField(encoded)).toBe(text);
      expect(decodeField(encoded.replaceAll("%20", "+"))).toBe(text);
      expect(decodeField(encoded.toLowerCase())).toBe(decodeURIComponent(encoded.toLowerCase()));
    }),
  );
});

test("what is not encoded stays, a byte order mark too", () => {
  for (const text of ["", "plain", "ä😀", "a=b", "\ufeffx"]) expect(decodeField(text)).toBe(text);
  expect(decodeField("%EF%BB%BFx")).toBe("\ufeffx");
  expect(decodeField("ä+%C3%A4")).toBe("ä ä");
});

test.each(["%", "a%", "%1", "%g1", "%1g", "%-1", "%C3", "%ED%A0%80", "%FF", "%C0%AF", "%+1"])(
  "%s is refused",
  (text) => {
    expect(() => decodeField(text)).toThrow("Malformed percent-encoding");
  },
);
