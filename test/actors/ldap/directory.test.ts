/** Asking a real directory: who somebody is there, by which ways, and what happens when it does not answer. */
import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { directoryOf, parseDirectories } from "../../../actors/identities/directories.ts";
import { everybodyIn, findInDirectory, LdapClient } from "../../../actors/ldap/client.ts";
import { checkFilter } from "../../../actors/ldap/connection.ts";
import type { RealmReader } from "../../../actors/realm/reader.ts";
import { certificate, groups, lacksSlapd, passwordOf, people, suffix, testSlapd } from "../../support/ldap/slapd.ts";

const slapd = testSlapd();
const patient = { timeoutMs: 120_000, connectMs: 120_000, maxBytes: 2 ** 20 };
const client = new LdapClient(patient);
const realm = { id: 1, environment: { log: { warn() {} }, clock: () => Date.now() / 1000 } } as unknown as RealmReader;

describe.skipIf(lacksSlapd !== "")(`a directory${lacksSlapd}`, () => {
  beforeAll(async () => {
    const guid = Buffer.from("33221100554477668899aabbccddeeff", "hex");
    const more = { objectClass: ["inetOrgPerson", "securityPrincipal"], objectGUID: guid, sAMAccountName: "ADA" };
    const ada = await slapd.person("ada", {
      ...more,
      cn: "Ada Lovelace",
      telephoneNumber: "+44 1",
      mail: "ada@example.net",
    });
    await slapd.person("bob");
    for (const cn of ["staff", "math, pure", "admins"]) {
      const dn = `cn=${cn.replace(",", "\\,")},${groups}`;
      await slapd.add(dn, { objectClass: "groupOfNames", cn, member: cn === "admins" ? `uid=bob,${people}` : ada });
    }
  });

  it("knows who somebody is, and what it says of them", async () => {
    const found = await logIn(
      {
        id_attribute: "objectGUID",
        profile_fields: { Phone: "telephoneNumber", Empty: "description" },
        groups: { staff: "Staff", [`CN=Math\\, pure, ${groups}`]: "Mathematics", admins: "Admins" },
        roles: { administrator: ["admins"], moderator: ["nobody", "staff"] },
      },
      "ada",
    );
    expect(found).toEqual({
      dn: `uid=ada,${people}`,
      person: {
        issuer: "ldap:main",
        subject: "00112233-4455-6677-8899-aabbccddeeff",
        email: "ada@example.net",
        isEmailConfirmed: true,
        fullName: "Ada Lovelace",
        providerSession: null,
      },
      described: {
        fullName: "Ada Lovelace",
        fields: { Phone: "+44 1", Empty: "" },
        role: 300,
        groups: [
          { name: "Staff", isMember: true },
          { name: "Mathematics", isMember: true },
          { name: "Admins", isMember: false },
        ],
      },
      avatar: undefined,
    });
  });

  it("is asked by its own groups, where it does not tell people's", async () => {
    const search = {
      group_base: groups,
      group_filter: "(objectClass=groupOfNames)",
      groups: { staff: "S", admins: "A" },
    };
    const found = await logIn(search, "bob");
    expect(found?.described).toMatchObject({
      groups: [
        { name: "S", isMember: false },
        { name: "A", isMember: true },
      ],
    });
    expect(found?.described.role).toBeUndefined();
  });

  it("names somebody alike by entryUUID, in every way of asking", async () => {
    const { person } = (await logIn({}, "ada"))!;
    expect(person.subject).toMatch(/^[0-9a-f-]{36}$/);
    const template = { bind_template: `uid={username},${people}`, bind_dn: undefined, bind_password: undefined };
    expect((await logIn(template, "ada"))?.person).toEqual(person);
    expect(
      (await logIn({ username_attributes: ["mail", "sAMAccountName"] }, "ADA@example.net", passwordOf("ada")))?.person,
    ).toEqual(person);
    expect((await findInDirectory(settings({}), "ada@example.net"))?.person).toEqual(person);
    expect([...(await everybodyIn(settings({}), 0))]).toContain(person.subject);
    expect(await client.confirm(realm, settings({}), person.subject, passwordOf("ada"))).toBe(true);
    expect(await client.confirm(realm, settings({}), person.subject, passwordOf("bob"))).toBe(false);
    const guid = settings({ id_attribute: "objectGUID" });
    expect(await client.confirm(realm, guid, "00112233-4455-6677-8899-aabbccddeeff", passwordOf("ada"))).toBe(true);
    expect(await client.confirm(realm, guid, "33221100-5544-7766-8899-aabbccddeeff", passwordOf("ada"))).toBe(false);
  });

  it.each([
    ["by LDAPS", () => ({ url: slapd.tlsUrl, ca_file: certificate.pathname })],
    ["by StartTLS", () => ({ starttls: true, ca_file: certificate.pathname })],
    ["by the second server, when the first is down", () => ({ url: ["ldap://127.0.0.1:1", slapd.url] })],
  ])("answers %s", async (_way, more) => {
    expect((await logIn(more(), "ada"))?.person.fullName).toBe("Ada Lovelace");
    expect(await logIn(more(), "ada", "wrong")).toBeUndefined();
  });

  it.each([
    ["LDAPS", () => ({ url: slapd.tlsUrl })],
    ["StartTLS", () => ({ starttls: true })],
  ])("is not believed by %s without its authority", async (_way, more) => {
    await expect(logIn(more(), "ada")).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: expect.stringContaining("its certificate is not trusted"),
    });
  });

  it.each([
    ["no password", "ada", ""],
    ["another's password", "ada", passwordOf("bob")],
    ["a name that nobody has", "eve", passwordOf("ada")],
    ["a star", "*", passwordOf("ada")],
    ["a part and a star", "ad*", passwordOf("ada")],
    ["a filter", "ada)(uid=*", passwordOf("ada")],
    ["a filter of all", "*)(objectClass=*))(|(uid=*", passwordOf("ada")],
    ["an escaped letter", "\\61da", passwordOf("ada")],
    ["a DN", `ada,${people}`, passwordOf("ada")],
    ["another branch", `parley,${suffix}`, "the service's password"],
    ["two parts of a DN", "ada+cn=Ada Lovelace", passwordOf("ada")],
    ["a sign that nobody sees", "ada\0", passwordOf("ada")],
    ["a name of a mebibyte", "a".repeat(2 ** 20), passwordOf("ada")],
  ])("lets nobody in by %s", async (_what, username, password) => {
    expect(await client.logIn(realm, settings({}), username, password)).toBeUndefined();
    const template = settings({ bind_template: `uid={username},${people}` });
    expect(await client.logIn(realm, template, username, password)).toBeUndefined();
  });

  it("lets nobody in whose name two have, or whom the filter leaves out", async () => {
    await slapd.person("twin", { mail: "bob@example.net" });
    expect(await logIn({ username_attributes: ["mail"] }, "bob@example.net", passwordOf("bob"))).toBeUndefined();
    expect(await logIn({ filter: "(&(objectClass=person)(!(uid=bob)))" }, "bob")).toBeUndefined();
  });

  it("says so when it refuses the server's own password, or has no such attribute", async () => {
    await expect(logIn({ bind_password: "wrong" }, "ada")).rejects.toThrow("it refuses this server's own password");
    await expect(logIn({ id_attribute: "objectGUID" }, "bob")).rejects.toThrow("did not say who you are");
  });
});

describe("a directory that does not answer", () => {
  let server: Server;
  let answer: (socket: Socket) => void = () => {};
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      answer(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const setting = () => ({ url: `ldap://127.0.0.1:${(server.address() as { port: number }).port}` });

  it("is given up, in bounded time", async () => {
    answer = () => {};
    for (const bounds of [
      { ...patient, timeoutMs: 100 },
      { ...patient, connectMs: 100 },
    ]) {
      const asked = new LdapClient(bounds).logIn(realm, settings(setting()), "ada", "x");
      await expect(asked).rejects.toThrow("it does not answer in time");
    }
  });

  it("is asked by so many at a time, and the others are told so at once", async () => {
    answer = () => {};
    const busy = new LdapClient({ ...patient, timeoutMs: 2_000 });
    const asked = settings(setting());
    const waiting = Array.from({ length: 50 }, () => busy.logIn(realm, asked, "ada", "x").catch(() => "given up"));
    await expect(busy.logIn(realm, asked, "ada", "x")).rejects.toThrow("too many people log in by it");
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["given up"]));
    await expect(busy.logIn(realm, asked, "ada", "x")).rejects.toThrow("it does not answer in time");
  });

  it("is given up when it sends too much, and when it goes away", async () => {
    // The head of a message of a gibibyte.
    answer = (socket) => {
      const piece = Buffer.alloc(64 * 1024);
      const write = (): void => void (socket.writable && socket.write(piece, () => setImmediate(write)));
      socket.write(Buffer.from("308440000000", "hex"), write);
    };
    await expect(logIn(setting(), "ada")).rejects.toThrow("it answers too much");
    answer = (socket) => socket.destroy();
    await expect(logIn(setting(), "ada")).rejects.toThrow("it does not answer");
  });

  it("is not believed what came before TLS", async () => {
    // The answer to StartTLS, and the beginning of one that says that a password is right.
    const begin = Buffer.from("300c02010278070a010004000400" + "300d02010361080a0100040004", "hex");
    answer = (socket) => socket.once("data", () => socket.write(begin));
    const more = { ...setting(), starttls: true, ca_file: certificate.pathname };
    await expect(logIn(more, "ada")).rejects.toThrow("it is not trusted");
  });
});

const settings = (more: object) => {
  const base = lacksSlapd === "" ? slapd.setting : { bind_dn: "cn=x", bind_password: "x", base: people };
  const text = JSON.stringify({ "*": { ...base, ...more } });
  return directoryOf({ host: "any", server: { directories: parseDirectories(text, checkFilter) } } as never)!;
};

const logIn = (more: object, uid: string, password = passwordOf(uid)) =>
  client.logIn(realm, settings(more), uid, password);

describe("what is set", () => {
  const good = { url: "ldaps://ldap.example", bind_dn: "cn=x", bind_password: "x", base: "dc=x" };
  it.each([
    ["a plain way out of this machine", { url: "ldap://ldap.example" }, "url must start with ldaps://"],
    ["StartTLS over TLS", { starttls: true }, "starttls is for addresses"],
    ["another protocol", { url: "https://ldap.example" }, "url must be an address"],
    ["no server", { url: [] }, "url is missing"],
    ["no password", { bind_password: undefined }, "bind_password or bind_password_file is missing"],
    ["nobody who binds", { bind_dn: undefined, bind_password: undefined }, "must have bind_dn or bind_template"],
    ["a template without a name", { bind_template: "uid=x,dc=x" }, "{username} once"],
    ["a name in the middle of a value", { bind_template: "uid=a{username},dc=x" }, "{username} once"],
    ["no filter", { filter: "(uid=" }, "filter is no filter"],
    ["no attribute", { id_attribute: "uid)(x=*" }, "is no attribute"],
    ["no role", { roles: { king: ["x"] } }, "there is no king"],
    ["a word that nobody knows", { bindDn: "cn=x" }, "there is no bindDn"],
    [
      "accounts that end by a template",
      { bind_dn: undefined, bind_template: "uid={username},dc=x", deactivates: true },
      "needs bind_dn",
    ],
  ])("is refused with %s", (_what, more, sentence) => {
    const text = JSON.stringify({ "Chat.example": { ...good, ...more } });
    expect(() => parseDirectories(text, checkFilter)).toThrow(`PARLEY_LDAP, Chat.example: `);
    expect(() => parseDirectories(text, checkFilter)).toThrow(sentence);
  });

  it("is by host, or for every other one", () => {
    const text = JSON.stringify({ "Chat.example": { ...good, name: "one" }, "*": { ...good, name: "two" } });
    const directories = parseDirectories(text, checkFilter);
    const nameOf = (host: string) => directoryOf({ host, server: { directories } } as never)?.name;
    expect([nameOf("chat.example"), nameOf("chat.example:9991"), nameOf("other")]).toEqual([
      "ldap:one",
      "ldap:one",
      "ldap:two",
    ]);
    expect(parseDirectories("", checkFilter).size).toBe(0);
  });
});
