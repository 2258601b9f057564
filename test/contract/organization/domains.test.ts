import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [adam, mia, gwen] = server.people(["Adam Admin", 200], "Mia Member", ["Gwen Guest", 600]);

describe("realm/domains", () => {
  it("an owner adds a domain, and everybody may read it", async () => {
    expectSuccess(await post("example.org", true));
    for (const person of [mia, gwen])
      expect(await list(person)).toContainEqual({ domain: "example.org", allow_subdomains: true });
  });

  it("PATCH changes allow_subdomains and answers the envelope only", async () => {
    expectSuccess(await post("patched.org"));
    const answer = expectSuccess(await patch("patched.org", true));
    expect(Object.keys(answer).sort()).toEqual(["msg", "result"]);
    expect(await list()).toContainEqual({ domain: "patched.org", allow_subdomains: true });
    expectSuccess(await patch("PATCHED.org", false));
    expect(await list()).toContainEqual({ domain: "patched.org", allow_subdomains: false });
  });

  it("allow_subdomains is required and a boolean", async () => {
    const missing = await owner.client.patch("/realm/domains/example.org");
    expect(expectError(missing, 400, "REQUEST_VARIABLE_MISSING")["var_name"]).toBe("allow_subdomains");
    for (const wrong of ["maybe", "1", '"true"', "[]"])
      expectError(await patch("example.org", wrong), 400, "BAD_REQUEST");
  });

  it("a domain that is not on the list is BAD_REQUEST", async () => {
    expectError(await patch("absent.org", true), 400, "BAD_REQUEST");
    expectError(await remove("absent.org"), 400, "BAD_REQUEST");
    expectError(await remove("x".repeat(5000)), 400, "BAD_REQUEST");
  });

  it("only owners may add, change or remove: not even administrators", async () => {
    expectSuccess(await post("owned.org"));
    for (const person of [adam, mia, gwen]) {
      expectError(await post("other.org", false, person), 400, "UNAUTHORIZED_PRINCIPAL");
      expectError(await patch("owned.org", true, person), 400, "UNAUTHORIZED_PRINCIPAL");
      expectError(await remove("owned.org", person), 400, "UNAUTHORIZED_PRINCIPAL");
    }
    expect(await list()).toContainEqual({ domain: "owned.org", allow_subdomains: false });
  });

  it("a domain that is there, in whatever case, is refused", async () => {
    expectSuccess(await post("twice.org"));
    for (const again of ["twice.org", "TWICE.org", " twice.org "]) expectError(await post(again), 400, "BAD_REQUEST");
  });

  it("what is no domain is refused", async () => {
    const wrong = ["", " ", "localhost", ".org", "org.", "a..org", "-a.org", "a-.org", "a_b.org", "a b.org", "a@b.org"];
    for (const domain of [...wrong, "<b>.org", "a\0.org", `${"a".repeat(64)}.org`, `${"a.".repeat(200)}org`, "ä.org"])
      expectError(await post(domain), 400, "BAD_REQUEST");
  });
});

describe("realm_domains", () => {
  it("add, change and remove reach everybody", async () => {
    const observers = [owner.client, gwen.client];
    const added = await assertConverges({ observers, act: () => post("new.org") });
    for (const { events } of added.observations) {
      const realm_domain = { domain: "new.org", allow_subdomains: false };
      expect(events).toMatchObject([{ type: "realm_domains", op: "add", realm_domain }]);
    }
    const changed = await assertConverges({ observers, act: () => patch("new.org", true) });
    for (const { events } of changed.observations) {
      const realm_domain = { domain: "new.org", allow_subdomains: true };
      expect(events).toMatchObject([{ type: "realm_domains", op: "change", realm_domain }]);
    }
    const removed = await assertConverges({ observers, act: () => remove("new.org") });
    for (const { events } of removed.observations)
      expect(events).toMatchObject([{ type: "realm_domains", op: "remove", domain: "new.org" }]);
  });

  it("the restriction to domains ends with the last of them", async () => {
    const domains = await list();
    await owner.setRealm({ emails_restricted_to_domains: true });
    for (const { domain } of domains.slice(1)) expectSuccess(await remove(domain));
    const last = await assertConverges({ observers: [owner.client], act: () => remove(domains[0]!.domain) });
    expect(last.eventsOf(owner.client)).toMatchObject([
      { type: "realm_domains", op: "remove" },
      { type: "realm", op: "update", property: "emails_restricted_to_domains", value: false },
    ]);
  });
});

const post = (domain: string, allow_subdomains: unknown = false, person = owner) =>
  person.client.post("/realm/domains", { domain, allow_subdomains });
const patch = (domain: string, allow_subdomains: unknown, person = owner) =>
  person.client.patch(`/realm/domains/${encodeURIComponent(domain)}`, { allow_subdomains });
const remove = (domain: string, person = owner) => person.client.delete(`/realm/domains/${encodeURIComponent(domain)}`);
const list = async (person = mia) =>
  expectSuccess(await person.client.get("/realm/domains"))["domains"] as { domain: string }[];
