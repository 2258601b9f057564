/** What a provider tells of groups: user groups, roles, channels of newcomers. And logging out at the provider. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { type Claims, claimsOf, Newcomer } from "../../support/identities/newcomer.ts";
import { openIdProvider } from "../../support/identities/open-id-provider.ts";
import { testServer } from "../../support/server/server.ts";

const provider = openIdProvider();
const server = testServer({ environment: () => ({ PARLEY_OIDC: JSON.stringify({ "*": providers() }) }) });
const [ada] = server.people("Ada");
server.channel("math", [server.owner]);
server.channel("secrets", [server.owner], { invite_only: true });
beforeAll(() => makeGroup("Mathematicians", [ada.id]));

describe("groups of a provider", () => {
  it("become user groups, kept in step at each log-in, and no others do", async () => {
    const claims = { ...claimsOf("gus", "gus@example.net", "Gus"), groups: ["/math", "/poets", "/unnamed"] };
    const gus = await come(claims);
    expect(await groupsOf(gus)).toEqual(["Mathematicians", "Poets"]);
    await makeGroup("Own", [gus]);
    expect(await come({ ...claims, groups: ["/poets"] })).toBe(gus);
    expect(await groupsOf(gus)).toEqual(["Own", "Poets"]);
    expect(await groupsOf(ada.id)).toEqual(["Mathematicians"]);
    const { audit_log } = expectSuccess(
      await server.owner.client.get("/realm/audit_log", {
        anchor: "newest",
        num_before: 1,
        modified_user_id: gus,
        event_types: ["user_group_direct_user_membership_removed"],
      }),
    ) as { audit_log: JsonObject[] };
    expect(audit_log).toMatchObject([{ via: "oidc", acting_user_id: null }]);
  });

  it("are lost where the provider tells of none, and stay where it says that they are told elsewhere", async () => {
    const claims = claimsOf("lo", "lo@example.net", "Lo");
    const lo = await come({ ...claims, groups: ["/math"] });
    await come({
      ...claims,
      _claim_names: { groups: "src1" },
      _claim_sources: { src1: { endpoint: "http://127.0.0.1/" } },
    });
    expect(await groupsOf(lo)).toEqual(["Mathematicians"]);
    await come(claims);
    expect(await groupsOf(lo)).toEqual([]);
  });

  it("of a wrong form are none, and a great list of them holds nobody up", async () => {
    for (const [index, groups] of [7, { a: "/math" }, [["/math"], null], "/math "].entries())
      expect(
        await groupsOf(await come({ ...claimsOf(`w${index}`, `w${index}@example.net`, `W${index}`), groups })),
      ).toEqual([]);
    const many = ["/math", ...Array.from({ length: 5000 }, (_, index) => `/g${index}`)];
    const claims = { ...claimsOf("many", "many@example.net", "Many"), groups: many };
    expect(await groupsOf(await come(claims))).toEqual(["Mathematicians"]);
  });

  it("give roles, which are lost with them; the only owner stays one", async () => {
    const claims = claimsOf("ria", "ria@example.net", "Ria");
    const ria = await come({ ...claims, realm_access: { roles: ["admins"] } }, "roles");
    expect(await roleOf(ria)).toBe(200);
    await come({ ...claims, realm_access: { roles: ["guests"] } }, "roles");
    expect(await roleOf(ria)).toBe(600);
    await come({ ...claims, realm_access: { roles: [] } }, "roles");
    expect(await roleOf(ria)).toBe(400);
    const newcomer = new Newcomer(server, provider);
    const page = await newcomer.come({ ...claimsOf("own", "owner@example.com"), realm_access: { roles: [] } }, "roles");
    const done = await newcomer.answer(page, "link", { username: "owner@example.com", password: "correct horse" });
    expect(done.status).toBe(302);
    expect(await roleOf(server.owner.id)).toBe(100);
  });

  it("put newcomers into channels, private ones too; whoever leaves them stays out", async () => {
    const claims = { ...claimsOf("chi", "chi@example.net", "Chi"), groups: ["/math"] };
    const chi = await come(claims);
    expect(await channelsOf(chi)).toEqual(expect.arrayContaining(["math", "secrets"]));
    const subscriptions = JSON.stringify(["secrets"]);
    expectSuccess(await server.owner.client.delete("/users/me/subscriptions", { subscriptions, principals: [chi] }));
    await come(claims);
    expect(await channelsOf(chi)).not.toContain("secrets");
    const plain = await come({ ...claimsOf("pia", "pia@example.net", "Pia"), groups: [] });
    expect(await channelsOf(plain)).not.toContain("math");
  });
});

describe("logging out", () => {
  it("leads to the provider's log-out, and back, where that is set", async () => {
    for (const [by, isThere] of [
      ["main", true],
      ["roles", false],
    ] as const) {
      const newcomer = new Newcomer(server, provider);
      await newcomer.come(claimsOf(`out-${by}`, `out-${by}@example.net`, `Out ${by}`), by);
      const csrf = newcomer.browser.cookies(server.url).get("csrftoken")!;
      const out = await newcomer.browser.post(`${server.url}/json/sessions/end`, {}, { "x-csrftoken": csrf });
      const { logout_url } = JSON.parse(out.text) as { logout_url?: string };
      expect(await newcomer.self()).toBeUndefined();
      expect(logout_url !== undefined).toBe(isThere);
      if (logout_url === undefined) continue;
      const url = new URL(logout_url);
      expect(url.origin).toBe(provider.issuer);
      expect(url.searchParams.get("post_logout_redirect_uri")).toBe(`${server.url}/login/`);
      const page = await newcomer.browser.get(logout_url);
      expect(page.status).toBe(200);
      expect(page.text).toContain("logout");
    }
  });
});

const providers = () => [
  {
    ...provider.setting,
    joining: "everybody",
    groups: { "/math": "Mathematicians", "/poets": "Poets" },
    channels: { "/math": ["math", "Secrets", "no such channel"] },
    logs_out: true,
  },
  {
    ...provider.setting,
    name: "roles",
    joining: "everybody",
    groups_claim: "realm_access.roles",
    roles: { administrator: "admins", guest: ["guests"] },
  },
];

/** Somebody logs in; who that is. */
async function come(claims: Claims, by = "main"): Promise<number> {
  const newcomer = new Newcomer(server, provider);
  expect(await newcomer.come(claims, by)).toMatchObject({ status: 302 });
  return (await newcomer.self())!.user_id;
}

async function makeGroup(name: string, members: number[]): Promise<void> {
  expectSuccess(await server.owner.client.post("/user_groups/create", { name, description: "", members }));
}

async function groupsOf(id: number): Promise<string[]> {
  const { user_groups } = expectSuccess(await server.owner.client.get("/user_groups")) as {
    user_groups: { name: string; members: number[]; is_system_group: boolean }[];
  };
  const own = user_groups.filter(({ members, is_system_group }) => !is_system_group && members.includes(id));
  return own.map(({ name }) => name).sort();
}

async function roleOf(id: number): Promise<number> {
  const { user } = expectSuccess(await server.owner.client.get(`/users/${id}`)) as { user: { role: number } };
  return user.role;
}

async function channelsOf(id: number): Promise<string[]> {
  const { state } = await server.realm();
  return [...state.channels.values()]
    .filter((channel) => state.subscriptions.has(id, channel.id))
    .map(({ name }) => name);
}
