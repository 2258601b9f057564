import { describe, expect, it } from "vitest";
import { identityRefusals, type Proof, stepIdentity } from "../../../actors/identities/machine.ts";
import { untestedRules } from "../../support/machines/rules.ts";

type State = Parameters<typeof stepIdentity>[0];
type Event = Parameters<typeof stepIdentity>[1];
const step = (from: State, event: Event) => {
  const { state, actions, refusal } = stepIdentity(from, event);
  return refusal === undefined ? [state, ...actions] : `${state}: ${refusal}`;
};
const came = (holder: "none" | "active" | "deactivated", mayJoin = false): Event => ({
  type: "person.came",
  holder,
  mayJoin,
});
const proof = (by: Proof): Event => ({ type: "proof.given", by });
const notLinked = ["unknown", "pending", "unlinked"] as const;

describe("identity machine", () => {
  it("ID1 who is linked with an active account logs in, whatever account has their address", () => {
    expect(step("linked", came("active"))).toEqual(["linked", "logIn"]);
  });
  it("ID2 who is linked with a deactivated account is refused, and joins anew under no rule", () => {
    expect(step("linked", came("deactivated", true))).toBe("linked: isDeactivated");
    expect(step("linked", came("none", true))).toBe("linked: isDeactivated");
    expect(identityRefusals.isDeactivated().status).toBe(401);
  });
  it("ID3 the holder of an account's address is asked, also where they may join", () => {
    for (const from of notLinked) expect(step(from, came("active", true))).toEqual(["pending", "ask"]);
  });
  it("ID4 a deactivated account is opened by nobody", () => {
    for (const from of notLinked) expect(step(from, came("deactivated", true))).toBe(`${from}: isDeactivated`);
  });
  it("ID5 who may join gets an account", () => {
    for (const from of notLinked) expect(step(from, came("none", true))).toEqual(["linked", "join", "logIn"]);
  });
  it("ID6 who may not is refused", () => {
    for (const from of notLinked) expect(step(from, came("none"))).toBe(`${from}: isUnknown`);
    expect(identityRefusals.isUnknown().message).toContain("no account");
  });
  it("ID7 the password of an account links with it", () => {
    for (const from of notLinked) expect(step(from, proof("password"))).toEqual(["linked", "link"]);
  });
  it("ID8 the link that was sent to an account links what waits for it", () => {
    expect(step("pending", proof("mail"))).toEqual(["linked", "link"]);
  });
  it("ID9 so does an administrator", () => {
    expect(step("pending", proof("administrator"))).toEqual(["linked", "link"]);
  });
  it("ID10 both link nothing that does not wait", () => {
    for (const by of ["mail", "administrator"] as const)
      for (const from of ["unknown", "unlinked"] as const) expect(step(from, proof(by))).toBe(`${from}: isNotPending`);
    expect(identityRefusals.isNotPending().message).toBe("Nobody waits for this to be linked.");
  });
  it("ID11 what is linked is not linked with another account", () => {
    for (const by of ["password", "mail", "administrator"] as const)
      expect(step("linked", proof(by))).toBe("linked: isLinked");
    expect(identityRefusals.isLinked().message).toContain("linked with an account already");
  });
  it("ID12 a link is ended, and so is the wish for one", () => {
    expect(step("linked", { type: "end.asked" })).toEqual(["unlinked"]);
    expect(step("pending", { type: "end.asked" })).toEqual(["unlinked"]);
  });
  it("ID13 there is nothing else to end", () => {
    for (const from of ["unknown", "unlinked"] as const)
      expect(step(from, { type: "end.asked" })).toBe(`${from}: isNotLinked`);
    expect(identityRefusals.isNotLinked().status).toBe(404);
  });
  it("has a test for each of its rules", () => {
    expect(untestedRules("ID", "actors/identities/machine.ts", "test/actors/identities/machine.test.ts")).toEqual([]);
  });
});
