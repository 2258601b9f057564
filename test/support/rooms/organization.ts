/** People of each role, and the organization's settings as they read and change them. */
import { beforeAll } from "vitest";
import type { JsonObject } from "../client/api.ts";
import type { TestServer } from "../server/server.ts";

export function organizationRoom(server: TestServer) {
  const { owner } = server;
  const [adam, mona] = server.people(["Adam Admin", 200], ["Mona Moderator", 300]);
  const [mia, gwen] = server.people("Mia Member", ["Gwen Guest", 600]);
  const groups = new Map<string, number>();
  beforeAll(async () => {
    const state = await owner.client.register({ fetch_event_types: ["realm_user_groups"], event_types: [] });
    for (const group of state.realm_user_groups!) groups.set(group.name, group.id as number);
  });
  const fetchRealm = (person = owner) => person.client.register({ fetch_event_types: ["realm"], event_types: [] });

  return {
    ...{ owner, adam, mona, mia, gwen, fetchRealm },
    patch: (params: JsonObject, person = owner) => person.client.patch("/realm", params),
    settingOf: async (name: string) => (await fetchRealm())[`realm_${name}`],
    /** Id of a group, by its name. */
    group: (name: string) => groups.get(name)!,
  };
}
