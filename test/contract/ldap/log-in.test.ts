/** Logging in by a real directory's password: who gets in, who joins, whose account is asked for, and what is kept. */
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { hiddenField } from "../../support/client/plain-browser.ts";
import { ldapServer } from "../../support/ldap/ldap-server.ts";
import { groups, lacksSlapd, passwordOf } from "../../support/ldap/slapd.ts";

const { server, slapd, fetchKey, browser, self, auditOf } = ldapServer();
const [ada, adam] = server.people("Ada", ["Adam Admin", 200]);

describe.skipIf(lacksSlapd !== "")(`by a directory's password${lacksSlapd}`, () => {
  it("people log in by the form of passwords, as clients are told", async () => {
    const { body } = await ada.client.get("/server_settings");
    expect(body["authentication_methods"]).toMatchObject({ ldap: true, password: true, email: true });
    expect(body["require_email_format_usernames"]).toBe(false);
    const methods = body["external_authentication_methods"] as { name: string }[];
    expect(methods.map(({ name }) => name)).toEqual(["browser"]);
    const page = await browser().get(`${server.url}/login/`);
    expect(page.text).toContain('<input id="username" name="username" type="text"');
    const state = await ada.client.register({ fetch_event_types: ["realm"], event_types: [] });
    expect(state["realm_authentication_methods"]).toMatchObject({ LDAP: { enabled: true }, Email: { enabled: true } });
  });

  it("somebody gets an account, and the same one from then on, whatever else changes", async () => {
    const dn = await slapd.person("nora", { cn: "Nora Newcomer" });
    const key = expectSuccess(await fetchKey("nora"));
    expect(key["email"]).toBe("nora@example.net");
    const client = new ApiClient({ url: server.urls, email: "nora@example.net", apiKey: key["api_key"] as string });
    expect(await client.get("/users/me")).toMatchObject({ body: { full_name: "Nora Newcomer", role: 400 } });
    await slapd.set(dn, "cn", "Nora Married");
    await slapd.set(dn, "mail", ada.email);
    const again = expectSuccess(await fetchKey("Nora"));
    expect(again).toEqual(key);
    expect(await client.get("/users/me")).toMatchObject({
      body: { full_name: "Nora Married", delivery_email: "nora@example.net" },
    });
    expect(await auditOf(key["user_id"] as number)).toEqual(
      expect.arrayContaining([
        { event_type: "user_identity_linked", via: "nobody" },
        { event_type: "user_logged_in", via: "nobody" },
        { event_type: "user_full_name_changed", via: "ldap" },
      ]),
    );
  });

  it("a browser gets in, and comes by name or address", async () => {
    await slapd.person("bruno");
    for (const name of ["bruno", "bruno@example.net"]) {
      const own = browser();
      const page = await own.post(`${server.url}/login/`, { username: name, password: passwordOf("bruno") });
      expect(page.status).toBe(302);
      expect(await self(own)).toMatchObject({ full_name: "bruno", delivery_email: "bruno@example.net" });
    }
  });

  it("nobody gets the account of whoever has the same address: it is asked whose it is", async () => {
    await slapd.person("thief", { mail: ada.email });
    const failure = expectError(await fetchKey("thief"), 401, "AUTHENTICATION_FAILED");
    expect(failure["msg"]).toContain("Log in once with a browser");
    const own = browser();
    const page = await own.post(`${server.url}/login/`, { username: "thief", password: passwordOf("thief") });
    expect(page.text).toContain(ada.email);
    expect(await self(own)).toBeUndefined();
    const arrival = hiddenField(page.text, "arrival");
    const link = (password: string) =>
      own.post(`${server.url}/accounts/identity/link/`, { arrival, username: ada.email, password });
    expect((await link(passwordOf("thief"))).status).toBe(401);
    expect((await link("a fine password")).status).toBe(302);
    expect(await self(own)).toMatchObject({ user_id: ada.id });
    expect(expectSuccess(await fetchKey("thief"))["user_id"]).toBe(ada.id);
  });

  it("an administrator may say whose account it is", async () => {
    await slapd.person("adam", { mail: adam.email });
    expectError(await fetchKey("adam"), 401, "AUTHENTICATION_FAILED");
    const { identities } = expectSuccess(await server.owner.client.get("/identities")) as {
      identities: { id: number; user_id: number; provider: string; provider_display_name: string }[];
    };
    const waiting = identities.find((one) => one.user_id === adam.id)!;
    expect(waiting).toMatchObject({ provider: "ldap:main", provider_display_name: "Example's directory" });
    expectSuccess(await server.owner.client.post(`/identities/${waiting.id}/link`));
    expect(expectSuccess(await fetchKey("adam"))["user_id"]).toBe(adam.id);
  });

  it("the account's own password is good as well, and a wrong one tells nothing", async () => {
    expect(expectSuccess(await fetchKey(ada.email, "a fine password"))["user_id"]).toBe(ada.id);
    const answers = [];
    for (const name of [ada.email, "nora", "nobody at all"]) answers.push(await fetchKey(name, "wrong"));
    for (const answer of answers) {
      expectError(answer, 401, "AUTHENTICATION_FAILED");
      expect(answer.body).toEqual(answers[0]!.body);
    }
    expectError(await fetchKey("nora", ""), 401, "AUTHENTICATION_FAILED");
  });

  it("role, groups, profile and picture are as the directory says, and go when it says so", async () => {
    const field = expectSuccess(
      await server.owner.client.post("/realm/profile_fields", { name: "Phone", hint: "", field_type: 1 }),
    )["id"] as number;
    const picture = await sharp({ create: { width: 40, height: 40, channels: 3, background: "red" } })
      .jpeg()
      .toBuffer();
    const dn = await slapd.person("mona", { telephoneNumber: "+49 1", jpegPhoto: picture });
    for (const cn of ["boss", "math"]) {
      await slapd.add(`cn=${cn},${groups}`, { objectClass: "groupOfNames", cn, member: dn });
    }
    const id = expectSuccess(await fetchKey("mona"))["user_id"] as number;
    const shown = async () => {
      const { user } = expectSuccess(
        await server.owner.client.get(`/users/${id}`, { include_custom_profile_fields: true }),
      ) as { user: { role: number; avatar_url: string; profile_data: Record<string, { value: string }> } };
      const group = (await server.state()).groups.findByName("Mathematicians");
      const isMember = group !== undefined && (await server.state()).groups.hasDirectMember(group.id, id as never);
      return { role: user.role, avatar: user.avatar_url, phone: user.profile_data[field]?.value, isMember };
    };
    const before = await shown();
    expect(before).toMatchObject({ role: 200, phone: "+49 1", isMember: true });
    expect(before.avatar).toMatch(new RegExp(`/user_avatars/\\d+/${id}/`));
    expect((await fetch(new URL(before.avatar, server.url))).headers.get("content-type")).toBe("image/png");
    await slapd.set(`cn=boss,${groups}`, "member", "cn=nobody");
    await slapd.set(`cn=math,${groups}`, "member", "cn=nobody");
    await slapd.set(dn, "telephoneNumber", []);
    expectSuccess(await fetchKey("mona"));
    expect(await shown()).toEqual({ role: 400, avatar: before.avatar, phone: undefined, isMember: false });
    expect(await auditOf(id)).toContainEqual({ event_type: "user_role_changed", via: "ldap" });
  });

  it("the only owner stays one, and a name that nobody may have changes nothing", async () => {
    await slapd.person("owner", { mail: server.owner.email, cn: "x" });
    await fetchKey("owner");
    const { identities } = expectSuccess(await server.owner.client.get("/identities")) as {
      identities: { id: number; user_id: number }[];
    };
    const waiting = identities.find((one) => one.user_id === server.owner.id)!;
    expectSuccess(await server.owner.client.post(`/identities/${waiting.id}/link`));
    const { full_name } = (await server.owner.client.get("/users/me")).body;
    expect(expectSuccess(await fetchKey("owner"))["user_id"]).toBe(server.owner.id);
    expect((await server.owner.client.get("/users/me")).body).toMatchObject({ role: 100, full_name });
  });

  it("a browser shows again who is there", async () => {
    const own = browser();
    await own.post(`${server.url}/login/`, { username: "nora", password: passwordOf("nora") });
    const csrf = (await own.get(`${server.url}/json/users/me`)) && own.cookies(server.url).get("csrftoken");
    const again = (password: string) =>
      own.post(`${server.url}/json/users/me/reauthenticate`, { password }, { "X-CSRFToken": csrf ?? "" });
    expect((await again(passwordOf("mona"))).status).toBe(400);
    expect((await again(passwordOf("nora"))).status).toBe(200);
  });

  it("a deactivated account stays one, and a second factor is asked for", async () => {
    await slapd.person("dora");
    const id = expectSuccess(await fetchKey("dora"))["user_id"] as number;
    const required = (of: string) => server.owner.client.patch("/realm/second_factor", { of, grace_days: 0 });
    expectSuccess(await required("everyone"));
    expectError(await fetchKey("dora"), 401, "SECOND_FACTOR_REQUIRED");
    const page = await browser().post(`${server.url}/login/`, { username: "dora", password: passwordOf("dora") });
    expect(page.text).toContain('name="pending"');
    expectSuccess(await required("nobody"));
    expectSuccess(await server.owner.client.delete(`/users/${id}`));
    expectError(await fetchKey("dora"), 401, "USER_DEACTIVATED");
  });

  it("guesses are limited by the name, however it is written", async () => {
    await slapd.person("gina");
    const names = ["gina", "GINA", "gi\u00adna", "g\u0131\u0301na".normalize("NFC"), "gína", "ｇina", " gina", "gina"];
    const codes = [];
    for (const name of names) codes.push((await fetchKey(name, "wrong")).body["code"]);
    expect(codes).toContain("RATE_LIMIT_HIT");
    expectError(await fetchKey("gina"), 429, "RATE_LIMIT_HIT");
  });

  it("a directory that hangs or is down is one sentence, and the account's own password goes on", async () => {
    process.kill(slapd.pid, "SIGSTOP");
    try {
      const hanging = expectError(await fetchKey("bruno"), 503, "SERVICE_UNAVAILABLE");
      expect(hanging["msg"]).toBe(
        "Example's directory cannot be asked at the moment: it does not answer in time. Log in another way, or later.",
      );
    } finally {
      process.kill(slapd.pid, "SIGCONT");
    }
    await slapd.kill();
    const page = await browser().post(`${server.url}/login/`, { username: "bruno", password: passwordOf("bruno") });
    expect(page.text).toContain("cannot be asked at the moment: it does not answer.");
    expect(expectSuccess(await fetchKey(ada.email, "a fine password"))["user_id"]).toBe(ada.id);
    await slapd.run();
    expectSuccess(await fetchKey("bruno"));
  });
});
