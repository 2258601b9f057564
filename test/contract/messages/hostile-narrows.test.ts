/** Narrows as no client sends them: refused, or bounded. https://zulip.com/api/construct-narrow */
import fc from "fast-check";
import { describe, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { narrowRoom } from "../../support/rooms/narrows.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { ann, bob } = narrowRoom(server);

describe("hostile narrows", () => {
  it("any narrow at all is answered with 200 or 400", async () => {
    const operators =
      "channel stream channels streams topic dm pm-with pm_with dm-including group-pm-with sender is has in near id with search";
    const operands = fc.oneof(
      fc.constantFrom<unknown>(
        "dm",
        "starred",
        "mentioned",
        "alerted",
        "unread",
        "followed",
        "muted",
        "home",
        "image",
        "public",
      ),
      fc.constantFrom<unknown>(
        "open",
        "",
        "greetings",
        "quick",
        '"',
        "' || '",
        "\\",
        "&",
        "%",
        "a".repeat(900),
        "é".repeat(1000),
      ),
      fc.integer(),
      fc.constantFrom<unknown>(1e300, -1e300, 2 ** 53, 2 ** 63, 0.5, null, true, [], {}, [1e300], [[1]], { id: 1 }),
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 3 }),
    );
    const term = fc.record({
      operator: fc.constantFrom(...operators.split(" ")),
      operand: operands,
      negated: fc.option(fc.boolean(), { freq: 3 }),
    });
    const anchor = fc.oneof(
      fc.constantFrom<unknown>("newest", "oldest", "first_unread", -1, 1e300, -1e300, 2 ** 63),
      fc.integer(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(term, { maxLength: 4 }),
        anchor,
        fc.nat(3),
        fc.nat(3),
        async (narrow, at, before, after) => {
          const params = { narrow, anchor: at, num_before: before, num_after: after };
          for (const reader of [ann, bob]) {
            const answer = await reader.client.get("/messages", params);
            if (answer.status !== 200) expectError(answer, 400);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it("ids that no message can have are passed over or refused", async () => {
    for (const id of [1e300, -1, 2 ** 63, 0.5])
      expectError(await ann.client.get("/messages", { message_ids: [id] }), 400, "BAD_REQUEST");
    expectSuccess(await ann.client.get("/messages", { message_ids: [Number.MAX_SAFE_INTEGER, 0] }));
    expectError(await ann.client.get("/messages/999999999999999"), 400, "BAD_REQUEST");
  });
});
