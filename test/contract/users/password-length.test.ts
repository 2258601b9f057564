/** A password has from 8 to 100 characters, code points, that are not soon guessed, wherever somebody chooses one. */
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { describe, expect, it, vi } from "vitest";
import { passwordFault } from "../../../actors/users/passwords/new-password.ts";
import { readConfig } from "../../../http/process/config.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();

describe.each(passwords())("a password of %s", (name, password, fault) => {
  const allowed = fault === undefined;

  it("of a new account", async () => {
    const reply = await server.owner.client.post("/users", { email: nextEmail(), password, full_name: "Keys" });
    if (allowed) expectSuccess(reply);
    else expect(expectError(reply, 400, "BAD_REQUEST")["msg"]).toBe(`Password ${fault}`);
  });

  it("that its owner changes", async () => {
    const person = await server.addUser(`Changer ${name.replaceAll(" ", "-")}`);
    const reply = await person.client.patch("/settings", { old_password: "a fine password", new_password: password });
    if (allowed) expectSuccess(reply);
    else expectError(reply, 400, "BAD_REQUEST");
  });

  it("at the page of an invitation, and at the log-in after it", async () => {
    const { invite_link } = expectSuccess(await server.owner.client.post("/invites/multiuse", {}));
    const anybody = new ApiClient({ url: server.urls });
    const email = nextEmail();
    const form = { full_name: "Keys", email, password };
    const reply = await anybody.post(new URL(invite_link as string).pathname, form, { root: true });
    expect(reply.status).toBe(allowed ? 302 : 400);
    if (allowed) expectSuccess(await anybody.post("/fetch_api_key", { username: email, password }));
  });

  it("of the first owner", () => {
    const read = () => readConfig({ PARLEY_OWNER_PASSWORD: password });
    if (allowed) expect(read).not.toThrow();
    else expect(read).toThrow(`PARLEY_OWNER_PASSWORD ${fault}`);
  });
});

it("is what register tells clients to ask for", async () => {
  const { password_min_length, password_min_guesses, password_max_length } = await server.owner.client.register({
    fetch_event_types: ["realm"],
  });
  expect({ password_min_length, password_max_length, password_min_guesses }).toEqual({
    password_min_length: 8,
    password_max_length: 100,
    password_min_guesses: 10_000,
  });
});

it("only a part is estimated of one that would take the estimate long", () => {
  const parts: number[] = [];
  const check = vi.spyOn(ZxcvbnFactory.prototype, "check").mockImplementation(function (this: unknown, part) {
    parts.push(part.length);
    return { guesses: 1 } as ReturnType<ZxcvbnFactory["check"]>;
  });
  try {
    expect(passwordFault("1".repeat(100))).toBe("is too easy to guess.");
  } finally {
    check.mockRestore();
  }
  expect(parts).toEqual([12, 12]);
});

describe("a password is refused that is little more than", () => {
  const about = ["ada.lovelace@engines.example", "Ada Lovelace", "Analytical Machines", "chat.engines.example"];
  const cases: [what: string, password: string][] = [
    ["one's address", "ada.lovelace@engines.example"],
    ["one's address, written otherwise", "ADA.Lovelace@Engines.example"],
    ["one's name", "adalovelace"],
    ["one's name and a year", "Lovelace1815"],
    ["the organization's name", "analyticalmachines!"],
    ["the organization's host", "chat.engines.example"],
  ];

  it.each(cases)("%s", (_what, password) => {
    expect(passwordFault(password, { about })).toBeDefined();
  });

  it("and not one with more in it than a name", () => {
    expect(passwordFault("Lovelace-vW9#kq2LmZ", { about })).toBeUndefined();
    expect(passwordFault("ada keeps 7 violet anchors", { about })).toBeUndefined();
  });

  it("wherever it is chosen", async () => {
    const person = await server.addUser("Wilhelmina");
    const { email } = person;
    const change = await person.client.patch("/settings", { old_password: "a fine password", new_password: email });
    expect(expectError(change, 400)["msg"]).toMatch(/guess|little more/);
    const add = { email: "philippa@example.org", password: "Philippa Example", full_name: "Philippa" };
    expectError(await server.owner.client.post("/users", add), 400);
    const { invite_link } = expectSuccess(await server.owner.client.post("/invites/multiuse", {}));
    const form = { full_name: "Philippa", email: "philippa@example.org", password: "philippa@example.org" };
    const path = new URL(invite_link as string).pathname;
    expect((await new ApiClient({ url: server.urls }).post(path, form, { root: true })).status).toBe(400);
    const environment = { PARLEY_OWNER_EMAIL: "philippa@example.org", PARLEY_OWNER_PASSWORD: "philippa@example.org" };
    expect(() => readConfig(environment)).toThrow("PARLEY_OWNER_PASSWORD");
  });
});

let count = 0;
const nextEmail = () => `person${++count}@example.org`;

type Case = [name: string, password: string, fault: string | undefined];

function passwords(): Case[] {
  const length = "must have from 8 to 100 characters.";
  const guessed = "is too easy to guess.";
  return [
    ["7 code points", pictures(7), length],
    ["8 code points", pictures(8), undefined],
    ["100 code points", pictures(100), undefined],
    ["101 code points", pictures(101), length],
    ["a word that everybody knows", "P@ssw0rd", guessed],
    ["one that was breached", "voxstrange", guessed],
    ["a row of keys", "qwertyuiop", guessed],
    ["a hundred times the same", "a".repeat(100), guessed],
    ["a weak beginning and a strong end", `${"a".repeat(30)}vW9#kq2LmZ`, undefined],
  ];
}

/** Each is one code point and two UTF-16 units. */
function pictures(count: number): string {
  return Array.from({ length: count }, (_, index) => String.fromCodePoint(0x1f400 + ((index * 37) % 200))).join("");
}
