/** People who subscribe and unsubscribe themselves and others; one of them is deactivated. */
import { beforeAll, expect } from "vitest";
import { expectSuccess, type JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import type { TestServer } from "../server/server.ts";

export function subscriptionRoom(server: TestServer) {
  const { owner } = server;
  const [admin, anna, bert, guest, gone] = server.people(["Admin", 200], "Anna", "Bert", ["Guest", 600], "Gone");
  const deactivate = async (id: number) => void expectSuccess(await owner.client.delete(`/users/${id}`));
  beforeAll(async () => {
    await deactivate(gone.id);
    expect((await server.state()).users.get(gone.id)?.is_active).toBe(false);
  });
  let names = 0;

  return {
    ...{ owner, admin, anna, bert, guest, gone, deactivate },
    /** A name that no channel has. */
    fresh: (name: string) => `${name} ${++names}`,
    subscribe: (person: Person, channels: string[], params: JsonObject = {}) =>
      person.client.post("/users/me/subscriptions", { subscriptions: channels.map((name) => ({ name })), ...params }),
    unsubscribe: (person: Person, subscriptions: string[], params: JsonObject = {}) =>
      person.client.delete("/users/me/subscriptions", { subscriptions, ...params }),
    isSubscribed: async (person: Person, channelId: number) =>
      expectSuccess(await owner.client.get(`/users/${person.id}/subscriptions/${channelId}`))["is_subscribed"],
    idOf: async (channel: string) => (await server.state()).channelByName(channel)!.id,
    group: (name: string) => server.groupNamed(name),
    /** What events are about, as `type/op`. */
    kinds: (events: readonly { type: string; op?: unknown }[]) => events.map(({ type, op }) => `${type}/${String(op)}`),
    everyone: () => [owner, admin, anna, bert, guest].map(({ client }) => client),
  };
}
