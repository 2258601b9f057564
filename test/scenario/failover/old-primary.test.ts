/**
 * PostgreSQL fails over under a server that is written to, and the one that was replaced comes back, first in the list.
 * Whatever was acknowledged since stays in sight, and whoever runs the server is told.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { type PairServer, startPairServer } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";

const adminToken = "0123456789abcdef0123456789abcdef";
let pair: PairServer;
beforeAll(async () => {
  pair = await startPairServer({ PARLEY_ADMIN_TOKEN: adminToken });
}, 240_000);
afterAll(() => pair?.stop());

it("what was acknowledged since a failover stays in sight when the one that was replaced comes back", async () => {
  const acknowledged = new Map<number, string>();
  let isOver = false;
  const sending = (async () => {
    for (let count = 0; !isOver; count++) {
      const content = `message ${count}`;
      const answer = await pair.owner.post("/messages", { type: "channel", to: "general", topic: "failover", content });
      if (answer.status === 200) acknowledged.set(answer.body["id"] as number, content);
    }
  })();
  const goOn = async (what: string) => {
    const goal = acknowledged.size + 20;
    await until(`sends to go on ${what}`, () => acknowledged.size >= goal);
  };
  try {
    await goOn("at first");
    // Nothing is acknowledged any more that the standby may not get.
    pair.primary.wire.cut();
    await pair.inStep();
    await pair.promote();
    await goOn("after the promotion");
    pair.primary.wire.restore();
    await goOn("while the one that was replaced is back");
    pair.standby.wire.cut();
    const sentence = `a PostgreSQL that was replaced answers at ${pair.primary.host}`;
    await until("/health to say so", async () => (await health()).reason === sentence);
    pair.standby.wire.restore();
    await goOn("with the new primary again");
    await until("/health to be well, with a warning", async () => {
      const { ready, warning } = await health();
      return ready === true && warning === sentence;
    });
    expect(pair.server.output()).toContain(`${sentence}; it is not used`);
    expect(await asOperator("/metrics")).toMatch(/^parley_database_refused_total [1-9]\d*$/m);
  } finally {
    isOver = true;
    await sending;
  }
  const history = await pair.owner.get("/messages", {
    narrow: [["topic", "failover"]],
    anchor: "newest",
    num_before: 5000,
    num_after: 0,
    apply_markdown: false,
  });
  const seen = new Map((expectSuccess(history)["messages"] as Row[]).map(({ id, content }) => [id, content]));
  expect([...acknowledged].filter(([id, content]) => seen.get(id) !== content)).toEqual([]);
}, 300_000);

interface Row {
  id: number;
  content: string;
}

async function asOperator(path: string): Promise<string> {
  const answer = await fetch(`${pair.server.url}${path}`, { headers: { authorization: `Bearer ${adminToken}` } });
  return answer.text();
}

const health = async () => JSON.parse(await asOperator("/health")) as Record<string, unknown>;
