/** A password has from 6 to 100 characters. They are code points, wherever somebody chooses one. */
import { describe, expect, it } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();

/** Each is one code point and two UTF-16 units. */
const keys = (count: number) => "🔑".repeat(count);
const isAllowed: [string, boolean][] = [
  ["5 of two units", false],
  ["6 of two units", true],
  ["100 of two units", true],
  ["101 of two units", false],
];
const lengthOf = (name: string) => Number.parseInt(name, 10);

describe.each(isAllowed)("a password of %s", (name, allowed) => {
  const password = keys(lengthOf(name));

  it("of a new account", async () => {
    const reply = await server.owner.client.post("/users", { email: nextEmail(), password, full_name: "Keys" });
    if (allowed) expectSuccess(reply);
    else expectError(reply, 400, "BAD_REQUEST");
  });

  it("that its owner changes", async () => {
    const person = await server.addUser(`Changer ${lengthOf(name)}`);
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
    else expect(read).toThrow("PARLEY_OWNER_PASSWORD must have from 6 to 100 characters.");
  });
});

let count = 0;
const nextEmail = () => `person${++count}@example.org`;
