/** How directories look for accounts: filters, pages, attributes. Finding one is no search through everybody. */

import { beforeAll, describe, expect, it, vi } from "vitest";
import { type Directory, directoryOf, expectRefusal, type ScimResource } from "../../support/client/scim.ts";
import { testServer } from "../../support/server/server.ts";

/** What one looks at is seen on its own node. */
const server = testServer({ nodeCount: 1 });
const [ada] = server.people("Ada");
let directory: Directory;
const made: ScimResource[] = [];
beforeAll(async () => {
  directory = await directoryOf(server);
  for (const [index, name] of ["Anna", "Bert", "Carl", "Dora", "Emil"].entries())
    made.push(
      await directory.createUser(`${name.toLowerCase()}@example.com`, {
        externalId: `Ext-${index}`,
        displayName: `${name} Finder`,
        name: { givenName: name },
        active: name !== "Emil",
      }),
    );
});

describe("a filter", () => {
  it.each([
    ['userName eq "ANNA@example.com"', [0]],
    ['username Eq "anna@example.com"', [0]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "anna@example.com"', [0]],
    ['externalId eq "Ext-1"', [1]],
    ['externalId eq "ext-1"', []],
    ['emails eq "carl@example.com"', [2]],
    ['emails.value eq "carl@example.com"', [2]],
    ['emails[type eq "work"].value eq "carl@example.com"', [2]],
    ['emails[type eq "work" and value eq "carl@example.com"]', [2]],
    ['emails[type eq "home"].value eq "carl@example.com"', []],
    ['displayName eq "dora finder"', [3]],
    ['displayName co "finder"', [0, 1, 2, 3, 4]],
    ['displayName co "finder" and active eq false', [4]],
    ['displayName ew "FINDER" and active eq "False"', [4]],
    ['userName sw "b" and name.givenName pr', [1]],
    ['userName eq "anna@example.com" or externalId eq "Ext-2"', [0, 2]],
    ['(userName eq "anna@example.com" or externalId eq "Ext-2") and not (displayName sw "Carl")', [0]],
    ['externalId pr and displayName gt "D"', [3, 4]],
    ['externalId pr and externalId ne "Ext-0" and displayName le "Carl Finder"', [1, 2]],
    ['userName eq "nobody@example.com"', []],
    ['displayName eq "a \\"quoted\\" name"', []],
    ["externalId pr and displayName eq null", []],
  ] as [string, number[]][])("%s", async (filter, found) => {
    const ids = found.map((index) => made[index]!.id);
    expect(await directory.find("Users", filter)).toEqual({ ids, total: ids.length });
  });

  it("finds people whom no directory has made", async () => {
    expect((await directory.find("Users", `userName eq "${ada.email}"`)).ids).toEqual([String(ada.id)]);
    expect((await directory.find("Users", `id eq "${ada.id}"`)).ids).toEqual([String(ada.id)]);
  });

  it.each([
    "userName",
    "userName eq",
    "userName eq anna",
    'userName is "anna"',
    'userName eq "anna',
    'userName eq "anna" and',
    '(userName eq "anna"',
    'userName eq "anna")',
    'emails[type eq "work"',
    'emails[type eq "work"].value',
    'emails[type eq "work"]value eq "x"',
    "title pr",
    'nothing eq "x"',
    'emails.nothing eq "x"',
    'userName eq "\\u00zz"',
    "[]",
    '"',
    `${"(".repeat(40)}active eq true${")".repeat(40)}`,
    `${"not (".repeat(11)}active eq true${")".repeat(11)}`,
    Array(60).fill("active eq true").join(" or "),
  ])("that is none is refused: %.60s", async (filter) => {
    const answer = await directory.ask("GET", `/Users?filter=${encodeURIComponent(filter)}`);
    expectRefusal(answer, 400, "invalidFilter");
  });

  it("by name, address or id looks at nobody else", async () => {
    const everybody = vi.spyOn((await server.state()).users, "values");
    try {
      for (const filter of indexed) await directory.find("Users", filter);
      expect(everybody).not.toHaveBeenCalled();
      await directory.find("Users", 'displayName co "finder"');
      expect(everybody).toHaveBeenCalled();
    } finally {
      everybody.mockRestore();
    }
  });
});

describe("a list", () => {
  it("comes in pages, each with the number of all", async () => {
    const all = (await directory.ask("GET", "/Users")).body as { totalResults: number; Resources: ScimResource[] };
    expect(all.Resources).toHaveLength(all.totalResults);
    const seen: string[] = [];
    for (let startIndex = 1; ; startIndex += 3) {
      const { body } = await directory.ask("GET", `/Users?startIndex=${startIndex}&count=3`);
      expect(body).toMatchObject({ totalResults: all.totalResults, startIndex });
      const page = body["Resources"] as ScimResource[];
      expect(body["itemsPerPage"]).toBe(page.length);
      seen.push(...page.map(({ id }) => id));
      if (page.length === 0) break;
    }
    expect(seen).toEqual(all.Resources.map(({ id }) => id));
    const found = `filter=${encodeURIComponent('displayName co "finder"')}`;
    const { body } = await directory.ask("GET", `/Users?${found}&startIndex=2&count=2`);
    expect(body).toMatchObject({ totalResults: 5, Resources: [{ id: made[1]!.id }, { id: made[2]!.id }] });
    for (const [query, expected] of [
      ["count=0", { Resources: [], itemsPerPage: 0, totalResults: all.totalResults }],
      ["count=-5", { Resources: [], itemsPerPage: 0 }],
      ["startIndex=-5&count=1", { startIndex: 1, itemsPerPage: 1 }],
      ["startIndex=999999", { Resources: [], totalResults: all.totalResults }],
      ["count=100000", { itemsPerPage: all.totalResults }],
    ] as const)
      expect((await directory.ask("GET", `/Users?${query}`)).body).toMatchObject(expected);
    expectRefusal(await directory.ask("GET", "/Users?count=many"), 400, "invalidValue");
  });

  it("has the attributes that are asked for", async () => {
    const [anna] = made;
    const fields = async (query: string) => Object.keys(await directory.resource("GET", `/Users/${anna!.id}?${query}`));
    expect(await fields("attributes=userName")).toEqual(["schemas", "id", "userName"]);
    expect(await fields("excludedAttributes=emails,meta,name,id")).not.toEqual(expect.arrayContaining(["emails"]));
    expect(await fields("excludedAttributes=emails,meta,name,id")).toContain("id");
    const partly = await directory.resource("GET", `/Users/${anna!.id}?attributes=emails.value,name.givenName`);
    expect(partly).toMatchObject({ emails: [{ value: "anna@example.com" }], name: { givenName: "Anna" } });
    const { body } = await directory.ask("GET", "/Users?attributes=active&count=1");
    expect(Object.keys((body["Resources"] as ScimResource[])[0]!)).toEqual(["schemas", "id", "active"]);
  });
});

/** What directories ask before everything they do. */
const indexed = [
  'userName eq "anna@example.com"',
  'userName eq "nobody@example.com"',
  'emails[type eq "work"].value eq "anna@example.com"',
  'externalId eq "Ext-1"',
  'displayName eq "Anna Finder"',
  'active eq true and (userName eq "anna@example.com" or externalId eq "Ext-2")',
];
