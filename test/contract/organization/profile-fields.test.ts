import { assert } from "superstruct";
import { beforeAll, describe, expect, it } from "vitest";
import { profileField } from "../../../actors/organization/shapes.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [member, guest] = server.people("Mia Member", ["Gus Guest", 600]);
beforeAll(setUp);

describe("custom profile fields", () => {
  it("every type can be added; all are listed, in order, in the documented shape", async () => {
    const list = await listOf(guest);
    expect(list.map((field) => field["type"])).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const field of list) assert(field, profileField);
    expect(list[6]).toMatchObject({ name: "GitHub username", field_data: '{"subtype":"github"}' });
  });

  it("only administrators manage them", async () => {
    for (const person of [member, guest]) {
      const answers = [
        await add({ field_type: 1, name: "Mine" }, person),
        await person.client.patch(`/realm/profile_fields/${fields[1]}`, { name: "Mine" }),
        await person.client.delete(`/realm/profile_fields/${fields[1]}`),
        await person.client.patch("/realm/profile_fields", { order: [] }),
      ];
      for (const answer of answers) expectError(answer, 400, "UNAUTHORIZED_PRINCIPAL");
    }
  });

  it("bad definitions are refused", async () => {
    const bad: JsonObject[] = [
      { field_type: 9, name: "Ninth" },
      { field_type: 1, name: "" },
      { field_type: 1, name: "x".repeat(41) },
      { field_type: 1, name: "Hint", hint: "x".repeat(81) },
      { field_type: 1, name: "phone" },
      { field_type: 3, name: "Empty", field_data: {} },
      { field_type: 7, name: "Other", field_data: { subtype: "unheard of" } },
      { field_type: 6, name: "Summary", display_in_profile_summary: true },
    ];
    for (const params of bad) expectError(await add(params), 400, "BAD_REQUEST");
    expect(await listOf()).toHaveLength(8);
  });

  it("add, change, order and remove: everybody is sent the whole list", async () => {
    const observers = [owner.client, guest.client];
    const { result: id } = await assertConverges({
      observers,
      act: async () => expectSuccess(await add({ field_type: 1, name: "Short lived" }))["id"] as number,
    });
    const path = `/realm/profile_fields/${id}`;
    expectSuccess(await member.client.patch("/users/me/profile_data", { data: [{ id, value: "gone soon" }] }));
    await assertConverges({
      observers,
      act: async () =>
        expectSuccess(
          await owner.client.patch(path, { name: "Renamed", hint: "h", required: true, editable_by_user: false }),
        ),
    });
    expect((await listOf()).at(-1)).toMatchObject({ name: "Renamed", required: true, editable_by_user: false });
    const order = (await listOf()).map((field) => field["id"] as number).reverse();
    await assertConverges({
      observers,
      act: async () => expectSuccess(await owner.client.patch("/realm/profile_fields", { order })),
    });
    expect((await listOf()).map((field) => field["id"])).toEqual(order);
    await assertConverges({ observers, act: async () => expectSuccess(await owner.client.delete(path)) });
    expect(await profileOf(member)).not.toHaveProperty(String(id));
    expectSuccess(await owner.client.patch("/realm/profile_fields", { order: order.slice(1).reverse() }));
    for (const bad of [order, order.slice(2), [...order.slice(2), order[2]]])
      expectError(await owner.client.patch("/realm/profile_fields", { order: bad }), 400, "BAD_REQUEST");
  });

  it("at most two fields are shown in the summary of a profile", async () => {
    for (const [type, expected] of [
      [1, true],
      [4, true],
      [5, false],
    ] as const) {
      const answer = await owner.client.patch(`/realm/profile_fields/${fields[type]}`, {
        display_in_profile_summary: true,
      });
      if (expected) expectSuccess(answer);
      else expectError(answer, 400, "BAD_REQUEST");
    }
  });

  it("the options of all fields are bounded together: each change sends them to everybody", async () => {
    const options = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => {
        const text = String(index).padStart(200, "o");
        return [text, { text, order: String(index + 1) }];
      }),
    );
    const made: number[] = [];
    const add = () =>
      owner.client.post("/realm/profile_fields", { name: `L${made.length}`, field_type: 3, field_data: options });
    let answer = await add();
    for (; answer.status === 200; answer = await add()) made.push(expectSuccess(answer)["id"] as number);
    expect(made.length).toBe(5);
    expect(expectError(answer, 400, "BAD_REQUEST")["msg"]).toContain("500000 characters");
    // What is there may be renamed, and made less.
    expectSuccess(await owner.client.patch(`/realm/profile_fields/${made[0]}`, { name: "Long list" }));
    for (const id of made) expectSuccess(await owner.client.delete(`/realm/profile_fields/${id}`));
  });

  it("a field of which clients find people too says so; a new one does not", async () => {
    expect((await listOf()).map((field) => field["use_for_user_matching"])).toEqual(Array(8).fill(false));
    await assertConverges({
      observers: [owner.client, guest.client],
      act: async () =>
        expectSuccess(await owner.client.patch(`/realm/profile_fields/${fields[7]}`, { use_for_user_matching: true })),
    });
    expect((await listOf(guest))[6]).toMatchObject({ use_for_user_matching: true });
  });

  it("a choice that is taken out of a list goes from the profiles that had it", async () => {
    expectSuccess(await member.client.patch("/users/me/profile_data", { data: [{ id: fields[3], value: "b" }] }));
    await assertConverges({
      observers: [owner.client, guest.client],
      act: async () =>
        expectSuccess(
          await owner.client.patch(`/realm/profile_fields/${fields[3]}`, {
            field_data: { a: { text: "Blue", order: "1" }, c: { text: "Green", order: "2" } },
          }),
        ),
    });
    expect(await profileOf(member)).not.toHaveProperty(String(fields[3]));
  });
});

describe("PATCH /users/{user_id}: profile_data", () => {
  const good = (): [type: number, value: unknown, stored: string][] => [
    [1, "+49 *30*", "+49 *30*"],
    [2, "A **long** story", "A **long** story"],
    [3, "a", "a"],
    [4, "1999-12-31", "1999-12-31"],
    [5, "https://example.com/me", "https://example.com/me"],
    [6, [owner.id, guest.id], `[${owner.id},${guest.id}]`],
    [7, "octocat", "octocat"],
    [8, "they", "they"],
  ];

  it("sets a value of each type; everybody is told; texts come rendered", async () => {
    const profile_data = good().map(([type, value]) => ({ id: fields[type], value }));
    await assertConverges({
      observers: [owner.client, guest.client, member.client],
      act: async () => expectSuccess(await owner.client.patch(`/users/${member.id}`, { profile_data })),
    });
    const profile = await profileOf(member);
    for (const [type, , stored] of good()) expect(profile[fields[type]!]!["value"]).toBe(stored);
    const rendered = Object.entries(profile).filter(([, value]) => "rendered_value" in value);
    expect(rendered.map(([id]) => Number(id)).sort()).toEqual([fields[1], fields[2]].sort());
    expect(profile[fields[2]!]!["rendered_value"]).toBe("<p>A <strong>long</strong> story</p>");
  });

  it("null removes a value", async () => {
    await assertConverges({
      observers: [owner.client, guest.client],
      act: async () =>
        expectSuccess(
          await owner.client.patch(`/users/${member.id}`, { profile_data: [{ id: fields[8], value: null }] }),
        ),
    });
    expect(await profileOf(member)).not.toHaveProperty(String(fields[8]));
  });

  it("a value that does not fit its type is refused, and nothing changes", async () => {
    const before = await profileOf(member);
    const bad: [number, unknown][] = [
      [1, "x".repeat(51)],
      [2, "x".repeat(501)],
      [3, "z"],
      [4, "1999-02-30"],
      [5, "javascript:alert(1)"],
      [5, "not a link"],
      [6, [999_999]],
      [6, "someone"],
      [7, "x".repeat(51)],
      [8, "x".repeat(51)],
      [1, [1]],
    ];
    for (const [type, value] of bad) {
      const profile_data = [
        { id: fields[2], value: "changed" },
        { id: fields[type], value },
      ];
      expectError(await owner.client.patch(`/users/${member.id}`, { profile_data }), 400, "BAD_REQUEST");
    }
    const unknown = [{ id: 999_999, value: "x" }];
    expectError(await owner.client.patch(`/users/${member.id}`, { profile_data: unknown }), 400, "BAD_REQUEST");
    expect(await profileOf(member)).toEqual(before);
  });

  it("script in a value is harmless", async () => {
    const profile_data = [{ id: fields[2], value: "<script>alert(1)</script>" }];
    expectSuccess(await owner.client.patch(`/users/${member.id}`, { profile_data }));
    expect((await profileOf(member))[fields[2]!]!["rendered_value"]).not.toContain("<script");
  });
});

describe("people's own profile_data", () => {
  it("people fill in their own, and empty it", async () => {
    await assertConverges({
      observers: [guest.client, owner.client],
      act: async () =>
        expectSuccess(
          await guest.client.patch("/users/me/profile_data", { data: [{ id: fields[1], value: "12345" }] }),
        ),
    });
    expect((await profileOf(guest))[fields[1]!]!["value"]).toBe("12345");
    await assertConverges({
      observers: [guest.client, owner.client],
      act: async () => expectSuccess(await guest.client.delete("/users/me/profile_data", { data: [fields[1]] })),
    });
    expect(await profileOf(guest)).toEqual({});
  });

  it("editable_by_user: false leaves a field to administrators", async () => {
    expectSuccess(await owner.client.patch(`/realm/profile_fields/${fields[8]}`, { editable_by_user: false }));
    const data = [{ id: fields[8], value: "she" }];
    expectError(await member.client.patch("/users/me/profile_data", { data }), 400, "BAD_REQUEST");
    expectError(await member.client.delete("/users/me/profile_data", { data: [fields[8]] }), 400, "BAD_REQUEST");
    expectSuccess(await owner.client.patch(`/users/${member.id}`, { profile_data: data }));
  });

  it("the register answer has the values and the types", async () => {
    const state = await guest.client.register({
      fetch_event_types: ["realm_user", "custom_profile_fields"],
      client_capabilities: Object.fromEntries([...MODERN.capabilities].map((name) => [name, true])),
    });
    expect(state["custom_profile_field_types"]).toMatchObject({ SHORT_TEXT: { id: 1 }, PRONOUNS: { id: 8 } });
    const user = state.realm_users!.find((one) => one.user_id === member.id)!;
    expect(user.profile_data).toEqual(await profileOf(member));
  });
});

async function setUp(): Promise<void> {
  for (const [type, params] of definitions)
    fields[type] = expectSuccess(await add({ field_type: type, ...params }))["id"] as number;
}

/** A field of each type, by type. */
const fields: Record<number, number> = {};

const definitions: [type: number, params: JsonObject][] = [
  [1, { name: "Phone", hint: "Work" }],
  [2, { name: "Biography" }],
  [3, { name: "Team", field_data: { a: { text: "Blue", order: "1" }, b: { text: "Red", order: "2" } } }],
  [4, { name: "Birthday" }],
  [5, { name: "Homepage" }],
  [6, { name: "Mentor" }],
  [7, { field_data: { subtype: "github" } }],
  [8, { name: "Pronouns" }],
];

const add = (params: JsonObject, by = owner) => by.client.post("/realm/profile_fields", params);
const listOf = async (person = member) =>
  expectSuccess(await person.client.get("/realm/profile_fields"))["custom_fields"] as JsonObject[];
const profileOf = async (person: Person) =>
  (
    expectSuccess(await owner.client.get(`/users/${person.id}`, { include_custom_profile_fields: true }))[
      "user"
    ] as JsonObject
  )["profile_data"] as Record<string, JsonObject>;
