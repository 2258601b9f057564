/** A channel with ten messages of one topic, and others between them. */
import { beforeAll } from "vitest";
import { expectSuccess, type JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import type { TestServer } from "../server/server.ts";

/** An answer of `GET /messages`. */
export interface ReadMessages {
  messages: (JsonObject & { id: number; flags: string[] })[];
  anchor: number;
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
  history_limited: boolean;
}

export function readingRoom(server: TestServer) {
  const [ann, bob] = server.people("Ann", "Bob");
  const team = server.channel("team", [ann, bob]);
  /** Ids of the ten, ascending. */
  const ten: number[] = [];
  beforeAll(async () => {
    for (let index = 0; index < 10; index++) {
      ten.push(await ann.say(team, "hello", "ten"));
      await ann.say(team, "hello", "between");
    }
  });
  /** Asks for messages of the topic of the ten, unless told otherwise. */
  const ask = (who: Person, params: JsonObject) => {
    const narrow = [
      ["channel", team.id],
      ["topic", "ten"],
    ];
    return who.client.get("/messages", { narrow, num_before: 0, num_after: 0, ...params });
  };

  return {
    ...{ owner: server.owner, ann, bob, team, ten, ask },
    get: async (who: Person, params: JsonObject) => expectSuccess(await ask(who, params)) as unknown as ReadMessages,
    post: async (from: Person, params: JsonObject): Promise<number> =>
      expectSuccess(await from.client.post("/messages", { content: "hello", ...params }))["id"] as number,
    idsOf: ({ messages }: ReadMessages) => messages.map(({ id }) => id),
  };
}
