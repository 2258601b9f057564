import { describe, expect, test } from "vitest";
import {
  checkProfileField,
  checkProfileValue,
  defaultExternalAccounts,
  hasRenderedValue,
  customProfileFieldTypes as types,
} from "../../../actors/organization/profile-field-values.ts";

function define(field_type: number, field_data?: unknown, name = "Field", hint = "") {
  return checkProfileField({ field_type, name, hint, field_data });
}

function check(field_type: number, value: unknown, field_data = "") {
  return checkProfileValue({ name: "Field", field_type, field_data }, value, { mayName: (id) => id > 0 && id < 10 });
}

describe("defining a field", () => {
  test("the types are those of the API", () => {
    expect(Object.values(types).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const { id } of [types.SHORT_TEXT, types.LONG_TEXT, types.DATE, types.URL, types.USER, types.PRONOUNS]) {
      expect(define(id)).toEqual({ field_type: id, name: "Field", hint: "", field_data: "" });
    }
    for (const id of [0, 9, -1, 1.5]) expect(define(id)).toBe("Invalid field type.");
  });

  test("name and hint are trimmed and counted in code points", () => {
    expect(define(1, undefined, "  a  ", " b ")).toMatchObject({ name: "a", hint: "b" });
    expect(define(1, undefined, "   ")).toBe("Label cannot be blank.");
    expect(define(1, undefined, "\u{1f600}".repeat(40), "\u{1f600}".repeat(80))).toBeTypeOf("object");
    expect(define(1, undefined, "x".repeat(41))).toBe("Label is too long (limit: 40 characters).");
    expect(define(1, undefined, "x", "x".repeat(81))).toBe("Hint is too long (limit: 80 characters).");
    expect(define(1, undefined, "a\0")).toContain("Invalid character");
  });

  test("a list needs choices with unique texts", () => {
    expect(define(3, { a: { text: "A", order: "1" }, b: { text: "B ", order: 2 } })).toMatchObject({
      field_data: '{"a":{"text":"A","order":"1"},"b":{"text":"B","order":"2"}}',
    });
    expect(define(3, { a: { text: "A", order: "1" }, b: { text: "A", order: "2" } })).toContain("duplicate choices");
    for (const bad of [
      undefined,
      null,
      {},
      [],
      "x",
      { a: "A" },
      { a: { text: "A" } },
      { a: { text: "", order: "1" } },
      { a: { text: 1, order: "1" } },
      { a: { text: "A", order: "x" } },
      { a: { text: "A", order: -1 } },
      { a: { text: "A", order: "1", more: 1 } },
      { " ": { text: "A", order: "1" } },
    ]) {
      expect(define(3, bad), JSON.stringify(bad)).toBeTypeOf("string");
    }
  });

  test("a choice called __proto__ is a choice like another", () => {
    const field = define(3, JSON.parse('{"__proto__":{"text":"A","order":"1"}}'));
    if (typeof field === "string") throw new Error(field);
    expect(check(3, "__proto__", field.field_data)).toEqual({ value: "__proto__" });
    expect(check(3, "constructor", field.field_data)).toContain("not a valid choice");
  });

  test("an external account is a default one or has a URL pattern", () => {
    expect(define(7, { subtype: "github" }, "")).toEqual({
      field_type: 7,
      name: defaultExternalAccounts["github"]!.name,
      hint: defaultExternalAccounts["github"]!.hint,
      field_data: '{"subtype":"github"}',
    });
    expect(define(7, { subtype: "github" }, "Own name", "Own hint")).toMatchObject({
      name: "Own name",
      hint: "Own hint",
    });
    expect(define(7, { subtype: "custom", url_pattern: "https://a.example/u/%(username)s" })).toMatchObject({
      field_data: '{"subtype":"custom","url_pattern":"https://a.example/u/%(username)s"}',
    });
    for (const bad of [
      undefined,
      {},
      { subtype: "nowhere" },
      { subtype: "constructor" },
      { subtype: "custom" },
      { subtype: "custom", url_pattern: "https://a.example/" },
      { subtype: "custom", url_pattern: "https://%(username)s.example/%(username)s" },
      { subtype: "custom", url_pattern: "javascript:%(username)s" },
      { subtype: "custom", url_pattern: "%(username)s" },
      { subtype: "github", more: 1 },
    ]) {
      expect(define(7, bad), JSON.stringify(bad)).toBeTypeOf("string");
    }
    expect(define(7, { subtype: "custom", url_pattern: "https://a.example/%(username)s" }, "")).toBe(
      "Label cannot be blank.",
    );
  });

  test("the default accounts are complete", () => {
    for (const account of Object.values(defaultExternalAccounts)) {
      expect(account.url_pattern.split("%(username)s")).toHaveLength(2);
      expect(account.name).not.toBe("");
      expect(account.text).not.toBe("");
    }
  });
});

describe("checking a value", () => {
  test("text is counted in code points", () => {
    expect(check(1, "\u{1f600}".repeat(50))).toEqual({ value: "\u{1f600}".repeat(50) });
    expect(check(1, "x".repeat(51))).toBe("Field is too long (limit: 50 characters).");
    expect(check(2, "x".repeat(500))).toBeTypeOf("object");
    expect(check(2, "x".repeat(501))).toBe("Field is too long (limit: 500 characters).");
    expect(check(7, "x".repeat(51))).toContain("too long");
    expect(check(8, "x".repeat(51))).toContain("too long");
    expect(check(1, "a\0b")).toContain("null");
  });

  test("a list takes the key of a choice", () => {
    const data = '{"a":{"text":"A","order":"1"}}';
    expect(check(3, "a", data)).toEqual({ value: "a" });
    expect(check(3, "A", data)).toContain("not a valid choice");
    expect(check(3, "b".repeat(10_000), data)).toSatisfy((sentence: string) => sentence.length < 120);
  });

  test("a date is a day that exists", () => {
    for (const day of ["2024-02-29", "1999-12-31", "0001-01-01", "0099-02-28"])
      expect(check(4, day), day).toEqual({ value: day });
    for (const day of [
      "2023-02-29",
      "2024-13-01",
      "2024-00-10",
      "2024-01-32",
      "2024-1-1",
      "0000-01-01",
      "x",
      "",
      "2024-01-01T00:00",
    ]) {
      expect(check(4, day), day).toBe("Field is not a date.");
    }
  });

  test("a link is an http or https URL", () => {
    for (const url of ["https://a.example/b?c#d", "HTTP://a.example", "https://münchen.example/ü"]) {
      expect(check(5, url), url).toEqual({ value: url });
    }
    for (const url of [
      "",
      "a.example",
      "javascript:alert(1)",
      "https://",
      "https://a b",
      " https://a.example",
      "https://a\n",
      "ftp://a",
      `https://a.example/${"x".repeat(2_000)}`,
    ]) {
      expect(check(5, url), url).toBe("Field is not a URL.");
    }
  });

  test("users are a list of ids that may be named, stored as JSON", () => {
    expect(check(6, [3, 1, 3])).toEqual({ value: "[3,1]" });
    expect(check(6, [])).toEqual({ value: "[]" });
    expect(check(6, [3, 11])).toBe("Invalid user ID: 11");
    for (const bad of ["[1]", "1", 1, null, { 0: 1 }]) expect(check(6, bad)).toBe("User IDs must be given as a list.");
    for (const bad of [["1"], [1.5], [null], [[1]], [Number.MAX_VALUE], [Number.NaN]]) {
      expect(check(6, bad)).toBe("User IDs must be integers.");
    }
    expect(check(6, Array(201).fill(1))).toContain("too many users");
  });

  test("every other type takes strings only", () => {
    for (const id of [1, 2, 3, 4, 5, 7, 8]) {
      for (const value of [1, null, undefined, ["a"], { a: 1 }, true]) {
        expect(check(id, value, '{"a":{"text":"A","order":"1"}}')).toBe("Field is not a string.");
      }
    }
    expect(check(9, "x")).toBe("Invalid field type.");
  });

  test("only text is Markdown", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8].filter(hasRenderedValue)).toEqual([1, 2]);
  });
});
