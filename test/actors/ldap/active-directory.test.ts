/** A directory with Active Directory's schema: how it names people, which groups it tells, and who has ended there. */
import { beforeAll, describe, expect, it } from "vitest";
import { directoryOf, parseDirectories } from "../../../actors/identities/directories.ts";
import { everybodyIn, findInDirectory, LdapClient } from "../../../actors/ldap/client.ts";
import { checkFilter } from "../../../actors/ldap/connection.ts";
import type { RealmReader } from "../../../actors/realm/reader.ts";
import { certificate, groups, lacksSlapd, people, testSlapd } from "../../support/ldap/slapd.ts";

const slapd = testSlapd();
const client = new LdapClient({ timeoutMs: 120_000, connectMs: 120_000, maxBytes: 2 ** 20 });
/** 2026-03-01 */
const now = 1_772_323_200;
const realm = { id: 1, environment: { log: { warn() {} }, clock: () => now } } as unknown as RealmReader;

/** As Active Directory counts time. */
const ticksAt = (secs: number): string => String(BigInt(secs + 11_644_473_600) * 10_000_000n);
const never = "9223372036854775807";
const enabled = "512";
const picture = Buffer.from("ffd8ffe000104a46", "hex");

/** Accounts by name: how they are controlled, when they expire, and whether they are there. */
const accounts: Readonly<Record<string, readonly [control: string, expires: string | undefined, isThere: boolean]>> = {
  ada: [enabled, never, true],
  zero: [enabled, "0", true],
  plain: [enabled, undefined, true],
  later: [enabled, ticksAt(now + 1), true],
  disabled: ["514", never, false],
  locked: ["66050", "0", false],
  expired: [enabled, ticksAt(now), false],
  ancient: [enabled, "1", false],
};
const guidOf = (name: string): Buffer =>
  Buffer.concat([Buffer.from("33221100554477668899aabbccdd", "hex"), marks(name)]);
const marks = (name: string): Buffer => Buffer.from([0xee, Object.keys(accounts).indexOf(name)]);
const subjectOf = (name: string): string => `00112233-4455-6677-8899-aabbccdd${marks(name).toString("hex")}`;
const dnOf = (name: string): string => `cn=${name} (Staff\\, ${name}),${people}`;

describe.skipIf(lacksSlapd !== "")(`Active Directory${lacksSlapd}`, () => {
  beforeAll(async () => {
    for (const [name, [control, expires]] of Object.entries(accounts))
      await slapd.add(dnOf(name), {
        objectClass: ["top", "person", "organizationalPerson", "user"],
        ...{ cn: `${name} (Staff, ${name})`, sn: name, displayName: `${name} Person`, mail: `${name}@corp.example` },
        ...{ sAMAccountName: name, userPrincipalName: `${name}@corp.example`, objectGUID: guidOf(name) },
        ...{ userAccountControl: control, thumbnailPhoto: picture, userPassword: `secret of ${name}` },
        ...(expires !== undefined && { accountExpires: expires }),
      });
    await slapd.add(`cn=Chat Admins,${groups}`, { objectClass: "group", cn: "Chat Admins", member: dnOf("ada") });
  });

  it.each([
    ["LDAPS", () => ({ url: slapd.tlsUrl })],
    ["StartTLS", () => ({ starttls: true })],
  ])(
    "names somebody by objectGUID and tells their groups by memberOf, over %s with its own authority",
    async (_, way) => {
      for (const name of ["ADA", "ada@corp.example"]) {
        const found = await logIn({ ...way(), ca_file: certificate.pathname }, name, "secret of ada");
        expect(found).toMatchObject({
          person: { subject: subjectOf("ada"), email: "ada@corp.example", fullName: "ada Person" },
          described: { role: 200, groups: [{ name: "Admins", isMember: true }] },
          avatar: picture,
        });
      }
      await expect(logIn(way(), "ada", "secret of ada")).rejects.toThrow("its certificate is not trusted");
    },
  );

  it("lets in whose account is enabled and has not expired, by the right password alone", async () => {
    for (const [name, [, , isThere]] of Object.entries(accounts)) {
      expect((await logIn({}, name, `secret of ${name}`))?.person.subject, name).toBe(
        isThere ? subjectOf(name) : undefined,
      );
      expect(await client.confirm(realm, settings({}), subjectOf(name), `secret of ${name}`), name).toBe(isThere);
      expect(await logIn({}, name, "another"), name).toBeUndefined();
    }
    await expect(findInDirectory(settings({}), "disabled")).rejects.toThrow(
      "is disabled in the directory, or has expired",
    );
    expect((await findInDirectory(settings({}), "ada"))?.person.subject).toBe(subjectOf("ada"));
  });

  it("has those alone, when it is asked for everybody", async () => {
    const there = Object.keys(accounts).filter((name) => accounts[name]![2]);
    expect(await everybodyIn(settings({}), now)).toEqual(new Set(there.map(subjectOf)));
    expect(await everybodyIn(settings({}), now + 1)).toEqual(
      new Set(there.filter((name) => name !== "later").map(subjectOf)),
    );
    // Its own rule for bits, which older settings have.
    const filter = "(&(objectClass=user)(!(userAccountControl:1.2.840.113556.1.4.803:=2)))";
    expect(await everybodyIn(settings({ filter }), now)).toEqual(new Set(there.map(subjectOf)));
  });

  it("is asked for nothing of the sort where people have another name", async () => {
    const found = await logIn({ id_attribute: "entryUUID" }, "disabled", "secret of disabled");
    expect(found?.person.fullName).toBe("disabled Person");
  });
});

const settings = (more: object) => {
  const setting = {
    ...(lacksSlapd === "" ? slapd.setting : { bind_dn: "cn=x", bind_password: "x", base: people }),
    filter: "(objectClass=user)",
    username_attributes: ["sAMAccountName", "mail"],
    id_attribute: "objectGUID",
    name_attribute: "displayName",
    avatar_attribute: "thumbnailPhoto",
    groups: { "Chat Admins": "Admins" },
    roles: { administrator: [`CN=Chat Admins,${groups}`] },
    ...more,
  };
  const directories = parseDirectories(JSON.stringify({ "*": setting }), checkFilter);
  return directoryOf({ host: "any", server: { directories } } as never)!;
};

const logIn = (more: object, name: string, password: string) => client.logIn(realm, settings(more), name, password);
