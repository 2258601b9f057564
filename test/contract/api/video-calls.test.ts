/** Video calls on services that the server is set up for. A server on this machine plays each of them. */
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { type ServiceAnswer, type ServiceRequest, webService } from "../../support/server/web-service.ts";

const service = webService();
const server = testServer({ alsoOn: ["two nodes"], environment });
const [mia, otto, zoe, wim, rita] = server.people("Mia Müller & Co", "Otto Other", "Zoe", "Wim", "Rita");
beforeEach(forget);

describe("BigBlueButton", () => {
  it("makes a link that leads each person to the meeting, its maker as moderator", async () => {
    service.answer = () => made();
    const link = await create({ voice_only: true });
    expect(link).toMatch(/^\/calls\/bigbluebutton\/join\?bigbluebutton=[\w.-]+$/);
    expect(service.requests).toEqual([]);
    const seen = await Promise.all([mia, otto].map(async (person) => (await browse(person, link)).location!));
    for (const location of seen) expectSigned(location, "join");
    const [maker, other] = seen.map((location) => Object.fromEntries(new URL(location).searchParams));
    expect(maker).toMatchObject({ role: "MODERATOR", fullName: "Mia Müller & Co", createTime: "1700000000000" });
    expect(other).toMatchObject({ role: "VIEWER", fullName: "Otto Other", meetingID: maker!["meetingID"] });
    for (const { method, path } of service.requests) {
      expect(method).toBe("GET");
      expectSigned(service.url + path, "create");
    }
    expect(Object.fromEntries(new URL(service.url + service.requests[0]!.path).searchParams)).toMatchObject({
      name: "Tea & cake",
      lockSettingsDisableCam: "true",
      meetingID: maker!["meetingID"],
    });
  });

  it("has whoever is not logged in do so first", async () => {
    const link = await create();
    const stranger = await fetch(server.url + link, { redirect: "manual" });
    const [, next] = /^\/login\/\?next=(.*)$/.exec(stranger.headers.get("location")!)!;
    expect((await logIn(mia, decodeURIComponent(next!))).headers.get("location")).toBe(link);
    expect(service.requests).toEqual([]);
  });

  it("leads nobody to a meeting by a link that was changed", async () => {
    service.answer = () => made();
    const link = await create();
    const [text, signature] = link.split("=")[1]!.split(".") as [string, string];
    const meeting = JSON.parse(Buffer.from(text, "base64url").toString()) as JsonObject;
    const forged = Buffer.from(JSON.stringify({ ...meeting, moderator: otto.id })).toString("base64url");
    for (const token of [`${forged}.${signature}`, `${text}.${signature.slice(1)}a`, text, "", "x".repeat(5000)]) {
      const page = await browse(otto, `/calls/bigbluebutton/join?bigbluebutton=${token}`);
      expect(page.status, token).toBe(400);
    }
    expect(service.requests).toEqual([]);
  });

  it("says so when the service refuses, is broken or away", async () => {
    const link = await create();
    const failed = "<response><returncode>FAILED</returncode><messageKey>checksumError</messageKey></response>";
    service.answer = () => ({ body: failed });
    expect((await browse(otto, link)).text).toContain("did not accept this server&#39;s secret");
    for (const answer of [{ status: 500 }, { body: failed.replace("checksumError", "x") }, { body: "no XML" }]) {
      service.answer = () => answer;
      expect((await browse(otto, link)).text).toContain("BigBlueButton made no call");
    }
    service.answer = () => ({ body: "x".repeat(300_000) });
    expect((await browse(otto, link)).text).toContain("BigBlueButton could not be asked");
  });
});

describe("Zoom, in people's own accounts", () => {
  const zoom = { name: "zoom", tokens: "/zoom/oauth/token" };

  it("is let into the account, makes calls there, and both are told to its person", async () => {
    expectError(await zoe.client.post("/calls/zoom/create"), 400, "INVALID_VIDEO_CALL_PROVIDER_TOKEN");
    const asked = new URL((await browse(zoe, "/calls/zoom/register")).location!);
    expect(`${asked.origin}${asked.pathname}`).toBe(`${service.url}/zoom/oauth/authorize`);
    const redirect = "http://chat.example.com/calls/zoom/complete";
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: "code",
      client_id: "zoom id",
      redirect_uri: redirect,
    });
    const { observations } = await assertConverges({
      observers: [zoe.client, otto.client],
      profiles: [LEGACY, MODERN],
      act: () => register(zoe, zoom, token("first")),
    });
    const told = observations.filter(({ events }) => events.some(({ type }) => type === "has_zoom_token"));
    expect(new Set(told.map(({ observer }) => observer))).toEqual(new Set([zoe.client]));
    const [exchange] = service.at(zoom.tokens);
    expect(exchange!.headers.authorization).toBe(`Basic ${btoa("zoom id:zoom secret")}`);
    expect(Object.fromEntries(new URLSearchParams(exchange!.body))).toEqual({
      grant_type: "authorization_code",
      code: "a code",
      redirect_uri: redirect,
    });
    service.answer = () => json({ join_url: "https://zoom.example.com/j/1?pwd=x" }, 201);
    const call = expectSuccess(await zoe.client.post("/calls/zoom/create", { is_video_call: false }));
    expect(call["url"]).toBe("https://zoom.example.com/j/1?pwd=x");
    const [meeting] = service.at("/zoom-api/v2/users/me/meetings");
    expect(meeting!.headers.authorization).toBe("Bearer first");
    expect(JSON.parse(meeting!.body)).toEqual({
      settings: { host_video: false, participant_video: false },
      default_password: true,
    });
    service.answer = () => ({ status: 500 });
    expectError(await zoe.client.post("/calls/zoom/create"), 400, "BAD_REQUEST");
  });

  it("forgets an access that the service has ended", async () => {
    await register(otto, zoom, token("ended"));
    const notice = await fetch(`${server.url}/calls/zoom/deauthorize`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ event: "app_deauthorized", payload: { user_id: "x" } }),
    });
    expect(notice.status).toBe(200);
    service.answer = () => json({ code: 124, message: "Invalid access token" }, 401);
    const { eventsOf } = await assertConverges({
      observers: [otto.client],
      act: async () =>
        expectError(await otto.client.post("/calls/zoom/create"), 400, "INVALID_VIDEO_CALL_PROVIDER_TOKEN"),
    });
    expect(eventsOf(otto.client)).toMatchObject([{ type: "has_zoom_token", value: false }]);
    service.requests.length = 0;
    expectError(await otto.client.post("/calls/zoom/create"), 400, "INVALID_VIDEO_CALL_PROVIDER_TOKEN");
    expect(service.requests).toEqual([]);
  });

  it("renews a token that is over, and asks anew when the service does not", async () => {
    await register(rita, zoom, token("old", 1));
    service.answer = ({ path }) =>
      path === zoom.tokens ? token("new", 1) : json({ join_url: "https://zoom.example.com/j/2" });
    expectSuccess(await rita.client.post("/calls/zoom/create"));
    const renewal = service.at(zoom.tokens).at(-1)!;
    expect(Object.fromEntries(new URLSearchParams(renewal.body))).toEqual({
      grant_type: "refresh_token",
      refresh_token: "old-again",
    });
    expect(service.at("/zoom-api/v2/users/me/meetings")[0]!.headers.authorization).toBe("Bearer new");
    service.answer = () => ({ status: 503 });
    expectError(await rita.client.post("/calls/zoom/create"), 400, "BAD_REQUEST");
    service.answer = () => json({ error: "invalid_grant" }, 400);
    expectError(await rita.client.post("/calls/zoom/create"), 400, "INVALID_VIDEO_CALL_PROVIDER_TOKEN");
    expect((await rita.client.register({ fetch_event_types: ["video_calls"] }))["has_zoom_token"]).toBe(false);
  });

  it("takes a code only from the browser and person that asked, and only a token from the service", async () => {
    const own = new URL((await browse(wim, "/calls/zoom/register")).location!).searchParams.get("state")!;
    const others = new URL((await browse(mia, "/calls/zoom/register")).location!).searchParams.get("state")!;
    service.answer = () => token("stolen");
    for (const state of [others, "", own.slice(1)])
      expect((await browse(wim, `/calls/zoom/complete?code=c&state=${state}`)).status).toBe(400);
    expect(service.requests).toEqual([]);
    const odd = [json({}), json({ access_token: "a\nb" }), json({ access_token: 1 }), json([]), { body: "{" }];
    for (const answer of [...odd, json({ error: "invalid_grant" }, 400)]) {
      service.answer = () => answer;
      expect((await browse(wim, `/calls/zoom/complete?code=c&state=${own}`)).status).toBe(400);
    }
    expect((await wim.client.register({ fetch_event_types: ["video_calls"] }))["has_zoom_token"]).toBe(false);
  });
});

describe("Zoom, in the server's account", () => {
  const one = testServer({ environment: () => ({ ...environment(), PARLEY_ZOOM_ACCOUNT_ID: "account" }) });

  it("makes calls for people by their addresses", async () => {
    const tokens = "/zoom/oauth/token";
    service.answer = ({ path }) =>
      path === tokens ? json({ access_token: "for-all" }) : json({ join_url: "https://zoom.example.com/j/3" }, 201);
    const { client, email } = one.owner;
    expect(expectSuccess(await client.post("/calls/zoom/create"))["url"]).toBe("https://zoom.example.com/j/3");
    expect(Object.fromEntries(new URLSearchParams(service.at(tokens)[0]!.body))).toEqual({
      grant_type: "account_credentials",
      account_id: "account",
    });
    const [meeting] = service.at(`/zoom-api/v2/users/${encodeURIComponent(email)}/meetings`);
    expect(meeting!.headers.authorization).toBe("Bearer for-all");
    service.answer = ({ path }) => (path === tokens ? json({ access_token: "a" }) : json({ code: 1001 }, 404));
    expectError(await client.post("/calls/zoom/create"), 400, "UNKNOWN_ZOOM_USER");
    service.answer = () => json({ error: "invalid_client" }, 400);
    expectError(await client.post("/calls/zoom/create"), 400, "BAD_REQUEST");
    const { realm_available_video_chat_providers: offered } = await client.register({ fetch_event_types: ["realm"] });
    expect(offered).toMatchObject({ zoom_server_to_server: { name: "Zoom", id: 5 } });
    expect(Object.keys(offered as object)).not.toContain("zoom");
  });
});

describe("Webex", () => {
  const webex = { name: "webex", tokens: "/webex/access_token" };

  it("makes a call in a public room, or in the personal one, and tells who asked for the news", async () => {
    const asked = new URL((await browse(wim, "/calls/webex/register")).location!);
    expect(asked.searchParams.get("scope")).toContain("meeting:schedules_write");
    const { eventsOf } = await assertConverges({
      observers: [wim.client],
      profiles: [MODERN, LEGACY],
      act: () => register(wim, webex, token("cisco")),
    });
    // Strict clients do not know it: it goes to those that name it.
    expect(eventsOf(wim.client, LEGACY)).toEqual([]);
    expect(Object.fromEntries(new URLSearchParams(service.at(webex.tokens)[0]!.body))).toMatchObject({
      grant_type: "authorization_code",
      client_id: "webex id",
      client_secret: "webex secret",
    });
    service.answer = ({ path }) =>
      json(path === "/webex/rooms" ? { id: "room 1" } : { webLink: "https://webex.example.com/m/1" });
    expect(expectSuccess(await wim.client.post("/calls/webex/create"))["url"]).toBe("https://webex.example.com/m/1");
    const meetings = () => service.at("/webex/meetings").map(({ body }) => JSON.parse(body) as JsonObject);
    expect(meetings()[0]).toMatchObject({ adhoc: true, roomId: "room 1" });
    service.answer = ({ path }) =>
      path === "/webex/rooms" ? json({}, 403) : json({ webLink: "https://webex.example.com/m/2" });
    expectSuccess(await wim.client.post("/calls/webex/create"));
    expect(meetings()[1]).toMatchObject({
      scheduledType: "personalRoomMeeting",
      start: expect.stringMatching(/\+00:00$/),
    });
    service.answer = () => ({ status: 500 });
    expectError(await wim.client.post("/calls/webex/create"), 400, "BAD_REQUEST");
  });
});

describe("Nextcloud Talk and Constructor Groups", () => {
  it("make a public room, under a name that is not too long", async () => {
    service.answer = () => json({ ocs: { data: { token: "abc123" } } }, 201);
    const name = `${"tea ".repeat(100)}`;
    const made = expectSuccess(await mia.client.post("/calls/nextcloud_talk/create", { room_name: name }));
    expect(made["url"]).toBe(`${service.url}/cloud/index.php/call/abc123`);
    const [request] = service.at("/cloud/ocs/v2.php/apps/spreed/api/v4/room");
    expect(request!.headers).toMatchObject({
      "ocs-apirequest": "true",
      authorization: `Basic ${btoa("parley:talk secret")}`,
    });
    const room = JSON.parse(request!.body) as { roomType: number; roomName: string };
    expect(room.roomType).toBe(3);
    expect(room.roomName).toBe(`${name.slice(0, 254)}…`);
    for (const answer of [json({}), json({ ocs: { data: { token: "../x" } } }), { status: 401 }, { body: "<html>" }]) {
      service.answer = () => answer;
      expectError(await mia.client.post("/calls/nextcloud_talk/create", { room_name: "tea" }), 400, "BAD_REQUEST");
    }
  });

  it("give each person their room", async () => {
    service.answer = () => json({ url: "https://groups.example.com/r/1" });
    const made = expectSuccess(await mia.client.post("/calls/constructorgroups/create"));
    expect(made["url"]).toBe("https://groups.example.com/r/1");
    const [request] = service.at("/groups/room/default");
    const proof = createHash("sha256").update("access|secret").digest("hex");
    expect(request!.headers.authorization).toBe(`Bearer access|${proof}`);
    expect(JSON.parse(request!.body)).toMatchObject({ creator_email: mia.email, name: "Mia Müller & Co's room" });
    for (const answer of [json({ url: "javascript:alert(1)" }), json({}), json(null), { status: 500 }]) {
      service.answer = () => answer;
      expectError(await mia.client.post("/calls/constructorgroups/create"), 400, "BAD_REQUEST");
    }
  });
});

describe("an organization", () => {
  it("chooses among the services that the server is set up for", async () => {
    const register = await mia.client.register({ fetch_event_types: ["realm"] });
    expect(register).toMatchObject({
      server_jitsi_server_url: "https://jitsi.example.com",
      jitsi_server_url: "https://jitsi.example.com",
    });
    const offered = register["realm_available_video_chat_providers"] as Record<string, { id: number }>;
    const ids = Object.values(offered).map(({ id }) => id);
    expect(ids).toEqual([0, 1, 3, 4, 6, 7, 8]);
    const { owner } = server;
    for (const id of ids) expectSuccess(await owner.client.patch("/realm", { video_chat_provider: id }));
    for (const id of [2, 5, 9]) expectError(await owner.client.patch("/realm", { video_chat_provider: id }), 400);
  });

  it("is not asked for what is inside the server's own network", async () => {
    const { environment: given } = server.server.app.system;
    const mayAsk = given.mayAsk;
    for (const { app } of server.nodes) app.system.environment.mayAsk = () => false;
    const refused = expectError(await mia.client.post("/calls/constructorgroups/create"), 400, "BAD_REQUEST");
    for (const { app } of server.nodes) app.system.environment.mayAsk = mayAsk;
    expect(refused["msg"]).toContain("inside this server's own network");
    expect(service.requests).toEqual([]);
  });
});

it("a service that is set up in part stops the start", () => {
  expect(() => readConfig({ PARLEY_ZOOM_CLIENT_ID: "x" })).toThrow("PARLEY_ZOOM_CLIENT_SECRET is missing");
  expect(() => readConfig({ PARLEY_ZOOM_ACCOUNT_ID: "x" })).toThrow("PARLEY_ZOOM_CLIENT_ID is missing");
  expect(() => readConfig({ PARLEY_BIGBLUEBUTTON_URL: "bbb" })).toThrow("PARLEY_BIGBLUEBUTTON_URL must be an address");
});

function forget(): void {
  service.requests.length = 0;
  service.answer = () => ({ status: 404 });
}

/** BigBlueButton's word for a meeting that is there. */
const made = (): ServiceAnswer => ({
  body: `<response><returncode>SUCCESS</returncode><meetingID>x</meetingID>
    <createTime>1700000000000</createTime><messageKey></messageKey></response>`,
});

async function create(params: JsonObject = {}): Promise<string> {
  const asked = await mia.client.get("/calls/bigbluebutton/create", { meeting_name: "Tea & cake", ...params });
  return expectSuccess(asked)["url"] as string;
}

function expectSigned(url: string, call: string): void {
  const [, query, checksum] = new RegExp(`/bigbluebutton/api/${call}\\?(.*)&checksum=(\\w+)$`).exec(url) ?? [];
  expect(checksum, url).toBe(createHash("sha256").update(`${call}${query}bbb secret`).digest("hex"));
}

/** Every service is the same server. */
function environment(): Record<string, string> {
  return {
    PARLEY_ALLOWED_ADDRESSES: "127.0.0.1",
    PARLEY_URL: "http://chat.example.com",
    PARLEY_JITSI_URL: "https://jitsi.example.com/",
    PARLEY_BIGBLUEBUTTON_URL: `${service.url}/bigbluebutton/`,
    PARLEY_BIGBLUEBUTTON_SECRET: "bbb secret",
    PARLEY_ZOOM_CLIENT_ID: "zoom id",
    PARLEY_ZOOM_CLIENT_SECRET: "zoom secret",
    PARLEY_ZOOM_API_URL: `${service.url}/zoom-api`,
    PARLEY_ZOOM_OAUTH_URL: `${service.url}/zoom`,
    PARLEY_WEBEX_CLIENT_ID: "webex id",
    PARLEY_WEBEX_CLIENT_SECRET: "webex secret",
    PARLEY_WEBEX_API_URL: `${service.url}/webex`,
    PARLEY_NEXTCLOUD_TALK_URL: `${service.url}/cloud`,
    PARLEY_NEXTCLOUD_TALK_USER: "parley",
    PARLEY_NEXTCLOUD_TALK_PASSWORD: "talk secret",
    PARLEY_CONSTRUCTOR_GROUPS_URL: `${service.url}/groups`,
    PARLEY_CONSTRUCTOR_GROUPS_ACCESS_KEY: "access",
    PARLEY_CONSTRUCTOR_GROUPS_SECRET_KEY: "secret",
  };
}

const json = (value: unknown, status = 200): ServiceAnswer => ({ status, body: JSON.stringify(value) });
const token = (access: string, lifeSecs = 3600): ServiceAnswer =>
  json({ access_token: access, refresh_token: `${access}-again`, expires_in: lifeSecs, token_type: "bearer" });

const cookies = new WeakMap<Person, string>();

function logIn(person: Person, next = ""): Promise<Response> {
  const body = new URLSearchParams({ username: person.email, password: "a fine password", next });
  return fetch(`${server.url}/login/`, { method: "POST", body, redirect: "manual" });
}

/** Opens an address in the person's own browser. */
async function browse(person: Person, path: string) {
  const kept = cookies.get(person);
  const cookie =
    kept ??
    (await logIn(person)).headers
      .getSetCookie()
      .map((one) => one.split(";")[0]!)
      .join("; ");
  cookies.set(person, cookie);
  const reply = await fetch(server.url + path, { headers: { Cookie: cookie }, redirect: "manual" });
  return { status: reply.status, location: reply.headers.get("location"), text: await reply.text() };
}

/** Has the service give the server access to somebody's account. */
async function register(person: Person, { name, tokens }: { name: string; tokens: string }, given: ServiceAnswer) {
  const asked = new URL((await browse(person, `/calls/${name}/register`)).location!);
  service.answer = ({ path }: ServiceRequest) => (path === tokens ? given : { status: 404 });
  const state = encodeURIComponent(asked.searchParams.get("state")!);
  const page = await browse(person, `/calls/${name}/complete?code=a+code&state=${state}`);
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining("is ready") });
}
