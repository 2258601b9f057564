/** What a route declares to answer, its handler must answer: else it does not compile (`npm run typecheck`). */
import { boolean, integer, optional, string } from "superstruct";
import { describe, expect, it } from "vitest";
import { anyAccount, route } from "../../../http/api/route.ts";

const declared = { doc: "https://zulip.com/api/", summary: "A route.", auth: anyAccount, params: {} };

describe("the answer of a route", () => {
  it("has the declared fields, and those that are optional as it likes", () => {
    const returns = { id: integer(), name: optional(string()) };
    route({ ...declared, returns, handle: () => ({ id: 1 }) });
    const named = route({ ...declared, returns, handle: async () => ({ id: 1, name: "one" }) });
    expect(named.returns).toBe(returns);
  });

  it("does not compile when a field is of another type, missing, or not declared", () => {
    const returns = { id: integer(), is_new: boolean() };
    // @ts-expect-error: a text is no number
    route({ ...declared, returns, handle: () => ({ id: "1", is_new: true }) });
    // @ts-expect-error: `is_new` is missing
    route({ ...declared, returns, handle: async () => ({ id: 1 }) });
    // @ts-expect-error: `other` is not declared
    route({ ...declared, returns, handle: () => ({ id: 1, is_new: true, other: 1 }) });
    // @ts-expect-error: nothing is declared, so nothing is answered
    route({ ...declared, returns: {}, handle: () => ({ id: 1 }) });
    expect.assertions(0);
  });
});
