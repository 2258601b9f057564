/** What a bot keeps is written in one statement, while the writes of everybody else wait: a request has a limit. */
import { beforeAll, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [owner] = server.people("Ben Bots");
let bot: Person;
beforeAll(async () => {
  bot = await server.addBot(owner, "keeper");
});

const texts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n} "é"`, `😀\\${n}`]));
const stored = async () => expectSuccess(await bot.client.get("/bot_storage"))["storage"] as object;

it("takes a thousand texts at once, and reads and removes as many by name", async () => {
  const storage = texts(1000);
  expectSuccess(await bot.client.put("/bot_storage", { storage }));
  expect(await stored()).toEqual(storage);
  const keys = Object.keys(storage);
  expect(expectSuccess(await bot.client.get("/bot_storage", { keys: keys.slice(0, 100) }))["storage"]).toEqual(
    texts(100),
  );
  expectSuccess(await bot.client.delete("/bot_storage", { keys }));
  expect(await stored()).toEqual({});
});

it("refuses more, says how many it takes, and keeps what was there", async () => {
  expectSuccess(await bot.client.put("/bot_storage", { storage: { kept: "1" } }));
  const storage = texts(1001);
  const keys = ["kept", ...Object.keys(storage)];
  for (const refused of [
    await bot.client.put("/bot_storage", { storage: { ...storage, kept: "2" } }),
    await bot.client.delete("/bot_storage", { keys }),
  ])
    expect(expectError(refused, 400, "BAD_REQUEST")["msg"]).toMatch(/at most 1000 keys/);
  const short = Array.from({ length: 1001 }, (_, n) => n.toString(36));
  expect(expectError(await bot.client.get("/bot_storage", { keys: short }), 400)["msg"]).toMatch(/at most 1000 keys/);
  expect(await stored()).toEqual({ kept: "1" });
});
