/** A server at which people log in by a real directory. */
import { ApiClient, type ApiResponse, expectSuccess } from "../client/api.ts";
import { PlainBrowser } from "../client/plain-browser.ts";
import { type TestServer, testServer } from "../server/server.ts";
import { groups, passwordOf, type Slapd, testSlapd } from "./slapd.ts";

interface LdapServer {
  readonly server: TestServer;
  readonly slapd: Slapd;
  /** Logs somebody in as a program does; their password is `passwordOf` unless told. */
  fetchKey(username: string, password?: string): Promise<ApiResponse>;
  browser(): PlainBrowser;
  /** Who is logged in in a browser; undefined: nobody. */
  self(browser: PlainBrowser): Promise<object | undefined>;
  /** What the audit log says was done to somebody, and by what. */
  auditOf(userId: number): Promise<{ event_type: unknown; via: unknown }[]>;
}

/** Everybody of the directory may join. Its groups math and boss mean something here. */
export function ldapServer(more: object = {}): LdapServer {
  const slapd = testSlapd();
  const server = testServer({
    environment: () => ({
      PARLEY_LDAP: JSON.stringify({
        "*": {
          ...slapd.setting,
          display_name: "Example's directory",
          username_attributes: ["uid", "mail"],
          avatar_attribute: "jpegPhoto",
          profile_fields: { phone: "telephoneNumber" },
          groups: { math: "Mathematicians" },
          roles: { administrator: [`cn=boss,${groups}`] },
          joining: "everybody",
          ...more,
        },
      }),
    }),
  });
  return {
    server,
    slapd,
    fetchKey: (username, password = passwordOf(username.toLowerCase())) =>
      new ApiClient({ url: server.urls }).post("/fetch_api_key", { username, password }),
    browser: () => new PlainBrowser((origin) => (server.urls.includes(origin) ? "the server" : origin)),
    async self(browser) {
      const { status, text } = await browser.get(`${server.url}/json/users/me`);
      return status === 200 ? JSON.parse(text) : undefined;
    },
    async auditOf(userId) {
      const { audit_log: rows } = expectSuccess(
        await server.owner.client.get("/realm/audit_log", { modified_user_id: userId, num_before: 100 }),
      ) as { audit_log: { event_type: unknown; via: unknown }[] };
      return rows.map(({ event_type, via }) => ({ event_type, via }));
    },
  };
}
