import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess } from "../support/api.ts";
import { startTestServer, type TestPerson, type TestServer } from "../support/server.ts";

let server: TestServer;
let owner: TestPerson;
let member: TestPerson;

beforeAll(async () => {
  server = await startTestServer();
  owner = server.owner;
  member = await server.addUser("Mia Member");
});
afterAll(() => server.stop());

describe("http-api POST /users", () => {
  it("answers the id of an account that can log in", async () => {
    const { user_id } = expectSuccess(
      await owner.client.post("/users", { email: "new@example.com", password: "123456", full_name: "New One" }),
    );
    const anybody = new ApiClient({ url: server.url });
    const login = expectSuccess(
      await anybody.post("/fetch_api_key", { username: "new@example.com", password: "123456" }),
    );
    expect(login["user_id"]).toBe(user_id);
  });

  it("an email in use, in whatever case, is BAD_REQUEST", async () => {
    const params = { email: "MIA-member@example.com", password: "123456", full_name: "Other" };
    expectError(await owner.client.post("/users", params), 400, "BAD_REQUEST");
  });

  it("a password shorter than 6 or longer than 100 is refused", async () => {
    for (const password of ["12345", "x".repeat(101)]) {
      const params = { email: "short@example.com", password, full_name: "Short" };
      expectError(await owner.client.post("/users", params), 400, "BAD_REQUEST");
    }
  });

  it("each parameter is required", async () => {
    const params = { email: "a@example.com", password: "123456", full_name: "A" };
    for (const name of Object.keys(params)) {
      const error = expectError(
        await owner.client.post("/users", { ...params, [name]: undefined }),
        400,
        "REQUEST_VARIABLE_MISSING",
      );
      expect(error["var_name"]).toBe(name);
    }
  });

  it("only owners and administrators with can_create_users may", async () => {
    const admin = await server.addUser("Ada Admin", { role: 200 });
    const params = { email: "by-admin@example.com", password: "123456", full_name: "By Admin" };
    expectError(await member.client.post("/users", params), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await admin.client.post("/users", params), 400, "BAD_REQUEST");
  });
});
