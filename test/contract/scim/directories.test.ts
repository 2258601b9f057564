/**
 * Requests in the forms that Entra's and Okta's validators send.
 * https://learn.microsoft.com/en-us/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
 * https://developer.okta.com/docs/reference/scim/scim-20/
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../support/client/api.ts";
import { type Directory, directoryOf, expectRefusal } from "../../support/client/scim.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
let directory: Directory;
beforeAll(async () => {
  directory = await directoryOf(server);
});

const userSchemas = [
  "urn:ietf:params:scim:schemas:core:2.0:User",
  "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
];
const nobody = { schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], totalResults: 0, Resources: [] };
const ask = async (path: string, filter: string) =>
  (await directory.ask("GET", `${path}?filter=${encodeURIComponent(filter)}`)).body;

describe("Entra", () => {
  it("tests the connection, and takes a person from the first to the last day", async () => {
    expect(await ask("/Users", 'userName eq "8f2b1a34-no-such-person"')).toMatchObject(nobody);
    const made = await directory.resource("POST", "/Users", {
      schemas: userSchemas,
      externalId: "lena.l",
      userName: "lena.l@contoso.example",
      active: true,
      emails: [
        { primary: true, type: "work", value: "lena.l@contoso.example" },
        { primary: false, type: "home", value: "lena@home.example" },
      ],
      meta: { resourceType: "User" },
      name: { formatted: "Lena Larsen", familyName: "Larsen", givenName: "Lena" },
      addresses: [{ type: "work", country: "NO", primary: true }],
      roles: [],
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Research", manager: "17" },
    });
    const path = `/Users/${made.id}`;
    expect(await ask("/Users", 'externalId eq "lena.l" and active eq true')).toMatchObject({ totalResults: 1 });
    expect(await ask("/Users", 'emails[type eq "work"].value eq "LENA.L@contoso.example"')).toMatchObject({
      Resources: [{ id: made.id }],
    });
    const changed = await directory.patch(
      path,
      { op: "Replace", path: 'emails[type eq "work"].value', value: "lena.holm@contoso.example" },
      { op: "Add", path: 'addresses[type eq "work"].locality', value: "Oslo" },
      { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+47 1" },
      { op: "Replace", path: "name.familyName", value: "Holm" },
      { op: "Replace", path: "name.formatted", value: "Lena Holm" },
      { op: "Replace", path: "userName", value: "lena.holm@contoso.example" },
      { op: "Add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager", value: "18" },
    );
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      userName: "lena.holm@contoso.example",
      displayName: "Lena Holm",
      emails: [{ value: "lena.holm@contoso.example" }, { value: "lena@home.example" }],
    });
    // Without the flag that Entra has for it, all names come in one value, and booleans are texts.
    const flat = {
      "name.givenName": "Lene",
      displayName: "Lene Holm",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department": "Sales",
    };
    expect((await directory.patch(path, { op: "Replace", value: flat })).body).toMatchObject({
      displayName: "Lene Holm",
      name: { givenName: "Lene", familyName: "Holm" },
    });
    expect((await directory.patch(path, { op: "Replace", path: "active", value: "False" })).body["active"]).toBe(false);
    expect((await directory.ask("DELETE", path)).status).toBe(204);
    expectRefusal(await directory.ask("GET", path), 404);
  });

  it("keeps a group: looks for it without members, and asks whether somebody is in it", async () => {
    const [one, two] = [
      await directory.createUser("one@contoso.example"),
      await directory.createUser("two@contoso.example"),
    ];
    const { id } = await directory.resource("POST", "/Groups", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
      externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
      displayName: "Contoso Research",
      meta: { resourceType: "Group" },
    });
    const add = {
      op: "Add",
      path: "members",
      value: [
        { $ref: null, value: one.id },
        { $ref: null, value: two.id },
      ],
    };
    expect((await directory.patch(`/Groups/${id}?excludedAttributes=members`, add)).body).not.toHaveProperty("members");
    expect(await ask("/Groups", `id eq "${id}" and members eq "${one.id}"`)).toMatchObject({ totalResults: 1 });
    await directory.patch(`/Groups/${id}`, { op: "Remove", path: "members", value: [{ $ref: null, value: one.id }] });
    await directory.patch(`/Groups/${id}`, { op: "Remove", path: `members[value eq "${two.id}"]` });
    expect(await ask("/Groups", `id eq "${id}" and members eq "${two.id}"`)).toMatchObject(nobody);
    const rename = { op: "Replace", path: "displayName", value: "Contoso Labs" };
    expect((await directory.patch(`/Groups/${id}?attributes=displayName`, rename)).body["displayName"]).toBe(
      "Contoso Labs",
    );
    expect((await directory.ask("DELETE", `/Groups/${id}`)).status).toBe(204);
  });
});

describe("Okta", () => {
  it("pages through everybody, makes a person, and says the whole of it again with each change", async () => {
    const first = await directory.ask("GET", "/Users?count=1&startIndex=1");
    expect(first.body).toMatchObject({ startIndex: 1, itemsPerPage: 1, Resources: [{ id: expect.any(String) }] });
    expect(await ask("/Users", 'userName eq "runscope300@atko.example"')).toMatchObject(nobody);
    const person: JsonObject = {
      schemas: [userSchemas[0]],
      userName: "runscope300@atko.example",
      name: { givenName: "Runscope", familyName: "Three" },
      emails: [{ primary: true, value: "runscope300@atko.example", type: "work" }],
      displayName: "Runscope Three",
      locale: "en-US",
      externalId: "00ujl29u0le5T6Aj10h7",
      groups: [],
      password: "1mz050nq",
      active: true,
    };
    const made = await directory.resource("POST", "/Users", person);
    expect(made["name"]).toEqual({ givenName: "Runscope", familyName: "Three" });
    expect(JSON.stringify(made)).not.toContain("1mz050nq");
    expectRefusal(await directory.ask("POST", "/Users", person), 409, "uniqueness");
    const path = `/Users/${made.id}`;
    const again = await directory.ask("PUT", path, {
      ...person,
      id: made.id,
      displayName: "Runscope Four",
      meta: made.meta,
    });
    expect(again.body).toMatchObject({ id: made.id, displayName: "Runscope Four", active: true });
    expect((await directory.patch(path, { op: "replace", value: { active: false } })).body["active"]).toBe(false);
    expect((await directory.patch(path, { op: "replace", value: { active: true } })).body["active"]).toBe(true);
    expectRefusal(await directory.ask("GET", "/Users/010101001010101011001010101011"), 404);
  });

  it("pushes a group, with names of members that it shows", async () => {
    const user = await directory.createUser("pushed@atko.example");
    const members = [{ value: user.id, display: "pushed@atko.example" }];
    const made = await directory.resource("POST", "/Groups", { displayName: "Pushed", members });
    const path = `/Groups/${made.id}`;
    await directory.patch(
      path,
      { op: "remove", path: `members[value eq "${user.id}"]` },
      { op: "add", path: "members", value: members },
    );
    const rename = { op: "replace", value: { id: made.id, displayName: "Pushed Again" } };
    expect((await directory.patch(path, rename)).status).toBe(204);
    expect(await directory.resource("GET", path)).toMatchObject({
      displayName: "Pushed Again",
      members: [{ value: user.id }],
    });
    expect(await ask("/Groups", 'displayName eq "Pushed Again"')).toMatchObject({ totalResults: 1 });
  });
});
