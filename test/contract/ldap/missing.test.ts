/** Accounts whose people are not in their directory any more, and what operators are told of a directory. */
import { describe, expect, it } from "vitest";
import { missingPeopleJob } from "../../../actors/ldap/missing.ts";
import { checkLdap, syncLdap } from "../../../http/process/directories/ldap.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { ldapServer } from "../../support/ldap/ldap-server.ts";
import { groups, lacksSlapd, people } from "../../support/ldap/slapd.ts";

const { server, slapd, fetchKey, auditOf } = ldapServer({
  deactivates: true,
  filter: "(&(objectClass=person)(!(employeeType=gone)))",
});
const [ada] = server.people("Ada");
const clients = new Map<string, ApiClient>();

describe.skipIf(lacksSlapd !== "")(`whom a directory has no more${lacksSlapd}`, () => {
  it("is said first, and ended by the next look", async () => {
    for (const name of ["one", "two", "three", "four", "five"]) await join(name);
    const id = await idOf("five");
    const queue = await clients.get("five")!.register({ event_types: ["message"] });
    await slapd.remove(dnOf("five"));
    await look(0);
    expect(await auditOf(id)).toContainEqual({ event_type: "user_missing_in_directory", via: "ldap" });
    await look(1);
    expect(await activeOf("one", "two", "three", "four", "five")).toBe(5);
    await look(900);
    expect(await activeOf("one", "two", "three", "four", "five")).toBe(4);
    const poll = clients.get("five")!.get("/events", { queue_id: queue["queue_id"], last_event_id: -1 });
    expectError(await poll, 401);
    expect(await auditOf(id)).toContainEqual({ event_type: "user_deactivated", via: "ldap" });
  });

  it("goes on who is back by the next look", async () => {
    await isGone(true, "four");
    await look(0);
    await isGone(false, "four");
    await look(900);
    await isGone(true, "four");
    await look(1800);
    expect(await activeOf("four")).toBe(1);
    await isGone(false, "four");
    await look(2700);
  });

  it("wakes an organization that nobody has loaded, and none whose people are all there", async () => {
    const { environment, id } = await server.realm();
    const found = () => missingPeopleJob.findAsleep!(environment, [id]);
    expect(await found()).toEqual([]);
    await isGone(true, "four");
    expect(await found()).toEqual([id]);
    expect(await missingPeopleJob.findAsleep!(environment, [])).toEqual([]);
    await look(0);
    await isGone(false, "four");
    // Somebody who was missed, and is back, is no longer missed.
    expect(await found()).toEqual([id]);
    await look(900);
    expect(await found()).toEqual([]);
    await slapd.kill();
    expect(await found()).toEqual([]);
    await slapd.run();
  });

  it("stays, all of them, when many go at once, until an operator says that it is right", async () => {
    await isGone(true, "two", "three");
    await look(0);
    await look(900);
    expect(await activeOf("two", "three")).toBe(2);
    const dry = await sync({});
    expect(dry.text).toContain("2 of 4 people are not in Example's directory any more:");
    expect(dry.text).toContain("two@example.net");
    expect(dry.text).toContain("Nothing was done");
    await expect(sync({ deactivate: true })).rejects.toThrow("2 of 4 people are not in");
    expect(await activeOf("two", "three")).toBe(2);
    expect((await sync({ deactivate: true, "even-many": true })).data).toMatchObject({
      missing: [{ was_deactivated: true }, { was_deactivated: true }],
    });
    expect(await activeOf("two", "three")).toBe(0);
    expect((await sync({})).text).toBe("0 of 2 people are not in Example's directory any more.");
  });

  it("is not thought of a directory that does not answer, or does not tell all", async () => {
    await slapd.kill();
    await expect(look(0)).rejects.toThrow("does not answer");
    await slapd.run();
    expect(await activeOf("one", "four")).toBe(2);
  });

  it("stays when it is the only owner", async () => {
    await slapd.person("boss", { mail: server.owner.email });
    await fetchKey("boss");
    const { identities } = expectSuccess(await server.owner.client.get("/identities")) as {
      identities: { id: number; user_id: number }[];
    };
    const waiting = identities.find((one) => one.user_id === server.owner.id)!;
    expectSuccess(await server.owner.client.post(`/identities/${waiting.id}/link`));
    await slapd.remove(dnOf("boss"));
    expect((await sync({ deactivate: true })).data).toMatchObject({ missing: [{ was_deactivated: false }] });
    expectSuccess(await server.owner.client.get("/users/me"));
  });
});

describe.skipIf(lacksSlapd !== "")(`parley ldap check${lacksSlapd}`, () => {
  const check = (file: string) => checkLdap({ database: server.database }, server.server.app.config, { file });

  it("shows what would come, and changes nothing", async () => {
    const dn = await slapd.person("new", { telephoneNumber: "+1" });
    await slapd.add(`cn=math,${groups}`, { objectClass: "groupOfNames", cn: "math", member: dn });
    const before = (await server.state()).users.size;
    const { text, data } = await check("new@example.net");
    expect(data).toMatchObject({ dn, full_name: "new", role: "member", account: "a new one" });
    for (const line of [`Entry: ${dn}`, "Name: new", "Groups: in Mathematicians", "phone: +1", "Account: a new one"])
      expect(text).toContain(line);
    expect((await server.state()).users.size).toBe(before);
    await slapd.person("ada", { mail: ada.email });
    expect((await check("ada")).text).toContain(`Account: ${ada.id} has the address, and is asked`);
    expect((await check("one")).text).toContain("(one@example.net)");
    await expect(check("nobody")).rejects.toThrow("has nobody of the name nobody");
  });
});

const dnOf = (name: string) => `uid=${name},${people}`;
const idOf = async (name: string) => (await server.state()).userByEmail(`${name}@example.net`)!.id;
const sync = (values: Record<string, boolean>) =>
  syncLdap({ database: server.database }, server.server.app.config, values);

async function join(name: string): Promise<void> {
  await slapd.person(name);
  const { email, api_key: apiKey } = expectSuccess(await fetchKey(name)) as { email: string; api_key: string };
  clients.set(name, new ApiClient({ url: server.urls, email, apiKey }));
}

/** Whether the directory has people no more. Their entries stay, so that they may be back. */
async function isGone(isSo: boolean, ...names: string[]): Promise<void> {
  for (const name of names) await slapd.set(dnOf(name), "employeeType", isSo ? "gone" : []);
}

/** Has the job look, so many seconds from now. */
async function look(inSecs: number): Promise<void> {
  await missingPeopleJob.run(await server.realm(), Math.floor(Date.now() / 1000) + inSecs);
}

async function activeOf(...names: string[]): Promise<number> {
  const state = await server.state();
  return names.filter((name) => state.userByEmail(`${name}@example.net`)?.is_active).length;
}
