import { beforeAll, describe, expect, it } from "vitest";
import { ApiClient, type ApiResponse, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [target] = server.people("Tara Target");
beforeAll(setUp);

describe("who may do what to accounts", () => {
  it.each(matrix())("%s", async (_action, allowed, act) => {
    const passed: Caller[] = [];
    // The mightiest comes last, so that the others do not find done what they try.
    for (const caller of callers.toReversed()) {
      const answer = await act(clients[caller]);
      if (answer.status === 200) passed.push(caller);
      else expect([caller, answer.status]).toEqual([caller, ["deactivated", "nobody"].includes(caller) ? 401 : 400]);
    }
    expect(passed.reverse()).toEqual(allowed);
  });
});

async function setUp(): Promise<void> {
  clients.owner = server.owner.client;
  const people = new Map<Caller, Person>();
  for (const [name, role] of [
    ["admin", 200],
    ["moderator", 300],
    ["member", 400],
    ["guest", 600],
    ["deactivated", 400],
  ] as const) {
    const person = await server.addUser(`Person ${name}`, { role });
    people.set(name, person);
    clients[name] = person.client;
  }
  clients.bot = (await server.addBot(people.get("member")!, "some")).client;
  clients.nobody = new ApiClient({ url: server.url });
  const { user_id } = expectSuccess(await clients.deactivated.get("/users/me"));
  expectSuccess(await server.owner.client.delete(`/users/${user_id}`));
}

const callers = ["owner", "admin", "moderator", "member", "guest", "bot", "deactivated", "nobody"] as const;
type Caller = (typeof callers)[number];
const clients = {} as Record<Caller, ApiClient>;

let unused = 0;

type Row = [action: string, allowed: Caller[], act: (client: ApiClient) => Promise<ApiResponse>];

function matrix(): Row[] {
  const active: Caller[] = ["owner", "admin", "moderator", "member", "guest", "bot"];
  const admins: Caller[] = ["owner", "admin"];
  return [
    ["GET /users", active, (client) => client.get("/users")],
    ["GET /users/{id}", active, (client) => client.get(`/users/${target.id}`)],
    ["GET /users/{email}", active, (client) => client.get(`/users/${target.email}`)],
    ["GET /users/me", active, (client) => client.get("/users/me")],
    [
      "POST /users",
      ["owner"],
      (client) =>
        client.post("/users", {
          email: `u${++unused}@example.com`,
          password: "a fine password",
          full_name: `Unused ${unused}`,
        }),
    ],
    ["PATCH /users/{id}: role", admins, (client) => client.patch(`/users/${target.id}`, { role: 400 })],
    ["PATCH /users/{id}: owner role", ["owner"], (client) => client.patch(`/users/${target.id}`, { role: 100 })],
    ["PATCH /users/{id}: from owner", ["owner"], (client) => client.patch(`/users/${target.id}`, { role: 400 })],
    [
      "PATCH /users/{id}: new_email",
      ["owner"],
      (client) => client.patch(`/users/${target.id}`, { new_email: target.email }),
    ],
    ["PATCH /users/{id}: profile_data", admins, (client) => client.patch(`/users/${target.id}`, { profile_data: [] })],
    ["POST /users/{id}/reactivate", admins, (client) => client.post(`/users/${target.id}/reactivate`)],
    ["GET /users/{id}/status", active, (client) => client.get(`/users/${target.id}/status`)],
    ["POST /users/{id}/status", admins, (client) => client.post(`/users/${target.id}/status`, { status_text: "hi" })],
    ["POST /users/me/status", active, (client) => client.post("/users/me/status", { status_text: "hi" })],
    ["POST /users/me/alert_words", active, (client) => client.post("/users/me/alert_words", { alert_words: ["a"] })],
    ["PATCH /users/me/profile_data", active, (client) => client.patch("/users/me/profile_data", { data: [] })],
    ["PATCH /settings", active, (client) => client.patch("/settings", { enter_sends: true })],
    ["GET /realm/profile_fields", active, (client) => client.get("/realm/profile_fields")],
    [
      "POST /realm/profile_fields",
      admins,
      (client) => client.post("/realm/profile_fields", { field_type: 1, name: `Field ${++unused}` }),
    ],
    ["PATCH /realm/user_settings_defaults", admins, (client) => client.patch("/realm/user_settings_defaults", {})],
    [
      "POST /bots",
      ["owner", "admin", "moderator", "member"],
      (client) => client.post("/bots", { full_name: `Bot ${++unused}`, short_name: `bot${unused}` }),
    ],
  ];
}
