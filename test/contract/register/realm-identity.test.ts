/** What register says of the organization: its uuid, its pictures, the domain of its bots. */
import { expect, it } from "vitest";
import { botDomainOf } from "../../../actors/realm/state/bot-domain.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";

const server = testServer();

it("has every field of the level, and the same uuid each time", async () => {
  const state = await server.owner.client.register();
  expect(state["realm_uuid"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect((await server.owner.client.register())["realm_uuid"]).toBe(state["realm_uuid"]);
  expect(state).toMatchObject({
    can_subscribe_other_users: true,
    realm_gif_rating_policy: 1,
    gif_rating_policy_options: { disabled: { id: 0 }, g: { id: 1 }, r: { id: 4 } },
    realm_media_preview_size: 100,
    realm_default_avatar_source: "G",
    realm_owner_full_content_access: false,
    realm_workplace_users_group: expect.any(Number),
    realm_billing: { has_pending_sponsorship_request: false },
    realm_create_public_stream_policy: 1,
    realm_create_private_stream_policy: 1,
    giphy_api_key: "",
    tenor_api_key: "",
    klipy_api_key: "",
  });
});

it("made-up addresses have a domain of mail, and no port", async () => {
  expect((await server.owner.client.register())["realm_bot_domain"]).toBe("parley.localhost");
  const bot = await server.addBot(server.owner, "mailer");
  expect(bot.email).toBe("mailer-bot@parley.localhost");
  const hidden = await server.addUser("Hidden Person");
  expectSuccess(await hidden.client.patch("/settings", { email_address_visibility: 4 }));
  expect((await userOf(hidden.id))["email"]).toBe(`user${hidden.id}@parley.localhost`);
  expect(botDomainOf("chat.example.com:8443")).toBe("chat.example.com");
  for (const host of ["localhost", "localhost:9991", "10.0.0.1", "10.0.0.1:80", "[::1]:80", ""])
    expect(botDomainOf(host)).toBe("parley.localhost");
});

it("takes the domain that its operator sets", async () => {
  const other = await startTestServer({ PARLEY_BOT_DOMAIN: "bots.example.org" });
  try {
    expect((await other.owner.client.register())["realm_bot_domain"]).toBe("bots.example.org");
    expect((await other.addBot(other.owner, "mailer")).email).toBe("mailer-bot@bots.example.org");
  } finally {
    await other.stop();
  }
});

it("where pictures are drawn by the server, new people have one, and who takes theirs back", async () => {
  const { owner } = server;
  expectSuccess(await owner.client.patch("/realm", { default_avatar_source: "J" }));
  const drawn = await server.addUser("Drawn Person");
  const url = (await userOf(drawn.id, { client_gravatar: true }))["avatar_url"] as string;
  expect(url).toMatch(/^\/user_avatars\/\d+\/\d+\/identicon\.png\?version=\d+$/);
  expect((await fetch(server.url + url)).headers.get("content-type")).toBe("image/png");
  expect((await userOf(owner.id))["avatar_url"]).toBeNull();
  await assertConverges({
    observers: [owner.client, drawn.client],
    act: async () => expectSuccess(await owner.client.delete("/users/me/avatar")),
  });
  expect((await userOf(owner.id))["avatar_url"]).toMatch(/identicon/);
});

it("an avatar is left to clients only where everybody sees the address", async () => {
  const { owner } = server;
  expectSuccess(await owner.client.patch("/realm", { default_avatar_source: "G" }));
  const shy = await server.addUser("Shy Person");
  expect((await userOf(shy.id))["avatar_url"]).toBeNull();
  expectSuccess(await shy.client.patch("/settings", { email_address_visibility: 3 }));
  expect((await userOf(shy.id))["avatar_url"]).toMatch(/gravatar/);
});

const userOf = async (id: number, params: JsonObject = {}) =>
  expectSuccess(await server.owner.client.get(`/users/${id}`, params))["user"] as JsonObject;
