/** Random requests to the real routes: well-formed ones, mutated ones and plain nonsense. */
import fc from "fast-check";
import type { Endpoint } from "../../../http/api/route.ts";

export interface FuzzRequest {
  method: string;
  path: string;
  /** What is in the query or the body, before it was encoded. */
  fields: readonly (readonly [name: string, value: string])[];
  query: string;
  body: string;
  contentType: string;
}

/** Texts that have broken servers before. */
export const nastyTexts: readonly string[] = [
  "",
  " ",
  "null",
  "true",
  "-1",
  "0",
  "1",
  "9007199254740993",
  "1e309",
  "[]",
  "{}",
  "[[]]",
  '[""]',
  "[1]",
  '{"new":1}',
  '{"new":{"direct_members":[1],"direct_subgroups":[]}}',
  "\0",
  "%00",
  "\ud800",
  "a\u0000b",
  "'; drop table users; --",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "😀".repeat(70),
  "x".repeat(11_000),
  '[{"operator":"channel","operand":1}]',
  '[["is","unread"]]',
  '[["search","\\"a b\\" & | ! ( : *"]]',
  '[{"type":"stream","to":[1],"topic":"t","content":"c"}]',
  "newest",
  "oldest",
  "first_unread",
  "general",
  "owner@example.com",
  "[1,2,3]",
  '["general"]',
  '[{"name":"x"}]',
  "private",
  "stream",
  "add",
  "remove",
  "(a+)+$",
  "(?P<id>[0-9]+)",
  "https://example.com/{id}",
];

const text = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...nastyTexts) },
  { weight: 2, arbitrary: fc.integer({ min: -10, max: 40 }).map(String) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40, unit: "binary" }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
);

/** Requests to these routes, each parameter present or not, right or wrong. */
export function fuzzRequests(routes: readonly Endpoint[]): fc.Arbitrary<FuzzRequest> {
  const known = fc.constantFrom(...routes).chain((route) => {
    const names = Object.keys(route.params);
    return fc
      .record({
        values: fc.array(text, { minLength: names.length, maxLength: names.length }),
        sent: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: names.length, maxLength: names.length }),
        parts: fc.array(fc.oneof(fc.integer({ min: 0, max: 12 }).map(String), text), { minLength: 4, maxLength: 4 }),
        inQuery: fc.boolean(),
        extra: fc.boolean(),
      })
      .map(({ values, sent, parts, inQuery, extra }): FuzzRequest => {
        let next = 0;
        const path = (route.path.startsWith("^") ? route.path.slice(1) : `/api/v1${route.path}`).replace(
          /:[a-z_]+\*?/gi,
          () => encodeURIComponent(wellFormed(parts[next++ % parts.length]!)),
        );
        // Most parameters are there most of the time: a request that lacks everything reaches nothing.
        const fields = names
          .filter((_, index) => sent[index]! < 7)
          .map((name, index): [string, string] => [name, wellFormed(values[index]!)]);
        if (extra) fields.push(["unknown", "1"]);
        const encoded = fields
          .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
          .join("&");
        const isGet = route.method === "GET";
        return {
          method: route.method,
          path,
          fields,
          query: isGet || inQuery ? encoded : "",
          body: isGet || inQuery ? "" : encoded,
          contentType: "application/x-www-form-urlencoded",
        };
      });
  });
  const nonsense = fc.record({
    method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"),
    path: fc.webPath({ size: "small" }).map((path) => `/api/v1${path === "" ? "/" : path}`),
    fields: fc.constant([]),
    query: fc.webQueryParameters({ size: "small" }),
    body: fc.string({ maxLength: 200, unit: "binary" }),
    contentType: fc.constantFrom(
      "application/json",
      "multipart/form-data; boundary=x",
      "multipart/form-data",
      "text/plain",
      "",
    ),
  });
  return fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: nonsense });
}

const wellFormed = (value: string): string => (value as string & { toWellFormed(): string }).toWellFormed();
