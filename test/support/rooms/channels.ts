/** Channels that one person creates, and people who may change them more or less. */
import { beforeAll } from "vitest";
import type { JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import type { TestServer } from "../server/server.ts";

export function channelRoom(server: TestServer) {
  const { owner } = server;
  const [admin, moderator, guest] = server.people(["Adele Admin", 200], ["Momo Moderator", 300], ["Gus Guest", 600]);
  const [creator, subscriber, other] = server.people("Carla Creator", "Sam Subscriber", "Otto Other");
  /** Ids of the system's groups, by their names. */
  const groups: Record<string, number> = {};
  beforeAll(async () => {
    const state = await owner.client.register({ fetch_event_types: ["realm_user_groups"] });
    for (const group of state.realm_user_groups!) groups[group.name] = group.id as number;
  });
  let names = 0;
  const newName = () => `channel ${++names}`;

  return {
    ...{ owner, admin, moderator, creator, subscriber, other, guest, groups, newName },
    /** A channel of the creator, in which the creator and the subscriber are. */
    async newChannel(params: JsonObject = {}) {
      const name = newName();
      const id = await creator.channel(name, { subscribers: [creator.id, subscriber.id], ...params });
      return { id, name };
    },
    update: (person: Person, id: number, params: JsonObject) => person.client.patch(`/streams/${id}`, params),
    isDefault: async (id: number) => (await server.state()).defaultChannels.has(id),
  };
}
