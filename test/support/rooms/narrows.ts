/** Messages of every kind that narrows tell apart, each under a name. */
import { beforeAll } from "vitest";
import { expectSuccess, type JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import type { TestServer } from "../server/server.ts";

export function narrowRoom(server: TestServer) {
  const [ann, bob, cid] = server.people("Ann", "Bob", "Cid");
  const open = server.channel("open", [ann, cid]);
  const closed = server.channel("closed", [ann, cid], { invite_only: true, history_public_to_subscribers: true });
  /** Ids of the messages, by their names. */
  const ids: Record<string, number> = {};
  const send = async (name: string, from: Person, params: JsonObject) => {
    const sent = await from.client.post("/messages", { read_by_sender: true, content: name, ...params });
    ids[name] = expectSuccess(sent)["id"] as number;
  };
  const toOpen = (topic: string) => ({ type: "channel", to: open.id, topic });
  const toClosed = (topic: string) => ({ type: "channel", to: closed.id, topic });
  const toPeople = (...people: Person[]) => ({ type: "direct", to: people.map(({ id }) => id) });
  beforeAll(async () => {
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
    const content = "the quick brown foxes **jumped** over\n\n* lazy dogs";
    await send("words", ann, { ...toOpen("Searching"), content });
  });

  return { ann, bob, cid, open, closed, ids, send, toOpen, toClosed, toPeople };
}
