/**
 * `/metrics`, `/replicas` and the details of `/health` are for whoever runs the server: by a token, or at an address of
 * their own.
 */
import { request } from "node:http";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { version } from "../../../actors/version.ts";
import { ConfigError, readConfig } from "../../../http/process/config.ts";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { isInstalled, startBareNginx } from "../../support/server/proxies.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";

const paths = ["/metrics", "/replicas"];
const bareHealth = JSON.stringify({ status: "ready", live: true, ready: true, draining: false });

function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<[status: number, text: string]> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      answer.on("end", () => resolve([answer.statusCode!, text]));
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("with neither an address nor a token set", () => {
  const server = testServer({ environment: { PARLEY_ADMIN_TOKEN: "" }, nodeCount: 1 });
  const refused = [401, expect.stringContaining("PARLEY_ADMIN_TOKEN")];

  it.each(paths)(
    "nobody is answered %s where clients are, on this machine either: a proxy here speaks for strangers",
    async (path) => {
      for (const headers of [
        {},
        { Host: "localhost" },
        { Host: "chat.example.com" },
        { "X-Forwarded-For": "203.0.113.7" },
        { Forwarded: "for=203.0.113.7" },
        { Authorization: "Bearer undefined" },
        { Authorization: "Bearer " },
      ] as Record<string, string>[])
        expect(await ask(server.server.port, path, headers)).toEqual(refused);
    },
  );

  it
    .skipIf(!isInstalled("nginx"))
    .each(["", "proxy_set_header Forwarded for=203.0.113.7;", "proxy_set_header Host $host;"])(
    "nor through an nginx that only has proxy_pass, and %j",
    async (more) => {
      const proxy = await startBareNginx(server.server.port, more);
      try {
        for (const path of paths) expect(await ask(proxy.port, path)).toEqual(refused);
        expect(await ask(proxy.port, "/health")).toEqual([200, bareHealth]);
      } finally {
        await proxy.stop();
      }
    },
  );

  it("strangers hear no more of /health than its state, and no answer names what serves", async () => {
    expect(await ask(server.server.port, "/health")).toEqual([200, bareHealth]);
    server.server.app.health.state = "draining";
    try {
      const said = { status: "draining", live: true, ready: false, draining: true };
      expect(await ask(server.server.port, "/health")).toEqual([503, JSON.stringify(said)]);
    } finally {
      server.server.app.health.state = "ready";
    }
    for (const path of [
      "/health",
      "/metrics",
      "/",
      "/login/",
      "/api/",
      "/nowhere",
      "/api/v1/users/me",
      "/static/icon.svg",
    ]) {
      const answer = await fetch(server.url + path, { redirect: "manual" });
      const told = [...answer.headers].flat().join("\n");
      expect([path, /websockets|node|parley\/|\d+\.\d+\.\d+/i.exec(told)?.[0]]).toEqual([path, undefined]);
    }
  });
});

it("with neither set, whoever asks on a loopback port of its own is answered; no start fails for that port", async () => {
  const unset = { PARLEY_ADMIN_TOKEN: "" };
  const { server, stop } = await startTestServer(unset, 1);
  try {
    for (const path of paths) expect((await ask(server.adminPort!, path))[0]).toBe(200);
    expect(JSON.parse((await ask(server.adminPort!, "/health"))[1])).toMatchObject({ ready: true, version });
  } finally {
    await stop();
  }
  expect(readConfig({}).adminAddress).toEqual({ host: "127.0.0.1", port: 9990 });
  expect(readConfig({ PARLEY_ADMIN_TOKEN: "a-token-of-sixteen-or-more" }).adminAddress).toBeUndefined();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(9990, "127.0.0.1", resolve).once("error", () => resolve()));
  const other = await startTestServer({ ...unset, PORT: String(await freePort()) }, 1);
  try {
    expect(other.server.adminPort).toBeUndefined();
    expect(await ask(other.server.port, "/health")).toEqual([200, bareHealth]);
  } finally {
    await other.stop();
    taken.close();
  }
});

it("with PARLEY_ADMIN_TOKEN, whoever has it is answered, from anywhere, and nobody else", async () => {
  const token = "a-token-of-sixteen-or-more";
  const { server, stop } = await startTestServer({ PARLEY_ADMIN_TOKEN: token }, 1);
  try {
    for (const path of paths) {
      const headers = { Host: "chat.example.com", "X-Forwarded-For": "203.0.113.7" };
      expect((await ask(server.port, path, { ...headers, Authorization: `Bearer ${token}` }))[0]).toBe(200);
      for (const Authorization of [`Bearer ${token}x`, token, "Bearer ", "Basic eDp5"])
        expect((await ask(server.port, path, { Authorization }))[0]).toBe(401);
      expect((await ask(server.port, path))[0]).toBe(401);
    }
    const [, health] = await ask(server.port, "/health", { Authorization: `Bearer ${token}` });
    const { flavour, build } = server.app.uws;
    expect(JSON.parse(health)).toMatchObject({ ready: true, version, http: { flavour, build } });
  } finally {
    await stop();
  }
});

it("with PARLEY_ADMIN_ADDRESS they are answered there, and not where clients are", async () => {
  const { server, stop } = await startTestServer({ PARLEY_ADMIN_ADDRESS: "127.0.0.1:0", PARLEY_ADMIN_TOKEN: "" }, 1);
  try {
    for (const path of paths) {
      expect((await ask(server.adminPort!, path, { Host: "node-1.internal" }))[0]).toBe(200);
      expect((await ask(server.port, path))[0]).toBe(401);
    }
    expect(JSON.parse((await ask(server.adminPort!, "/health"))[1])).toMatchObject({ ready: true, version });
  } finally {
    await stop();
  }
});

it("a wrong value stops the start with one sentence", () => {
  for (const PARLEY_ADMIN_ADDRESS of ["9992", "localhost", "http://localhost:9992", "a b:1", "127.0.0.1:70000"])
    expect(() => readConfig({ PARLEY_ADMIN_ADDRESS })).toThrow(ConfigError);
  expect(readConfig({ PARLEY_ADMIN_ADDRESS: "[::1]:9992" }).adminAddress).toEqual({ host: "::1", port: 9992 });
  expect(() => readConfig({ PARLEY_ADMIN_TOKEN: "short" })).toThrow(/PARLEY_ADMIN_TOKEN must have from 16/);
});

it("every answer forbids browsers to guess what it is", async () => {
  const { url, owner, stop } = await startTestServer({}, 1);
  try {
    const { id } = owner;
    const key = `Basic ${Buffer.from(`${owner.email}:${owner.apiKey}`).toString("base64")}`;
    const { queue_id, last_event_id } = await owner.client.register({ event_types: ["message"] });
    for (const [path, headers] of [
      ["/health", {}],
      ["/metrics", {}],
      ["/api/", {}],
      ["/login/", {}],
      ["/static/icon.svg", {}],
      ["/nowhere", {}],
      ["/api/v1/server_settings", {}],
      ["/api/v1/users/me", {}],
      [`/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`, { Authorization: key }],
      [`/avatar/${id}`, { Authorization: key }],
      [`/user_avatars/2/${id}/identicon.png`, {}],
    ] as const) {
      const answer = await fetch(url + path, { headers, redirect: "manual" });
      expect([path, answer.headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
    }
  } finally {
    await stop();
  }
});
