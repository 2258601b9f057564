/** The address that a server tells, where nobody has said what its address is. */
import { describe, expect, it } from "vitest";
import { RawConnection } from "../../../bench/builds/raw-http.ts";
import { networkAddresses } from "../../../http/process/network.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const plain = testServer();
const chosen = testServer({ environment: { PARLEY_URL: "https://chat.example.com" } });

describe("a lone organization", () => {
  it("is where it was asked for: for its settings, and in links to join", async () => {
    const { owner } = plain;
    expect(expectSuccess(await owner.client.get("/server_settings"))["realm_url"]).toBe(plain.url);
    const { invite_link } = expectSuccess(await owner.client.post("/invites/multiuse", {}));
    expect(invite_link).toMatch(new RegExp(`^${plain.url}/join/`));
    const { invites } = expectSuccess(await owner.client.get("/invites")) as { invites: { link_url: string }[] };
    expect(invites[0]!.link_url).toBe(invite_link);
    expect(await urlFor("192.168.7.5:9991")).toBe("http://192.168.7.5:9991");
    expect(await urlFor("Chat.Home.Arpa")).toBe("http://chat.home.arpa");
  });

  it("is where it says it is when it was asked in a way that is no address", async () => {
    for (const host of ["a/b", "a b", 'a"b', "user@evil.example"])
      expect(await urlFor(host)).toBe(plain.server.app.config.externalUrl);
  });

  it("is where PARLEY_URL says, however it was asked for", async () => {
    const { client } = chosen.owner;
    expect(expectSuccess(await client.get("/server_settings"))["realm_url"]).toBe("https://chat.example.com");
    const { invite_link } = expectSuccess(await client.post("/invites/multiuse", {}));
    expect(invite_link).toMatch(/^https:\/\/chat\.example\.com\/join\//);
  });
});

it("the start names the machine's addresses unless the server's own is known, or it listens to this machine only", () => {
  const settings = { host: "0.0.0.0", port: 9991, isUrlChosen: false };
  for (const address of networkAddresses(settings)) expect(address).toMatch(/^http:\/\/[[\].:0-9a-f]+:9991$/);
  expect(networkAddresses({ ...settings, isUrlChosen: true })).toEqual([]);
  expect(networkAddresses({ ...settings, host: "127.0.0.1" })).toEqual([]);
});

/** What a server says its address is, asked under a name. */
async function urlFor(host: string): Promise<unknown> {
  const connection = RawConnection.open(plain.server.port);
  connection.send(`GET /api/v1/server_settings HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const { status, body } = await connection.answer();
  expect(status).toBe(200);
  return (JSON.parse(body) as { realm_url: string }).realm_url;
}
