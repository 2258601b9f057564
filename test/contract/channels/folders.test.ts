import { describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [admin, member, guest] = server.people(["Adele Admin", 200], "Mia Member", ["Gus Guest", 600]);

describe("a channel folder", () => {
  it("has exactly these fields", async () => {
    const id = await create({ name: "Projects", description: "**current**" });
    const folder = await folderOf(id);
    expect(folder).toEqual({
      id,
      name: "Projects",
      description: "**current**",
      rendered_description: "<p><strong>current</strong></p>",
      date_created: expect.any(Number),
      creator_id: admin.id,
      is_archived: false,
      order: expect.any(Number),
    });
  });
});

describe("POST /channel_folders/create", () => {
  it("is for administrators", async () => {
    for (const person of [member, guest])
      expectError(
        await person.client.post("/channel_folders/create", { name: newName() }),
        400,
        "UNAUTHORIZED_PRINCIPAL",
      );
  });

  it("names are not empty, unique ignoring case, at most 100 code points; descriptions at most 1024", async () => {
    const name = newName();
    await create({ name });
    for (const bad of ["", "  ", name.toUpperCase(), ` ${name} `, "f".repeat(101), "a\tb"])
      expectError(await admin.client.post("/channel_folders/create", { name: bad }), 400, "BAD_REQUEST");
    await create({ name: "𝒻".repeat(100), description: "𝒹".repeat(1024) });
    expectError(
      await admin.client.post("/channel_folders/create", { name: newName(), description: "d".repeat(1025) }),
      400,
      "BAD_REQUEST",
    );
    expectError(await admin.client.post("/channel_folders/create"), 400, "REQUEST_VARIABLE_MISSING");
  });

  it("script in a description renders harmlessly", async () => {
    const folder = await folderOf(await create({ description: "<img src=x onerror=alert(1)>" }));
    expect(folder["rendered_description"]).not.toContain("<img");
  });

  it("converges: everybody hears of it", async () => {
    const seen = await assertConverges({ observers: observers(), act: () => create() });
    expect(seen.eventsOf(guest.client).map(({ type, op }) => `${type}/${String(op)}`)).toEqual(["channel_folder/add"]);
  });
});

describe("GET /channel_folders", () => {
  it("lists folders in their order, archived ones only with include_archived", async () => {
    const [first, archived, last] = [await create(), await create(), await create()];
    expectSuccess(await update(admin, archived, { is_archived: true }));
    const ids = (folders: JsonObject[]) => folders.map((folder) => folder["id"] as number);
    expect(ids(await list()).slice(-2)).toEqual([first, last]);
    expect(ids(await list({ include_archived: true })).slice(-3)).toEqual([first, archived, last]);
  });
});

describe("PATCH /channel_folders/{id}", () => {
  it("is for administrators", async () => {
    const id = await create();
    for (const person of [member, guest])
      expectError(await update(person, id, { name: newName() }), 400, "UNAUTHORIZED_PRINCIPAL");
  });

  it("an invalid id is BAD_REQUEST about an invalid channel folder ID", async () => {
    const error = expectError(await update(admin, 999_999, { name: newName() }), 400, "BAD_REQUEST");
    expect(error["msg"]).toBe("Invalid channel folder ID");
  });

  it("changes what is given and answers the envelope", async () => {
    const id = await create({ description: "before" });
    const name = newName();
    expect(expectSuccess(await update(admin, id, { name }))).toEqual({ result: "success", msg: "" });
    expect(await folderOf(id)).toMatchObject({ name, description: "before" });
    expectSuccess(await update(admin, id, { description: "*after*" }));
    expect(await folderOf(id)).toMatchObject({ name, rendered_description: "<p><em>after</em></p>" });
  });

  it("the name stays non-empty, unique and within its length, and one bad parameter changes nothing", async () => {
    const id = await create({ description: "kept" });
    const taken = newName();
    await create({ name: taken });
    for (const bad of ["", " ", taken.toUpperCase(), "f".repeat(101)])
      expectError(await update(admin, id, { name: bad, description: "lost" }), 400, "BAD_REQUEST");
    expectError(await update(admin, id, { name: newName(), description: "d".repeat(1025) }), 400, "BAD_REQUEST");
    expect(await folderOf(id)).toMatchObject({ description: "kept" });
    const { name } = await folderOf(id);
    expectSuccess(await update(admin, id, { name: String(name).toUpperCase() }));
  });

  it("the limits are those that register tells, in code points", async () => {
    const state = await member.client.register({ fetch_event_types: ["realm"] });
    const id = await create();
    const limits = { name: "max_channel_folder_name_length", description: "max_channel_folder_description_length" };
    for (const [param, limit] of Object.entries(limits)) {
      const longest = "\u{1f600}".repeat(state[limit] as number);
      expectSuccess(await update(admin, id, { [param]: longest }));
      expectError(await update(admin, id, { [param]: `${longest}x` }), 400, "BAD_REQUEST");
      expect((await folderOf(id))[param]).toBe(longest);
    }
  });

  it("is_archived is a boolean, what is unknown is named, and what is no id is refused", async () => {
    const id = await create();
    for (const is_archived of ["", "yes", "1", '"true"'])
      expectError(await update(admin, id, { is_archived }), 400, "BAD_REQUEST");
    expect(await folderOf(id)).toMatchObject({ is_archived: false });
    const reply = expectSuccess(await update(admin, id, { order: 1, channel_folder_id: 7 }));
    expect(reply["ignored_parameters_unsupported"]).toEqual(["channel_folder_id", "order"]);
    for (const bad of ["abc", "-1", "0", "1.5"])
      expectError(await update(admin, bad, { name: newName() }), 400, "BAD_REQUEST");
  });

  it("archives a folder without channels and unarchives it", async () => {
    const id = await create();
    const channel = await server.addChannel(newName(), [], { folder_id: id });
    expectError(await update(admin, id, { is_archived: true }), 400, "BAD_REQUEST");
    expectSuccess(await admin.client.patch(`/streams/${channel}`, { folder_id: null }));
    expectSuccess(await update(admin, id, { is_archived: true }));
    expectError(await admin.client.patch(`/streams/${channel}`, { folder_id: id }), 400, "BAD_REQUEST");
    expectSuccess(await update(admin, id, { is_archived: false }));
    expectSuccess(await admin.client.patch(`/streams/${channel}`, { folder_id: id }));
  });

  it("a channel that comes back after its folder was archived is in none", async () => {
    const id = await create();
    const channel = await server.addChannel(newName(), [member], { folder_id: id });
    expectSuccess(await admin.client.delete(`/streams/${channel}`));
    expectSuccess(await update(admin, id, { is_archived: true }));
    await assertConverges({
      observers: observers(),
      act: async () => expectSuccess(await admin.client.patch(`/streams/${channel}`, { is_archived: false })),
    });
    const { stream } = expectSuccess(await member.client.get(`/streams/${channel}`)) as { stream: JsonObject };
    expect(stream["folder_id"]).toBe(null);
  });

  it("converges, with only what changed in the event", async () => {
    const id = await create();
    const name = newName();
    const renamed = await assertConverges({
      observers: observers(),
      act: async () => expectSuccess(await update(admin, id, { name, description: "", is_archived: false })),
    });
    expect(renamed.eventsOf(guest.client)).toEqual([
      expect.objectContaining({ type: "channel_folder", op: "update", channel_folder_id: id, data: { name } }),
    ]);
    await assertConverges({
      observers: observers(),
      act: async () => expectSuccess(await update(admin, id, { description: "**d**", is_archived: true })),
    });
    const nothing = await assertConverges({
      observers: observers(),
      act: async () => expectSuccess(await update(admin, id, { name })),
    });
    expect(nothing.eventsOf(guest.client)).toEqual([]);
  });

  it("a channel's folder converges, and its members hear of it", async () => {
    const id = await create();
    const channel = await server.addChannel(newName(), [member]);
    const seen = await assertConverges({
      observers: observers(),
      act: async () => expectSuccess(await admin.client.patch(`/streams/${channel}`, { folder_id: id })),
    });
    expect(seen.eventsOf(member.client)).toEqual([
      expect.objectContaining({ type: "stream", op: "update", property: "folder_id", value: id }),
    ]);
    expect(seen.eventsOf(guest.client)).toEqual([]);
  });
});

describe("PATCH /channel_folders", () => {
  it("orders all folders, for administrators, and converges", async () => {
    await create();
    const ids = (await list({ include_archived: true })).map((folder) => folder["id"] as number);
    const order = [...ids].reverse();
    expectError(await member.client.patch("/channel_folders", { order }), 400, "UNAUTHORIZED_PRINCIPAL");
    for (const bad of [order.slice(1), [...order, order[0]], [...order.slice(1), 999_999], "no list"])
      expectError(await admin.client.patch("/channel_folders", { order: bad }), 400, "BAD_REQUEST");
    const seen = await assertConverges({
      observers: observers(),
      act: async () => expectSuccess(await admin.client.patch("/channel_folders", { order })),
    });
    expect(seen.eventsOf(member.client)).toEqual([
      expect.objectContaining({ type: "channel_folder", op: "reorder", order }),
    ]);
    expect((await list({ include_archived: true })).map((folder) => folder["id"])).toEqual(order);
  });
});

let names = 0;

const newName = () => `folder ${++names}`;
const create = async (params: JsonObject = {}) =>
  expectSuccess(await admin.client.post("/channel_folders/create", { name: newName(), ...params }))[
    "channel_folder_id"
  ] as number;
const update = (person: Person, id: number | string, params: JsonObject) =>
  person.client.patch(`/channel_folders/${id}`, params);
const list = async (params: JsonObject = {}) =>
  expectSuccess(await member.client.get("/channel_folders", params))["channel_folders"] as JsonObject[];
const folderOf = async (id: number) => (await list({ include_archived: true })).find((folder) => folder["id"] === id)!;
const observers = () => [admin.client, member.client, guest.client];
