import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [admin, moderator, member, guest] = server.people(["Ada Admin", 200], ["Moe Moderator", 300], "Mia Member", [
  "Gus Guest",
  600,
]);
beforeAll(setUp);

describe("PATCH /users/{user_id}", () => {
  it("only administrators may call it", async () => {
    for (const person of [moderator, member, guest])
      expectError(
        await person.client.patch(`/users/${member.id}`, { full_name: "Other" }),
        400,
        "UNAUTHORIZED_PRINCIPAL",
      );
  });

  it("full_name: everybody is told", async () => {
    await assertConverges({
      observers: [owner.client, guest.client],
      act: async () =>
        expectSuccess(await admin.client.patch(`/users/${moderator.id}`, { full_name: "Moe the Moderator" })),
    });
    expect((await userOf(owner, moderator.id))["full_name"]).toBe("Moe the Moderator");
  });

  it("role: every step of a career converges, for the person and for others", async () => {
    const person = await server.addUser("Cara Career");
    // Whose address is seen, and which channels, depends on the role.
    const shy = await server.addUser("Shy Sheila");
    expectSuccess(await shy.client.patch("/settings", { email_address_visibility: 3 }));
    for (const role of [300, 200, 100, 400, 600, 400]) {
      await assertConverges({
        observers: [person.client, owner.client, guest.client],
        act: async () => expectSuccess(await owner.client.patch(`/users/${person.id}`, { role })),
      });
      expect(await roleOf(person.id)).toBe(role);
    }
  });

  it("role: another number is refused", async () => {
    for (const role of [0, 250, 500, "4e2", "400.0", "0x190", '"400"', "", "[400]"])
      expectError(await owner.client.patch(`/users/${member.id}`, { role }), 400);
    expect(await roleOf(member.id)).toBe(400);
  });

  it("role: only owners add and remove the owner role", async () => {
    expectError(await admin.client.patch(`/users/${member.id}`, { role: 100 }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await admin.client.patch(`/users/${owner.id}`, { role: 400 }), 400, "UNAUTHORIZED_PRINCIPAL");
    expect(await roleOf(owner.id)).toBe(100);
  });

  it("role: the only owner stays one", async () => {
    expectError(await owner.client.patch(`/users/${owner.id}`, { role: 200 }), 400, "BAD_REQUEST");
    expect(await roleOf(owner.id)).toBe(100);
  });

  it("role: a guest cannot be made an administrator or owner", async () => {
    for (const role of [100, 200])
      expectError(await owner.client.patch(`/users/${guest.id}`, { role }), 400, "BAD_REQUEST");
    expect(await roleOf(guest.id)).toBe(600);
  });

  it("new_email: an owner with the permission changes an address, which then logs in", async () => {
    const person = await server.addUser("Emil Email");
    await assertConverges({
      observers: [owner.client, guest.client, member.client],
      act: async () => expectSuccess(await owner.client.patch(`/users/${person.id}`, { new_email: "e2@example.com" })),
    });
    expect((await userOf(owner, person.id))["delivery_email"]).toBe("e2@example.com");
    expectError(await person.client.get("/users/me"), 401, "INVALID_API_KEY");
    expectSuccess(await owner.client.get("/users/e2@example.com"));
  });

  it("new_email: not for administrators, nor for owners without the permission", async () => {
    const second = await server.addUser("Otto Owner", { role: 100 });
    const params = { new_email: "x@example.com" };
    expectError(await admin.client.patch(`/users/${member.id}`, params), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await second.client.patch(`/users/${member.id}`, params), 400, "BAD_REQUEST");
    expectError(await owner.client.patch(`/users/${member.id}`, { new_email: owner.email }), 400, "BAD_REQUEST");
    expect((await userOf(owner, member.id))["delivery_email"]).toBe(member.email);
    await (await server.realm()).execute("permitUser", { userId: second.id, canChangeUserEmails: true });
    expectSuccess(await second.client.patch(`/users/${moderator.id}`, params));
    expectSuccess(await owner.client.patch(`/users/${second.id}`, { role: 400 }));
  });

  it("new_email: of a domain that the organization allows, where it restricts addresses", async () => {
    expectSuccess(await owner.client.post("/realm/domains", { domain: "allowed.example", allow_subdomains: false }));
    await owner.setRealm({ emails_restricted_to_domains: true });
    const change = (new_email: string) => owner.client.patch(`/users/${member.id}`, { new_email });
    expectError(await change("m@elsewhere.example"), 400, "BAD_REQUEST");
    // The address that somebody has already is no new one.
    expectSuccess(await change(member.email));
    await owner.setRealm({ emails_restricted_to_domains: false });
  });

  it("one bad parameter: no change at all", async () => {
    expectError(
      await owner.client.patch(`/users/${member.id}`, { full_name: "Changed", role: 300, new_email: "not an address" }),
      400,
    );
    const user = await userOf(owner, member.id);
    expect([user["full_name"], user["role"]]).toEqual(["Mia Member", 400]);
  });

  it("somebody unknown, and names that are empty, long or odd, are BAD_REQUEST", async () => {
    expectError(await owner.client.patch("/users/999999", { full_name: "X" }), 400, "BAD_REQUEST");
    for (const full_name of ["", " ", "x".repeat(101), "a*b", "a`b", "a\\b", "a>b", 'a"b', "a@b"])
      expectError(await owner.client.patch(`/users/${member.id}`, { full_name }), 400, "BAD_REQUEST");
  });
});

async function setUp(): Promise<void> {
  await server.addChannel("private", [owner, admin], { invite_only: true, is_private: true });
}

const userOf = async (person: Person, id = person.id) =>
  expectSuccess(await person.client.get(`/users/${id}`))["user"] as Record<string, unknown>;
const roleOf = async (id: number) => (await userOf(owner, id))["role"];
