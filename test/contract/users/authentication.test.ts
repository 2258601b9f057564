import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
const [mia] = server.people("Mia Member");

describe("HTTP Basic with address and API key", () => {
  it("takes the account's address in whatever case, and the scheme too", async () => {
    const [plain, upper] = [basic(`${mia.email}:${mia.apiKey}`), basic(`${mia.email.toUpperCase()}:${mia.apiKey}`)];
    for (const header of [plain, upper, plain.replace("Basic", "basic"), plain.replace("Basic", "BASIC")])
      expect(expectSuccess(await withHeader(header))["user_id"]).toBe(mia.id);
  });

  it("refuses a key that is another's, of another case, cut off, or missing, and what is no such header", async () => {
    const { email, apiKey } = mia;
    const swapped = apiKey.replace(/[a-z]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    const wrong = [
      `${server.owner.email}:${apiKey}`,
      `${email}:${swapped}`,
      `${email}:${apiKey.slice(1)}`,
      `${email}:`,
      `:${apiKey}`,
      `${email}\0:${apiKey}`,
      `${email}' or 1=1 --:${apiKey}`,
    ].map(basic);
    for (const header of wrong) expectError(await withHeader(header), 401, "INVALID_API_KEY");
    for (const header of [basic(apiKey), "Basic", "Basic !", `Bearer ${apiKey}`, apiKey, `Basic ${"A".repeat(4000)}`])
      expectError(await withHeader(header), 401, "UNAUTHORIZED");
  });

  it("is asked of programs alone: a browser would have its person type it into a dialog of its own", async () => {
    const asked = async (path: string) => (await fetch(server.url + path)).headers.get("www-authenticate");
    expect(await asked("/api/v1/users/me")).toBe('Basic realm="zulip"');
    for (const path of ["/json/users/me", "/json/events?queue_id=x", "/exports/1/x"])
      expect(await asked(path)).toBe('Session realm="zulip"');
  });

  it("the API address of somebody who shows the real one to nobody is the placeholder, and logs in", async () => {
    const shy = await server.addUser("Shy Sheila");
    expectSuccess(await shy.client.patch("/settings", { email_address_visibility: 5 }));
    const { user } = expectSuccess(await mia.client.get(`/users/${shy.id}`)) as { user: { email: string } };
    expect(user.email).toMatch(new RegExp(`^user${shy.id}@`));
    expectSuccess(await as(user.email, shy.apiKey).get("/users/me"));
    expectError(await as(user.email.replace(String(shy.id), String(mia.id)), shy.apiKey).get("/users/me"), 401);
  });

  it("users and bots each have their own key", async () => {
    const bot = await server.addBot(mia, "robot");
    expect(bot.apiKey).not.toBe(mia.apiKey);
    expect(expectSuccess(await bot.client.get("/users/me"))).toMatchObject({ user_id: bot.id, is_bot: true });
    expectError(await as(mia.email, bot.apiKey).get("/users/me"), 401, "INVALID_API_KEY");
    expectError(await as(bot.email, mia.apiKey).get("/users/me"), 401, "INVALID_API_KEY");
  });

  it("a key that was replaced, and an address that was changed, log in no more", async () => {
    const person = await server.addUser("Rita Rekeyed");
    const { api_key } = expectSuccess(await person.client.post("/users/me/api_key/regenerate"));
    expectError(await person.client.get("/users/me"), 401, "INVALID_API_KEY");
    const again = as(person.email, api_key as string);
    expectSuccess(await again.get("/users/me"));
    expectSuccess(await server.owner.client.patch(`/users/${person.id}`, { new_email: "rita2@example.com" }));
    expectError(await again.get("/users/me"), 401, "INVALID_API_KEY");
    expectSuccess(await as("rita2@example.com", api_key as string).get("/users/me"));
  });
});

const as = (email: string, apiKey: string) => new ApiClient({ url: server.url, email, apiKey });
const withHeader = (authorization: string) =>
  new ApiClient({ url: server.url }).get("/users/me", {}, { headers: { authorization } });
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
