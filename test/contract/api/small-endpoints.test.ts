/** Endpoints that clients ask on their way: compatibility, free addresses, slash commands. */
import { expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();

it("/compatibility takes every client but the one that asks to be refused", async () => {
  const ask = async (agent: string) =>
    (await fetch(`${server.url}/api/v1/compatibility`, { headers: { "User-Agent": agent } })).status;
  expect(await ask("ZulipMobile/27.1.0")).toBe(200);
  expect(await ask("ZulipInvalid/1.0")).toBe(400);
});

it("/realm/subdomain tells which names are free", async () => {
  const msgOf = async (name: string) => {
    const answer = await fetch(`${server.url}/api/v1/realm/subdomain/${name}`);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { msg: string }).msg;
  };
  expect(await msgOf("free")).toBe("available");
  for (const bad of ["Free", "-x", "a_b", "x".repeat(64)]) expect(await msgOf(bad)).not.toBe("available");
});

it("/zcommand changes the theme and the width, and knows no other word", async () => {
  const { owner } = server;
  for (const [command, setting] of [
    ["/dark", { color_scheme: 2 }],
    ["/day", { color_scheme: 3 }],
    ["/fluid-width", { fluid_layout_width: true }],
    ["/fixed-width", { fluid_layout_width: false }],
  ] as const) {
    const { result } = await assertConverges({
      observers: [owner.client],
      act: () => owner.client.post("/zcommand", { command }),
    });
    expect(result.status).toBe(200);
    expect(result.body["msg"]).toMatch(/now/);
    expect((await owner.client.register({ fetch_event_types: ["user_settings"] }))["user_settings"]).toMatchObject(
      setting,
    );
  }
  expectSuccess(await owner.client.post("/zcommand", { command: "/ping" }));
  for (const command of ["ping", "/nothing", "/constructor"])
    expectError(await owner.client.post("/zcommand", { command }), 400, "BAD_REQUEST");
});

it("video calls on services that are not set up are refused by name, and Jitsi Meet needs no room", async () => {
  const { client } = server.owner;
  expectError(await client.get("/calls/bigbluebutton/create", { meeting_name: "tea" }), 400, "BAD_REQUEST");
  for (const service of ["zoom", "webex", "nextcloud_talk", "constructorgroups"]) {
    const params = { room_name: "tea" };
    const refused = expectError(await client.post(`/calls/${service}/create`, params), 400, "BAD_REQUEST");
    expect(refused["msg"]).toMatch(/ is not configured\.$/);
  }
  const { jitsi_server_url } = await client.register({ fetch_event_types: ["realm"] });
  expect(jitsi_server_url).toMatch(/^https:/);
});
