/** Narrows as no client sends them: refused, or bounded. https://zulip.com/api/construct-narrow */
import fc from "fast-check";
import { beforeAll, describe, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ann, bob, cid] = server.people("Ann", "Bob", "Cid");
const open = server.channel("open", [ann, cid]);
const closed = server.channel("closed", [ann, cid], { invite_only: true, history_public_to_subscribers: true });
beforeAll(setUp);

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
  }, 60_000);

  it("ids that no message can have are passed over or refused", async () => {
    for (const id of [1e300, -1, 2 ** 63, 0.5])
      expectError(await ann.client.get("/messages", { message_ids: [id] }), 400, "BAD_REQUEST");
    expectSuccess(await ann.client.get("/messages", { message_ids: [Number.MAX_SAFE_INTEGER, 0] }));
    expectError(await ann.client.get("/messages/999999999999999"), 400, "BAD_REQUEST");
  });
});

async function setUp(): Promise<void> {
  await send("plain", ann, toOpen("greetings"));
  await send("linked", ann, { ...toOpen("links"), content: "see https://example.com/page for more" });
  await send("mention", cid, { ...toOpen("greetings"), content: `@**Ann|${ann.id}** have a look` });
  await send("everyone", cid, { ...toOpen("greetings"), content: "@**all** listen" });
  await send("done", cid, toOpen("✔ finished"));
  await send("empty", ann, toOpen(""));
  await send("secret", ann, toClosed("plans"));
  await send("dm", bob, toPeople(ann));
  await send("group", cid, toPeople(ann, bob));
  await send("self", ann, toPeople(ann));
  await send("words", ann, { ...toOpen("Searching"), content: "the quick brown foxes **jumped** over\n\n* lazy dogs" });
}

/** Ids of the messages that were sent, by what they are called here. */
const ids: Record<string, number> = {};

const send = async (name: string, from: Person, params: Record<string, unknown>) => {
  const reply = expectSuccess(await from.client.post("/messages", { read_by_sender: true, content: name, ...params }));
  ids[name] = reply["id"] as number;
};
const toOpen = (topic: string) => ({ type: "channel", to: open.id, topic });
const toClosed = (topic: string) => ({ type: "channel", to: closed.id, topic });
const toPeople = (...people: Person[]) => ({ type: "direct", to: people.map(({ id }) => id) });
