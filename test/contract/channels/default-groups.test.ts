/** Groups of channels that somebody new may choose to begin with. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner } = server;
const [member, guest] = server.people("Mia Member", ["Gus Guest", 600]);
const observers = () => [owner.client, member.client, guest.client];
beforeAll(async () => {
  for (const name of ["red", "green", "blue"]) await owner.channel(name);
  await owner.channel("hidden", { invite_only: true, subscribers: [owner.id] });
});

describe("default channel groups", () => {
  it("are made, changed, filled, emptied and removed by administrators; all but guests are told", async () => {
    const { observations } = await assertConverges({
      observers: observers(),
      act: async () => expectSuccess(await create("colours", ["red", "green"])),
    });
    const [group] = await groups();
    const streams = [await idOf("red"), await idOf("green")];
    expect(group).toEqual({ id: group!.id, name: "colours", description: "About it", streams });
    expect(await groups(member)).toEqual([group]);
    expect(await groups(guest)).toEqual([]);
    const hearers = new Set(observations.filter(({ events }) => events.length > 0).map(({ observer }) => observer));
    expect(hearers).toEqual(new Set([owner.client, member.client]));
    const path = `/default_stream_groups/${group!.id}`;
    const steps: [string, JsonObject, Partial<Group>][] = [
      [path, { new_group_name: "paints", new_description: "New" }, { name: "paints", description: "New" }],
      [`${path}/streams`, { op: "add", stream_names: ["blue"] }, { streams: [...streams, await idOf("blue")] }],
      [`${path}/streams`, { op: "remove", stream_names: ["red", "blue"] }, { streams: [await idOf("green")] }],
    ];
    for (const [at, params, expected] of steps) {
      const act = async () => expectSuccess(await owner.client.patch(at, params));
      await assertConverges({ observers: observers(), act });
      expect((await groups())[0]).toMatchObject(expected);
    }
    await assertConverges({
      observers: observers(),
      act: async () => expectSuccess(await owner.client.delete(path)),
    });
    expect(await groups()).toEqual([]);
  });

  it("a channel leaves its group when it is archived, private or a default one", async () => {
    for (const name of ["gone", "closed", "default"]) await owner.channel(name, { subscribers: [owner.id] });
    expectSuccess(await create("leaving", ["gone", "closed", "default"]));
    const ids = await Promise.all(["gone", "closed", "default"].map(idOf));
    const leave = [
      () => owner.client.delete(`/streams/${ids[0]}`),
      () => owner.client.patch(`/streams/${ids[1]}`, { is_private: true }),
      () => owner.client.post("/default_streams", { stream_id: ids[2]! }),
    ];
    for (const [index, act] of leave.entries()) {
      expect((await groupNamed("leaving")).streams).toEqual(ids.slice(index));
      await assertConverges({ observers: observers(), act: async () => expectSuccess(await act()) });
    }
    expect((await groupNamed("leaving")).streams).toEqual([]);
  });

  it("the archive takes an announcement's channel out of its group and of the settings in one", async () => {
    const id = await owner.channel("news", { subscribers: [owner.id] });
    expectSuccess(await create("told", ["news"]));
    await owner.setRealm({ signup_announcements_stream_id: id });
    await assertConverges({
      observers: observers(),
      act: async () => expectSuccess(await owner.client.delete(`/streams/${id}`)),
    });
    expect((await groupNamed("told")).streams).toEqual([]);
    expect((await server.state()).setting("signup_announcements_stream_id")).toBe(-1);
  });

  it("whoever becomes a guest, or is one no more, is told", async () => {
    const act = (role: number) => async () => expectSuccess(await owner.client.patch(`/users/${member.id}`, { role }));
    await assertConverges({ observers: [member.client], act: act(600) });
    await assertConverges({ observers: [member.client], act: act(400) });
  });

  it("refuse what makes no sense, and everybody but administrators", async () => {
    expectSuccess(await create("kept", ["red"]));
    const before = await groups();
    const path = `/default_stream_groups/${(await groupNamed("kept")).id}`;
    const general = "general";
    for (const answer of [
      await create("kept", []),
      await create(" ", []),
      await create("x".repeat(61), []),
      await create("other", ["red"]),
      await create("other", [general]),
      await create("other", ["hidden"]),
      await create("other", ["no such channel"]),
      await owner.client.patch(path, {}),
      await owner.client.patch(path, { new_group_name: "" }),
      await owner.client.patch(path, { new_description: "x".repeat(1025) }),
      await owner.client.patch("/default_stream_groups/999", { new_group_name: "y" }),
      await owner.client.delete("/default_stream_groups/999"),
      await owner.client.patch(`${path}/streams`, { op: "add", stream_names: ["red"] }),
      await owner.client.patch(`${path}/streams`, { op: "remove", stream_names: ["green"] }),
      await owner.client.patch(`${path}/streams`, { op: "turn", stream_names: ["green"] }),
      await create("mine", ["green"], member),
      await member.client.patch(path, { new_group_name: "mine" }),
      await member.client.delete(path),
      await guest.client.patch(`${path}/streams`, { op: "add", stream_names: ["green"] }),
    ])
      expectError(answer, 400);
    expect(await groups()).toEqual(before);
  });
});

interface Group {
  id: number;
  name: string;
  description: string;
  streams: number[];
}
const groups = async (person = owner) =>
  (await person.client.register({ event_types: ["default_stream_groups"] }))["realm_default_stream_groups"] as Group[];
const create = (group_name: string, stream_names: string[], person = owner) =>
  person.client.post("/default_stream_groups/create", { group_name, description: "About it", stream_names });
const idOf = async (name: string) => (await server.state()).channelByName(name)!.id;
const groupNamed = async (name: string) => (await groups()).find((group) => group.name === name)!;
