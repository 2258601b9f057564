/** Limits by address: of IPv6 one machine has any address of its /64, and a site many of those. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { rates } from "../../../http/api/rate-limit.ts";
import { networksOf } from "../../../http/server/addresses.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { testSmtp } from "../../support/server/smtp.ts";

const smtp = testSmtp();
const server = testServer({ environment });
beforeAll(async () => {
  const { body } = await server.owner.client.post("/invites/multiuse", {});
  joinPath = new URL(expectSuccess({ status: 200, body } as never)["invite_link"] as string).pathname;
});

describe.each(doors())("%s", (_, limited, request) => {
  const limit = limits[limited]!;

  it("one machine is stopped, whichever addresses of its /64 it takes, and not its neighbour", async () => {
    const site = newSite();
    for (let count = 0; count < limit; count++) expect(await request(`${site}:7::${count + 1}`)).not.toBe(429);
    for (let count = 0; count < 3; count++) expect(await request(`${site}:7:${count}:0:0:9`)).toBe(429);
    expect(await request(`${site}:8::1`)).not.toBe(429);
  });

  it("a site is stopped after ten times as much, whichever networks of its /48 it takes, and not the next site", async () => {
    const site = newSite();
    for (let count = 0; count < 10 * limit; count++) expect(await request(`${site}:${count}::1`)).not.toBe(429);
    for (let count = 0; count < 3; count++) expect(await request(`${site}:ff${count}::1`)).toBe(429);
    expect(await request(`${newSite()}::1`)).not.toBe(429);
  });

  it("a machine that is stopped takes nothing from the others of its site", async () => {
    const site = newSite();
    for (let count = 0; count < 12 * limit; count++) await request(`${site}::1`);
    expect(await request(`${site}:1::1`)).not.toBe(429);
  });

  it("IPv4 is counted by address, in whichever form it comes", async () => {
    const last = (++sites).toString(16).padStart(2, "0");
    const forms = [
      `203.0.113.${sites}`,
      `::ffff:203.0.113.${sites}`,
      `::ffff:cb00:71${last}`,
      `64:ff9b::cb00:71${last}`,
    ];
    for (let count = 0; count < limit; count++) expect(await request(forms[count % forms.length]!)).not.toBe(429);
    for (const form of forms) expect(await request(form)).toBe(429);
    expect(await request(`203.0.113.${++sites}`)).not.toBe(429);
  });
});

it("each limit by address has a door above", () => {
  const byAddress = Object.keys(rates).filter((name) => name.endsWith("_by_ip"));
  expect([...new Set(doors().map(([, name]) => name))].sort()).toEqual(byAddress.sort());
});

it.each([
  ["203.0.113.7", ["203.0.113.7"]],
  ["2001:db8:1:2:3:4:5:6", ["2001:db8:1:2::/64", "2001:db8:1::/48"]],
  ["2001:db8::1", ["2001:db8:0:0::/64", "2001:db8:0::/48"]],
  ["2001:db8:1:2::", ["2001:db8:1:2::/64", "2001:db8:1::/48"]],
  ["::1", ["0:0:0:0::/64", "0:0:0::/48"]],
  ["fe80::", ["fe80:0:0:0::/64", "fe80:0:0::/48"]],
  ["", [""]],
])("%s is counted as %j", (address, networks) => {
  expect(networksOf(address)).toEqual(networks);
});

/** How much of each kind is let through; the others are never reached. A window is longer than any test. */
const limits: Record<string, number> = {
  api_by_ip: 12,
  refused_key_by_ip: 4,
  reset_password_by_ip: 4,
  join_by_ip: 4,
};
let joinPath = "";
let sites = 0;
let strangers = 0;

/** A /48 that nobody has asked from. */
const newSite = () => `2001:db8:${(0xa00 + sites++).toString(16)}`;

/** Every kind of request that is limited by address, and which limit that is. Each answers with its status. */
function doors(): [what: string, limit: string, (address: string) => Promise<number>][] {
  const ask = async (path: string, address: string, options: RequestInit = {}) => {
    const headers = { ...options.headers, "X-Forwarded-For": address };
    return (await fetch(server.url + path, { ...options, headers, redirect: "manual" })).status;
  };
  const wrongKey = () => randomBytes(16).toString("hex");
  const stranger = () => `stranger${strangers++}@example.net`;
  const post = (path: string, address: string, fields: Record<string, string>) =>
    ask(path, address, { method: "POST", body: new URLSearchParams(fields) });
  const basic = () => `Basic ${btoa(`${stranger()}:${wrongKey()}`)}`;
  return [
    ["a request without an account", "api_by_ip", (address) => ask("/api/v1/server_settings", address)],
    [
      "a wrong key",
      "refused_key_by_ip",
      (address) => ask("/api/v1/users/me", address, { headers: { Authorization: basic() } }),
    ],
    [
      "a wrong key in the address of a file",
      "refused_key_by_ip",
      (address) => ask(`/user_uploads/1/a/b.txt?api_key=${wrongKey()}`, address),
    ],
    [
      "a wrong key of an incoming webhook",
      "refused_key_by_ip",
      (address) => post(`/api/v1/external/json?api_key=${wrongKey()}`, address, { payload: "{}" }),
    ],
    [
      "a link for a new password",
      "reset_password_by_ip",
      (address) => post("/accounts/password/reset/", address, { email: stranger() }),
    ],
    ["a link to join by", "join_by_ip", (address) => post(joinPath, address, { email: stranger() })],
  ];
}

function environment(): Record<string, string> {
  const chosen = Object.entries(limits).map(([name, limit]) => [
    `PARLEY_RATE_LIMIT_${name.toUpperCase()}`,
    `${limit}/36000`,
  ]);
  return {
    ...Object.fromEntries(chosen),
    PARLEY_RATE_LIMITS: "on",
    PARLEY_LOG_LEVEL: "silent",
    PARLEY_TRUSTED_PROXIES: "1",
    PARLEY_SMTP_URL: smtp.url,
    PARLEY_MAIL_FROM: "chat@example.org",
  };
}
