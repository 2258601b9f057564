/** The built-in emoji have the names that clients know, in reactions, messages and the table that clients fetch. */
import { expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();

it("all that the table has are taken as reactions by each name, the preferred one first", async () => {
  const { client } = server.owner;
  const state = await client.register({ fetch_event_types: ["realm"] });
  const data = (await (await fetch(state["server_emoji_data_url"] as string)).json()) as {
    code_to_names: Record<string, string[]>;
  };
  expect(Object.keys(data.code_to_names).length).toBeGreaterThan(1847);
  for (const [code, name] of [
    ["1f642", "slight_smile"],
    ["1f604", "smile"],
    ["1f535", "blue_circle"],
    ["1f6e0", "working_on_it"],
    ["1f1e8-1f1ee", "flag_côte_divoire"],
    ["1f642-200d-2195", "nodding"],
  ] as const)
    expect([code, data.code_to_names[code]?.[0]]).toEqual([code, name]);
  const sent = await client.post("/messages", { type: "stream", to: "general", topic: "t", content: ":blue_circle:" });
  const id = expectSuccess(sent)["id"] as number;
  await assertConverges({
    observers: [client],
    act: async () => {
      for (const emoji_name of ["big_smile", "working_on_it", "flag_côte_divoire"])
        expectSuccess(await client.post(`/messages/${id}/reactions`, { emoji_name }));
    },
  });
  const { message } = expectSuccess(await client.get(`/messages/${id}`)) as { message: JsonObject };
  expect(message["content"]).toContain("emoji-1f535");
  expect((message["reactions"] as JsonObject[]).map((one) => one["emoji_code"])).toEqual([
    "1f604",
    "1f6e0",
    "1f1e8-1f1ee",
  ]);
});

it(":zulip: has a picture where clients look for it", async () => {
  const { client } = server.owner;
  const { rendered } = expectSuccess(await client.post("/messages/render", { content: ":zulip:" }));
  const source = /src="([^"]+)"/.exec(rendered as string)![1]!;
  const picture = await fetch(server.url + source);
  expect(picture.headers.get("content-type")).toBe("image/png");
  const bytes = Buffer.from(await picture.arrayBuffer());
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
});
