/** `date_joined` is one text, wherever it is told. */
import { expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;

it("is the same in register, in lists, alone, in one's own answer, and in the event that told of the account", async () => {
  const queue = await owner.queue({ event_types: ["realm_user"] });
  const ada = await server.addUser("Ada");
  const event = await owner.next(queue, "realm_user");
  const told = (event["person"] as JsonObject)["date_joined"];
  expect(told).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  const state = (await owner.client.register({ event_types: ["realm_user"] })) as unknown as {
    realm_users: JsonObject[];
  };
  const of = (people: JsonObject[]) => people.find(({ user_id }) => user_id === ada.id)!["date_joined"];
  const get = async (path: string, person = owner) => expectSuccess(await person.client.get(path));
  const user = async (key: string | number) => ((await get(`/users/${key}`))["user"] as JsonObject)["date_joined"];
  expect([
    of(state.realm_users),
    of((await get("/users"))["members"] as JsonObject[]),
    await user(ada.id),
    await user(ada.email),
    (await get("/users/me", ada))["date_joined"],
  ]).toEqual(Array.from({ length: 5 }, () => told));
});
