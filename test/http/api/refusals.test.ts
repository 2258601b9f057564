/** What a refusal says of a value that may be of several kinds. */
import { array, enums, integer, max, object, optional, size, string } from "superstruct";
import { expect, it } from "vitest";
import { either } from "../../../actors/either.ts";
import { ApiError } from "../../../actors/errors.ts";
import { json, jsonOrText } from "../../../http/api/params.ts";

const to = json(either(integer(), size(array(integer()), 1, 3)));
const days = jsonOrText(either(max(integer(), 90), enums(["unlimited"])));
const nested = json(object({ terms: array(either(object({ of: optional(either(string(), integer())) }), integer())) }));

function refusal(param: typeof to | typeof days | typeof nested, raw: string): string {
  try {
    param.read("it", new Map([["it", raw]]));
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
  return "it was taken";
}

it.each([
  [to, '"Anna"', "it is not an integer or a list"],
  [to, '[1,"Anna"]', "it[1] is not an integer"],
  [to, "[1,2,3,4]", "it is not of an allowed length"],
  [to, "[1,2,3]", "it was taken"],
  [days, "91", "it is not small enough"],
  [days, "never", 'it is not an integer or "unlimited"'],
  [days, "unlimited", "it was taken"],
  [nested, '{"terms":[1,"two"]}', 'it["terms"][1] is not an object or an integer'],
  [nested, '{"terms":[{"of":[]}]}', 'it["terms"][0]["of"] is not a string or an integer'],
  [nested, '{"terms":[{"of":1}]}', "it was taken"],
])("names the place and what may stand there", (param, raw, words) => {
  expect(refusal(param, raw)).toBe(words);
});

it("a list of many wrong values is refused by its first", () => {
  expect(refusal(to, JSON.stringify(Array(20_000).fill("x")))).toMatch(
    /^it(\[0\] is not an integer| is not of an allowed length)$/,
  );
});
